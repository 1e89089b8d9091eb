"""What each tool of the CMS is called with: arguments with which it succeeds, and those that name further objects."""

from __future__ import annotations

from typing import Any, Final

from apps.cms.tests.images.files import SITE_UPLOADED, UPLOADED

Sample = dict[str, Any]

NORMAL: Final[dict[str, Sample]] = {
    "cms_getPages": {},
    "cms_getPage": {"pageId": "{about}"},
    "cms_createPage": {"title": "New"},
    "cms_createPageWithContent": {"title": "New", "sections": [{"definitionId": "{hero}"}]},
    "cms_updatePage": {"pageId": "{about}", "title": "Us", "slug": "us"},
    "cms_translatePage": {"pageId": "{live}", "localeCode": "de", "title": "Lebendig", "slug": "lebendig"},
    "cms_copyPage": {"pageId": "{about}", "title": "Copy"},
    "cms_movePage": {"pageId": "{about}", "parentId": "{live}"},
    "cms_getLinksHere": {"pageId": "{about}"},
    "cms_deletePage": {"pageId": "{live}", "confirmed": True},
    "cms_findResource": {"query": "abuot"},
    "cms_searchPages": {"query": "bread"},
    "cms_getPageSections": {"pageId": "{about}"},
    "cms_getSectionContent": {"pageSectionId": "{section}"},
    "cms_getSectionFields": {"definitionId": "{hero}"},
    "cms_listSectionTemplates": {},
    "cms_addSectionToPage": {"pageId": "{about}", "definitionId": "{hero}"},
    "cms_updateSectionContent": {"pageSectionId": "{section}", "content": {"heading": "Cake"}},
    "cms_addListItem": {"pageSectionId": "{faq}", "item": {"question": "When?", "answer": "At nine."}},
    "cms_updateListItem": {"pageSectionId": "{faq}", "itemId": "i1", "item": {"answer": "Here."}},
    "cms_moveListItem": {"pageSectionId": "{faq}", "itemId": "i1"},
    "cms_removeListItem": {"pageSectionId": "{faq}", "itemId": "i1"},
    "cms_moveSection": {"pageSectionId": "{section}", "sortOrder": 1},
    "cms_deletePageSection": {"pageSectionId": "{section}", "confirmed": True},
    "cms_publishPage": {"pageId": "{live}"},
    "cms_unpublishPage": {"pageId": "{live}"},
    "cms_getLivePage": {"pageId": "{live}"},
    "cms_listRevisions": {"pageId": "{about}"},
    "cms_compareRevisions": {"pageId": "{live}"},
    "cms_revertPage": {"pageId": "{live}", "revision": 1},
    "cms_listTrash": {},
    "cms_restorePage": {"pageId": "{gone}"},
    "cms_purgePage": {"pageId": "{gone}"},
    "cms_listChangeSets": {},
    "cms_getChangeSet": {"changeSetId": "{open}"},
    "cms_createChangeSet": {"name": "Spring", "pageIds": ["{about}"]},
    "cms_addToChangeSet": {"changeSetId": "{open}", "pageIds": ["{about}"]},
    "cms_removeWithChangeSet": {"pageId": "{live}", "removal": "delete", "changeSetId": "{open}"},
    "cms_publishChangeSet": {"changeSetId": "{open}"},
    "cms_discardChangeSet": {"changeSetId": "{open}"},
    "cms_revertChangeSet": {"changeSetId": "{published}"},
    "cms_schedulePage": {"pageId": "{live}", "at": "2126-01-01T09:00"},
    "cms_expirePage": {"pageId": "{live}", "at": "2126-01-01T09:00+01:00"},
    "cms_scheduleChangeSet": {"changeSetId": "{open}", "at": "2126-01-01"},
    "cms_listScheduledActions": {},
    "cms_cancelScheduledAction": {"actionId": "{action}"},
    "cms_runScheduledAction": {"actionId": "{action}"},
    "cms_getSiteSettings": {},
    "cms_getSiteSetting": {"key": "tagline"},
    "cms_updateSiteSettings": {"tagline": "Daily bread", "postHosts": ["hooks.example.com"]},
    "cms_getNavigation": {},
    "cms_addNavigationItem": {"label": "Live", "href": "{live}"},
    "cms_updateNavigationItem": {"label": "{item}", "newLabel": "Us", "newHref": "{live}"},
    "cms_toggleNavigationItem": {"label": "{item}"},
    "cms_removeNavigationItem": {"label": "{item}"},
    "cms_listRedirects": {},
    "cms_addRedirect": {"path": "/new-menu", "href": "{live}"},
    "cms_updateRedirect": {"path": "{redirection}", "newPath": "/older-menu", "newHref": "{live}"},
    "cms_removeRedirect": {"path": "{redirection}"},
    "cms_createPreviewLink": {"pageId": "{live}"},
    "cms_addSite": {"key": "bakery", "name": "Bakery"},
    "cms_listSites": {},
    "cms_exportSite": {},
    "cms_exportContent": {},
    "cms_rebuildSearch": {},
    "cms_openPage": {"page": "{live}"},
    "cms_importContent": {"file": SITE_UPLOADED},
    "cms_seedSite": {},
    "cms_uploadImage": {"file": UPLOADED, "altText": "A new loaf"},
    "cms_listConversationImages": {},
    "cms_findImage": {"description": "loaf"},
    "cms_searchImages": {"query": "cake"},
    "cms_updateImage": {"imageId": "{shown}", "altText": "A big cake"},
    "cms_deleteImage": {"imageId": "{image}"},
    "cms_getImageUsage": {"imageId": "{shown}"},
    "cms_getImageRendition": {"imageId": "{image}"},
    "cms_updateSectionImage": {"pageSectionId": "{section}", "imageId": "{image}"},
    "cms_addImageToSection": {"pageSectionId": "{section}", "imageId": "{image}"},
    "cms_replaceImage": {"oldImageDescription": "{shown}", "newImageId": "{image}"},
    "cms_listTypes": {},
    "cms_defineType": {"name": "Team", "fields": [{"key": "role", "type": "text"}]},
    "cms_changeType": {"typeId": "{posts}", "name": "News", "changeFields": [{"key": "excerpt", "label": "Teaser"}]},
    "cms_deleteType": {"typeId": "{quote}"},
    "cms_getCollectionEntries": {"collectionId": "{posts}"},
    "cms_getEntryContent": {"entryId": "{entry}"},
    "cms_createEntry": {"collectionId": "{posts}", "title": "New", "content": {"body": "Cake"}},
    "cms_updateEntry": {"entryId": "{entry}", "title": "Later", "slug": "later", "content": {"body": "Cake"}},
    "cms_deleteEntry": {"entryId": "{news}"},
    "cms_getPosts": {"collectionSlug": "{posts}"},
    "cms_getPost": {"postSlug": "{entry}"},
    "cms_createPost": {"title": "New", "body": "Cake", "collectionSlug": "{posts}"},
    "cms_updatePost": {"postSlug": "{entry}", "body": "Cake", "tags": ["bread"]},
    "cms_publishPost": {"postSlug": "{entry}"},
    "cms_archivePost": {"postSlug": "{news}"},
    "cms_deletePost": {"postSlug": "{news}"},
}
"""Arguments with which each tool succeeds. Names in braces are ids of `World.populate`."""

