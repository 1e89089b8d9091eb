"""The operations on pages. Each docstring is what a model reads before it calls."""

from __future__ import annotations

from sqlalchemy import func, select, tuple_

from remit import LeafContext
from remit.errors import AlreadyExistsError
from remit_cms.models import counted
from remit_cms.pages.payloads import (
    CreatePage,
    CreatePageWithContent,
    DeletePage,
    GetPage,
    GetPages,
    MetaView,
    PageBrief,
    PageDeletion,
    PageReply,
    PagesReply,
    PageView,
    UpdatePage,
)
from remit_cms.pages.slugs import check_slug
from remit_cms.sections.contents import place, sections_of, still_empty
from remit_cms.storage.access import Edit, editing, viewing
from remit_cms.storage.database import Database
from remit_cms.storage.revisions import check_revision, revise, revise_last
from remit_cms.storage.scope import Scope
from remit_cms.storage.tables import Page


class Pages:
    """The pages of a site."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get_pages(self, ctx: LeafContext, payload: GetPages) -> PagesReply:
        """List the pages of the site: id, title, slug and status of each, without sections."""
        async with viewing(self._database, ctx) as scope:
            here = scope.target.holds(Page)
            query = select(Page).where(here).order_by(Page.slug, Page.id).limit(payload.limit + 1)
            if payload.cursor is not None:
                slug, _, page_id = payload.cursor.partition(":")
                query = query.where(tuple_(Page.slug, Page.id) > tuple_(slug, page_id))
            rows = (await scope.session.scalars(query)).all()
            total = await scope.session.scalar(select(func.count()).select_from(Page).where(here)) or 0
            shown = rows[: payload.limit]
            return PagesReply(
                pages=[PageBrief(id=page.id, title=page.title, slug=page.slug, status=page.status) for page in shown],
                total=total,
                next_cursor=f"{shown[-1].slug}:{shown[-1].id}" if len(rows) > len(shown) else None,
                message=f"Found {counted(total, 'page')}" if len(shown) == total else f"{len(shown)} of {total} pages",
            )

    async def get_page(self, ctx: LeafContext, payload: GetPage) -> PageReply:
        """Read one page by pageId or slug: its sections without content, unless includeContent is true."""
        async with viewing(self._database, ctx) as scope:
            page = await scope.page(payload.page_id or payload.slug or "")
            locale = scope.locale(payload.locale_code) if payload.include_content else None
            return await _reply(scope, page, f"Page '{page.title}' (/{page.slug})", locale=locale)

    async def create_page(self, ctx: LeafContext, payload: CreatePage) -> PageReply:
        """Create a new page with optional sections, as a draft. Returns the created page with its id."""
        return await editing(self._database, ctx, payload, PageReply, lambda edit: _create(edit, payload))

    async def create_page_with_content(self, ctx: LeafContext, payload: CreatePageWithContent) -> PageReply:
        """Create a page with its sections in one call: either all of it is created, as a draft, or nothing."""
        return await editing(self._database, ctx, payload, PageReply, lambda edit: _create(edit, payload))

    async def update_page(self, ctx: LeafContext, payload: UpdatePage) -> PageReply:
        """Change the title, slug, indexing or search engine texts of a page. Its sections stay as they are."""

        async def work(edit: Edit) -> PageReply:
            page = await edit.page(payload.page_id)
            check_revision(page, payload.expected_revision)
            before = _state(page)
            if payload.slug is not None:
                await _rename(edit, page, payload.slug)
            if payload.title is not None:
                page.title = payload.title
            if payload.indexing is not None:
                page.indexing = payload.indexing
            if payload.meta is not None and payload.meta.title is not None:
                page.meta_title = payload.meta.title or None
            if payload.meta is not None and payload.meta.description is not None:
                page.meta_description = payload.meta.description or None
            if _state(page) == before:
                return await _reply(edit, page, f"Page '{page.title}' (/{page.slug}) is like that already")
            await revise(edit, page, "update_page")
            return await _reply(edit, page, f"Updated page '{page.title}' (/{page.slug})")

        return await editing(self._database, ctx, payload, PageReply, work)

    async def delete_page(self, ctx: LeafContext, payload: DeletePage) -> PageDeletion:
        """Delete a page and its sections. Call it with confirmed false first: that asks a person."""
        if not payload.confirmed:
            return await self._ask_to_delete(ctx, payload)

        async def work(edit: Edit) -> PageDeletion:
            page = await edit.page_by_id(payload.page_id)
            check_revision(page, payload.expected_revision)
            sections = await sections_of(edit, page)
            await revise_last(edit, page, "delete_page")
            await edit.session.delete(page)
            await edit.session.flush()
            return PageDeletion(
                page_id=page.id,
                message=f"Deleted page '{page.title}' (/{page.slug}) with {counted(len(sections), 'section')}",
            )

        return await editing(self._database, ctx, payload, PageDeletion, work)

    async def show_deletion(self, ctx: LeafContext, payload: DeletePage) -> str:
        """The page that would be deleted, for the person who is asked: its title, its slug, its sections."""
        async with viewing(self._database, ctx) as scope:
            page = await scope.page_by_id(payload.page_id)
            check_revision(page, payload.expected_revision)
            keys = [section.section_key for section in await sections_of(scope, page)]
            held = f"{counted(len(keys), 'section')} ({', '.join(keys)})" if keys else "no sections"
            return f"the page '{page.title}' (/{page.slug}) with {held}"

    async def _ask_to_delete(self, ctx: LeafContext, payload: DeletePage) -> PageDeletion:
        return PageDeletion(
            success=False,
            requires_confirmation=True,
            page_id=payload.page_id,
            message=f"This would delete {await self.show_deletion(ctx, payload)}. "
            "Nothing is deleted yet. Ask the person, and wait.",
        )


async def _create(edit: Edit, payload: CreatePage) -> PageReply:
    slug = check_slug(payload.slug, payload.title, edit.locales)
    await _refuse_taken(edit, slug, edit.default_locale)
    page = Page(
        id=edit.new_id("page"),
        site=edit.target.site,
        environment=edit.target.environment,
        locale=edit.default_locale,
        slug=slug,
        title=payload.title,
        status="draft",
        indexing=True,
        revision=0,
        created_at=edit.now,
        updated_at=edit.now,
    )
    edit.session.add(page)
    await edit.session.flush()
    placed = [await place(edit, page, section, edit.default_locale) for section in payload.sections]
    await revise(edit, page, "create_page")
    lacks = "".join(still_empty([f"{part.definition.key}.{field}" for field in part.lacks]) for part in placed)
    with_sections = f" with {counted(len(placed), 'section')}" if placed else ""
    return await _reply(edit, page, f"Created page '{page.title}' (/{page.slug}){with_sections}, as a draft.{lacks}")


def _state(page: Page) -> tuple[object, ...]:
    """What an update of a page may change."""
    return page.title, page.slug, page.indexing, page.meta_title, page.meta_description


async def _rename(edit: Edit, page: Page, slug: str) -> None:
    wanted = check_slug(slug, page.title, edit.locales)
    if wanted != page.slug:
        await _refuse_taken(edit, wanted, page.locale)
        page.slug = wanted


async def _refuse_taken(edit: Edit, slug: str, locale: str) -> None:
    """Refuse a slug that another page at the root has.

    Raises:
        AlreadyExistsError: naming that page.
    """
    query = select(Page).where(edit.target.holds(Page), Page.locale == locale, Page.parent.is_(None), Page.slug == slug)
    taken = (await edit.session.scalars(query)).first()
    if taken is not None:
        raise AlreadyExistsError(
            f"There is a page with this slug already: '{taken.title}', id {taken.id}. "
            "If that page is meant, update it by its id. If not, ask the person."
        )


async def _reply(scope: Scope, page: Page, message: str, *, locale: str | None = None) -> PageReply:
    meta = MetaView(title=page.meta_title, description=page.meta_description)
    view = PageView(
        id=page.id,
        title=page.title,
        slug=page.slug,
        status=page.status,
        revision=page.revision,
        indexing=page.indexing,
        meta=meta if meta != MetaView() else None,
        sections=await sections_of(scope, page, locale=locale),
    )
    return PageReply(page=view, message=message)
