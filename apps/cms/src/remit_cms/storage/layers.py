"""Lays the edits that wait over what visitors see of a document, without those of others between them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Final

from sqlalchemy import and_, select

from remit_cms.storage.claims import REMOVALS, find_settled
from remit_cms.storage.fields import part_of_field
from remit_cms.storage.merging import apply_changes, empty_state, find_beginning, iterate_changed_fields
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot, load_snapshot
from remit_cms.storage.tables import ChangeSet, Claim, Page, Revision

WHOLE: Final = "document"
"""The missing part of edits of a document that is not there without the edits of others."""


@dataclass(frozen=True, slots=True)
class Layered:
    """A state of a document, or None; the parts of edits that build on what it lacks, and all that were edited.

    Of those that build on what it lacks, some are ``misplaced``: they have no place in it.
    """

    snapshot: Snapshot | None
    missing: tuple[str, ...] = ()
    misplaced: tuple[str, ...] = ()
    edited: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _History:
    """The revisions of a document that are asked for, with the action of each."""

    states: dict[int, Snapshot] = field(default_factory=dict[int, Snapshot])
    actions: dict[int, str] = field(default_factory=dict[int, str])

    def find_before(self, number: int) -> Snapshot | None:
        """The state before a revision; None if that made the document, or restored it."""
        return None if self.actions.get(number - 1, "delete_page") == "delete_page" else self.states[number - 1]

    def iterate_fields(self, first: int, last: int) -> Iterable[str]:
        """The fields that revisions changed, from one to another."""
        after = self.states[last]
        return iterate_changed_fields(self.find_before(first) or empty_state(after), after)


async def lay_edits(
    scope: Scope, page: str, base: Snapshot | None, numbers: Sequence[int], *, in_base: Sequence[int] = ()
) -> Layered:
    """What a state of a document becomes by the edits of revisions, in their order.

    If a field was edited again later and that edit is published, the later edit wins. ``in_base`` are revisions that
    will have been published then.
    """
    if not numbers:
        return Layered(base)
    if numbers[-1] in REMOVALS:
        return Layered(None)
    later = [*await _find_published(scope, page, min(numbers)), *in_base]
    history = await _load_history(scope, page, {*numbers, *later})
    changed_later = {number: {*history.iterate_fields(number, number)} for number in later}
    missing, misplaced, edited = list[str](), list[str](), set[str]()
    for first, last in _runs(numbers):
        edited.update(map(part_of_field, history.iterate_fields(first, last)))
        overruled = {field for number, fields in changed_later.items() if number > last for field in fields}
        before, after = history.find_before(first), history.states[last]
        if base is None and before is not None:
            return Layered(None, (WHOLE,), (WHOLE,))
        if base is None:
            base = after
            continue
        changes = apply_changes(base, before or empty_state(after), after, leave_out=partial(_is_overruled, overruled))
        base, missing = changes.snapshot, [*missing, *changes.missing]
        misplaced += changes.misplaced
    return Layered(base, (*missing,), (*misplaced,), frozenset(edited))


async def find_fields(scope: Scope, page: str, numbers: Sequence[int]) -> dict[str, int]:
    """The fields that revisions of a document changed, each with the last that did."""
    history = await _load_history(scope, page, numbers)
    return {field: number for number in sorted(numbers) for field in history.iterate_fields(number, number)}


def _is_overruled(overruled: Collection[str], field: str) -> bool:
    """Whether a field, or the whole of its value, was edited again later."""
    return field in overruled or part_of_field(field) in overruled


async def load_settled(scope: Scope, page: Page) -> Snapshot | None:
    """The state of a document that visitors see, or saw last, or else that in which it begins."""
    settled = await find_settled(scope, page)
    return find_beginning(page) if settled is None else await load_snapshot(scope, page.id, settled)


async def lay_over(scope: Scope, page: Page, base: Snapshot | None, numbers: Sequence[int]) -> Snapshot | None:
    """``base`` with the edits of revisions, or the last revision if the edits build on edits of others.

    Such edits go live together with the others, and the last revision has all of them.
    """
    layered = await lay_edits(scope, page.id, base, numbers)
    return await load_snapshot(scope, page.id, max(numbers)) if layered.missing else layered.snapshot


async def load_edits(scope: Scope, page: str, numbers: Sequence[int]) -> list[tuple[Snapshot | None, Snapshot]]:
    """The states before and after each run of revisions; None before the first one of a document."""
    history = await _load_history(scope, page, numbers)
    return [(history.find_before(first), history.states[last]) for first, last in _runs(numbers)]


def _runs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """The first and last of each run of revisions without others between them."""
    ordered = sorted(numbers)
    ends = [first for first, second in pairwise(ordered) if second != first + 1]
    starts = [second for first, second in pairwise(ordered) if second != first + 1]
    return [*zip([ordered[0], *starts], [*ends, ordered[-1]], strict=True)]


async def _find_published(scope: Scope, page: str, after: int) -> list[int]:
    query = (
        select(Claim.number)
        .join(ChangeSet, ChangeSet.id == Claim.change_set)
        .where(
            scope.target.row_filter(ChangeSet),
            Claim.page == page,
            Claim.number > after,
            ChangeSet.state == "published",
        )
    )
    return [*await scope.session.scalars(query)]


async def _load_history(scope: Scope, page: str, numbers: Iterable[int]) -> _History:
    wanted = {each for number in numbers for each in (number - 1, number)}
    query = select(Revision).where(
        and_(scope.target.row_filter(Revision), Revision.page == page, Revision.number.in_(wanted))
    )
    rows = [*await scope.session.scalars(query)]
    states: Mapping[int, Snapshot] = {row.number: Snapshot.model_validate(row.snapshot) for row in rows}
    return _History({**states}, {row.number: row.action for row in rows})
