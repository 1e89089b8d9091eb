"""The entries of a type as pages list them, each with picture, day, title and summary.

The newest are first; of a type that is sorted by a date, what is next, and then what has been, the last first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import JsonValue
from sqlalchemy import Select, case, func, literal, select

from remit_cms.models import Content
from remit_cms.rendering.dates import format_day
from remit_cms.rendering.values import format_date
from remit_cms.sections.links import Overlay, find_addresses
from remit_cms.storage.publication_times import publication_times
from remit_cms.storage.readings import Reading, read_states
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot, build_snapshots, load_live
from remit_cms.storage.tables import Kind, Page, PageSection, Revision, SectionContent, SectionDefinition
from remit_cms.templates.references import ObjectRef
from remit_cms.templates.slots import Slot, SlotType, Structure

MAX_ENTRIES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Who looks at the site, and when: which language, time zone and state of it."""

    scope: Scope
    locale: str
    zone: str = "UTC"
    live: bool
    overlay: Overlay
    now: datetime

    def format_day(self, time: datetime) -> dict[str, JsonValue]:
        """The day of a time, for ``<time>``."""
        day: date = time.astimezone(ZoneInfo(self.zone)).date()
        return {"iso": day.isoformat(), "text": format_day(day, self.locale)}


async def list_entries(reader: Reader, structure: Structure, content: Content) -> Content:
    """The content of a section with the entries that its slots name in place of the references."""
    slots: Sequence[Slot] = [slot for slot in structure.slots if slot.type is SlotType.COLLECTION_REF]
    listed = dict(content)
    for slot in slots:
        value = content.get(slot.key)
        if isinstance(value, dict):
            limit, offset = (value.get(name) for name in ("limit", "offset"))
            number, start = (limit if isinstance(limit, int) else 10, offset if isinstance(offset, int) else 0)
            listed[slot.key] = await find_entries(reader, str(value.get("collectionId")), number, start=start)
    return listed


async def find_entries(
    reader: Reader, collection: str, limit: int, *, start: int = 0, without: str = ""
) -> list[JsonValue]:
    """The first entries of a type: the newest, those that are not published yet first, or what is next.

    ``start`` leaves out so many of them, ``without`` a certain one.
    """
    scope, first = reader.scope, publication_times(reader.scope)
    structure = (await scope.load_structures([collection])).get(collection)
    if structure is None:
        return []
    shown = reader.overlay.is_shown if reader.live else Page.status != "archived"
    query = (
        select(Page, first.c.first)
        .join(PageSection, PageSection.page == Page.id)
        .join(SectionDefinition, SectionDefinition.id == PageSection.definition)
        .outerjoin(first, first.c.page == Page.id)
        .where(scope.target.row_filter(Page), Page.kind == Kind.ENTRY, SectionDefinition.key == collection)
        .where(shown, Page.id != without)
    )
    query = _sort_by_date(query, reader, structure) if structure.sorted_by else query
    query = query.order_by(first.c.first.is_not(None), first.c.first.desc(), Page.created_at.desc(), Page.id)
    rows = (await scope.session.execute(query.limit(min(limit, MAX_ENTRIES)).offset(start))).all()
    states = await _load_states(reader, [row[0] for row in rows])
    read = {each.snapshot.id: each for each in await read_states(scope, states, reader.locale)}
    references = [ObjectRef(Kind.ENTRY, row[0].id) for row in rows]
    addresses = await find_addresses(scope, references, reader.locale, live=reader.live, overlay=reader.overlay)
    cards: list[JsonValue] = []
    for (_, time), reference in zip(rows, references, strict=True):
        if reference in addresses and reference.id in read:
            published = None if time is None else reader.format_day(time)
            card = _card(structure, read[reference.id], published)
            cards.append({**card, "url": addresses[reference]})
    return cards


def _sort_by_date(query: Select[Page, Any], reader: Reader, structure: Structure) -> Select[Page, Any]:
    """The entries by their date: what is next first, then what has been, the last first, then those without a date."""
    locale, key = reader.scope.default_locale, structure.sorted_by
    if reader.live:
        is_live = (Revision.page == Page.id) & (Revision.number == Page.live)
        query = query.outerjoin(Revision, is_live)
        date = Revision.snapshot["sections", 0, "contents", locale, key].as_string()
    else:
        of_entry = (SectionContent.section == PageSection.id) & (SectionContent.locale == locale)
        query = query.outerjoin(SectionContent, of_entry)
        date = SectionContent.content[key].as_string()
    default = next((slot.default for slot in structure.slots if slot.key == key), None)
    pinned = [
        (Page.id == page, literal(_find_value(snapshot, locale, key)))
        for page, snapshot in reader.overlay.snapshots.items()
        if snapshot.kind == Kind.ENTRY
    ]
    date = func.coalesce(case(*pinned, else_=date) if pinned else date, default)
    is_next = date >= reader.now.astimezone(ZoneInfo(reader.zone)).date().isoformat()
    return query.order_by(date.is_(None), case((is_next, 0), else_=1), case((is_next, date)), date.desc())


def _find_value(snapshot: Snapshot, locale: str, key: str) -> str | None:
    """A text of an entry as its own language has it."""
    value = snapshot.sections[0].contents.get(locale, {}).get(key) if snapshot.sections else None
    return value if isinstance(value, str) else None


def has_days(collection: str, structure: Structure) -> bool:
    """Whether readers look for the days of entries: they do for posts, and for types that are sorted by a date."""
    return collection == "posts" or bool(structure.sorted_by)


async def _load_states(reader: Reader, pages: Sequence[Page]) -> list[Snapshot]:
    """The states of entries that a reader sees."""
    if not reader.live:
        return await build_snapshots(reader.scope, pages)
    live = await load_live(reader.scope, [page.id for page in pages])
    states = {**live, **reader.overlay.snapshots}
    return [states[page.id] for page in pages if page.id in states]


def _card(structure: Structure, read: Reading, published: dict[str, JsonValue] | None) -> dict[str, JsonValue]:
    """What a list shows of an entry: title, day, first picture, and its summary or else its first short text.

    The day is that by which the list is sorted.
    """
    content = read.content
    picture = next((content.get(slot.key) for slot in structure.slots if slot.type is SlotType.IMAGE), None)
    texts = [slot.key for slot in structure.slots if slot.type is SlotType.TEXT]
    summary = content.get("excerpt") or next((content[key] for key in texts if content.get(key)), "")
    date = content.get(structure.sorted_by)
    day = format_date(date, read.chain[0]) if isinstance(date, str) else published
    return {"title": read.title, "date": day, "image": picture, "summary": summary}
