"""The entries of a collection as pages list them: the newest first, each with picture, day, title and summary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from pydantic import JsonValue
from sqlalchemy import or_, select

from remit_cms.models import Content
from remit_cms.rendering.dates import format_day
from remit_cms.sections.links import Overlay, find_addresses
from remit_cms.storage.publication_times import publication_times
from remit_cms.storage.scope import Scope, parse_structure
from remit_cms.storage.snapshots import Snapshot, build_snapshot
from remit_cms.storage.tables import Kind, Page, PageSection, Revision, SectionDefinition
from remit_cms.storage.translations import localize_content, localize_texts
from remit_cms.templates.references import ObjectRef
from remit_cms.templates.slots import Slot, SlotType, Structure

MAX_ENTRIES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Who looks at the site: which language, time zone and state of it."""

    scope: Scope
    locale: str
    zone: str = "UTC"
    live: bool
    overlay: Overlay

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
    """The newest entries of a collection, those that are not published yet first.

    ``start`` leaves out so many of the newest, ``without`` a certain one.
    """
    scope, first = reader.scope, publication_times(reader.scope)
    shown = Page.live.is_not(None) if reader.live else Page.status != "archived"
    query = (
        select(Page, first.c.first, SectionDefinition)
        .join(PageSection, PageSection.page == Page.id)
        .join(SectionDefinition, SectionDefinition.id == PageSection.definition)
        .outerjoin(first, first.c.page == Page.id)
        .where(scope.target.row_filter(Page), Page.kind == Kind.ENTRY, SectionDefinition.key == collection)
        .where(or_(shown, Page.id.in_(reader.overlay.snapshots)), Page.id != without)
        .order_by(first.c.first.is_not(None), first.c.first.desc(), Page.created_at.desc(), Page.id)
        .limit(min(limit, MAX_ENTRIES))
        .offset(start)
    )
    rows = (await scope.session.execute(query)).all()
    snapshots = await _load_snapshots(reader, [row[0] for row in rows])
    references = [ObjectRef(Kind.ENTRY, row[0].id) for row in rows]
    addresses = await find_addresses(scope, references, reader.locale, live=reader.live, overlay=reader.overlay)
    cards: list[JsonValue] = []
    for (_, time, definition), reference in zip(rows, references, strict=True):
        if reference in addresses and reference.id in snapshots:
            card = _card(reader, parse_structure(definition), snapshots[reference.id])
            day = None if time is None else reader.format_day(time)
            cards.append({**card, "url": addresses[reference], "date": day})
    return cards


async def find_first_publication(scope: Scope, page: str) -> datetime | None:
    """When a page went live first; None if it never did."""
    first = publication_times(scope)
    return await scope.session.scalar(select(first.c.first).where(first.c.page == page))


async def _load_snapshots(reader: Reader, pages: Sequence[Page]) -> dict[str, Snapshot]:
    """The states of entries that a reader sees, by id."""
    scope, found = reader.scope, {**reader.overlay.snapshots}
    if not reader.live:
        return {page.id: await build_snapshot(scope, page) for page in pages}
    query = select(Revision.page, Revision.snapshot).join(
        Page, (Page.id == Revision.page) & (Page.live == Revision.number)
    )
    wanted = [page.id for page in pages if page.id not in found]
    for page, snapshot in await scope.session.execute(query.where(Page.id.in_(wanted))):
        found[page] = Snapshot.model_validate(snapshot)
    return found


def _card(reader: Reader, structure: Structure, snapshot: Snapshot) -> dict[str, JsonValue]:
    """What a list shows of an entry: its title, its first picture, and its summary or else its first short text."""
    chain = reader.scope.fallback_chain(reader.locale)
    content = localize_content(snapshot.sections[0].contents, chain).content if snapshot.sections else {}
    picture = next((content.get(slot.key) for slot in structure.slots if slot.type is SlotType.IMAGE), None)
    texts = [slot.key for slot in structure.slots if slot.type is SlotType.TEXT]
    summary = content.get("excerpt") or next((content[key] for key in texts if content.get(key)), "")
    return {"title": localize_texts(snapshot.texts, chain).texts.title or "", "image": picture, "summary": summary}