WEB: Final[dict[str, Sample]] = {
    "web_quickSearch": {"query": "bread"},
    "web_fetchContent": {"urls": ["http://bread.example/rye"]},
    "web_deepResearch": {"topic": "rye bread"},
    "http_get": {"url": "http://bread.example/rye"},
    "http_post": {"url": "http://hooks.example/rye", "body": "Rye"},
}
"""The same of tools that know no objects of the CMS."""

TARGETS: Final = {"cms_importContent": "empty", "cms_seedSite": "empty"}
"""The sites of calls that need one without pages."""

IDS: Final[dict[str, tuple[str, ...]]] = {
    "about": ("page_1", "page_4"),
    "live": ("page_2", "page_5"),
    "gone": ("page_3", "page_6"),
    "section": ("section_1", "section_4"),
    "faq": ("section_3", "section_6"),
    "image": ("image_1", "image_3"),
    "shown": ("image_2", "image_4"),
    "published": ("set_1", "set_6"),
    "open": ("set_2", "set_7"),
    "item": ("item_1", "item_2"),
    "redirection": ("redirect_1", "redirect_2"),
    "entry": ("entry_1", "entry_3"),
    "action": ("action_1", "action_2"),
    "news": ("entry_2", "entry_4"),
    "hero": ("", ""),
    "posts": ("", ""),
    "quote": ("", ""),
}
"""The ids of the objects of this tenant, and of another one; those of templates are found."""

