"""Claims: which edits of a document wait to go live, with which change set, and when."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from zoneinfo import ZoneInfo

from sqlalchemy import and_, delete, func, select

from remit_cms.storage.scope import Scope
from remit_cms.storage.tables import ChangeSet, Claim, Page, Publication, Revision, ScheduledAction
from remit_cms.storage.transactions import Edit
from remit_cms.storage.zones import describe_time, find_zone

PENDING: Final = ("open", "scheduled")
"""The states of change sets whose claims are not fulfilled."""

REBUILT: Final = "publish_change_set"
"""The action of revisions that a publication makes: what visitors see then, and the draft again after it."""

UPLOAD: Final = "upload_image"
"""The action of the first revision of an image, which is in use from then on."""

_NO_EDITS: Final = (REBUILT, UPLOAD, "discard_change_set", "revert_change_set", "delete_page")
"""The actions of revisions that other revisions cause. No editor made them."""

HIDDEN: Final = 0
"""The number in a claim that hides a document from visitors."""

DELETED: Final = -1
"""The number in a claim that takes a document from visitors and editors. It is in the trash then."""

REMOVALS: Final = {HIDDEN: "hidden from visitors", DELETED: "deleted"}
"""The numbers in claims that say that a document goes, and what becomes of it then."""

LEAVING: Final = {HIDDEN: "hiding", DELETED: "deleting"}
"""The status of a document that is to go with an open change set."""

DRAFT_OF_OTHERS: Final = "a draft of others"
"""What a document is called whose title a reader is not shown."""

_UTC: Final = ZoneInfo("UTC")

IS_CLAIMED: Final = and_(Claim.page == Revision.page, Claim.number == Revision.number)
"""The condition that joins claims and the revisions that they claim."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """What a change set, or an edit outside one, wants of a document, with its owner and scheduled time.

    ``numbers`` are its revisions with edits that wait; one of `REMOVALS` alone says that the document is to go. A
    change set that wants both has two claims. ``zone`` is that of the site, in which the time is told.
    """

    page: str
    numbers: tuple[int, ...]
    authors: tuple[str, ...]
    change_set: ChangeSet | None = None
    action: ScheduledAction | None = None
    zone: ZoneInfo = _UTC

    @property
    def at(self) -> datetime | None:
        """When it is to go live; None if that is not scheduled."""
        return None if self.action is None else self.action.at

    @property
    def is_hiding(self) -> bool:
        """Whether visitors are to see nothing of the document."""
        return self.numbers[0] in REMOVALS

    @property
    def is_deletion(self) -> bool:
        """Whether editors are to see nothing of it either."""
        return self.numbers == (DELETED,)

    def __str__(self) -> str:
        if self.action is None:
            return self.in_words
        return f"{describe_action(self.action, self.zone)} ({self.action.id}, by {self.action.author})"

    @property
    def in_words(self) -> str:
        """The claim as an approver reads it: without the id, which callers need to cancel what is scheduled."""
        who = " and ".join(self.authors)
        if self.action is not None:
            return f"{describe_action(self.action, self.zone)} (by {self.action.author})"
        if self.change_set is not None and self.is_hiding:
            return f"{describe_removal(self.numbers[0], self.change_set)} by {self.change_set.author}"
        group = "no change set" if self.change_set is None else f"the change set '{self.change_set.name}'"
        return f"unpublished edits by {who} that belong to {group}"


def describe_action(action: ScheduledAction, zone: ZoneInfo) -> str:
    """A scheduled action as people read it: ``'About' is to be published on 24 December 2026, 09:00 UTC``."""
    verb = "published" if action.action == "publish" else "hidden from visitors"
    return f"'{action.title}' is to be {verb} on {describe_time(action.at, zone)}"


async def tell_action(scope: Scope, action: ScheduledAction) -> str:
    """The same in the time zone of the site."""
    return describe_action(action, await find_zone(scope))


def describe_removal(number: int, change_set: ChangeSet) -> str:
    """What a change set is to make of a document: ``it is to be deleted with the change set 'Spring'``."""
    return f"it is to be {REMOVALS[number]} with the change set '{change_set.name}'"


async def find_foreign(scope: Scope, pages: Collection[str], reader: str) -> set[str]:
    """Those documents that have edits of others than a reader, whose titles the reader's questions do not show."""
    return {each.page for each in await find_claims(scope, pages) if {*each.authors} - {reader}}


