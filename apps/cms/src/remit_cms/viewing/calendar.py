"""What is scheduled, as a calendar: publications and hidings with their pages, and the site at the end of each day."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from sqlalchemy import ColumnElement, case, select

from remit.object_views import ObjectAction, ObjectDetail, ObjectEvent, ObjectPage, ObjectRow, ObjectSection, Viewer
from remit_cms.models import pluralize
from remit_cms.scheduling.actions import UNPUBLISH, describe_delay, is_overdue
from remit_cms.storage.change_sets import find_pages_of
from remit_cms.storage.claims import PENDING
from remit_cms.storage.database import Database
from remit_cms.storage.outlook import Outlook, load_date
from remit_cms.storage.pins import DatePin
from remit_cms.storage.scope import Scope
from remit_cms.storage.tables import ChangeSet, ScheduledAction
from remit_cms.storage.transactions import open_view
from remit_cms.storage.zones import describe_time, find_zone
from remit_cms.viewing.documents import READ
from remit_cms.viewing.previews import MAX_PAGES, show_outlook
from remit_cms.viewing.sites import PreviewSites

_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_MAX_ACTIONS: Final = 500
_LABELS: Final = {
    "scheduled": ("Publish", "Hide"),
    "done": ("Published", "Hidden"),
    "refused": ("Refused", "Refused"),
    "cancelled": ("Cancelled", "Cancelled"),
}
_GROUPS: Final = {"refused": "Refused", "scheduled": "Scheduled", "done": "Done", "cancelled": "Cancelled"}


class CalendarViews:
    """Shows scheduled actions.

    Args:
        database: the database with the actions.
        sites: what serves the previews.
    """

    def __init__(self, database: Database, sites: PreviewSites) -> None:
        self._database, self._sites = database, sites

    async def list(self, viewer: Viewer, search: str, limit: int) -> Sequence[ObjectRow]:
        """Those that wait for a person, those to come, the next one first, and those that are over."""
        if not viewer.principal.may(READ):
            return ()
        async with open_view(self._database, viewer) as scope:
            now, zone = self._database.clock(), await find_zone(scope)
            waits = _waits(now)
            order = case((waits, 0), (ScheduledAction.state == "scheduled", 1), else_=2)
            query = select(ScheduledAction, waits).where(scope.target.row_filter(ScheduledAction))
            if search:
                query = query.where(ScheduledAction.title.icontains(search, autoescape=True))
            upcoming = case((ScheduledAction.state == "scheduled", ScheduledAction.at))
            ordered = query.order_by(order, upcoming, ScheduledAction.at.desc(), ScheduledAction.id)
            rows = (await scope.session.execute(ordered.limit(limit))).all()
            return [
                ObjectRow(
                    id=row.id,
                    name=row.title,
                    note=f"{_label(row)} · {describe_time(row.at, zone)} · {row.author}",
                    group="Overdue" if describe_delay(row, now) else _GROUPS[row.state],
                    needs_person=needs_person,
                    at=row.created_at.timestamp(),
                )
                for row, needs_person in rows
            ]

    async def events(self, viewer: Viewer, start: float, end: float, limit: int) -> Sequence[ObjectEvent]:
        """The first events of what is scheduled for a span of time, or was."""
        if not viewer.principal.may(READ):
            return ()
        async with open_view(self._database, viewer) as scope:
            now = self._database.clock()
            first, last = (datetime.fromtimestamp(each, UTC) for each in (start, end))
            chosen = (ScheduledAction.at >= first, ScheduledAction.at < last)
            query = select(ScheduledAction, _waits(now)).where(scope.target.row_filter(ScheduledAction), *chosen)
            ordered = query.order_by(ScheduledAction.at, ScheduledAction.id).limit(limit)
            return [
                ObjectEvent(
                    id=row.id,
                    name=row.title,
                    at=row.at.timestamp(),
                    label=_label(row),
                    note=row.reason or describe_delay(row, now) or _describe_people(row),
                    needs_person=needs_person,
                    is_over=row.state != "scheduled",
                )
                for row, needs_person in (await scope.session.execute(ordered)).all()
            ]

    async def open(self, viewer: Viewer, name: str) -> ObjectDetail | None:
        """A scheduled action, or a day: the site as it will be at its end."""
        if not viewer.principal.may(READ):
            return None
        async with open_view(self._database, viewer) as scope:
            if _DAY.fullmatch(name):
                return await self._open_day(scope, name)
            own = scope.target.row_filter(ScheduledAction)
            row = await scope.session.scalar(select(ScheduledAction).where(own, ScheduledAction.id == name))
            return None if row is None else await self._open_action(scope, row)

    async def _open_action(self, scope: Scope, row: ScheduledAction) -> ObjectDetail:
        when = describe_time(row.at, await find_zone(scope))
        note = f"{_label(row)}: {when}, {_describe_people(row)}"
        documents = await find_pages_of(scope, row.change_set)
        if row.state != "scheduled":
            rows = [(each.title,) for each in documents.values()]
            sections = [ObjectSection(title="Pages", columns=("Page",), rows=rows)] if rows else []
            return ObjectDetail(name=row.title, note=note, sections=sections, blocked=row.reason or "")
        pin = self._pin(row.at)
        outlook = await load_date(scope, pin)
        own = Outlook(outlook.shown, outlook.hidden, [*documents], row.at)
        pages, changes = await show_outlook(scope, self._sites, pin, own, self._database.clock())
        home = await self._show_home(scope, pin)
        cancel = ObjectAction(
            label="Cancel…", tool="cms_cancelScheduledAction", arguments={"actionId": row.id}, destructive=True
        )
        return ObjectDetail(
            name=row.title,
            note=note,
            pages=[*pages[:MAX_PAGES], home],
            changes=changes,
            actions=[cancel],
            blocked=describe_delay(row, self._database.clock()),
        )

    async def _open_day(self, scope: Scope, name: str) -> ObjectDetail | None:
        zone = await find_zone(scope)
        try:
            day = date.fromisoformat(name)
            midnight = datetime.combine(day + timedelta(days=1), time(), zone)
            end = midnight.astimezone(UTC) - timedelta(seconds=1)
        except (ValueError, OverflowError):
            return None
        if end.timestamp() < 0:
            return None
        start = datetime.combine(day, time(), zone).astimezone(UTC)
        actions = await self._describe_day(scope, start, end)
        title = f"The site at the end of {describe_time(end, zone).partition(',')[0]}"
        if end <= self._database.clock():
            return ObjectDetail(name=title, note="This day is over.", sections=[actions])
        pin = self._pin(end)
        outlook = await load_date(scope, pin)
        since_now = replace(outlook, at=None)
        found, changes = await show_outlook(scope, self._sites, pin, since_now, self._database.clock())
        note = f"by what is scheduled until then, {pluralize(len(found), 'page')} will have changed"
        pages = [await self._show_home(scope, pin), *found[:MAX_PAGES]]
        return ObjectDetail(name=title, note=note, pages=pages, changes=changes, sections=[actions])

    async def _show_home(self, scope: Scope, pin: DatePin) -> ObjectPage:
        """The home page now and at a time, from which people walk through the site."""
        now = self._pin(self._database.clock())
        before, after = [await self._sites.link(scope, each, None) for each in (now, pin)]
        return ObjectPage(title="The whole site", before=before, after=after)

    async def _describe_day(self, scope: Scope, start: datetime, end: datetime) -> ObjectSection:
        chosen = (ScheduledAction.at >= start, ScheduledAction.at <= end)
        query = select(ScheduledAction).where(scope.target.row_filter(ScheduledAction), *chosen)
        ordered = query.order_by(ScheduledAction.at, ScheduledAction.id).limit(_MAX_ACTIONS + 1)
        zone, now = await find_zone(scope), self._database.clock()
        rows = [
            (
                f"{row.at.astimezone(zone):%H:%M}",
                row.title,
                _label(row),
                row.reason or describe_delay(row, now) or _describe_people(row),
            )
            for row in await scope.session.scalars(ordered)
        ]
        columns = ("Time", "What", "State", "Who")
        more = f"These are the first {_MAX_ACTIONS}." if len(rows) > _MAX_ACTIONS else ""
        text = more if rows else "Nothing is scheduled for this day."
        return ObjectSection(title="On this day", text=text, columns=columns, rows=rows[:_MAX_ACTIONS])

    def _pin(self, at: datetime) -> DatePin:
        return DatePin(int(at.timestamp()), int(self._database.clock().timestamp()))


def _label(row: ScheduledAction) -> str:
    return _LABELS[row.state][row.action == UNPUBLISH]


def _describe_people(row: ScheduledAction) -> str:
    approved = f", approved by {' and '.join(row.approvers)}" if row.approvers else ""
    return f"asked by {row.author}{approved}"


def _waits(now: datetime) -> ColumnElement[bool]:
    """The condition that an action waits for a person: it is overdue, or was refused and its edits wait."""
    pending = select(ChangeSet.id).where(ChangeSet.id == ScheduledAction.change_set, ChangeSet.state.in_(PENDING))
    return is_overdue(ScheduledAction, now) | ((ScheduledAction.state == "refused") & pending.exists())