_TEXTS: Final[Sample] = {
    "heading": "Cake",
    "content": "[Here](/about) and [there](page:about).",
    "image": {"imageId": "{image}", "alt": "Cake", "caption": "Cake"},
    "cta": {"text": "More", "url": "/about"},
}
"""What a section says, with everything that it can name."""
_SECTIONS: Final[list[Sample]] = [
    {"definitionId": "{hero}", "content": _TEXTS},
    {"definitionId": "call-to-action", "content": {"heading": "Come", "cta": {"text": "More", "page": "{live}"}}},
    {"definitionId": "call-to-action", "content": {"heading": "Come", "cta": {"text": "More", "entry": "{entry}"}}},
    {"definitionId": "faq", "content": {"questions": [{"question": "Who?", "answer": "[Us](/about)"}]}},
    {"definitionId": "gallery", "content": {"pictures": [{"image": {"imageId": "{image}"}}]}},
    {"definitionId": "gallery", "content": {"pictures": [{"image": {"url": "/images/loaf.png", "alt": "A loaf"}}]}},
    {"definitionId": "entry-list", "content": {"entries": {"collectionId": "{posts}"}}},
    {"definitionId": "media", "content": {"media": {"url": "/film.mp4", "caption": "Cake"}}},
]
_DEFAULT: Final[Sample] = {"localeCode": "en"}
_META: Final[Sample] = {"title": "Cake", "description": "Bread and cake"}
_POST: Final[Sample] = {
    "title": "New",
    "slug": "new",
    "body": "[Here](/about) and [there](page:about).",
    "excerpt": "Cake",
    "author": "Ann",
    "category": "bread",
    "tags": ["bread"],
    "cover": {"imageId": "{image}", "alt": "Cake"},
    **_DEFAULT,
}

