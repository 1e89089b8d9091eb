"""Live pages: the pointer of each page to the revision that visitors see, moved for several pages at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import delete, func, select, tuple_

from remit.errors import ConflictError, NotFoundError
from remit_cms.storage.home import check_home
from remit_cms.storage.links import find_places, replace_links
from remit_cms.storage.revisions import draft_status, save_published
from remit_cms.storage.scope import Scope, slug_of
from remit_cms.storage.snapshots import Snapshot, load_snapshot
from remit_cms.storage.tables import Kind, LivePath, Page, Publication, Redirect
from remit_cms.storage.transactions import Edit
from remit_cms.storage.translations import slugs_by_locale
from remit_cms.storage.webhooks import Told, queue_deliveries
from remit_cms.templates.references import ObjectRef


@dataclass(frozen=True, slots=True)
class Move:
    """A page whose live pointer moves to a state, or to None: visitors no longer see it.

    ``revision`` is the one that says so. Without one, the move adds it.
    """

    page: Page
    snapshot: Snapshot | None
    revision: int | None = None


@dataclass(frozen=True, slots=True)
class LivePage:
    """A page as visitors see it. ``redirected`` says that it was found by an address of earlier."""

    page: Page
    snapshot: Snapshot
    redirected: bool


async def check_moves(scope: Scope, moves: Sequence[Move]) -> dict[str, dict[str, str]]:
    """The addresses of each page that goes live, by page id and locale.

    Raises:
        ConflictError: two of the pages want one address, another page is live there, or visitors would lose the home
            page.
    """
    moving = {move.page.id for move in moves}
    await check_home(scope, {move.page.id: move.snapshot for move in moves})
    paths: dict[str, dict[str, str]] = {}
    taken: set[tuple[str, str]] = set()
    for move in moves:
        page, snapshot = move.page, move.snapshot
        if snapshot is None or page.kind not in (Kind.PAGE, Kind.ENTRY):
            continue
        paths[page.id] = slugs_by_locale(scope, snapshot.texts)
        addresses = [*paths[page.id].items()]
        query = (
            select(Page, LivePath.locale, LivePath.path)
            .join(LivePath, LivePath.page == Page.id)
            .where(scope.target.row_filter(LivePath), tuple_(LivePath.locale, LivePath.path).in_(addresses))
            .order_by(LivePath.locale != page.locale, LivePath.locale)
        )
        holders = [
            (f"'{holder.title}' (id {holder.id})", locale, path)
            for holder, locale, path in (await scope.session.execute(query))
            if holder.id not in moving
        ] + [("another page of the set", *each) for each in addresses if each in taken]
        if holders:
            holder, locale, path = holders[0]
            raise ConflictError(
                f"'{page.title}' cannot go live at {scope.format_address(locale, path)}, where {holder} is live. "
                "An address has one live page: it is free once that page is hidden, or published with another slug."
            )
        taken.update(addresses)
    return paths


async def move_live(edit: Edit, moves: Sequence[Move], *, change_set: str, is_undone: bool = False) -> None:
    """Move the live pointers of pages, all at once, for a change set. Addresses that pages leave redirect to them.

    The caller has asked the claims first. An import asks none, because its site is empty. If a change set
    ``is_undone``, the redirects that it ended are there again, and none leads to what visitors do not see any more.

    Raises:
        ConflictError: an address belongs to another page, or visitors would lose the home page.
    """
    paths = await check_moves(edit, moves)
    pages = [move.page.id for move in moves]
    left = (await edit.session.scalars(select(LivePath).where(LivePath.page.in_(pages)))).all()
    # All addresses are given up before any is taken, so that pages can swap them.
    revisions = {move.page.id: await _find_revision(edit, move) for move in moves}
    publications: dict[str, Publication] = {}
    for move in moves:
        page, after = move.page, revisions[move.page.id]
        publications[page.id] = await make_publication(edit, page, page.live, after, change_set)
        edit.session.add(publications[page.id])
        move.page.live_path = None
    for each in left:
        await edit.session.delete(each)
    await edit.session.flush()
    seen_again = {move.page.id for move in moves if move.snapshot is not None}
    for each in left:
        if each.page in seen_again or not is_undone:
            await edit.session.merge(Redirect(**_address(edit, each.locale, each.path), page=each.page))
    for locale, path, target in await _find_overruled(edit, change_set) if is_undone else ():
        if (locale, path) in {(each.locale, each.path) for each in left}:
            await edit.session.merge(Redirect(**_address(edit, locale, path), page=target))
    await edit.session.flush()
    for move in moves:
        page, taken = move.page, paths.get(move.page.id, {})
        page.live, page.live_path = revisions[page.id], taken.get(page.locale)
        for locale, path in taken.items():
            address = _address(edit, locale, path)
            edit.session.add(LivePath(**address, page=page.id))
            ended = select(Redirect.page).filter_by(**address).where(Redirect.page != page.id)
            overruled = [[locale, path, each] for each in await edit.session.scalars(ended)]
            publications[page.id].overruled = [*publications[page.id].overruled, *overruled]
            await edit.session.execute(delete(Redirect).filter_by(**address))
        places = () if move.snapshot is None else await find_places(edit, move.snapshot)
        await replace_links(edit, ObjectRef(page.kind, page.id), places, live=True)
        page.status = await draft_status(edit, page)
        edit.add_change(page.kind, page.id, page.revision, "live", name=page.title)
    seen = [move.page for move in moves if move.page.kind != Kind.IMAGE]  # visitors see images on pages alone
    if seen:
        told = [Told(page, revisions[page.id], paths.get(page.id, {})) for page in seen]
        await queue_deliveries(edit, change_set, told)
    await edit.count_visible_change()
    await edit.session.flush()


async def _find_overruled(edit: Edit, change_set: str) -> list[tuple[str, str, str]]:
    """The redirects that a change set ended: locale, path and page of each, without those to pages that are gone."""
    rows = select(Publication.overruled).where(
        edit.target.row_filter(Publication), Publication.change_set == change_set
    )
    found = [(each[0], each[1], each[2]) for row in await edit.session.scalars(rows) for each in row]
    known = select(Page.id).where(edit.target.id_filter(Page, Page.id, sorted({page for *_, page in found})))
    pages = {*await edit.session.scalars(known)}
    return [each for each in found if each[2] in pages]


async def find_live_page(scope: Scope, name: str, locale: str) -> LivePage:
    """The live page at an address in a locale or another one, or else with this id, slug or title.

    Raises:
        NotFoundError: there is none.
    """
    path, order = slug_of(name), scope.fallback_chain(locale)
    prefix, _, rest = path.partition("/")
    if rest and prefix in scope.locales:
        path, order = rest, scope.fallback_chain(prefix)

    async def find(table: type[LivePath | Redirect]) -> Page | None:
        query = (
            select(Page, table.locale)
            .join(table, table.page == Page.id)
            .where(scope.target.row_filter(table), table.path == path, Page.live.is_not(None))
            .order_by(table.locale)
        )
        rows = [*(await scope.session.execute(query))]
        rows.sort(key=lambda row: order.index(row[1]) if row[1] in order else len(order))
        return rows[0][0] if rows else None

    page = await find(LivePath)
    redirected = await find(Redirect) if page is None else None
    page = page or redirected or await scope.find_document(name)
    if page.live is None:
        raise NotFoundError(f"Page '{page.title}' is not live: visitors do not see it.")
    return LivePage(page, await load_snapshot(scope, page.id, page.live), redirected is not None)


async def _find_revision(edit: Edit, move: Move) -> int | None:
    if move.snapshot is None or move.revision is not None:
        return move.revision
    return await save_published(edit, move.page, move.snapshot)


async def make_publication(
    edit: Edit, page: Page, before: int | None, after: int | None, change_set: str | None = None
) -> Publication:
    """The next move of a page's live pointer, from one revision to another."""
    last = await edit.session.scalar(select(func.max(Publication.number)).where(Publication.page == page.id))
    return Publication(
        **edit.target.row,
        page=page.id,
        number=(last or 0) + 1,
        before=before,
        after=after,
        change_set=change_set,
        overruled=[],
        author=edit.author,
        run=edit.run,
        created_at=edit.now,
    )


def _address(scope: Scope, locale: str, path: str) -> dict[str, str]:
    return {**scope.target.row, "locale": locale, "path": path}
