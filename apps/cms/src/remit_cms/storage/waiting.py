"""States that wait to go live though the draft is another one: what a person may have approved already."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Text, select
from sqlalchemy import cast as sql_cast

from remit_cms.storage.claims import PENDING, Claimed, find_claims
from remit_cms.storage.differences import compare_snapshots
from remit_cms.storage.layers import lay_over, load_settled
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot, build_snapshot
from remit_cms.storage.tables import ChangeSet, Claim, Page, Revision


@dataclass(frozen=True, slots=True)
class Waiting:
    """A state of a document that waits, and with what it would go live, such as ``the change set 'Easter'``."""

    page: Page
    snapshot: Snapshot
    group: str


async def find_waiting(scope: Scope, text: str) -> list[Waiting]:
    """The states that change sets want and that contain a text, such as an id, by slug.

    Drafts are not among them: callers look at those themselves.
    """
    query = (
        select(Page)
        .join(Claim, Claim.page == Page.id)
        .join(ChangeSet, ChangeSet.id == Claim.change_set)
        .join(Revision, (Revision.page == Page.id) & (Revision.number == Claim.number))
        .where(
            scope.target.row_filter(Page),
            ChangeSet.state.in_(PENDING),
            sql_cast(Revision.snapshot, Text).contains(text, autoescape=True),
        )
        .order_by(Page.slug, Page.id)
    )
    pages = {page.id: page for page in await scope.session.scalars(query)}
    claims = await find_claims(scope, [*pages]) if pages else []
    found: list[Waiting] = []
    for page in pages.values():
        draft = await build_snapshot(scope, page)
        for claim in claims:
            if claim.page == page.id and not claim.is_hiding and claim.change_set is not None:
                state = await lay_over(scope, page, await load_settled(scope, page), claim.numbers)
                if state is not None and text in state.model_dump_json() and compare_snapshots(state, draft):
                    found.append(Waiting(page, state, _name(claim)))
    return found


def _name(claim: Claimed) -> str:
    if claim.action is not None:
        return f"the scheduled publication of '{claim.action.title}'"
    return f"the change set '{claim.change_set.name}'" if claim.change_set else ""
