"""Runs the checks over documents as visitors would see them, on the site as it would be."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import select

from remit.tools import Change
from remit_cms.checks.checks import CHECKS, Remark, Subject, links_of
from remit_cms.sections.links import find_addresses
from remit_cms.site.lists import find_content
from remit_cms.site.lookup import Edition, load_edition, parse_address
from remit_cms.storage.outlook import Outlook, load_due
from remit_cms.storage.planning import Planned
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot, States
from remit_cms.storage.tables import Page
from remit_cms.templates.references import ObjectRef, parse_reference

_MAX_REMARKS: Final = 12
_MAX_LINKS: Final = 200


async def remark_on(scope: Scope, planned: Sequence[Planned], at: datetime | None = None) -> list[Change]:
    """Remarks on what visitors would see by what is planned, now or at a time, as rows of a question."""
    due: States = {} if at is None else await load_due(scope, at)
    shown = [each.wanted for each in planned if each.wanted is not None]
    hidden = [each.page.id for each in planned if each.wanted is None]
    found = await check_documents(
        scope,
        shown,
        hidden=[*hidden, *(page for page, state in due.items() if state is None)],
        beside=[state for state in due.values() if state is not None],
    )
    return _show_remarks(found, with_titles=len(planned) > 1)


async def check_documents(
    scope: Scope, shown: Sequence[Snapshot], *, hidden: Collection[str] = (), beside: Sequence[Snapshot] = ()
) -> list[tuple[Snapshot, Remark]]:
    """What the checks remark on documents; ``beside`` are others that visitors would see too, ``hidden`` those not."""
    own = {each.id for each in shown}
    links = sorted({link for each in shown for link in links_of(each)})[:_MAX_LINKS]
    dead = dict[str, str]()
    if links:
        edition = await load_edition(scope, [*shown, *(each for each in beside if each.id not in own)], hidden=hidden)
        dead = await _find_dead(scope, links, edition)
    structures = await scope.load_structures({section.definition for each in shown for section in each.sections})
    chains = {locale: scope.fallback_chain(locale) for locale in scope.locales}
    subjects = [Subject(each, structures, chains, dead) for each in shown]
    return [(each.snapshot, remark) for each in subjects for remark in _check(each)]


async def check_outlook(scope: Scope, outlook: Outlook) -> list[Change]:
    """Remarks on what a preview shows."""
    shown = [each for each in outlook.shown if each.id in outlook.subjects]
    found = await check_documents(scope, shown, hidden=outlook.hidden, beside=outlook.shown)
    return _show_remarks(found, with_titles=len(shown) > 1)


def _show_remarks(found: Sequence[tuple[Snapshot, Remark]], *, with_titles: bool) -> list[Change]:
    """Remarks as rows of a question."""
    rows = [
        Change(f"Remark: {f'{snapshot.title}: ' if with_titles else ''}{remark.where}", "", remark.text)
        for snapshot, remark in found[:_MAX_REMARKS]
    ]
    more = len(found) - _MAX_REMARKS
    return [*rows, Change(f"Remark: {more} more are not shown", "", "")] if more > 0 else rows


def _check(subject: Subject) -> Iterator[Remark]:
    for check in CHECKS:
        yield from check(subject)


async def _find_dead(scope: Scope, links: Sequence[str], edition: Edition) -> dict[str, str]:
    """Those links that lead nowhere, with words for what they name."""
    named = {link: parsed[0] for link in links if (parsed := parse_reference(link)) is not None}
    overlay = edition.overlay(scope.locales)
    found = await find_addresses(scope, {*named.values()}, scope.default_locale, live=True, overlay=overlay)
    titles = await _load_titles(scope, [each for each in named.values() if each not in found])
    dead = {link: titles.get(each.id, "a page that is deleted") for link, each in named.items() if each not in found}
    paths = [link for link in links if link not in named]
    return dead | {link: link for link in paths if await _leads_nowhere(scope, link, edition)}


async def _leads_nowhere(scope: Scope, link: str, edition: Edition) -> bool:
    path = link.partition("#")[0].partition("?")[0]
    if "." in path.rpartition("/")[2]:  # a feed, or a file of the server
        return False
    return await find_content(scope, parse_address(scope, path), edition, "") is None


async def _load_titles(scope: Scope, references: Sequence[ObjectRef]) -> dict[str, str]:
    query = select(Page).where(scope.target.id_filter(Page, Page.id, [each.id for each in references]))
    return {page.id: f"'{page.title}'" for page in await scope.session.scalars(query)}
