"""The table of links: which places of drafts and live objects link where. Written with what it is derived from."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from sqlalchemy import delete, select

from remit_cms.storage.claims import DRAFT_OF_OTHERS, find_foreign
from remit_cms.storage.differences import iterate_places
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot, build_snapshot, load_live, load_snapshot, load_structures_of
from remit_cms.storage.tables import Link, Page
from remit_cms.storage.transactions import Edit
from remit_cms.storage.waiting import find_waiting
from remit_cms.templates.references import ObjectRef, iterate_references

_MAX_NAMED: Final = 12


@dataclass(frozen=True, slots=True)
class LinkHere:
    """A place that links to an object: the object it is in, what people call that, and whether visitors see it."""

    source: ObjectRef
    title: str
    place: str
    live: bool


async def replace_links(edit: Edit, source: ObjectRef, places: Iterable[tuple[str, ObjectRef]], *, live: bool) -> None:
    """Store the links of a draft, or of a live object, in place of those that it had."""
    of_source = (Link.source_kind == source.kind, Link.source == source.id, Link.live == live)
    await edit.session.execute(delete(Link).where(edit.target.row_filter(Link), *of_source))
    for place, target in {*places}:
        edit.session.add(
            Link(
                **edit.target.row,
                source_kind=source.kind,
                source=source.id,
                live=live,
                target_kind=target.kind,
                target=target.id,
                place=place[:200],
            )
        )
    await edit.session.flush()


async def rename_places(edit: Edit, pages: Collection[str]) -> None:
    """Store the links of documents again, since fields of their types have other names now."""
    linking = select(Link.source).where(edit.target.row_filter(Link))
    query = select(Page).where(edit.target.id_filter(Page, Page.id, pages), Page.id.in_(linking))
    for page in (await edit.session.scalars(query)).all():
        source = ObjectRef(page.kind, page.id)
        draft = await build_snapshot(edit, page)
        await replace_links(edit, source, await find_places(edit, draft), live=False)
        if page.live is not None:
            live = await load_snapshot(edit, page.id, page.live)
            await replace_links(edit, source, await find_places(edit, live), live=True)


async def find_links(scope: Scope, target: str) -> list[LinkHere]:
    """The links to an object from others, by title of the source and place, then those in revisions that wait."""
    query = (
        select(Link, Page.title)
        .outerjoin(Page, Page.id == Link.source)
        .where(scope.target.row_filter(Link), Link.target == target, Link.source != target)
        .order_by(Page.title, Link.source, Link.place, Link.live)
    )
    rows = (await scope.session.execute(query)).all()
    seen = await load_live(scope, [link.source for link, _ in rows if link.live])
    links = [
        LinkHere(
            ObjectRef(link.source_kind, link.source),
            found.title if found is not None else title or f"{link.source_kind} {link.source}",
            link.place,
            link.live,
        )
        for link, title in rows
        for found in [seen.get(link.source) if link.live else None]
    ]
    return links + [
        LinkHere(ObjectRef(each.page.kind, each.page.id), each.page.title, f"{place}, in {each.group}", live=False)
        for each in await find_waiting(scope, target)
        if each.page.id != target
        for place, found in await find_places(scope, each.snapshot)
        if found.id == target
    ]


async def describe_links(scope: Scope, links: list[LinkHere], reader: str) -> str:
    """What links to an object, for an approver; empty if nothing does.

    Documents are named as visitors see them, and drafts of others than the reader have no name.
    """
    sources = {each.source: each for each in sorted(links, key=lambda each: each.live)}  # live titles win
    drafts = [source.id for source, link in sources.items() if not link.live]
    foreign = await find_foreign(scope, drafts, reader)
    shown = [link for source, link in sources.items() if source.id not in foreign]
    names = [*dict.fromkeys(f"'{title}'" for title in sorted(link.title for link in shown))]
    names += [DRAFT_OF_OTHERS] * len(foreign)
    rest = f" and {len(names) - _MAX_NAMED} more, which cms_getLinksHere lists," if len(names) > _MAX_NAMED else ""
    return f", to which {', '.join(names[:_MAX_NAMED])}{rest} link{'s' if len(names) == 1 else ''}" if names else ""


def link_state(links: list[LinkHere]) -> str:
    """The sources of links, for the state of a question: another one is asked about anew."""
    return f", linked from {', '.join(sorted({each.source.id for each in links}))}" if links else ""


async def find_places(scope: Scope, snapshot: Snapshot) -> list[tuple[str, ObjectRef]]:
    """The links in a state of a document, by their place, in which fields are called what people call them now."""
    found = [*links_of(iterate_places(snapshot))]
    return [*links_of(iterate_places(snapshot, await load_structures_of(scope, snapshot)))] if found else []


def links_of(places: Iterable[tuple[str, object]]) -> Iterable[tuple[str, ObjectRef]]:
    """The links in values, by their place."""
    for place, value in places:
        for target in iterate_references(value):  # pyright: ignore[reportArgumentType] - values of JSON
            yield place, target
