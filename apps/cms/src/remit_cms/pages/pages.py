"""The operations on pages. A model reads each docstring before it calls."""

from __future__ import annotations

from sqlalchemy import select

from remit import LeafContext
from remit.tools import Preview
from remit_cms.callers import say_how_to_confirm
from remit_cms.models import pluralize
from remit_cms.pages.moving import describe_below, move_page, move_pages_below, name_of
from remit_cms.pages.payloads import (
    CopyPage,
    CreatePage,
    CreatePageWithContent,
    DeletePage,
    GetLinksHere,
    GetPage,
    GetPages,
    LinksReply,
    LinkView,
    MovePage,
    PageBrief,
    PageDeletion,
    PageReply,
    PagesReply,
    PageWriteReply,
    TranslatePage,
    UpdatePage,
    UpdatePageMeta,
)
from remit_cms.pages.reading import describe_leaving, show_page
from remit_cms.pages.slugs import resolve_address, resolve_slug
from remit_cms.pages.texts import change_texts, load_name, show_texts
from remit_cms.sections.contents import add_section, list_sections
from remit_cms.sections.payloads import SectionView
from remit_cms.storage.database import Database
from remit_cms.storage.documents import describe_document, load_title, make_document
from remit_cms.storage.door import delete_page
from remit_cms.storage.hiding import preview_hiding
from remit_cms.storage.links import find_links
from remit_cms.storage.lists import Order, list_items, list_rows
from remit_cms.storage.revisions import save_revision
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot, apply_snapshot, build_snapshot
from remit_cms.storage.tables import Kind, Page, TrashedPage
from remit_cms.storage.tokens import check_token, give_token
from remit_cms.storage.transactions import Edit, edit_once, open_view
from remit_cms.storage.translations import (
    PageTexts,
    check_slugs_are_free,
    load_texts,
    localize_texts,
    slugs_by_locale,
)
from remit_cms.templates.references import ObjectRef


