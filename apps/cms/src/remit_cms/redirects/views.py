"""Redirects as people read them: from where, to where, and what is wrong with one."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import func, select

from remit_cms.navigation.targets import find_by_ids
from remit_cms.redirects.items import OwnRedirect, find_live_paths, read_redirects
from remit_cms.redirects.payloads import AutomaticRedirectView, RedirectView
from remit_cms.sections.links import find_addresses
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot
from remit_cms.storage.tables import Kind, Page, Redirect
from remit_cms.templates.references import KINDS, ObjectRef

_GONE = "its page was deleted, so it leads nowhere"
_NOT_LIVE = "its page is not live, so visitors do not get there yet"


async def view_redirects(scope: Scope, redirects: Sequence[OwnRedirect]) -> list[RedirectView]:
    """Redirects of the owner, with the addresses that the drafts of their pages have."""
    targets = [(each.page.id, each.locale) for each in redirects if each.page]
    pages, addresses = await find_by_ids(scope, {page for page, _ in targets}), await _find_addresses(scope, targets)
    live = await find_live_paths(scope, {each.path for each in redirects})
    holders = await find_by_ids(scope, live.values())
    views, earlier = list[RedirectView](), set[str]()
    for each in redirects:
        href, note = each.url, None
        if each.page is not None:
            href = addresses.get((each.page.id, each.locale))
            page = pages.get(each.page.id)
            note = _GONE if page is None else _NOT_LIVE if page.live is None else None
        if (holder := live.get(each.path)) is not None:
            note = f"visitors see the page '{holders[holder].title}' at this address"
        elif each.path in earlier:
            note = "another redirect from this address comes first"
        earlier.add(each.path)
        views.append(
            RedirectView(
                id=each.id,
                path=each.path,
                href=href,
                page_id=None if each.page is None else each.page.id,
                broken=True if href is None else None,
                note=note,
            )
        )
    return views


async def name_targets(scope: Scope, state: Snapshot | None) -> Snapshot | None:
    """A state of the redirects with addresses in place of pages, each in its language; any other document as it is."""
    if state is None or state.kind != Kind.REDIRECTS:
        return state
    hrefs = {each.id: each.href for each in await view_redirects(scope, read_redirects(scope, state))}
    return state.with_contents(
        lambda section, content: {**content, "target": hrefs.get(section) or content.get("target")}
    )


async def list_automatic(
    scope: Scope, own: Sequence[OwnRedirect], limit: int
) -> tuple[list[AutomaticRedirectView], int]:
    """The redirects that the CMS made to pages that there are, by address, and how many there are of them."""
    here = (scope.target.row_filter(Redirect), scope.target.row_filter(Page))
    query = select(Redirect, Page).join(Page, Page.id == Redirect.page).where(*here)
    total = await scope.session.scalar(select(func.count()).select_from(query.subquery()))
    rows = (await scope.session.execute(query.order_by(Redirect.path, Redirect.locale).limit(limit))).all()
    addresses = await _find_addresses(scope, [(page.id, row.locale) for row, page in rows])
    taken, views = {each.path for each in own}, list[AutomaticRedirectView]()
    for row, page in rows:
        path = scope.format_address(row.locale, row.path)
        note = _NOT_LIVE if page.live is None else None
        views.append(
            AutomaticRedirectView(
                path=path,
                href=addresses.get((page.id, row.locale)),
                page_id=page.id,
                note="the redirect of the site's owner comes first" if path in taken else note,
            )
        )
    return views, total or 0


async def find_automatic(scope: Scope, path: str) -> Page | None:
    """The page to which the CMS redirects an address by itself."""
    locale, rest = scope.split_address(path)
    query = select(Page).join(Redirect, Redirect.page == Page.id)
    at_path = (Redirect.locale == locale, Redirect.path == rest)
    return (await scope.session.scalars(query.where(scope.target.row_filter(Redirect), *at_path))).first()


async def _find_addresses(scope: Scope, pages: Collection[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """The addresses that the drafts of pages have, by page and language."""
    found: dict[tuple[str, str], str] = {}
    for locale in {locale for _, locale in pages}:
        wanted = {ObjectRef(kind, page) for page, code in pages for kind in KINDS if code == locale}
        addresses = await find_addresses(scope, wanted, locale, live=False)
        found |= {(each.id, locale): address for each, address in addresses.items()}
    return found
