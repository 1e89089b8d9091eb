"""How tokens of what the CMS shows are got and made stale, for each kind of object that a call can change."""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple, TypeAlias, get_type_hints

from figures.cms_arguments import Sample
from remit_cms.models import GuardedPayload
from remit_cms.tools import AnyTool

Step: TypeAlias = list[Any]
"""A tool and its arguments."""


class TokenSteps(NamedTuple):
    """Calls of which the last is answered with a token, and calls after which it is stale."""

    first: list[Step]
    then: list[Step]


def _page(name: str) -> TokenSteps:
    changed = {"pageId": name, "title": "Changed since"}
    return TokenSteps([["cms_getPage", {"pageId": name}]], [["cms_updatePage", changed]])


def _entry(name: str) -> TokenSteps:
    changed = {"entryId": name, "content": {"body": "Changed since"}}
    return TokenSteps([["cms_getEntryContent", {"entryId": name}]], [["cms_updateEntry", changed]])


def _image(name: str) -> TokenSteps:
    changed = {"imageId": name, "caption": "Changed since"}
    return TokenSteps([["cms_getImageUsage", {"imageId": name}]], [["cms_updateImage", changed]])


def _change_set(name: str, *changed: Step) -> TokenSteps:
    return TokenSteps([["cms_getChangeSet", {"changeSetId": name}]], [*changed])


_ABOUT: Final = _page("{about}")
_RESTORED: Final[Step] = ["cms_restorePage", {"pageId": "{gone}"}]
_DELETED: Final[Step] = ["cms_deletePage", {"pageId": "{gone}", "confirmed": True}]
_NAVIGATION: Final = TokenSteps(
    [["cms_getNavigation", {}]], [["cms_addNavigationItem", {"label": "Changed since", "href": "{live}"}]]
)
_REDIRECTS: Final = TokenSteps(
    [["cms_listRedirects", {}]], [["cms_addRedirect", {"path": "/changed-since", "href": "{live}"}]]
)
_STEPS: Final = {
    "{item}": _NAVIGATION,
    "{redirection}": _REDIRECTS,
    "{gone}": TokenSteps(
        [_RESTORED, _DELETED],
        [_RESTORED, ["cms_updatePage", {"pageId": "{gone}", "title": "Changed since"}], _DELETED],
    ),
    "{open}": _change_set("{open}", ["cms_addToChangeSet", {"changeSetId": "{open}", "pageIds": ["{about}"]}]),
    "{published}": _change_set("{published}", ["cms_unpublishPage", {"pageId": "{live}"}]),
    "{section}": _ABOUT,
    "{faq}": _ABOUT,
    "{about}": _ABOUT,
    "{live}": _page("{live}"),
    "{entry}": _entry("{entry}"),
    "{news}": _entry("{news}"),
    "{shown}": _image("{shown}"),
    "{image}": _image("{image}"),
}
"""By the object that a call changes, which stands before others that it names."""
_DOCUMENTS: Final = {
    "cms_updateSiteSettings": TokenSteps(
        [["cms_updateSiteSettings", {"tagline": "Once"}]], [["cms_updateSiteSettings", {"tagline": "Changed since"}]]
    ),
    "cms_addNavigationItem": _NAVIGATION,
    "cms_addRedirect": _REDIRECTS,
}
"""The same of tools that name no object, since a site has one."""


def find_token_steps(tool: AnyTool, sample: Sample) -> TokenSteps | None:
    """What gets a token of the object that a tool changes, and changes it; none for a tool that takes no tokens."""
    payload: Any = get_type_hints(tool.function).get("payload")
    if not isinstance(payload, type) or not issubclass(payload, GuardedPayload):
        return None
    named = (steps for name, steps in _STEPS.items() if name in json.dumps(sample))
    return _DOCUMENTS.get(tool.name) or next(named)
