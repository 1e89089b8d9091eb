"""The references of the CMS: what finds the objects that a text may mean, imported when it is first used."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Final, NamedTuple

from remit import LeafContext
from remit.tools import Candidate, Resolver
from remit_cms.storage import missing
from remit_cms.storage.database import Database
from remit_cms.storage.missing import Sort, with_not_found
from remit_cms.storage.tables import REMOVABLE_KINDS, Kind


class _Finder(NamedTuple):
    """The module and the class that find objects, what is said of a name that none has, and the kinds of documents."""

    module: str
    name: str
    sort: Sort
    kinds: tuple[Kind, ...] = ()


_DOCUMENTS: Final = ("pages.references", "DocumentReferences")
_FINDERS: Final = {
    "page": _Finder(*_DOCUMENTS, missing.PAGE, (Kind.PAGE,)),
    "document": _Finder(*_DOCUMENTS, missing.DOCUMENT),
    "entry": _Finder(*_DOCUMENTS, missing.ENTRY, (Kind.ENTRY,)),
    "navigation-item": _Finder("navigation.navigation", "NavigationReferences", missing.ITEM),
    "redirect": _Finder("redirects.redirects", "RedirectReferences", missing.REDIRECT),
    "section": _Finder("pages.references", "SectionReferences", missing.SECTION),
    "list": _Finder("pages.references", "SectionReferences", missing.SECTION, (Kind.PAGE, Kind.ENTRY)),
    "deleted-page": _Finder("publishing.references", "DeletedPageReferences", missing.TRASHED),
    "removable": _Finder(*_DOCUMENTS, missing.REMOVABLE, REMOVABLE_KINDS),
    "change-set": _Finder("publishing.references", "ChangeSetReferences", missing.CHANGE_SET),
    "scheduled-action": _Finder("scheduling.actions", "ScheduledActionReferences", missing.SCHEDULED),
    "image": _Finder("images.references", "ImageReferences", missing.IMAGE),
}


def references(database: Database) -> dict[str, Resolver]:
    """The resolvers of references, by kind."""
    return {kind: _resolve_later(database, finder) for kind, finder in _FINDERS.items()}


def _resolve_later(database: Database, finder: _Finder) -> Resolver:
    """The resolver of a class, which is imported and made when it is first used."""

    @cache
    def make() -> Resolver:
        found = getattr(import_module(f"remit_cms.{finder.module}"), finder.name)
        return with_not_found(found(database, *finder.kinds).find_candidates, finder.sort)

    async def find_candidates(ctx: LeafContext, text: str) -> list[Candidate]:
        return [*await make()(ctx, text)]

    return find_candidates
