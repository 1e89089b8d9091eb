"""The references of the CMS: what finds the objects that a text may mean, imported when it is first used."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Final

from remit import LeafContext
from remit.tools import Candidate, Resolver
from remit_cms.storage import missing
from remit_cms.storage.database import Database
from remit_cms.storage.missing import Sort, with_not_found

_FINDERS: Final[dict[str, tuple[str, str, Sort]]] = {
    "page": ("pages.references", "PageReferences", missing.PAGE),
    "document": ("posts.references", "DocumentReferences", missing.DOCUMENT),
    "entry": ("posts.references", "EntryReferences", missing.ENTRY),
    "navigation-item": ("navigation.navigation", "NavigationReferences", missing.ITEM),
    "redirect": ("redirects.redirects", "RedirectReferences", missing.REDIRECT),
    "section": ("pages.references", "SectionReferences", missing.SECTION),
    "deleted-page": ("publishing.references", "DeletedPageReferences", missing.TRASHED),
    "removable": ("publishing.references", "RemovableReferences", missing.REMOVABLE),
    "change-set": ("publishing.references", "ChangeSetReferences", missing.CHANGE_SET),
    "scheduled-action": ("scheduling.actions", "ScheduledActionReferences", missing.SCHEDULED),
    "image": ("images.references", "ImageReferences", missing.IMAGE),
}
"""By kind: the module and the class that find its objects, and what is said of a name that none of them has."""


def references(database: Database) -> dict[str, Resolver]:
    """The resolvers of references, by kind."""
    return {kind: _resolve_later(database, *finder) for kind, finder in _FINDERS.items()}


def _resolve_later(database: Database, module: str, name: str, sort: Sort) -> Resolver:
    """The resolver of a class, which is imported and made when it is first used."""

    @cache
    def make() -> Resolver:
        finder = getattr(import_module(f"remit_cms.{module}"), name)
        return with_not_found(finder(database).find_candidates, sort)

    async def find_candidates(ctx: LeafContext, text: str) -> list[Candidate]:
        return [*await make()(ctx, text)]

    return find_candidates
