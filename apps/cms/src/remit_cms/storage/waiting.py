"""Revisions that wait to go live though the draft is another one by now: what a person may have approved already."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import Text, func, select, tuple_
from sqlalchemy import cast as sql_cast

from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot
from remit_cms.storage.tables import ChangeSet, ChangeSetRevision, Page, Revision, ScheduledAction


@dataclass(frozen=True, slots=True)
class Waiting:
    """A revision of a document, and with what it would go live, such as ``the change set 'Easter'``."""

    page: Page
    snapshot: Snapshot
    group: str


async def find_waiting(scope: Scope, text: str) -> list[Waiting]:
    """The waiting revisions whose snapshots contain a text, such as an id, by slug.

    They are the last ones of open change sets, and those that scheduled actions pin. Drafts are not among them: callers
    look at those themselves.
    """
    groups = {**await _find_last_of_sets(scope), **await _find_pins(scope)}
    if not groups:
        return []
    query = (
        select(Page, Revision.number, Revision.snapshot)
        .join(Revision, (Revision.page == Page.id) & (Revision.number != Page.revision))
        .where(
            scope.target.row_filter(Page),
            tuple_(Revision.page, Revision.number).in_(groups),
            sql_cast(Revision.snapshot, Text).contains(text, autoescape=True),
        )
        .order_by(Page.slug, Page.id, Revision.number)
    )
    rows = (await scope.session.execute(query)).all()
    return [Waiting(page, Snapshot.model_validate(found), groups[page.id, number]) for page, number, found in rows]


async def _find_last_of_sets(scope: Scope) -> dict[tuple[str, int], str]:
    query = (
        select(ChangeSetRevision.page, func.max(ChangeSetRevision.number), ChangeSet.name)
        .join(ChangeSet, ChangeSet.id == ChangeSetRevision.change_set)
        .join(Page, Page.id == ChangeSetRevision.page)
        .where(
            scope.target.row_filter(ChangeSet),
            ChangeSet.state == "open",
            ChangeSetRevision.number > func.coalesce(Page.live, 0),
        )
        .group_by(ChangeSetRevision.page, ChangeSet.id, ChangeSet.name)
    )
    rows = (await scope.session.execute(query)).all()
    return {(page, number): f"the change set '{name}'" for page, number, name in rows}


async def _find_pins(scope: Scope) -> dict[tuple[str, int], str]:
    """The pins of documents that are live as they were then: others are refused at their time."""
    waits = (scope.target.row_filter(ScheduledAction), ScheduledAction.state == "scheduled")
    rows = await scope.session.scalars(select(ScheduledAction).where(*waits, ScheduledAction.action == "publish"))
    pins = [(str(pin["page"]), pin, row.title) for row in rows for pin in cast("list[dict[str, Any]]", row.pins)]
    pages = select(Page.id, Page.live).where(Page.id.in_({page for page, _, _ in pins}))
    live = {page: number for page, number in await scope.session.execute(pages)}  # noqa: C416 - rows are no pairs
    return {
        (page, cast("int", pin["revision"])): f"the scheduled publication of '{title}'"
        for page, pin, title in pins
        if page in live and live[page] == pin["live"]
    }
