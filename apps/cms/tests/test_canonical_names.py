"""The tools of the CMS have the names and inputs by which its design calls them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from remit.errors import InvalidArgumentsError
from remit.tools import Arguments
from remit_cms.app import build
from remit_cms.tools import AnyTool

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

_PAGE: Any = {"pageId": "about"}
_META = {"title": "Us", "description": "Who we are"}
_HERO: Any = {"definitionId": "hero", "content": {"heading": "Hello"}}
_LOCALE = {"localeCode": "en"}
_POST = {"postSlug": "news"}
_EDIT = {"pageSectionId": "about/s1", "content": {"heading": "Hello"}, **_LOCALE}

INPUTS: dict[str, tuple[dict[str, Any], ...]] = {
    "cms_getPages": ({},),
    "cms_getPage": ({"slug": "about", "includeContent": True, **_LOCALE}, {"id": "about"}, _PAGE),
    "cms_createPage": (
        {"title": "About", "slug": "about", "sections": [_HERO]},
        {"name": "About", "slug": "about", "indexing": False, "meta": _META},
    ),
    "cms_createPageWithContent": (
        {"title": "About", "slug": "about", "sections": [_HERO]},
        {"name": "About", "sections": [{"sectionKey": "hero"}], "indexing": True, "meta": _META},
        {"title": "About", "sections": '[{"template": "hero", "heading": "Hello"}, {"key": "text", "content": "Hi"}]'},
    ),
    "cms_updatePage": (
        {"id": "about", "name": "Us", "slug": "us", "indexing": True, "meta": _META},
        {**_PAGE, "title": "Us"},
    ),
    "cms_deletePage": ({**_PAGE, "confirmed": True}, {"slug": "about", "removeFromNavigation": False}, {"id": "about"}),
    "cms_findResource": ({"query": "about", "resourceType": "page"},),
    "cms_searchPages": ({"query": "bread", "limit": 3},),
    "cms_getPageSections": ({**_PAGE, "includeContent": True, **_LOCALE}, {"slug": "about"}),
    "cms_getSectionContent": (
        {"pageSectionId": "about/s1", **_LOCALE},
        {"sectionId": "about/s1"},
        {"id": "about/s1"},
        {**_PAGE, "pageSectionId": "s1"},
    ),
    "cms_getSectionFields": ({"id": "hero"}, {"key": "hero"}, {"definitionId": "hero"}),
    "cms_listSectionTemplates": ({},),
    "cms_addSectionToPage": (
        {**_PAGE, "sectionDefId": "hero", "sortOrder": 0, "status": "unpublished"},
        {**_PAGE, **_HERO},
    ),
    "cms_updateSectionContent": (_EDIT, {"sectionId": "about/s1", "text": "Hello"}),
    "cms_deletePageSection": ({"pageSectionId": "about/s1", "confirmed": True},),
    "cms_listConversationImages": ({},),
    "cms_findImage": ({"description": "a loaf"},),
    "cms_searchImages": ({"query": "a loaf", "limit": 5, "minScore": -0.7}, {}),
    "cms_updateSectionImage": ({"pageSectionId": "about/s1", "imageField": "image", "imageId": "i1", **_LOCALE},),
    "cms_replaceImage": ({"oldImageDescription": "a loaf", "newImageId": "i1"},),
    "cms_deleteImage": ({"imageId": "i1"}, {"description": "a loaf", "confirmed": True}),
    "cms_getPosts": ({"collectionSlug": "posts", "status": "published", "category": "News", **_LOCALE},),
    "cms_getPost": ({**_POST, **_LOCALE},),
    "cms_createPost": (
        {
            "collectionSlug": "posts",
            "slug": "news",
            "title": "News",
            "content": {"body": "Hi", "cover": {"url": "/a.png", "alt": "A loaf"}, "tags": ["bread"]},
            "author": "Ann",
            "excerpt": "Hi",
            "category": "News",
            **_LOCALE,
        },
        {"title": "News", "featuredImage": "loaf.jpg"},
    ),
    "cms_updatePost": ({**_POST, "updates": {"title": "New", "body": "Hi"}, **_LOCALE},),
    **{f"cms_{verb}Post": (_POST, {**_POST, "confirmed": True}) for verb in ("publish", "archive", "delete")},
    "cms_getCollectionEntries": ({"collectionId": "team", "includeContent": True, **_LOCALE},),
    "cms_getEntryContent": ({"entryId": "ann", **_LOCALE},),
    "cms_createEntry": ({"collectionId": "team", "title": "Ann", "content": {"role": "Baker"}},),
    "cms_updateEntry": ({"entryId": "ann", "content": {"role": "Baker"}},),
    "cms_deleteEntry": ({"entryId": "ann"},),
    "cms_getNavigation": ({},),
    "cms_addNavigationItem": ({"label": "About", "href": "/about", "location": "both"},),
    "cms_updateNavigationItem": (
        {"label": "About", "newLabel": "Us", "newHref": "/us", "newLocation": "footer", "visible": True},
    ),
    "cms_removeNavigationItem": ({"label": "About"},),
    "cms_toggleNavigationItem": ({"label": "About"},),
    "cms_getSiteSettings": ({},),
    "cms_getSiteSetting": ({"key": "tagline"},),
    "cms_updateSiteSettings": ({"tagline": "Bread"},),
    "web_quickSearch": (
        {
            "query": "bread",
            "numResults": 20,
            "category": "news",
            "includeDomains": ["a.example"],
            "excludeDomains": ["b.example"],
            "recentOnly": True,
            "livecrawl": "fallback",
        },
    ),
    "web_deepResearch": ({"topic": "bread", "sections": ["Flour"], "includeStatistics": True, "maxWaitTime": 120},),
    "web_fetchContent": (
        {
            "urls": ["https://a.example"],
            "includeText": True,
            "textMaxCharacters": 10_000,
            "includeSummary": True,
            "summaryQuery": "bread",
        },
    ),
    "http_get": ({"url": "https://a.example", "headers": {"accept": "text/plain"}},),
    "http_post": ({"url": "https://a.example", "body": "{}", "headers": {}, "confirmed": True},),
}
"""The inputs that the design documents, and others that models give: what is accepted, shown to models or not."""

REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    # A draft is shown to visitors by a publication that a person approves, and by nothing else.
    "cms_addSectionToPage": ({**_PAGE, "sectionDefId": "hero", "status": "published"}, "a new section is a draft"),
    # A deletion that also edits the navigation would be two changes under one approval.
    "cms_deletePage": ({**_PAGE, "removeFromNavigation": True}, "cms_removeNavigationItem removes an item"),
    # Names of sections and collections are not indexed; other tools list them.
    "cms_findResource": ({"query": "hero", "resourceType": "section"}, "cms_getPageSections lists sections"),
    # No search engine behind the port reads pages anew while it is asked.
    "web_quickSearch": ({"query": "bread", "livecrawl": "always"}, "web_fetchContent reads a page as it is now"),
    # The report is composed of passages, without a model.
    "web_deepResearch": ({"topic": "bread", "model": "large"}, "no model writes it; leave model out"),
}
"""Documented inputs that are refused with a reason, since ignoring them would be a lie."""


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> dict[str, AnyTool]:
    operations = build(tmp_path_factory.mktemp("cms")).app.operations
    assert operations is not None
    return {tool.name: tool for tool in operations.callees}


def bind(tool: AnyTool, arguments: dict[str, Any]) -> Any:
    """The payload that a call of a model has, checked as `Validate` checks it."""
    return tool.schema_in.bind(Arguments(json.dumps(arguments), arguments), strict=True)


def test_each_documented_input_of_every_tool_is_accepted(tools: dict[str, AnyTool]) -> None:
    assert set(INPUTS) == {name for names in DESIGN.values() for name in names.split()}
    for name, examples in INPUTS.items():
        for arguments in examples:
            payload = bind(tools[name], arguments)
            canonical = tools[name].schema_in.dump_canonical(payload)
            assert tools[name].schema_in.load(canonical) == payload, name


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_honoured_is_refused_with_its_reason(tools: dict[str, AnyTool], name: str) -> None:
    arguments, reason = REFUSED[name]
    with pytest.raises(InvalidArgumentsError, match=reason):
        bind(tools[name], arguments)


def test_names_that_models_give_are_not_shown(tools: dict[str, AnyTool]) -> None:
    hidden = {"id", "name", "slug", "key", "sectionDefId", "sectionKey", "template", "sectionId", "status", "minScore"}
    for name in ("cms_deletePage", "cms_addSectionToPage", "cms_getSectionFields", "cms_searchImages"):
        assert not hidden & set(tools[name].schema_in.json_schema["properties"]), name


ALONE = {
    "cms_createChangeSet": "a conversation has one already",
    "cms_getSiteSettings": "nothing else reads settings",
    "cms_updateSiteSettings": "says that titles and texts of pages are no settings",
    "cms_createPageWithContent": "says that it adds nothing to an existing page",
    "cms_addToChangeSet": "nothing else moves edits",
    "cms_getImageRendition": "says that pages show renditions by themselves",
    "cms_listScheduledActions": "nothing else lists them",
    "cms_runScheduledAction": "no model has it",
    "cms_deliverWebhook": "no model has it",
    "cms_addWebhook": "people call it",
    "cms_addSite": "people call it",
    "cms_importContent": "people call it",
    "cms_seedSite": "people call it",
    "cms_rebuildSearch": "people call it",
    "web_fetchContent": "nothing else of the editor reads pages of the web",
}
"""The tools whose descriptions name no other tool, and why."""


def test_a_description_says_which_tool_it_is_not(tools: dict[str, AnyTool]) -> None:
    alone = {name for name, tool in tools.items() if not re.search(r"(cms|web)_[a-zA-Z]+", tool.description)}
    without = {name for name in alone if "Not for" not in tools[name].description}
    assert without == set(ALONE)
    named = {word for tool in tools.values() for word in re.findall(r"(?:cms|web|http)_[a-zA-Z]+", tool.description)}
    assert named <= set(tools)


def test_every_tool_of_the_design_is_there_under_its_name(tmp_path: Path) -> None:
    operations = build(tmp_path).app.operations
    assert operations is not None
    names = {tool.name for tool in operations.callees}
    wanted = {name for names in DESIGN.values() for name in names.split()}
    assert len(wanted) == 46
    assert wanted <= names