class Pages:
    """The pages of a site."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get_pages(self, ctx: LeafContext, payload: GetPages) -> PagesReply:
        """List the pages of the site: id, title, slug and status of each, without sections. For posts: cms_getPosts."""
        async with open_view(self._database, ctx) as scope:
            query = select(Page).where(scope.target.row_filter(Page), Page.kind == Kind.PAGE)
            found = await list_rows(scope, payload, query, Order((Page.slug, Page.id)), "pages")
            chain = scope.fallback_chain(scope.resolve_locale(payload.locale_code))
            texts = await load_texts(scope, found.rows)
            pages = [
                PageBrief(
                    id=page.id,
                    title=shown.title or "",
                    slug=shown.slug or "",
                    status=page.status,
                    untranslated=untranslated or None,
                )
                for page in found.rows
                for shown, untranslated in [localize_texts(texts[page.id], chain)]
            ]
            found = found.fit(pages)
            return PagesReply(
                pages=pages[: len(found.rows)],
                **found.summarize(f"Found {pluralize(found.total, 'page')}"),
            )

    async def get_page(self, ctx: LeafContext, payload: GetPage) -> PageReply:
        """Read one page: sections, with content if it is short or includeContent is true. As live: cms_getLivePage."""
        async with open_view(self._database, ctx) as scope:
            page = await scope.find_page(payload.page_id)
            locale = scope.resolve_locale(payload.locale_code)
            return await show_page(scope, page, locale, payload)

    async def create_page(self, ctx: LeafContext, payload: CreatePage) -> PageWriteReply:
        """Create a page that does not exist yet, as a draft; no sections unless asked for. As a copy: cms_copyPage."""
        return await edit_once(self._database, ctx, payload, PageWriteReply, lambda edit: _create_page(edit, payload))

    async def create_page_with_content(self, ctx: LeafContext, payload: CreatePageWithContent) -> PageWriteReply:
        """Create a page that does not exist yet, with its sections, as a draft. Adds nothing to an existing page."""
        return await edit_once(self._database, ctx, payload, PageWriteReply, lambda edit: _create_page(edit, payload))

    async def update_page(self, ctx: LeafContext, payload: UpdatePage) -> PageWriteReply:
        """Rename a page. For its address: cms_movePage. Its texts are sections: cms_updateSectionContent."""
        return await edit_once(self._database, ctx, payload, PageWriteReply, lambda edit: _update_page(edit, payload))

    async def update_page_meta(self, ctx: LeafContext, payload: UpdatePageMeta) -> PageWriteReply:
        """Change what search engines show of a page, or hide it from them. For its title: cms_updatePage."""
        return await edit_once(
            self._database, ctx, payload, PageWriteReply, lambda edit: _update_page(edit, payload.update)
        )

    async def translate_page(self, ctx: LeafContext, payload: TranslatePage) -> PageWriteReply:
        """Give a page its title or slug in another language. For texts of sections: cms_updateSectionContent."""
        return await edit_once(
            self._database, ctx, payload, PageWriteReply, lambda edit: _update_page(edit, payload.update)
        )

    async def copy_page(self, ctx: LeafContext, payload: CopyPage) -> PageWriteReply:
        """Copy a page with its sections in all languages, as a draft of its own. For an empty page: cms_createPage."""

        async def work(edit: Edit) -> PageWriteReply:
            source = await build_snapshot(edit, await edit.find_page(payload.page_id))
            page = await _add_page(edit, payload.title, payload.slug)
            await apply_snapshot(edit, page, _copy_of(source, page, edit))
            await save_revision(edit, page, "copy_page")
            sections = await list_sections(edit, page)
            return await _reply(edit, page, f"Copied page '{source.title}' to {{}}, as a draft", sections=sections)

        return await edit_once(self._database, ctx, payload, PageWriteReply, work)

    async def move_page(self, ctx: LeafContext, payload: MovePage) -> PageWriteReply:
        """Give a page another address: a new slug, below another page, or at the top. For its title: cms_updatePage."""

        async def work(edit: Edit) -> PageWriteReply:
            page = await edit.find_page(payload.page_id)
            await check_token(edit, page, payload.if_unchanged)
            if payload.parent_id is None:
                return await _update_page(edit, payload.update_of(page.id))
            parent = await edit.find_page(payload.parent_id) if payload.parent_id.strip("/ ") else None
            below = await move_page(edit, page, parent)
            message = "Page {} stands there already" if below is None else f"Moved page {{}}{describe_below(below)}"
            changed = [] if below is None else ["slug"]
            return await _reply(edit, page, message, token=give_token(payload, page), changed=changed)

        return await edit_once(self._database, ctx, payload, PageWriteReply, work)

    async def get_links_here(self, ctx: LeafContext, payload: GetLinksHere) -> LinksReply:
        """List what links to a page, in drafts and in what visitors see. Not for the links on a page: cms_getPage."""
        async with open_view(self._database, ctx) as scope:
            target = await _find_link_target(scope, payload.page_id)
            places: dict[tuple[ObjectRef, str, str], list[bool]] = {}
            for each in await find_links(scope, target):
                places.setdefault((each.source, each.title, each.place), []).append(each.live)
            links = [
                LinkView(
                    kind=source.kind, id=source.id, title=title, place=place, draft=False in live, live=True in live
                )
                for (source, title, place), live in places.items()
            ]
            found = list_items(scope, payload.cursor, links, _link_key, "links", target)
            found = found.fit(found.rows)
            return LinksReply(
                links=[*found.rows],
                **found.summarize(f"{pluralize(found.total, 'link')} to this page"),
            )

    async def delete_page(self, ctx: LeafContext, payload: DeletePage) -> PageDeletion:
        """Delete a page, after the person confirms it. To hide it from visitors only: cms_unpublishPage."""
        if not payload.confirmed:
            return await self._request_confirmation(ctx, payload)

        async def work(edit: Edit) -> PageDeletion:
            page = await edit.find_page_by_id(payload.page_id)
            await check_token(edit, page, payload.if_unchanged)
            sections = await list_sections(edit, page)
            return PageDeletion(
                page_id=page.id,
                change_set_id=await delete_page(edit, page),
                token=give_token(payload, page),
                message=f"Deleted page '{page.title}' (/{page.slug}) with {pluralize(len(sections), 'section')}",
            )

        return await edit_once(self._database, ctx, payload, PageDeletion, work)

    async def preview_deletion(self, ctx: LeafContext, payload: DeletePage) -> Preview:
        """The page to delete, for the approver: its title, slug and sections, at its present revision."""
        async with open_view(self._database, ctx) as scope:
            page = await scope.find_page_by_id(payload.page_id)
            await check_token(scope, page, payload.if_unchanged)
            keys = [section.section_key for section in await list_sections(scope, page)]
            section_summary = f"{pluralize(len(keys), 'section')} ({', '.join(keys)})" if keys else "no sections"
            live = "" if page.live is None else ", which visitors see"
            named = describe_document(page, page.live_path, "the ", await load_title(scope, page))
            named += f" with {section_summary}{live}"
            return await preview_hiding(scope, page, named, ctx.caller, deletes=True)

    async def _request_confirmation(self, ctx: LeafContext, payload: DeletePage) -> PageDeletion:
        preview = await self.preview_deletion(ctx, payload)
        async with open_view(self._database, ctx) as scope:
            token = give_token(payload, await scope.find_page_by_id(payload.page_id))
        return PageDeletion(
            success=False,
            requires_confirmation=True,
            page_id=payload.page_id,
            token=token,
            message=f"This would delete {preview.summary}. {say_how_to_confirm(ctx)}",
        )


def _link_key(link: LinkView) -> str:
    return f"{link.kind}:{link.id} {link.place}"


async def _find_link_target(scope: Scope, name: str) -> str:
    """A page, also one in the trash, to which others may still link."""
    trashed = select(TrashedPage.page).where(scope.target.row_filter(TrashedPage), TrashedPage.page == name)
    return await scope.session.scalar(trashed) or (await scope.find_document(name)).id


def _copy_of(source: Snapshot, page: Page, edit: Edit) -> Snapshot:
    sections = [each.model_copy(update={"id": edit.new_id("section")}) for each in source.sections]
    return Snapshot(
        id=page.id,
        locale=page.locale,
        slug=page.slug,
        title=page.title,
        indexing=source.indexing,
        sections=sections,
        last_section=source.last_section,
        last_item=source.last_item,
    )


async def _add_page(edit: Edit, title: str, slug: str | None) -> Page:
    """A new page without sections. The caller saves its revision."""
    address = resolve_slug(slug, title, edit.locales)
    await check_slugs_are_free(edit, "", {edit.default_locale: PageTexts(slug=address)})
    return await make_document(edit, Kind.PAGE, title, address, indexing=True)


async def _create_page(edit: Edit, payload: CreatePage) -> PageWriteReply:
    page = await _add_page(edit, payload.title, payload.slug)
    page.indexing = payload.indexing is not False
    if payload.meta is not None:
        page.meta_title, page.meta_description = payload.meta.title or None, payload.meta.description or None
    added = [await add_section(edit, page, section, edit.default_locale) for section in payload.sections]
    await save_revision(edit, page, "create_page")
    with_sections = f" with {pluralize(len(added), 'section')}" if added else ""
    return await _reply(
        edit,
        page,
        f"Created page {{}}{with_sections}, as a draft",
        sections=await list_sections(edit, page) if added else None,
        remarks=[remark for part in added for remark in part.remarks.list(f"{part.definition.key}.")] or None,
    )


async def _update_page(edit: Edit, payload: UpdatePage) -> PageWriteReply:
    page = await edit.find_page(payload.page_id)
    await check_token(edit, page, payload.if_unchanged)
    locale, texts = edit.resolve_locale(payload.locale_code), (await load_texts(edit, [page]))[page.id]
    slugs, before, indexing = slugs_by_locale(edit, texts), texts.get(locale, PageTexts()), page.indexing
    given = _read_texts(edit, payload, page.title, slugs[locale])
    after = await change_texts(edit, page, texts, locale, given)
    if payload.indexing is not None:
        page.indexing = payload.indexing
    changed = [field for field in ("title", "slug") if getattr(after, field) != getattr(before, field)]
    if page.indexing != indexing:
        changed.append("indexing")
    if (after.meta_title, after.meta_description) != (before.meta_title, before.meta_description):
        changed.append("meta")
    message = "Page {} is like that already"
    if changed:
        await save_revision(edit, page, "update_page", *changed)
        now = slugs_by_locale(edit, {**texts, locale: after})
        below = await move_pages_below(edit, slugs, now) if now != slugs else 0
        message = f"Updated page {{}}{describe_below(below)}"
    show_texts(edit, page, locale, given)
    return await _reply(edit, page, message, locale, token=give_token(payload, page), changed=changed)


def _read_texts(edit: Edit, payload: UpdatePage, title: str, slug: str) -> dict[str, str | None]:
    """The texts that an update gives a page in one locale. An empty text for search engines removes it.

    A new slug is the last part of the address, which is ``slug`` now: the page stays below the same page.
    """
    given: dict[str, str | None] = {}
    if payload.title is not None:
        given["title"] = payload.title
    if payload.slug is not None:
        above = slug.removesuffix(name_of(slug)).rstrip("/")
        given["slug"] = resolve_address(payload.slug, title, above, edit.locales)
    if payload.meta is not None and payload.meta.title is not None:
        given["meta_title"] = payload.meta.title or None
    if payload.meta is not None and payload.meta.description is not None:
        given["meta_description"] = payload.meta.description or None
    return given


async def _reply(
    edit: Edit,
    page: Page,
    message: str,
    locale: str = "",
    *,
    token: str | None = None,
    changed: list[str] | None = None,
    sections: list[SectionView] | None = None,
    remarks: list[str] | None = None,
) -> PageWriteReply:
    """The reply of a write; ``{}`` in the message stands for title and address of the page in a locale."""
    name = await load_name(edit, page, locale or edit.default_locale)
    untranslated = {**name.untranslated} or None
    return PageWriteReply(
        page=PageBrief(id=page.id, title=name.title, slug=name.slug, status=page.status, untranslated=untranslated),
        sections=sections,
        changed=changed,
        remarks=remarks,
        token=token,
        message=message.replace("{}", name.written) + await describe_leaving(edit, page),
    )
