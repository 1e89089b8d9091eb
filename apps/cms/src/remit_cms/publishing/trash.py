"""The operations on deleted pages. A model reads each docstring before it calls."""

from __future__ import annotations

from typing import Final

from sqlalchemy import select

from remit import LeafContext
from remit.errors import ConflictError
from remit.tools import Preview
from remit_cms.models import pluralize
from remit_cms.pages.slugs import resolve_address
from remit_cms.publishing.payloads import (
    ListTrash,
    PageStateReply,
    PurgePage,
    PurgeReply,
    RestorePage,
    TrashedPageView,
    TrashReply,
)
from remit_cms.publishing.publishing import page_state
from remit_cms.storage.database import Database
from remit_cms.storage.documents import describe_document, make_preview
from remit_cms.storage.images import find_uses
from remit_cms.storage.links import describe_links, find_links
from remit_cms.storage.lists import Order, list_rows
from remit_cms.storage.scope import Scope
from remit_cms.storage.tables import Kind, TrashedPage
from remit_cms.storage.tokens import check_object_token, give_token
from remit_cms.storage.transactions import Edit, edit_once, open_view
from remit_cms.storage.trash import count_revisions, find_trashed_page, purge_page, restore_page

_LAST_DELETED: Final = Order((TrashedPage.deleted_at, TrashedPage.page), is_falling=True)


class Trash:
    """Deleted pages."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list_trash(self, ctx: LeafContext, payload: ListTrash) -> TrashReply:
        """List deleted pages that can be restored, the last deleted first. To delete a page: cms_deletePage."""
        async with open_view(self._database, ctx) as scope:
            query = select(TrashedPage).where(scope.target.row_filter(TrashedPage))
            found = await list_rows(scope, payload, query, _LAST_DELETED, "trash")
            pages = [
                TrashedPageView(
                    id=row.page,
                    kind=None if row.kind == Kind.PAGE else row.kind,
                    title=row.title,
                    slug=row.slug,
                    deleted_by=row.author,
                    deleted_at=row.deleted_at,
                )
                for row in found.rows
            ]
            found = found.fit(pages)
            return TrashReply(
                pages=pages[: len(found.rows)],
                **found.summarize(f"{pluralize(found.total, 'page')} in the trash"),
            )

    async def restore_page(self, ctx: LeafContext, payload: RestorePage) -> PageStateReply:
        """Bring a deleted page back from the trash, as a draft. For an earlier state of a page: cms_revertPage."""

        async def work(edit: Edit) -> PageStateReply:
            trashed = await find_trashed_page(edit, payload.page_id)
            _check_token(trashed, payload)
            page = await restore_page(edit, trashed, _choose_slug(edit, trashed, payload.slug))
            message = f"Restored {describe_document(page, page.slug)}"
            message += "" if page.kind == Kind.IMAGE else ", as a draft"
            return PageStateReply(page=page_state(page), token=give_token(payload, page), message=message)

        return await edit_once(self._database, ctx, payload, PageStateReply, work)

    async def purge_page(self, ctx: LeafContext, payload: PurgePage) -> PurgeReply:
        """Delete a page in the trash for ever, after approval. For a page that is not in the trash: cms_deletePage."""

        async def work(edit: Edit) -> PurgeReply:
            trashed = await find_trashed_page(edit, payload.page_id)
            _check_token(trashed, payload)
            await _check_is_not_linked(edit, trashed, ctx.caller.principal.name)
            edit.add_change(trashed.kind, trashed.page, trashed.revision, name=trashed.title)
            count = await purge_page(edit, trashed)
            message = f"Purged {trashed.kind} '{trashed.title}' with {pluralize(count, 'revision')}"
            return PurgeReply(page_id=trashed.page, message=message)

        return await edit_once(self._database, ctx, payload, PurgeReply, work)

    async def preview_purge(self, ctx: LeafContext, payload: PurgePage) -> Preview:
        """The page to purge, for the approver."""
        async with open_view(self._database, ctx) as scope:
            trashed = await find_trashed_page(scope, payload.page_id)
            _check_token(trashed, payload)
            await _check_is_not_linked(scope, trashed, ctx.caller.principal.name)
            count = pluralize(await count_revisions(scope, trashed.page), "revision")
            where = "" if trashed.kind == Kind.IMAGE else f" (/{trashed.slug})"
            summary = f"the deleted {trashed.kind} '{trashed.title}'{where} with {count}, for ever"
            return make_preview(summary, f"{trashed.page}@{trashed.revision}")


def _choose_slug(edit: Edit, trashed: TrashedPage, slug: str | None) -> str:
    """The slug of a restored document; another one stays below the same page, or in its collection."""
    if slug is None:
        return trashed.slug
    return resolve_address(slug, trashed.title, trashed.slug.rpartition("/")[0], edit.locales)


def _check_token(trashed: TrashedPage, payload: RestorePage | PurgePage) -> None:
    """Refuse a call about a page that was restored and deleted again since its deletion gave a token."""
    check_object_token(payload.if_unchanged, trashed.page, str(trashed.revision), trashed.title)


async def _check_is_not_linked(scope: Scope, trashed: TrashedPage, reader: str) -> None:
    """Refuse to purge a page while others link to it.

    Raises:
        ConflictError: names them.
    """
    if trashed.kind == Kind.IMAGE and (uses := await find_uses(scope, trashed.page)):
        raise ConflictError(f"The image '{trashed.title}' cannot be purged, since {uses[0]} shows it.")
    links = await find_links(scope, trashed.page)
    if links:
        linked = await describe_links(scope, links, reader)
        raise ConflictError(
            f"Page '{trashed.title}' cannot be purged{linked}. It can be once nothing links to "
            "it, in drafts and in what visitors see; cms_getLinksHere lists the links."
        )