async def find_claims(scope: Scope, pages: Collection[str]) -> list[Claimed]:
    """The pending claims on documents: those that are scheduled in order of time, then the others."""
    authors = await _find_authors(scope, pages)
    query = (
        select(Claim.page, Claim.number, ChangeSet, ScheduledAction)
        .join(ChangeSet, ChangeSet.id == Claim.change_set)
        .outerjoin(ScheduledAction, _IS_DUE)
        .where(scope.target.row_filter(ChangeSet), Claim.page.in_(pages), ChangeSet.state.in_(PENDING))
        .order_by(Claim.number)
    )
    numbers = defaultdict[tuple[str, str, bool], list[int]](list)
    holders: dict[str, tuple[ChangeSet, ScheduledAction | None]] = {}
    for page, number, change_set, action in (await scope.session.execute(query)).all():
        numbers[page, change_set.id, number in REMOVALS].append(number)
        holders[change_set.id] = (change_set, action)
    zone = await find_zone(scope) if any(action is not None for _, action in holders.values()) else _UTC
    found = [
        Claimed(page, (each[0],) if goes else (*each,), _names(authors, page, each), *holders[key], zone)
        for (page, key, goes), each in numbers.items()
    ]
    found += [
        Claimed(page, (*loose,), _names(authors, page, loose))
        for page, loose in (await find_loose_edits(scope, pages)).items()
    ]
    return sorted(found, key=_order)


_IS_DUE: Final = and_(ScheduledAction.change_set == ChangeSet.id, ScheduledAction.state == "scheduled")


def _order(claim: Claimed) -> tuple[bool, datetime, str, str]:
    at = claim.at
    holder = "" if claim.change_set is None else claim.change_set.id
    return (at is None, at or datetime.max.replace(tzinfo=UTC), "" if claim.action is None else claim.action.id, holder)


def _names(authors: dict[tuple[str, int], str], page: str, numbers: Iterable[int]) -> tuple[str, ...]:
    return (*dict.fromkeys(authors[page, number] for number in numbers if (page, number) in authors),)


async def _find_authors(scope: Scope, pages: Collection[str]) -> dict[tuple[str, int], str]:
    query = (
        select(Revision.page, Revision.number, Revision.author)
        .outerjoin(Claim, IS_CLAIMED)
        .outerjoin(ChangeSet, ChangeSet.id == Claim.change_set)
        .where(
            scope.target.row_filter(Revision),
            Revision.page.in_(pages),
            func.coalesce(ChangeSet.state, "open").in_(PENDING),
        )
    )
    return {(page, number): author for page, number, author in (await scope.session.execute(query)).all()}


async def find_loose_edits(scope: Scope, pages: Collection[str]) -> dict[str, list[int]]:
    """The revisions of documents whose edits belong to no change set, by document."""
    query = (
        select(Revision.page, Revision.number)
        .outerjoin(Claim, IS_CLAIMED)
        .where(
            scope.target.row_filter(Revision),
            Revision.page.in_(pages),
            Claim.number.is_(None),
            Revision.action.not_in(_NO_EDITS),
        )
        .order_by(Revision.page, Revision.number)
    )
    found = defaultdict[str, list[int]](list)
    for page, number in (await scope.session.execute(query)).all():
        found[page].append(number)
    return {**found}


async def find_removal(scope: Scope, page: str, change_set: ChangeSet | None = None) -> tuple[int, ChangeSet] | None:
    """What an open change set, or a given one, is to make of a document: one of `REMOVALS`."""
    chosen = ChangeSet.state == "open" if change_set is None else ChangeSet.id == change_set.id
    query = (
        select(Claim.number, ChangeSet)
        .join(ChangeSet, ChangeSet.id == Claim.change_set)
        .where(Claim.page == page, Claim.number.in_(REMOVALS), chosen)
        .order_by(Claim.number, ChangeSet.created_at, ChangeSet.id)
    )
    found = (await scope.session.execute(query.limit(1))).first()
    return None if found is None else (found[0], found[1])


async def find_settled(scope: Scope, page: Page) -> int | None:
    """The revision of a document that visitors see, or saw last; None if they never did."""
    if page.live is not None:
        return page.live
    query = select(Publication.before).where(
        scope.target.row_filter(Publication), Publication.page == page.id, Publication.before.is_not(None)
    )
    return await scope.session.scalar(query.order_by(Publication.number.desc()).limit(1))


async def add_claims(edit: Edit, change_set: ChangeSet, page: str, numbers: Iterable[int]) -> None:
    """Let a change set want these revisions of a document."""
    for number in numbers:
        await edit.session.merge(Claim(change_set=change_set.id, page=page, number=number))
    await edit.session.flush()


async def take_over(edit: Edit, change_set: ChangeSet, claims: Iterable[Claimed]) -> None:
    """Let a change set have what others want of documents."""
    for claim in claims:
        if claim.change_set is change_set:
            continue
        if claim.change_set is not None:
            theirs = (
                Claim.change_set == claim.change_set.id,
                Claim.page == claim.page,
                Claim.number.in_(claim.numbers),
            )
            await edit.session.execute(delete(Claim).where(*theirs))
        await add_claims(edit, change_set, claim.page, claim.numbers)
