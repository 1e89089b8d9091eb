"""Live pages: the pointer of each page to the revision that visitors see, moved for several pages at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import delete, func, select

from remit.errors import ConflictError, NotFoundError
from remit_cms.storage.revisions import draft_status
from remit_cms.storage.scope import Scope, slug_of
from remit_cms.storage.snapshots import Snapshot, load_snapshot
from remit_cms.storage.tables import Kind, Page, Publication, Redirect
from remit_cms.storage.transactions import Edit


@dataclass(frozen=True, slots=True)
class Move:
    """A page whose live pointer moves to a revision, or to None: visitors no longer see it."""

    page: Page
    revision: int | None


@dataclass(frozen=True, slots=True)
class LivePage:
    """A page as visitors see it. ``redirected`` says that it was found by an address of earlier."""

    page: Page
    snapshot: Snapshot
    redirected: bool


async def check_paths(scope: Scope, moves: Sequence[Move]) -> dict[str, str]:
    """The address of each page that goes live, by page id.

    Raises:
        ConflictError: two of the pages want one address, or another page is live there.
    """
    moving = {move.page.id for move in moves}
    paths: dict[str, str] = {}
    for move in moves:
        if move.revision is None or move.page.kind not in (Kind.PAGE, Kind.ENTRY):
            continue
        page, path = move.page, (await load_snapshot(scope, move.page.id, move.revision)).slug
        query = select(Page).where(scope.target.row_filter(Page), Page.locale == page.locale, Page.live_path == path)
        holders = [each for each in await scope.session.scalars(query) if each.id not in moving]
        if holders or path in paths.values():
            holder = f"'{holders[0].title}' (id {holders[0].id})" if holders else "another page of the set"
            raise ConflictError(
                f"'{page.title}' cannot go live at /{path}, where {holder} is live. Change one of the slugs, or "
                "publish the change of that page's slug first."
            )
        paths[page.id] = path
    return paths


async def move_live(edit: Edit, moves: Sequence[Move], *, change_set: str | None = None) -> None:
    """Move the live pointers of pages, all at once. Addresses that pages leave redirect to them.

    Raises:
        ConflictError: an address belongs to another page.
    """
    paths = await check_paths(edit, moves)
    left = [(move.page, move.page.live_path) for move in moves if move.page.live_path]
    # All addresses are given up before any is taken, so that pages can swap them.
    for move in moves:
        edit.session.add(await _publication(edit, move, change_set))
        move.page.live_path = None
    await edit.session.flush()
    for page, path in left:
        await edit.session.merge(Redirect(**_address(page, path), page=page.id))
    await edit.session.flush()
    for move in moves:
        page = move.page
        page.live, page.live_path = move.revision, paths.get(page.id)
        if page.live_path is not None:
            await edit.session.execute(delete(Redirect).filter_by(**_address(page, page.live_path)))
        page.status = await draft_status(edit, page)
        edit.add_change(page.kind, page.id, page.revision, "live")
    await edit.session.flush()


async def find_live_page(scope: Scope, name: str) -> LivePage:
    """The live page at an address, or else with this id, slug or title.

    Raises:
        NotFoundError: there is none.
    """
    path = slug_of(name)
    live = select(Page).where(scope.target.row_filter(Page), Page.live.is_not(None))
    at_path = live.where(Page.live_path == path).order_by(Page.locale != scope.default_locale)
    left = select(Redirect.page).where(scope.target.row_filter(Redirect), Redirect.path == path)
    page = (await scope.session.scalars(at_path)).first()
    redirected = (await scope.session.scalars(live.where(Page.id.in_(left)))).first() if page is None else None
    page = page or redirected or await scope.find_document(name)
    if page.live is None:
        raise NotFoundError(f"Page '{page.title}' is not live: visitors do not see it.")
    return LivePage(page, await load_snapshot(scope, page.id, page.live), redirected is not None)


async def _publication(edit: Edit, move: Move, change_set: str | None) -> Publication:
    last = await edit.session.scalar(select(func.max(Publication.number)).where(Publication.page == move.page.id))
    return Publication(
        site=edit.target.site,
        environment=edit.target.environment,
        page=move.page.id,
        number=(last or 0) + 1,
        before=move.page.live,
        after=move.revision,
        change_set=change_set,
        author=edit.author,
        run=edit.run,
        created_at=edit.now,
    )


def _address(page: Page, path: str | None) -> dict[str, str | None]:
    return {"site": page.site, "environment": page.environment, "locale": page.locale, "path": path}
