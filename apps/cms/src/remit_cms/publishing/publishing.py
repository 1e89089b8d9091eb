"""The operations that decide what visitors see of one page. A model reads each docstring before it calls."""

from __future__ import annotations

from collections.abc import Mapping

from remit import LeafContext
from remit.errors import ConflictError
from remit.tools import Preview
from remit_cms.models import pluralize
from remit_cms.pages.payloads import MetaView
from remit_cms.publishing.changes import compare_states, show_changes
from remit_cms.publishing.payloads import (
    GetLivePage,
    LivePageReply,
    LivePageView,
    PageState,
    PageStateReply,
    PublishPage,
    UnpublishPage,
)
from remit_cms.redirects.items import describe_overruled
from remit_cms.sections.payloads import SectionView
from remit_cms.sections.slices import cut_sections
from remit_cms.storage.database import Database
from remit_cms.storage.differences import compare_snapshots
from remit_cms.storage.documents import describe_document, draft_state, make_preview
from remit_cms.storage.links import describe_links, find_links, link_state
from remit_cms.storage.live import Move, check_moves, find_live_page, move_live
from remit_cms.storage.scope import Scope, slug_of
from remit_cms.storage.snapshots import SectionSnapshot, Snapshot, build_snapshot, load_snapshot
from remit_cms.storage.stale_edits import read_parts, read_text_parts
from remit_cms.storage.tables import Page
from remit_cms.storage.tokens import check_token, give_token
from remit_cms.storage.transactions import Edit, edit_once, open_view
from remit_cms.storage.translations import localize_content, localize_texts, slugs_by_locale
from remit_cms.templates.slots import Structure
from remit_cms.templates.values import show_content


class Publishing:
    """Publishes pages."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def publish_page(self, ctx: LeafContext, payload: PublishPage) -> PageStateReply:
        """Show one page to visitors as its draft is now, after approval. For several pages: cms_publishChangeSet."""

        async def work(edit: Edit) -> PageStateReply:
            page = await edit.find_document(payload.page_id)
            await check_token(edit, page, payload.if_unchanged)
            await find_states(edit, page)
            overruled = await describe_overruled(edit, [Move(page, page.revision)])
            await move_live(edit, [Move(page, page.revision)])
            message = f"Published {describe_document(page, page.live_path)}{overruled}"
            return PageStateReply(page=page_state(page), token=give_token(payload, page), message=message)

        return await edit_once(self._database, ctx, payload, PageStateReply, work)

    async def preview_publication(self, ctx: LeafContext, payload: PublishPage) -> Preview:
        """The difference between the live page and its draft, for the approver."""
        async with open_view(self._database, ctx) as scope:
            page = await scope.find_document(payload.page_id)
            await check_token(scope, page, payload.if_unchanged)
            changes = await show_changes(scope, await compare_states(scope, *await find_states(scope, page)))
            await check_moves(scope, [Move(page, page.revision)])
            news = "which is new" if page.live is None else f"in {pluralize(len(changes), 'place')}"
            overruled = await describe_overruled(scope, [Move(page, page.revision)])
            summary = f"{describe_document(page, page.slug, 'the ')}, {news}{overruled}"
            return make_preview(summary, draft_state(page), changes=changes)

    async def unpublish_page(self, ctx: LeafContext, payload: UnpublishPage) -> PageStateReply:
        """Hide one page from visitors, after approval. Its draft stays. To remove the page: cms_deletePage."""

        async def work(edit: Edit) -> PageStateReply:
            page = await edit.find_document(payload.page_id)
            await check_token(edit, page, payload.if_unchanged)
            _check_is_live(page)
            await move_live(edit, [Move(page, None)])
            message = f"Page '{page.title}' is hidden from visitors"
            return PageStateReply(page=page_state(page), token=give_token(payload, page), message=message)

        return await edit_once(self._database, ctx, payload, PageStateReply, work)

    async def preview_unpublication(self, ctx: LeafContext, payload: UnpublishPage) -> Preview:
        """The page that visitors would lose, for the approver."""
        async with open_view(self._database, ctx) as scope:
            page = await scope.find_document(payload.page_id)
            await check_token(scope, page, payload.if_unchanged)
            _check_is_live(page)
            await check_moves(scope, [Move(page, None)])
            links = await find_links(scope, page.id)
            summary = f"{describe_document(page, page.live_path, 'the live ')}{describe_links(links)}"
            return make_preview(summary, draft_state(page), link_state(links))

    async def get_live_page(self, ctx: LeafContext, payload: GetLivePage) -> LivePageReply:
        """Read a page as visitors see it now, with all content. Not for drafts: cms_getPage."""
        async with open_view(self._database, ctx) as scope:
            locale = scope.resolve_locale(payload.locale_code)
            found = await find_live_page(scope, payload.page_id, locale)
            page, snapshot, chain = found.page, found.snapshot, scope.fallback_chain(locale)
            texts, untranslated = localize_texts(snapshot.texts, chain)
            meta = MetaView(title=texts.meta_title, description=texts.meta_description)
            path = slugs_by_locale(scope, snapshot.texts)[locale]
            structures = await scope.load_structures({section.definition for section in snapshot.sections})
            sections = [_section_view(section, structures, chain) for section in snapshot.sections]
            shown = cut_sections(sections, texts.title or "", payload.cursor)
            read = read_parts(snapshot, chain, shown.shown_ids)
            texts_read = read_text_parts(snapshot.texts, chain, page.locale)
            scope.show_revision(page, page.live or 0, *texts_read, *shown.shown_parts(read))
            view = LivePageView(
                id=page.id,
                title=texts.title or "",
                live_path=path,
                revision=page.live or 0,
                redirected_from=slug_of(payload.page_id) if found.redirected else None,
                indexing=snapshot.indexing,
                meta=meta if meta != MetaView() else None,
                locale_code=locale,
                untranslated=untranslated or None,
                sections=shown.sections,
            )
            message = f"Page '{view.title}' as visitors see it ({scope.format_address(locale, path)})"
            return LivePageReply(page=view, next_cursor=shown.next_cursor, message=shown.describe(message))


def page_state(page: Page) -> PageState:
    """A page with its revisions."""
    return PageState(
        id=page.id,
        title=page.title,
        slug=page.slug,
        status=page.status,
        revision=page.revision,
        live_revision=page.live,
        live_path=page.live_path,
    )


async def find_states(scope: Scope, page: Page) -> tuple[Snapshot | None, Snapshot]:
    """What visitors see of a page, and its draft.

    Raises:
        ConflictError: they do not differ.
    """
    live = None if page.live is None else await load_snapshot(scope, page.id, page.live)
    draft = await build_snapshot(scope, page)
    if not compare_snapshots(live, draft):
        raise ConflictError(f"Page '{page.title}' is live as its draft is: there is nothing to publish.")
    return live, draft


def _check_is_live(page: Page) -> None:
    if page.live is None:
        raise ConflictError(f"Page '{page.title}' is not live: visitors do not see it.")


def _section_view(section: SectionSnapshot, structures: Mapping[str, Structure], chain: tuple[str, ...]) -> SectionView:
    content, untranslated = localize_content(section.contents, chain, section.lists)
    structure = structures.get(section.definition, Structure(rows=()))
    return SectionView(
        id=section.id,
        section_key=section.definition,
        sort_order=section.sort_order,
        locale_code=chain[0],
        content=show_content(structure, content),
        untranslated=show_content(structure, untranslated) or None,
    )
