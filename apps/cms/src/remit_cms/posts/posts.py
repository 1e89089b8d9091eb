"""The operations on posts: entries that are published, archived and deleted. A model reads each docstring."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final, cast

from sqlalchemy import and_, func, literal, true

from remit import LeafContext
from remit.database import UtcDateTime
from remit.errors import ConflictError
from remit.tools import Preview
from remit_cms.models import pluralize
from remit_cms.posts.entries import name_entry, select_entries, show_entry
from remit_cms.posts.payloads import (
    ArchivePost,
    CreatePost,
    DeletePost,
    GetPost,
    GetPosts,
    PostBrief,
    PostDeletion,
    PostName,
    PostReply,
    PostsReply,
    PostStateReply,
    PostView,
    PostWriteReply,
    PublishPost,
    UpdatePost,
)
from remit_cms.posts.writing import EntryWrites
from remit_cms.publishing.payloads import PublishPage, UnpublishPage
from remit_cms.publishing.publishing import Publishing, page_state
from remit_cms.storage.database import Database
from remit_cms.storage.door import plan_hiding, publish_at_once
from remit_cms.storage.lists import Order, list_items, list_rows
from remit_cms.storage.publication_times import PublicationTimes, load_publication_times, publication_times
from remit_cms.storage.readings import Reading, read_drafts
from remit_cms.storage.scope import Scope
from remit_cms.storage.tables import Kind, Page
from remit_cms.storage.tokens import check_token, give_token
from remit_cms.storage.transactions import Edit, edit_once, open_view

_NEVER: Final = literal(datetime(1970, 1, 1, tzinfo=UTC), UtcDateTime())
"""When drafts were published, in the order of lists."""
_STATES: Final = {
    "draft": and_(Page.live.is_(None), Page.status != "archived"),
    "published": Page.live.is_not(None),
    "archived": Page.status == "archived",
    "all": true(),
}


class Posts:
    """The posts of a site."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._publishing = Publishing(database)
        self._writes = EntryWrites(database, "post", brief=PostName, reply=PostWriteReply, deletion=PostDeletion)

    async def get_posts(self, ctx: LeafContext, payload: GetPosts) -> PostsReply:
        """List posts, without their texts: those published last, then drafts. For pages: cms_getPages."""
        async with open_view(self._database, ctx) as scope:
            collection = await scope.find_definition(payload.collection_slug, Kind.ENTRY)
            locale, times = scope.resolve_locale(payload.locale_code), publication_times(scope)
            first = func.coalesce(times.c.first, _NEVER)
            query = select_entries(scope, collection).outerjoin(times, times.c.page == Page.id)
            query = query.where(_STATES[payload.status])
            order = Order((first, Page.created_at, Page.id), is_falling=True)
            wanted = (payload.category or "").casefold()
            listed = ("posts", collection.key, payload.status, wanted)
            if not wanted:
                found = await list_rows(scope, payload, query, order, *listed)
                briefs = await _load_briefs(scope, found.rows, locale)
            else:
                rows = await scope.session.scalars(query.order_by(*(each.desc() for each in order.columns)))
                every = await _load_briefs(scope, rows.all(), locale)
                chosen = [each for each in every if (each.category or "").casefold() == wanted]
                found = list_items(scope, payload.cursor, chosen, lambda each: each.id, *listed, limit=payload.limit)
                briefs = [*found.rows]
            return PostsReply(
                posts=briefs,
                **found.summarize(f"Found {pluralize(found.total, 'post')}"),
            )

    async def get_post(self, ctx: LeafContext, payload: GetPost) -> PostReply:
        """Read one post with its text, as its draft is now. As visitors see it: cms_getLivePage."""
        async with open_view(self._database, ctx) as scope:
            page = await scope.find_document(payload.post_slug, Kind.ENTRY)
            post = await _show(scope, page, scope.resolve_locale(payload.locale_code))
            return PostReply(post=post, token=give_token(payload, page), message=f"Post '{page.title}'")

    async def create_post(self, ctx: LeafContext, payload: CreatePost) -> PostWriteReply:
        """Create a post that does not exist yet, as a draft. For a page: cms_createPage."""
        return await self._writes.create(ctx, payload, payload.collection_slug, payload.content(payload.body))

    async def update_post(self, ctx: LeafContext, payload: UpdatePost) -> PostWriteReply:
        """Change title, text or other fields of a post, in its draft; the others stay. For pages: cms_updatePage."""
        return await self._writes.update(ctx, payload, payload.post_slug, payload.content(payload.body))

    async def publish_post(self, ctx: LeafContext, payload: PublishPost) -> PostStateReply:
        """Show one post, also an archived one, to visitors as it is now, after approval. Later: cms_schedulePage."""
        done = await self._publishing.publish_page(ctx, await self._publication(ctx, payload))
        message = f"Published post '{done.page.title}' (/{done.page.live_path})"
        return PostStateReply(post=done.page, token=done.token, message=message)

    async def preview_publication(self, ctx: LeafContext, payload: PublishPost) -> Preview:
        """The difference between the live post and its draft, for the approver."""
        return await self._publishing.preview_publication(ctx, await self._publication(ctx, payload))

    async def archive_post(self, ctx: LeafContext, payload: ArchivePost) -> PostStateReply:
        """Hide one published post from visitors, after approval; it can come back. To delete one: cms_deletePost."""

        async def work(edit: Edit) -> PostStateReply:
            page = await edit.find_document(payload.post_slug, Kind.ENTRY)
            await check_token(edit, page, payload.if_unchanged)
            if page.live is None:
                raise ConflictError(f"Post '{page.title}' is not live: visitors do not see it.")
            await publish_at_once(edit, "Archiving of", await plan_hiding(edit, page))
            message = f"Archived post '{page.title}'"
            return PostStateReply(post=page_state(page), token=give_token(payload, page), message=message)

        return await edit_once(self._database, ctx, payload, PostStateReply, work)

    async def preview_archiving(self, ctx: LeafContext, payload: ArchivePost) -> Preview:
        """The post that visitors would lose, for the approver."""
        page_id = await self._find_id(ctx, payload.post_slug)
        unpublication = UnpublishPage(page_id=page_id, if_unchanged=payload.if_unchanged)
        return await self._publishing.preview_unpublication(ctx, unpublication)

    async def delete_post(self, ctx: LeafContext, payload: DeletePost) -> PostDeletion:
        """Delete a post, after approval. It is in the trash then. To take it from visitors only: cms_archivePost."""
        return await self._writes.delete(ctx, payload, payload.post_slug)

    async def preview_deletion(self, ctx: LeafContext, payload: DeletePost) -> Preview:
        """The post to delete, for the approver."""
        return await self._writes.preview_deletion(ctx, payload, payload.post_slug)

    async def _publication(self, ctx: LeafContext, payload: PublishPost) -> PublishPage:
        page_id = await self._find_id(ctx, payload.post_slug)
        return PublishPage(page_id=page_id, if_unchanged=payload.if_unchanged, with_token=payload.with_token)

    async def _find_id(self, ctx: LeafContext, name: str) -> str:
        async with open_view(self._database, ctx) as scope:
            return (await scope.find_document(name, Kind.ENTRY)).id


