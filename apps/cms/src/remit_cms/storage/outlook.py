"""What visitors would see: by an act that a person is asked about, or at a time to come."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256

from sqlalchemy import select

from remit.errors import ConflictError
from remit.tools import ShownObject
from remit_cms.storage.change_sets import find_pages_of
from remit_cms.storage.claims import PENDING
from remit_cms.storage.parts import values_of
from remit_cms.storage.pinned import are_live, load_pinned
from remit_cms.storage.pins import PREVIEW, Act, DatePin, PagePin, Pin, PlanPin, SetPin, name_pin
from remit_cms.storage.planning import Planned, find_states, plan_page, plan_set
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot, States, load_snapshot
from remit_cms.storage.tables import ChangeSet, Claim, Page, ScheduledAction


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is not as it is live: states of documents, and the ids of those that visitors would not see.

    ``subjects`` are the ids of those that it is about; by then, others may differ too. ``at`` is the time from which on
    visitors see it; None for at once. ``is_live`` says whether they see the same already.
    """

    shown: Sequence[Snapshot]
    hidden: Collection[str] = ()
    subjects: Collection[str] = ()
    at: datetime | None = None
    is_live: bool = False


def pin_plan(act: Act, subject: str, planned: Sequence[Planned], at: datetime | None = None) -> ShownObject:
    """What shows people the effect of an act that is planned, now or at a time."""
    states: dict[str, Snapshot | None] = {each.page.id: each.wanted for each in planned}
    pin = PlanPin(act, subject, 0 if at is None else int(at.timestamp()), _digest(states))
    return ShownObject(PREVIEW, name_pin(pin))


async def load_outlook(scope: Scope, pin: Pin) -> Outlook | None:
    """What a pin shows; None if that is not there any more, or is not the same."""
    match pin:
        case PlanPin():
            return await _load_plan(scope, pin)
        case DatePin():
            return await load_date(scope, pin)
        case PagePin() | SetPin():
            pinned = await load_pinned(scope, pin)
            is_live = await are_live(scope, pinned)
            return _make_outlook(pinned, pinned, None, is_live=is_live) if pinned else None


async def load_date(scope: Scope, pin: DatePin) -> Outlook:
    """The site at the time of a pin."""
    at, made = (datetime.fromtimestamp(each, UTC) for each in (pin.at, pin.made))
    due = await load_due(scope, at, made)
    return _make_outlook(due, due, at, is_live=at <= made and not due)


async def _load_plan(scope: Scope, pin: PlanPin) -> Outlook | None:
    at = datetime.fromtimestamp(pin.at, UTC) if pin.at else None
    pages = await _find_subjects(scope, pin)
    due: States = {} if at is None else await load_due(scope, at)
    live = await _load_live(scope, pages)
    now = live if at is None else await find_states(scope, pages, at)
    for states in (await _plan(scope, pin, pages, at), now):
        if states and _digest(states) == pin.digest:
            return _make_outlook({**due, **states}, states, at, is_live=_digest(live) == pin.digest)
    return None


async def _find_subjects(scope: Scope, pin: PlanPin) -> list[Page]:
    """The documents of a plan that there are."""
    if pin.act == "publish-set":
        own = scope.target.row_filter(ChangeSet)
        change_set = await scope.session.scalar(select(ChangeSet).where(own, ChangeSet.id == pin.subject))
        return [] if change_set is None else [*(await find_pages_of(scope, change_set.id)).values()]
    return [*await scope.session.scalars(select(Page).where(scope.target.id_filter(Page, Page.id, [pin.subject])))]


async def _plan(scope: Scope, pin: PlanPin, pages: Sequence[Page], at: datetime | None) -> States:
    """What the act would make of its documents now; nothing if it is done, or not possible any more."""
    if pin.act == "hide":
        return {page.id: None for page in pages}
    try:
        if pin.act == "publish":
            planned = [await plan_page(scope, page, at=at) for page in pages]
        else:
            change_set = await scope.session.get_one(ChangeSet, pin.subject) if pages else None
            is_pending = change_set is not None and change_set.state in PENDING
            planned = await plan_set(scope, change_set, at=at) if change_set is not None and is_pending else []
    except ConflictError:
        return {}
    return {each.page.id: each.wanted for each in planned}


async def _load_live(scope: Scope, pages: Sequence[Page]) -> States:
    """What visitors see of documents now."""
    return {page.id: None if page.live is None else await load_snapshot(scope, page.id, page.live) for page in pages}


async def load_due(scope: Scope, at: datetime, made: datetime | None = None) -> States:
    """The documents that scheduled actions change until a time."""
    due = select(ScheduledAction.change_set).where(
        scope.target.row_filter(ScheduledAction), ScheduledAction.state == "scheduled", ScheduledAction.at <= at
    )
    claimed = select(Claim.page).where(Claim.change_set.in_(due))
    pages = await scope.session.scalars(select(Page).where(scope.target.row_filter(Page), Page.id.in_(claimed)))
    return await find_states(scope, [*pages], at, made=made)


def _make_outlook(states: States, subjects: Collection[str], at: datetime | None, *, is_live: bool = False) -> Outlook:
    shown = sorted((each for each in states.values() if each is not None), key=lambda each: (each.slug, each.id))
    return Outlook(shown, [page for page, state in states.items() if state is None], [*subjects], at, is_live)


def _digest(states: States) -> str:
    values = {page: None if state is None else values_of(state) for page, state in states.items()}
    return sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]
