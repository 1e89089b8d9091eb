"""The operations on posts: entries that are published, archived and deleted. A model reads each docstring."""

from __future__ import annotations

from datetime import datetime
from typing import cast

from sqlalchemy import Subquery, func, select

from remit import LeafContext
from remit.errors import ConflictError
from remit.tools import Preview
from remit_cms.models import pluralize
from remit_cms.posts.entries import (
    ShownEntry,
    StoredEntry,
    create_entry,
    delete_entry,
    find_entry,
    preview_deletion,
    show_entries,
    show_entry,
    update_entry,
)
from remit_cms.posts.payloads import (
    ArchivePost,
    CreatePost,
    DeletePost,
    GetPost,
    GetPosts,
    PostBrief,
    PostDeletion,
    PostReply,
    PostsReply,
    PostStateReply,
    PostView,
    PublishPost,
    UpdatePost,
)
from remit_cms.publishing.payloads import PublishPage, UnpublishPage
from remit_cms.publishing.publishing import Publishing, page_state
from remit_cms.storage.database import Database
from remit_cms.storage.door import plan_hiding, publish_at_once
from remit_cms.storage.scope import Scope
from remit_cms.storage.tables import Kind, Page, PageSection, Publication
from remit_cms.storage.tokens import check_token, give_token
from remit_cms.storage.transactions import Edit, edit_once, open_view