async def _load_briefs(scope: Scope, pages: Sequence[Page], locale: str) -> list[PostBrief]:
    times = await load_publication_times(scope, [page.id for page in pages])
    read = await read_drafts(scope, pages, locale)
    return [_brief(page, each, times.get(page.id)) for page, each in zip(pages, read, strict=True)]


def _brief(page: Page, read: Reading, times: PublicationTimes | None) -> PostBrief:
    return PostBrief(
        id=page.id,
        title=read.title,
        slug=name_entry(read),
        status=page.status,
        published_at=times and times.first,
        category=cast("str | None", read.content.get("category")),
        excerpt=cast("str | None", read.content.get("excerpt")),
    )


async def _show(scope: Scope, page: Page, locale: str) -> PostView:
    """One post with its text, as a reader of a language sees it."""
    read = await show_entry(scope, page, locale)
    (section,), content = read.sections, read.content
    brief = _brief(page, read, (await load_publication_times(scope, [page.id])).get(page.id))
    tags, cover = cast("str | None", content.get("tags")), content.get("cover")
    return PostView(
        **brief.model_dump(),
        path=f"/{section.section.definition}/{brief.slug}",
        revision=page.revision,
        locale_code=locale,
        body=str(content.get("body") or ""),
        author=cast("str | None", content.get("author")),
        tags=tags.split(", ") if tags else None,
        cover={key: each for key, each in cover.items() if isinstance(each, str)} if isinstance(cover, dict) else None,
        untranslated={**section.untranslated} or None,
    )
