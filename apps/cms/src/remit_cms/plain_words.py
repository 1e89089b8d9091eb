"""Words that people use for what the tools of the editor do, beside those of their names and descriptions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_SYNONYMS: Final = {
    "Collection": ["list", "table"],
    "Create": ["new", "write"],
    "Delete": ["remove"],
    "Discard": ["throw away", "drop"],
    "Entries": ["list"],
    "Expire": ["on a day", "until", "end"],
    "Image": ["picture", "photo"],
    "Images": ["pictures", "photos"],
    "Navigation": ["menu", "header", "footer"],
    "Post": ["blog", "news", "article"],
    "Posts": ["blog", "news", "articles"],
    "Purge": ["for ever", "from the trash"],
    "Redirect": ["forward", "short address", "old address"],
    "Remove": ["delete"],
    "Restore": ["undelete", "bring back", "recover"],
    "Revert": ["undo", "take back"],
    "Revisions": ["undo", "earlier version"],
    "Schedule": ["tomorrow", "later", "on a day", "o'clock", "UTC"],
    "Settings": ["colour", "color", "slogan", "site name"],
    "Translate": ["translation", "German", "French", "language"],
    "Unpublish": ["take offline", "take down"],
}
"""By the words in the names of tools."""

_MONTHS: Final = "January February March April May June July August September October November December"
_DAYS: Final = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"

_PHRASES: Final = {
    "cms_addImageToSection": ["show a picture in a section", "put on a page"],
    "cms_addListItem": ["another question", "step", "gallery"],
    "cms_addNavigationItem": ["link"],
    "cms_addRedirect": ["poster"],
    "cms_compareRevisions": ["diff", "what has changed"],
    "cms_createEntry": ["add"],
    "cms_createPreviewLink": ["look at it before it is published"],
    "cms_getChangeSet": ["diff", "not published yet", "what has changed"],
    "cms_getPage": ["what it says", "find a typo"],
    "cms_getSectionContent": ["what it says", "fix a typo", "its text"],
    "cms_getPages": ["count pages", "pages of the site", "all pages"],
    "cms_listRevisions": ["what has changed"],
    "cms_movePage": ["another address", "slug"],
    "cms_moveSection": ["on top", "at the top", "above", "below", "before", "after"],
    "cms_removeNavigationItem": ["delete link"],
    "cms_removeWithChangeSet": ["together with the other changes", "once we publish"],
    "cms_replaceImage": ["everywhere"],
    "cms_revertChangeSet": ["undo what was published"],
    "cms_revertPage": ["as it was before", "earlier version"],
    "cms_schedulePage": [_MONTHS, _DAYS],
    "cms_scheduleChangeSet": [_MONTHS, _DAYS],
    "cms_searchPages": ["somewhere it says"],
    "cms_updateImage": ["alt text", "alternative text"],
    "cms_updatePage": ["rename", "change the title"],
    "cms_updatePageMeta": ["SEO", "Google", "meta description", "search result", "not listed"],
    "cms_updateSectionContent": ["fix a typo", "correct", "translation", "heading"],
    "cms_updateSiteSettings": ["set the tagline"],
    "http_get": ["JSON", "API", "fetch"],
    "http_post": ["webhook", "Slack", "send to a server", "API"],
    "web_deepResearch": ["internet", "report"],
    "web_fetchContent": ["internet", "open a link", "website"],
    "web_quickSearch": ["internet", "find out"],
}

_WORD: Final = re.compile(r"[A-Za-z][a-z]+")


def phrases_for(tools: Iterable[str]) -> dict[str, list[str]]:
    """The search words of these tools, by name; see `remit.agent.ToolSearch`."""
    found = {name: [*_PHRASES.get(name, ()), *_synonyms_of(name)] for name in tools}
    return {name: phrases for name, phrases in found.items() if phrases}


def _synonyms_of(name: str) -> list[str]:
    words = [word[0].upper() + word[1:] for word in _WORD.findall(name.partition("_")[2])]
    return [phrase for word in words for phrase in _SYNONYMS.get(word, ())]
