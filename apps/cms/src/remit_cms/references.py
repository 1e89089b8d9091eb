"""The references of the CMS: what finds the objects that a text may mean, imported when it is first used."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from remit import LeafContext
from remit.tools import Candidate, Resolver
from remit_cms.storage import missing
from remit_cms.storage.database import Database
from remit_cms.storage.missing import Sort, with_not_found


def references(database: Database) -> dict[str, Resolver]:
    """The resolvers of references, by kind."""
    found: dict[str, tuple[Callable[[Database], Resolver], Sort]] = {
        "page": (_pages, missing.PAGE),
        "document": (_documents, missing.DOCUMENT),
        "entry": (_entries, missing.ENTRY),
        "navigation-item": (_navigation_items, missing.ITEM),
        "redirect": (_redirects, missing.REDIRECT),
        "section": (_sections, missing.SECTION),
        "deleted-page": (_deleted_pages, missing.TRASHED),
        "change-set": (_change_sets, missing.CHANGE_SET),
        "scheduled-action": (_scheduled_actions, missing.SCHEDULED),
        "image": (_images, missing.IMAGE),
    }
    return {kind: _resolve_later(make, database, sort) for kind, (make, sort) in found.items()}


def _resolve_later(make: Callable[[Database], Resolver], database: Database, sort: Sort) -> Resolver:
    """The resolver that ``make`` returns, made when it is first used, which refuses a name that no candidate has."""
    made = cache(lambda: with_not_found(make(database), sort))

    async def find_candidates(ctx: LeafContext, text: str) -> list[Candidate]:
        return [*await made()(ctx, text)]

    return find_candidates


def _pages(database: Database) -> Resolver:
    from remit_cms.pages.references import PageReferences

    return PageReferences(database).find_candidates


def _sections(database: Database) -> Resolver:
    from remit_cms.pages.references import SectionReferences

    return SectionReferences(database).find_candidates


def _documents(database: Database) -> Resolver:
    from remit_cms.posts.references import DocumentReferences

    return DocumentReferences(database).find_candidates


def _entries(database: Database) -> Resolver:
    from remit_cms.posts.references import EntryReferences

    return EntryReferences(database).find_candidates


def _navigation_items(database: Database) -> Resolver:
    from remit_cms.navigation.navigation import NavigationReferences

    return NavigationReferences(database).find_candidates


def _redirects(database: Database) -> Resolver:
    from remit_cms.redirects.redirects import RedirectReferences

    return RedirectReferences(database).find_candidates


def _deleted_pages(database: Database) -> Resolver:
    from remit_cms.publishing.references import DeletedPageReferences

    return DeletedPageReferences(database).find_candidates


def _change_sets(database: Database) -> Resolver:
    from remit_cms.publishing.references import ChangeSetReferences

    return ChangeSetReferences(database).find_candidates


def _scheduled_actions(database: Database) -> Resolver:
    from remit_cms.scheduling.actions import ScheduledActionReferences

    return ScheduledActionReferences(database).find_candidates


def _images(database: Database) -> Resolver:
    from remit_cms.images.references import ImageReferences

    return ImageReferences(database).find_candidates
