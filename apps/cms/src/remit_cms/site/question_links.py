"""Links from questions to previews of what they ask about, for people who decide elsewhere than in the console."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import wraps
from typing import Any, Final

from pydantic import BaseModel

from remit import LeafContext, Tool
from remit.errors import SetupError
from remit.inventory import Operations
from remit.secrets import Secret
from remit.tools import Preview as Description
from remit_cms.site.links import Preview
from remit_cms.site.lookup import find_preview_path
from remit_cms.site.preview_key import PreviewKey
from remit_cms.storage.database import Database
from remit_cms.storage.outlook import Outlook, load_outlook
from remit_cms.storage.pins import find_pin
from remit_cms.storage.scope import Scope
from remit_cms.storage.transactions import open_view

LINKED: Final = frozenset(
    {"cms_publishPage", "cms_publishPost", "cms_publishChangeSet", "cms_unpublishPage", "cms_archivePost"}
    | {"cms_deletePage", "cms_deletePost", "cms_deleteEntry"}
    | {"cms_schedulePage", "cms_scheduleChangeSet", "cms_expirePage"}
)
"""The tools whose questions have links."""

_LIFETIME: Final = timedelta(hours=24)


class QuestionLinks:
    """Adds signed links to the previews of tools. Each expires after a day and shows only what the question is about.

    Args:
        database: the database with the pages.
        key: the key that signs the links; without one there are none.
    """

    def __init__(self, database: Database, key: PreviewKey) -> None:
        self._database = database
        self._key = key

    def add_to(self, operations: Operations) -> Operations:
        """The operations, with links in the previews of the tools that have them."""
        return operations.with_tools(self._link)

    def _link(self, tool: Tool[..., Any]) -> Tool[..., Any]:
        if tool.name not in LINKED:
            return tool

        @wraps(tool.functions[-1])  # its preview, so that the inventory knows it
        async def describe(ctx: LeafContext, payload: BaseModel) -> Description | str:
            described = await tool.preview(payload, ctx)
            key = await self._find_key()
            if key is None or not isinstance(described, Description) or described.shows is None:
                return described
            return replace(described, link=await self._make_link(ctx, key, described.shows.id))

        return tool.with_preview(describe)

    async def _find_key(self) -> Secret | None:
        try:
            return await self._key.find()
        except SetupError:  # too short; who makes a link by hand is told so
            return None

    async def _make_link(self, ctx: LeafContext, key: Secret, name: str) -> str:
        pin = find_pin(name)
        if pin is None:
            return ""
        async with open_view(self._database, ctx) as scope:
            outlook = await load_outlook(scope, pin)
            path = "" if outlook is None else await _find_outlook_path(scope, outlook)
            target = scope.target
        until = self._database.clock() + _LIFETIME
        return self._key.link(key, Preview(target, pin, int(until.timestamp())), path)


async def _find_outlook_path(scope: Scope, outlook: Outlook) -> str:
    """Where to look first: the one page that it is about, or else the home page, which links to all of them."""
    subjects = [each for each in outlook.shown if each.id in outlook.subjects]
    return await find_preview_path(scope, subjects[0]) if len(outlook.subjects) == len(subjects) == 1 else ""
