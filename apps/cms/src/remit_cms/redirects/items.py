"""The redirects that the owner of a site has made, as visitors or the draft have them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import or_, select, tuple_

from remit_cms.singles.targets import LINKED, linked_object, linked_url
from remit_cms.storage.documents import find_single
from remit_cms.storage.live import Move
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot, load_snapshot
from remit_cms.storage.tables import Kind, LivePath, Page, PageTranslation, Redirect
from remit_cms.storage.translations import load_texts, slugs_by_locale
from remit_cms.templates.references import ObjectRef


@dataclass(frozen=True, slots=True)
class SiteRedirect:
    """A redirect from ``path`` to ``target``, in the language ``locale``, or else to ``url``.

    One that the CMS made by itself has no id.
    """

    path: str
    locale: str
    target: ObjectRef | None
    url: str | None = None
    id: str = ""


def read_redirects(scope: Scope, snapshot: Snapshot | None) -> list[SiteRedirect]:
    """The redirects of the owner in one state of their document, in order."""
    return [
        SiteRedirect(path, locale, linked_object(content), linked_url(content), section.id)
        for section in ([] if snapshot is None else snapshot.ordered_sections)
        for content in section.contents.values()
        for path in [str(content.get("path", ""))]
        for locale in [str(content.get("locale") or scope.split_address(path)[0])]
    ]


async def load_automatic(scope: Scope) -> list[SiteRedirect]:
    """The redirects that the CMS made to pages that there are, by address."""
    query = select(Redirect, Page.kind).join(Page, Page.id == Redirect.page)
    query = query.where(scope.target.row_filter(Redirect), scope.target.row_filter(Page))
    return [
        SiteRedirect(scope.format_address(row.locale, row.path), row.locale, ObjectRef(kind, row.page))
        for row, kind in await scope.session.execute(query.order_by(Redirect.path, Redirect.locale))
    ]


async def find_holder(scope: Scope, path: str) -> Page | None:
    """The page or entry whose address a path is, for visitors or in its draft."""
    live = (await find_pages_at(scope, [path])).get(path)
    if live is not None:
        return await scope.session.get_one(Page, live)
    (locale, rest), table = scope.split_address(path), PageTranslation
    translated = select(table.page).where(scope.target.row_filter(table), table.slug == rest)
    named = (Page.kind.in_(LINKED), Page.parent.is_(None), or_(Page.slug == rest, Page.id.in_(translated)))
    pages = [*await scope.session.scalars(select(Page).where(scope.target.row_filter(Page), *named).order_by(Page.id))]
    texts = await load_texts(scope, pages)
    return next((page for page in pages if slugs_by_locale(scope, texts[page.id])[locale] == rest), None)


async def describe_overruled(scope: Scope, moves: Sequence[Move]) -> str:
    """Which redirects end when pages move, because a page is live at their address then; empty if there are none.

    It names redirects that lead somewhere until then, and those that are published together with the pages.
    """
    return await _describe_automatic(scope, moves) + await _describe_own(scope, moves)


async def _describe_automatic(scope: Scope, moves: Sequence[Move]) -> str:
    """The redirects to other pages, made by the CMS, whose addresses pages get."""
    described = ""
    for move in moves:
        if move.snapshot is None or move.page.kind not in LINKED:
            continue
        paths = [*slugs_by_locale(scope, move.snapshot.texts).items()]
        query = select(Redirect.locale, Redirect.path, Page).join(Page, Page.id == Redirect.page)
        here = (tuple_(Redirect.locale, Redirect.path).in_(paths), Page.live.is_not(None), Page.id != move.page.id)
        query = query.where(scope.target.row_filter(Redirect), *here).order_by(Redirect.path, Redirect.locale)
        for locale, path, page in (await scope.session.execute(query)).all():
            former = f"'{page.title}' (/{page.live_path})"
            described += f"; {scope.format_address(locale, path)} led to {former} and leads there no more"
    return described


async def _describe_own(scope: Scope, moves: Sequence[Move]) -> str:
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
    before = await find_pages_at(scope, {each.path for each in redirects})
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


async def find_pages_at(
    scope: Scope, paths: Iterable[str], table: type[LivePath | Redirect] = LivePath
) -> dict[str, str]:
    """The pages that visitors see at addresses, by address; or those to which the CMS redirects them."""
    wanted = {scope.split_address(path)[1] for path in paths}
    query = select(table).where(scope.target.row_filter(table), table.path.in_(wanted))
    return {scope.format_address(row.locale, row.path): row.page for row in await scope.session.scalars(query)}
