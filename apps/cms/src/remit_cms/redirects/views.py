"""Redirects as people read them: from where, to where, and what is wrong with one."""

from __future__ import annotations

from collections.abc import Sequence

from remit_cms.redirects.items import SiteRedirect, find_pages_at, read_redirects
from remit_cms.redirects.payloads import RedirectView
from remit_cms.singles.targets import find_destinations, find_pages
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot
from remit_cms.storage.tables import Kind, Redirect


async def view_redirects(
    scope: Scope, redirects: Sequence[SiteRedirect], among: Sequence[SiteRedirect]
) -> list[RedirectView]:
    """Redirects with the addresses that the drafts of their pages have.

    The first of two from one address is followed, ``among`` all that there are.
    """
    destinations = await find_destinations(scope, [(each.target, each.url, each.locale) for each in redirects])
    paths = {each.path for each in redirects}
    live, automatic = await find_pages_at(scope, paths), await find_pages_at(scope, paths, Redirect)
    pages = await find_pages(scope, {*live.values(), *automatic.values()})
    views, first = list[RedirectView](), {each.path: each for each in reversed(among)}
    for each, found in zip(redirects, destinations, strict=True):
        note = found.note
        if each.path in live:
            note = f"visitors see the page '{pages[live[each.path]].title}' at this address"
        elif first[each.path] is not each:
            note = "another redirect from this address comes first"
        elif each.id and (later := pages.get(automatic.get(each.path, ""))):
            notes = [note, f"it comes before the one that the CMS made to '{later.title}'"]
            note = "; ".join(filter(None, notes))
        made, shown = None if each.id else True, found.model_dump(exclude={"note"})
        views.append(RedirectView(id=each.id, path=each.path, note=note, automatic=made, **shown))
    return views


async def name_targets(scope: Scope, state: Snapshot | None) -> Snapshot | None:
    """A state of the redirects with addresses in place of pages, each in its language; any other document as it is."""
    if state is None or state.kind != Kind.REDIRECTS:
        return state
    redirects = read_redirects(scope, state)
    hrefs = {each.id: each.href for each in await view_redirects(scope, redirects, redirects)}
    return state.with_contents(
        lambda section, content: {**content, "target": hrefs.get(section) or content.get("target")}
    )