FURTHER: Final[dict[str, tuple[Sample, ...]]] = {
    "cms_searchImages": ({"cursor": "{image}"},),
    "cms_getPages": ({"cursor": "about:{about}", **_DEFAULT},),
    "cms_getPage": ({"slug": "{about}", **_DEFAULT, "includeContent": True},),
    "cms_createPage": tuple({"title": "New", "slug": "new", "sections": [each]} for each in _SECTIONS),
    "cms_createPageWithContent": (
        {
            "title": "New",
            "slug": "new",
            "sections": [{"definitionId": "{hero}", "content": {"image": {"imageId": "{image}"}}}],
        },
    ),
    "cms_updatePage": ({"pageId": "{about}", "meta": _META, "ifUnchanged": "page_1"},),
    "cms_translatePage": ({"pageId": "{live}", "localeCode": "de", "meta": _META},),
    "cms_copyPage": ({"pageId": "{about}", "title": "Copy", "slug": "copy"},),
    "cms_movePage": ({"pageId": "{live}", "parentId": ""},),
    "cms_searchPages": ({"query": "bread", **_DEFAULT},),
    "cms_getPageSections": ({"pageId": "{about}", **_DEFAULT},),
    "cms_getSectionContent": ({"pageSectionId": "{section}", **_DEFAULT},),
    "cms_addSectionToPage": ({"pageId": "{about}", **_DEFAULT, **_SECTIONS[0]},),
    "cms_updateSectionContent": ({"pageSectionId": "{section}", "content": _TEXTS, **_DEFAULT},),
    "cms_addListItem": (
        {"pageSectionId": "{faq}", "item": {"question": "When?", "answer": "[Here](/about)"}, **_DEFAULT},
    ),
    "cms_updateListItem": (
        {"pageSectionId": "{faq}", "itemId": "i1", "item": {"answer": "[Here](page:about)"}, **_DEFAULT},
    ),
    "cms_moveSection": ({"pageSectionId": "{section}", "pageId": "{live}"},),
    "cms_getLivePage": ({"pageId": "{live}", **_DEFAULT},),
    "cms_restorePage": ({"pageId": "{gone}", "slug": "back"},),
    "cms_getSiteSettings": (_DEFAULT,),
    "cms_getSiteSetting": ({"key": "tagline", **_DEFAULT},),
    "cms_updateSiteSettings": (
        {"homePage": "{live}", "name": "Bakery", "instructions": "Be brief.", "timeZone": "Europe/Berlin"},
        {"homePage": "/about", "theme": {"ink": "black"}},
        {"logo": "{image}"},
        {"language": "en"},
        {"tagline": "Daily bread", **_DEFAULT},
    ),
    "cms_getNavigation": (_DEFAULT,),
    "cms_addNavigationItem": ({"label": "Live", "href": "/about", "location": "both"},),
    "cms_updateNavigationItem": ({"label": "{item}", "newLabel": "Us", **_DEFAULT},),
    "cms_addRedirect": (
        {"path": "/de/alte-karte", "href": "/about", **_DEFAULT},
        {"path": "/shop", "href": "https://shop.example.com/about"},
    ),
    "cms_updateRedirect": ({"path": "/old-menu", "newHref": "/about", **_DEFAULT},),
    "cms_createPreviewLink": ({"changeSetId": "{open}"},),
    "cms_addSite": ({"key": "bakery", "name": "Bakery", "languages": ["en"], "environments": ["main"]},),
    "cms_openPage": ({"page": "{about}", **_DEFAULT},),
    "cms_uploadImage": ({"file": UPLOADED, "altText": "A new loaf", "name": "loaf.png", "caption": "Cake"},),
    "cms_updateImage": ({"imageId": "{shown}", "caption": "Cake", "name": "cake.png"},),
    "cms_updateSectionImage": (
        {"pageSectionId": "{section}", "imageId": "{image}", "imageField": "image", **_DEFAULT},
    ),
    "cms_addImageToSection": ({"pageSectionId": "{section}", "imageId": "{image}", "fieldName": "image", **_DEFAULT},),
    "cms_listTypes": ({"kind": "section"},),
    "cms_changeType": (
        {
            "typeId": "{posts}",
            "addFields": [{"key": "price", "type": "number", "value": "2"}, {"key": "day", "type": "date"}],
            "fieldOrder": ["excerpt"],
            "sortedBy": "day",
        },
        {"typeId": "{posts}", "name": "Neues", "localeCode": "de"},
    ),
    "cms_defineType": (
        {
            "name": "Team",
            "key": "team",
            "fields": [{"key": "role", "type": "option", "label": "Role", "options": ["a"]}],
        },
    ),
    "cms_getCollectionEntries": ({"collectionId": "{posts}", "cursor": "{entry}", **_DEFAULT},),
    "cms_getEntryContent": ({"entryId": "{entry}", **_DEFAULT},),
    "cms_createEntry": (
        {"collectionId": "{posts}", "title": "New", "slug": "new", **_DEFAULT},
        {
            "collectionId": "{posts}",
            "title": "New",
            "content": {"body": "[Here](/about)", "cover": {"imageId": "{image}"}},
        },
    ),
    "cms_updateEntry": ({"entryId": "{entry}", "content": {"cover": {"imageId": "{image}"}}, **_DEFAULT},),
    "cms_getPosts": ({"collectionSlug": "{posts}", "category": "bread", **_DEFAULT},),
    "cms_getPost": ({"postSlug": "{entry}", **_DEFAULT},),
    "cms_createPost": (
        {**_POST, "collectionSlug": "{posts}"},
        {**_POST, "cover": {"url": "/loaf.png", "alt": "A loaf"}},
    ),
    "cms_updatePost": (
        {**_POST, "postSlug": "{entry}"},
        {"postSlug": "{entry}", "cover": {"url": "/1.png", "alt": "A loaf"}},
    ),
}
"""Further arguments: every other text argument of each tool, and texts within content that name an object."""
