"""What the owners of a site call its types, by the tools that work on them: words for the search for tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from remit.agent import RunInfo
from remit.errors import NotFoundError
from remit_cms.storage.database import Database
from remit_cms.storage.scope import Scope, find_target, load_locales, parse_structure
from remit_cms.storage.tables import SectionDefinition
from remit_cms.types.finding import POSTS, kind_of, list_types
from remit_cms.types.payloads import TypeKind

_TOOLS: Final[Mapping[TypeKind, Sequence[str]]] = {
    "entries": (
        "cms_createEntry",
        "cms_deleteEntry",
        "cms_getCollectionEntries",
        "cms_getEntryContent",
        "cms_updateEntry",
    ),
    "single": ("cms_getEntryContent", "cms_updateEntry"),
    "section": (),
}
"""The tools that work on what a type is of. Posts have tools of their own, and those of sections are always shown."""


class TypeNames:
    """The names of the types that a site has made."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, info: RunInfo) -> Mapping[str, Sequence[str]]:
        """The names of the types on the site of a run, by the tools that work on them; empty without a site."""
        async with self._database.read() as session:
            try:
                target = await find_target(session, info.principal.tenant, info.target)
            except NotFoundError:
                return {}
            scope = Scope(session=session, target=target, locales=await load_locales(session, target.site))
            rows = [row for row in await list_types(scope, None) if row.key != POSTS.key]
        found: dict[str, list[str]] = {}
        for row in rows:
            for tool in _TOOLS[kind_of(row)]:
                found.setdefault(tool, []).append(_name(row))
        return found


def _name(row: SectionDefinition) -> str:
    """The key of a type, which tools take, and what it is called besides: ``events: Termine``."""
    names = dict.fromkeys((row.name, *parse_structure(row).names.values()))
    others = [name for name in names if name.casefold().replace(" ", "-") != row.key]
    return ": ".join(filter(None, (row.key, ", ".join(others))))
