"""The tools of the CMS have the names by which its design calls them."""

from __future__ import annotations

from pathlib import Path

from remit_cms.app import build

DESIGN = {
    "pages": (
        "cms_getPages cms_getPage cms_createPage cms_createPageWithContent cms_updatePage cms_deletePage"
        " cms_findResource cms_searchPages"
    ),
    "sections": (
        "cms_getPageSections cms_getSectionContent cms_getSectionFields cms_listSectionTemplates"
        " cms_addSectionToPage cms_updateSectionContent cms_deletePageSection"
    ),
    "images": (
        "cms_listConversationImages cms_findImage cms_searchImages cms_updateSectionImage cms_replaceImage"
        " cms_deleteImage"
    ),
    "posts": ("cms_getPosts cms_getPost cms_createPost cms_updatePost cms_publishPost cms_archivePost cms_deletePost"),
    "entries": "cms_getCollectionEntries cms_getEntryContent cms_createEntry cms_updateEntry cms_deleteEntry",
    "navigation": (
        "cms_getNavigation cms_addNavigationItem cms_updateNavigationItem cms_toggleNavigationItem"
        " cms_removeNavigationItem"
    ),
    "settings": "cms_getSiteSettings cms_updateSiteSettings cms_getSiteSetting",
    "web": "web_quickSearch web_deepResearch web_fetchContent",
    "http": "http_get http_post",
}
"""The tools of each part of the design."""


def test_every_tool_of_the_design_is_there_under_its_name(tmp_path: Path) -> None:
    operations = build(tmp_path).app.operations
    assert operations is not None
    names = {tool.name for tool in operations.callees}
    wanted = {name for names in DESIGN.values() for name in names.split()}
    assert len(wanted) == 46
    assert wanted <= names