class Posts:
    """The posts of a site."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._publishing = Publishing(database)

    async def get_posts(self, ctx: LeafContext, payload: GetPosts) -> PostsReply:
        """List posts, without their texts: those published last, then drafts. For pages: cms_getPages."""
        async with open_view(self._database, ctx) as scope:
            collection = await scope.find_definition(payload.collection_slug, Kind.ENTRY)
            locale = scope.resolve_locale(payload.locale_code)
            statuses = {"published": ("published", "changed"), "all": ("draft", "published", "changed", "archived")}
            dates = _publication_dates(scope)
            query = (
                select(Page, PageSection, dates.c.published_at)
                .join(PageSection, PageSection.page == Page.id)
                .outerjoin(dates, dates.c.page == Page.id)
                .where(scope.target.row_filter(Page), PageSection.definition == collection.id)
                .where(Page.status.in_(statuses.get(payload.status, (payload.status,))))
                .order_by(dates.c.published_at.is_(None), dates.c.published_at.desc(), Page.slug)
            )
            rows = (await scope.session.execute(query)).all()
            wanted, total = (payload.category or "").lower(), len(rows)
            chosen = rows if wanted else rows[: payload.limit]
            entries = [StoredEntry(page, section, collection) for page, section, _ in chosen]
            shown = await show_entries(scope, entries, locale)
            briefs = [_brief(row[0], each, row[2]) for row, each in zip(chosen, shown, strict=True)]
            if wanted:
                briefs = [each for each in briefs if (each.category or "").lower() == wanted]
                total = len(briefs)
            message = f"Found {pluralize(total, 'post')}"
            return PostsReply(posts=briefs[: payload.limit], total=total, message=message)

    async def get_post(self, ctx: LeafContext, payload: GetPost) -> PostReply:
        """Read one post with its text, as its draft is now. As visitors see it: cms_getLivePage."""
        async with open_view(self._database, ctx) as scope:
            entry = await find_entry(scope, payload.post_slug)
            return await _reply(scope, entry, payload, f"Post '{entry.page.title}'")

    async def create_post(self, ctx: LeafContext, payload: CreatePost) -> PostReply:
        """Create a post that does not exist yet, as a draft. For a page: cms_createPage."""

        async def work(edit: Edit) -> PostReply:
            given = (payload.title, payload.slug, payload.content(payload.body), payload.locale_code)
            entry, remark = await create_entry(edit, payload.collection_slug, *given, what="post")
            message = f"Created post '{entry.page.title}' (/{entry.page.slug}), as a draft.{remark}"
            return await _reply(edit, entry, payload, message)

        return await edit_once(self._database, ctx, payload, PostReply, work)

    async def update_post(self, ctx: LeafContext, payload: UpdatePost) -> PostReply:
        """Change title, text or other fields of a post, in its draft; the others stay. For pages: cms_updatePage."""

        async def work(edit: Edit) -> PostReply:
            entry = await find_entry(edit, payload.post_slug)
            changed, remark = await update_entry(
                edit,
                entry,
                payload.content(payload.body),
                what="post",
                title=payload.title,
                slug=payload.slug,
                locale=payload.locale_code,
                if_unchanged=payload.if_unchanged,
            )
            label = f"post '{entry.page.title}' (/{entry.page.slug})"
            message = f"Updated {label}" if changed else f"The {label} is like that already"
            message += f".{remark}" if remark else ""
            return await _reply(edit, entry, payload, message)

        return await edit_once(self._database, ctx, payload, PostReply, work)

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
            page = (await find_entry(edit, payload.post_slug)).page
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

        async def work(edit: Edit) -> PostDeletion:
            page, set_id = await delete_entry(edit, payload.post_slug, payload.if_unchanged)
            message = f"Deleted post '{page.title}' (/{page.slug})"
            return PostDeletion(post_id=page.id, change_set_id=set_id, token=give_token(payload, page), message=message)

        return await edit_once(self._database, ctx, payload, PostDeletion, work)

    async def preview_deletion(self, ctx: LeafContext, payload: DeletePost) -> Preview:
        """The post to delete, for the approver."""
        async with open_view(self._database, ctx) as scope:
            return await preview_deletion(scope, payload.post_slug, payload.if_unchanged, "post", ctx.caller)

    async def _publication(self, ctx: LeafContext, payload: PublishPost) -> PublishPage:
        page_id = await self._find_id(ctx, payload.post_slug)
        return PublishPage(page_id=page_id, if_unchanged=payload.if_unchanged, with_token=payload.with_token)

    async def _find_id(self, ctx: LeafContext, name: str) -> str:
        async with open_view(self._database, ctx) as scope:
            return (await find_entry(scope, name)).page.id


def _publication_dates(scope: Scope) -> Subquery:
    """When each document went live first, as a query to join."""
    return (
        select(Publication.page, func.min(Publication.created_at).label("published_at"))
        .where(scope.target.row_filter(Publication), Publication.after.is_not(None))
        .group_by(Publication.page)
        .subquery()
    )


def _brief(page: Page, shown: ShownEntry, published: datetime | None) -> PostBrief:
    return PostBrief(
        id=page.id,
        title=shown.title,
        slug=shown.slug,
        status=page.status,
        published_at=published,
        category=cast("str | None", shown.content.get("category")),
        excerpt=cast("str | None", shown.content.get("excerpt")),
    )


async def _reply(
    scope: Scope, entry: StoredEntry, payload: GetPost | CreatePost | UpdatePost, message: str
) -> PostReply:
    locale = scope.resolve_locale(payload.locale_code)
    dates = _publication_dates(scope)
    published = await scope.session.scalar(select(dates.c.published_at).where(dates.c.page == entry.page.id))
    shown = await show_entry(scope, entry, locale)
    content = shown.content
    brief = _brief(entry.page, shown, published)
    tags, cover = cast("str | None", content.get("tags")), content.get("cover")
    post = PostView(
        **brief.model_dump(),
        path=f"/{entry.collection.key}/{brief.slug}",
        revision=entry.page.revision,
        locale_code=locale,
        body=str(content.get("body") or ""),
        author=cast("str | None", content.get("author")),
        tags=tags.split(", ") if tags else None,
        cover={key: each for key, each in cover.items() if isinstance(each, str)} if isinstance(cover, dict) else None,
        untranslated=shown.untranslated or None,
    )
    return PostReply(post=post, token=give_token(payload, entry.page), message=message)
