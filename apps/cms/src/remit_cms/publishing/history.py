"""The operations on the revisions of a page. A model reads each docstring before it calls."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func, select

from remit import LeafContext
from remit_cms.models import pluralize
from remit_cms.publishing.payloads import (
    CompareRevisions,
    DifferencesReply,
    ListRevisions,
    PageStateReply,
    RevertPage,
    RevisionsReply,
    RevisionView,
)
from remit_cms.publishing.publishing import page_state
from remit_cms.publishing.undoing import write_back
from remit_cms.storage.database import Database
from remit_cms.storage.differences import PathDifference, compare_paths
from remit_cms.storage.lists import Order, list_items, list_rows
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import load_snapshot, load_structures_of
from remit_cms.storage.stale_edits import show_comparison
from remit_cms.storage.tables import Claim, Page, Revision
from remit_cms.storage.tokens import check_token, give_token
from remit_cms.storage.transactions import Edit, edit_once, open_view


class History:
    """The revisions of pages."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list_revisions(self, ctx: LeafContext, payload: ListRevisions) -> RevisionsReply:
        """List the revisions of a page, newest first: by whom and when. For what changed: cms_compareRevisions."""
        async with open_view(self._database, ctx) as scope:
            page = await scope.find_document(payload.page_id)
            query = select(Revision).where(scope.target.row_filter(Revision), Revision.page == page.id)
            newest = Order((Revision.number,), is_falling=True)
            found = await list_rows(scope, payload, query, newest, "revisions of", page.id)
            change_sets = await _find_change_sets(scope, page, [row.number for row in found.rows])
            revisions = [
                RevisionView(
                    revision=row.number,
                    action=row.action,
                    author=row.author,
                    run=row.run,
                    created_at=row.created_at,
                    change_set_id=change_sets.get(row.number),
                    is_live=row.number == page.live or None,
                )
                for row in found.rows
            ]
            found = found.fit(revisions)
            return RevisionsReply(
                page_id=page.id,
                revisions=revisions[: len(found.rows)],
                **found.summarize(f"Page '{page.title}' has {pluralize(found.total, 'revision')}"),
            )

    async def compare_revisions(self, ctx: LeafContext, payload: CompareRevisions) -> DifferencesReply:
        """Tell what differs between two revisions of a page, or live and draft. For all pages: cms_getChangeSet."""
        async with open_view(self._database, ctx) as scope:
            page = await scope.find_document(payload.page_id)
            before, after = payload.before or page.live, payload.after or page.revision
            old = None if before is None else await load_snapshot(scope, page.id, before)
            new = await load_snapshot(scope, page.id, after)
            compared = compare_paths(old, new, await load_structures_of(scope, old, new))
            found = list_items(scope, payload.cursor, compared, _place_of, "differences of", page.id, before, after)
            found = found.fit(each.difference for each in found.rows)
            if after >= (before or 0):
                show_comparison(scope, page, after, found.rows)
            since = "before it was made" if before is None else f"revision {before}"
            return DifferencesReply(
                page_id=page.id,
                before=before,
                after=after,
                differences=[each.difference for each in found.rows],
                **found.summarize(f"{pluralize(found.total, 'difference')} between {since} and revision {after}"),
            )

    async def revert_page(self, ctx: LeafContext, payload: RevertPage) -> PageStateReply:
        """Undo edits: make a draft what it was in an earlier revision. For what visitors see: cms_revertChangeSet."""

        async def work(edit: Edit) -> PageStateReply:
            page = await edit.find_document(payload.page_id)
            await check_token(edit, page, payload.if_unchanged)
            snapshot = await load_snapshot(edit, page.id, payload.revision)
            changed = await write_back(edit, page, snapshot, "revert_page")
            message = f"Page '{page.title}' is like that already"
            if changed:
                message = f"The draft of page '{page.title}' is as in revision {payload.revision}"
            return PageStateReply(
                page=page_state(page), changed=changed, token=give_token(payload, page), message=message
            )

        return await edit_once(self._database, ctx, payload, PageStateReply, work)


async def _find_change_sets(scope: Scope, page: Page, numbers: Sequence[int]) -> dict[int, str]:
    """The ids of the change sets that some revisions of a page are in, by number."""
    chosen = (Claim.page == page.id, Claim.number.in_(numbers))
    query = select(Claim.number, func.max(Claim.change_set)).where(*chosen).group_by(Claim.number)
    return {row[0]: row[1] for row in await scope.session.execute(query)}


def _place_of(each: PathDifference) -> str:
    return "/".join(each.path)
