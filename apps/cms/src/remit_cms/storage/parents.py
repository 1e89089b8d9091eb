"""The pages below which pages stand: an address goes live below one that visitors have, not below that of a draft."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, or_, select

from remit_cms.models import name_some
from remit_cms.storage.live import Move
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot, load_live
from remit_cms.storage.tables import Kind, LivePath, Page, PageTranslation
from remit_cms.storage.translations import load_slugs, slugs_by_locale


class LooseAddress(NamedTuple):
    """A new address of a page below one that no page has for visitors; some draft may have that: ``parent``."""

    page: Page
    locale: str
    path: str
    parent: Page | None

    @property
    def above(self) -> str:
        """The address below which it is."""
        return _above(self.path)


async def find_loose_addresses(scope: Scope, moves: Sequence[Move]) -> list[LooseAddress]:
    """The addresses that pages would get below others that visitors do not have, also not by these moves."""
    live = await load_live(scope, [move.page.id for move in moves])
    taken = {each for move in moves if move.snapshot is not None for each in addresses_of(scope, move.snapshot)}
    found: list[LooseAddress] = []
    for page, state in ((move.page, move.snapshot) for move in moves):
        if state is None or state.kind != Kind.PAGE:
            continue
        known = addresses_of(scope, live[page.id]) if page.id in live else set[tuple[str, str]]()
        for locale, path in sorted(addresses_of(scope, state) - known):
            is_below = _above(path) and (locale, _above(path)) not in taken
            if is_below and not await _is_live(scope, locale, _above(path), moves):
                found.append(LooseAddress(page, locale, path, await _find_draft(scope, locale, _above(path))))
    return found


def addresses_of(scope: Scope, state: Snapshot) -> set[tuple[str, str]]:
    """The addresses that a page has in a state of it, each with its locale."""
    return {*slugs_by_locale(scope, state.texts).items()}


async def describe_surroundings(scope: Scope, page: Page) -> str:
    """What visitors lose with a page besides, for an approver, and what stays below it: addresses and live pages."""
    if page.kind not in (Kind.PAGE, Kind.ENTRY) or page.live is None:
        return ""
    own = select(LivePath).where(scope.target.row_filter(LivePath), LivePath.page == page.id)
    paths = {row.locale: row.path for row in await scope.session.scalars(own.order_by(LivePath.locale))}
    others = [scope.format_address(locale, path) for locale, path in paths.items() if path != page.live_path]
    described = f", in other languages at {', '.join(others)}" if others else ""
    below = or_(*(and_(LivePath.locale == locale, _is_below(path)) for locale, path in paths.items()))
    query = select(Page).join(LivePath, LivePath.page == Page.id)
    query = query.where(scope.target.row_filter(LivePath), Page.kind == Kind.PAGE, Page.id != page.id, below)
    pages = (await scope.session.scalars(query.distinct().order_by(Page.live_path))).all() if paths else ()
    if pages and page.kind == Kind.PAGE:
        named = [f"'{each.title}' (/{each.live_path})" for each in pages]
        described += f"; below it, visitors still see {name_some(named)}"
    return described


def _is_below(path: str) -> ColumnElement[bool]:
    return LivePath.path.startswith(f"{path}/", autoescape=True)


def _above(path: str) -> str:
    return path.rpartition("/")[0]


async def _is_live(scope: Scope, locale: str, path: str, moves: Sequence[Move]) -> bool:
    """Whether a page that does not move stands at an address for visitors."""
    stays = LivePath.page.not_in([move.page.id for move in moves])
    query = select(LivePath.page).where(
        scope.target.row_filter(LivePath), LivePath.locale == locale, LivePath.path == path, stays
    )
    return await scope.session.scalar(query) is not None


async def _find_draft(scope: Scope, locale: str, path: str) -> Page | None:
    translated = select(PageTranslation.page).where(
        scope.target.row_filter(PageTranslation), PageTranslation.slug == path
    )
    named = or_(Page.slug == path, Page.id.in_(translated))
    query = select(Page).where(scope.target.row_filter(Page), Page.kind == Kind.PAGE, named).order_by(Page.id)
    pages = (await scope.session.scalars(query)).all()
    slugs = await load_slugs(scope, pages, locale)
    return next((page for page in pages if slugs[page.id] == path), None)
