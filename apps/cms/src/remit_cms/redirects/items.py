"""The redirects that the owner of a site has made, as visitors or the draft have them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

from sqlalchemy import or_, select

from remit_cms.models import Content
from remit_cms.navigation.targets import LINKED, linked_id, linked_url
from remit_cms.storage.documents import find_single
from remit_cms.storage.live import Move
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot, load_snapshot
from remit_cms.storage.tables import Kind, LivePath, Page, PageTranslation
from remit_cms.storage.translations import load_texts, slugs_by_locale
from remit_cms.templates.references import ObjectRef


@dataclass(frozen=True, slots=True)
class OwnRedirect:
    """A redirect: from ``path`` to ``page``, in the language ``locale``, or else to ``url``."""

    id: str
    path: str
    locale: str
    page: ObjectRef | None
    url: str | None


def read_redirects(scope: Scope, snapshot: Snapshot | None) -> list[OwnRedirect]:
    """The redirects in one state of their document, in order."""
    sections = [] if snapshot is None else snapshot.ordered_sections
    return [_read_one(scope, each.id, content) for each in sections for content in each.contents.values()]


def _read_one(scope: Scope, section: str, content: Content) -> OwnRedirect:
    path, page = str(content.get("path", "")), linked_id(content)
    kinds = [*cast("dict[str, str]", content.get("target") or {})]
    return OwnRedirect(
        id=section,
        path=path,
        locale=str(content.get("locale") or scope.split_address(path)[0]),
        page=None if page is None else ObjectRef(kinds[0], page),
        url=linked_url(content),
    )


async def find_holder(scope: Scope, path: str, *, live: bool = False) -> Page | None:
    """The page or entry whose address a path is: for visitors, or unless ``live``, in its draft."""
    locale, rest = scope.split_address(path)
    query = select(Page).join(LivePath, LivePath.page == Page.id)
    query = query.where(scope.target.row_filter(LivePath), LivePath.locale == locale, LivePath.path == rest)
    found = (await scope.session.scalars(query.limit(1))).first()
    if found is not None or live:
        return found
    table = PageTranslation
    translated = select(table.page).where(scope.target.row_filter(table), table.slug == rest)
    named = (Page.kind.in_(LINKED), Page.parent.is_(None), or_(Page.slug == rest, Page.id.in_(translated)))
    pages = [*await scope.session.scalars(select(Page).where(scope.target.row_filter(Page), *named).order_by(Page.id))]
    texts = await load_texts(scope, pages)
    return next((page for page in pages if slugs_by_locale(scope, texts[page.id])[locale] == rest), None)


async def describe_overruled(scope: Scope, moves: Sequence[Move]) -> str:
    """Which redirects end when pages move, because a page is live at their address then; empty if there are none.

    It names redirects that lead somewhere until then, and those that are published together with the pages.
    """
    document = await find_single(scope, Kind.REDIRECTS)
    states = {move.page.id: move.snapshot for move in moves}
    if document is None:
        return ""
    state = states.get(document.id)
    if document.id not in states and document.live is not None:
        state = await load_snapshot(scope, document.id, document.live)
    if state is None:
        return ""
    redirects = read_redirects(scope, state)
    before = await find_live_paths(scope, {each.path for each in redirects})
    after = {path for path, page in before.items() if page not in states}
    for move in moves:
        if move.snapshot is not None and move.page.kind in LINKED:
            paths = slugs_by_locale(scope, move.snapshot.texts).items()
            after |= {scope.format_address(locale, path) for locale, path in paths}
    known = {*before} if document.id not in states else set[str]()
    paths = [each for each in dict.fromkeys(each.path for each in redirects) if each in after - known]
    if not paths:
        return ""
    return f"; visitors see a page at {', '.join(paths)}, and no redirect is followed there"


async def find_live_paths(scope: Scope, paths: Iterable[str]) -> dict[str, str]:
    """The pages that visitors see at addresses, by address."""
    wanted = {scope.split_address(path)[1] for path in paths}
    query = select(LivePath).where(scope.target.row_filter(LivePath), LivePath.path.in_(wanted))
    return {scope.format_address(row.locale, row.path): row.page for row in await scope.session.scalars(query)}
