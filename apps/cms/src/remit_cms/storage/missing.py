"""Says that an object does not exist, which ones have similar names, and which tool lists them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from remit import LeafContext
from remit.errors import NotFoundError
from remit.tools import Candidate, Resolver

_MAX_SIMILAR: Final = 3
_LEAST_LIKENESS: Final = 65
"""How alike two names must be to be taken for each other, from 0 to 100. A word of a name is as good as all of it."""


class Sort(NamedTuple):
    """A sort of objects: what one is called, how they are listed, and where they are, as ``in the trash``."""

    noun: str
    listing: str
    place: str = ""


PAGE: Final = Sort("page", "cms_getPages lists the pages.")
ENTRY: Final = Sort("entry", "cms_getPosts lists the posts, cms_getCollectionEntries the entries of a collection.")
DOCUMENT: Final = Sort("page or entry", "cms_getPages lists the pages, cms_getPosts the posts.")
REMOVABLE: Final = Sort("page, entry or image", "cms_getPages, cms_getPosts and cms_searchImages list them.")
SECTION: Final = Sort("section", "cms_getPageSections lists those of a page.")
ITEM: Final = Sort("item", "cms_getNavigation lists them.", "in the navigation")
REDIRECT: Final = Sort("redirect", "cms_listRedirects lists them.")
TRASHED: Final = Sort("page", "cms_listTrash lists what is.", "in the trash")
CHANGE_SET: Final = Sort(
    "change set",
    "Leave changeSetId out for that of this conversation; cms_listChangeSets lists others.",
)
SCHEDULED: Final = Sort("scheduled action", "cms_listScheduledActions lists them.")
WEBHOOK: Final = Sort("webhook", "cms_listWebhooks lists them.")
IMAGE: Final = Sort("image", "cms_searchImages finds images.")


class Named(NamedTuple):
    """An object that may have been meant: its title, address and id, and all its names."""

    title: str
    address: str
    id: str
    names: tuple[str, ...]

    def __str__(self) -> str:
        return f"'{self.title}' ({f'{self.address}, ' if self.address else ''}id {self.id})"


def not_found(sort: Sort, name: str, existing: Iterable[Named] = ()) -> NotFoundError:
    """The error of a name that no object of a sort has, with those of ``existing`` whose names are most like it."""
    similar = [str(each) for each in _find_similar(name, existing)]
    guess = f" Did you mean {' or '.join(similar)}?" if similar else ""
    place = f" {sort.place}" if sort.place else ""
    return NotFoundError(f"There is no {sort.noun} '{name}'{place}.{guess} {sort.listing}")


def with_not_found(find: Resolver, sort: Sort) -> Resolver:
    """A resolver of references that refuses a name that none of its candidates has."""

    async def find_candidates(ctx: LeafContext, text: str) -> list[Candidate]:
        found = [*await find(ctx, text)]
        name = text.strip().casefold()
        if any(name in {each.strip().casefold() for each in (one.id, one.name, *one.aliases)} for one in found):
            return found
        raise not_found(sort, text, (_names_of(each, sort) for each in found))

    return find_candidates


def _names_of(candidate: Candidate, sort: Sort) -> Named:
    """An object that may have been meant, by a name that a call can have in the place of the wrong one."""
    address = next((alias for alias in candidate.aliases if alias.startswith("/")), "")
    title = candidate.aliases[0] if sort is SECTION else candidate.name  # "text on About" is no name of a section
    return Named(title, address, candidate.id, candidate.aliases)


def _find_similar(name: str, existing: Iterable[Named]) -> list[Named]:
    from rapidfuzz import fuzz, process, utils  # noqa: PLC0415 - slow to import, seldom needed

    named = [(each_name, each) for each in existing for each_name in (each.title, *each.names)]
    found = process.extract(
        name,
        [each_name for each_name, _ in named],
        scorer=fuzz.token_set_ratio,
        processor=utils.default_process,
        limit=None,
        score_cutoff=_LEAST_LIKENESS,
    )
    return [*dict.fromkeys(named[index][1] for _, _, index in found)][:_MAX_SIMILAR]
