"""Runs the checks over documents as visitors would see them, on the site as it would be."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from sqlalchemy import select

from remit.tools import Caller, Change
from remit_cms.checks.checks import CHECKS, Remark, Subject, links_of
from remit_cms.models import pluralize
from remit_cms.sections.links import find_addresses
from remit_cms.site.lists import find_content
from remit_cms.site.lookup import Edition, load_edition, parse_address
from remit_cms.storage.claims import DRAFT_OF_OTHERS, find_foreign
from remit_cms.storage.outlook import Outlook, load_due
from remit_cms.storage.planning import Planned
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot, States, load_live
from remit_cms.storage.tables import Page
from remit_cms.templates.references import parse_reference

_MAX_REMARKS: Final = 12
_MAX_LINKS: Final = 200


async def remark_on(
    scope: Scope, planned: Sequence[Planned], caller: Caller, at: datetime | None = None
) -> list[Change]:
    """Remarks on what changes for visitors by what is planned, now or at a time, as rows of a question.

    Drafts of others than the caller have no name in them.
    """
    due: States = {} if at is None else await load_due(scope, at)
    shown = [each.wanted for each in planned if each.wanted is not None]
    hidden = [each.page.id for each in planned if each.wanted is None]
    return await _check_documents(
        scope,
        shown,
        {each.page.id: each.live for each in planned},
        hidden=[*hidden, *(page for page, state in due.items() if state is None)],
        beside=[state for state in due.values() if state is not None],
        reader=caller.principal.name,
    )


async def check_outlook(scope: Scope, outlook: Outlook) -> list[Change]:
    """Remarks on what a preview shows otherwise than visitors see it."""
    shown = [each for each in outlook.shown if each.id in outlook.subjects]
    live = await load_live(scope, [each.id for each in shown])
    return await _check_documents(scope, shown, live, hidden=outlook.hidden, beside=outlook.shown)


async def _check_documents(
    scope: Scope,
    shown: Sequence[Snapshot],
    live: States,
    *,
    hidden: Collection[str],
    beside: Sequence[Snapshot],
    reader: str | None = None,
) -> list[Change]:
    """What the checks remark on documents, as rows of a question that name them, and what was not checked.

    ``beside`` are others that visitors would see too, ``hidden`` those that they would not.
    """
    structures = await scope.load_structures({section.definition for each in shown for section in each.sections})
    chains = {locale: scope.fallback_chain(locale) for locale in scope.locales}
    subjects = [Subject(each, structures, chains, {}, live.get(each.id)) for each in shown]
    links, own = sorted({link for each in subjects for link in links_of(each)}), {each.id for each in shown}
    dead = dict[str, str]()
    if links:
        edition = await load_edition(scope, [*shown, *(each for each in beside if each.id not in own)], hidden=hidden)
        dead = await _find_dead(scope, links[:_MAX_LINKS], edition, reader)
    found = [(each.snapshot, remark) for each in subjects for remark in _check(replace(each, dead=dead))]
    rows = [Change(f"Remark: {state.title}: {remark.where}", "", remark.text) for state, remark in found[:_MAX_REMARKS]]
    if (more := len(found) - _MAX_REMARKS) > 0:
        rows.append(Change(f"Remark: {pluralize(more, 'more remark')} not shown", "", ""))
    if len(links) > _MAX_LINKS:
        rows.append(Change("Remark: links", "", f"{_MAX_LINKS} of {len(links)} were checked"))
    return rows


def _check(subject: Subject) -> Iterator[Remark]:
    for check in CHECKS:
        yield from check(subject)


async def _find_dead(scope: Scope, links: Sequence[str], edition: Edition, reader: str | None) -> dict[str, str]:
    """Those links that lead nowhere, with words for what they name."""
    named = {link: parsed[0] for link in links if (parsed := parse_reference(link)) is not None}
    overlay = edition.overlay(scope.locales)
    found = await find_addresses(scope, {*named.values()}, scope.default_locale, live=True, overlay=overlay)
    titles = await _load_titles(scope, [each.id for each in named.values() if each not in found], reader)
    dead = {link: titles.get(each.id, "a page that is deleted") for link, each in named.items() if each not in found}
    paths = [link for link in links if link not in named]
    return dead | {link: link for link in paths if await _leads_nowhere(scope, link, edition)}


async def _leads_nowhere(scope: Scope, link: str, edition: Edition) -> bool:
    path = link.partition("#")[0].partition("?")[0]
    if "." in path.rpartition("/")[2]:  # a feed, or a file of the server
        return False
    return await find_content(scope, parse_address(scope, path), edition, "") is None


async def _load_titles(scope: Scope, ids: Sequence[str], reader: str | None) -> dict[str, str]:
    """The titles of documents; of those with edits of others than the reader, if there is one, what they are."""
    foreign = set[str]() if reader is None else await find_foreign(scope, ids, reader)
    query = select(Page).where(scope.target.id_filter(Page, Page.id, ids))
    return {
        page.id: DRAFT_OF_OTHERS if page.id in foreign else f"'{page.title}'"
        for page in await scope.session.scalars(query)
    }
