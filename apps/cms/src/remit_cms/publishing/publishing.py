"""The operations that decide what visitors see of one page. A model reads each docstring before it calls."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from remit import LeafContext
from remit.errors import ConflictError
from remit.tools import Caller, Preview
from remit_cms.checks.checking import remark_on
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
from remit_cms.sections.slices import cut_sections, shown_ids, shown_parts
from remit_cms.storage.database import Database
from remit_cms.storage.documents import describe_document, draft_state, make_preview
from remit_cms.storage.door import (
    Planned,
    check_plan,
    describe_claims,
    plan_hiding,
    plan_page,
    publish_at_once,
)
from remit_cms.storage.hiding import preview_hiding
from remit_cms.storage.live import find_live_page
from remit_cms.storage.outlook import pin_plan
from remit_cms.storage.scope import Scope, slug_of
from remit_cms.storage.snapshots import SectionSnapshot
from remit_cms.storage.stale_edits import read_parts, read_text_parts
from remit_cms.storage.tables import Page
from remit_cms.storage.tokens import check_token, give_token
from remit_cms.storage.transactions import Edit, edit_once, open_view
from remit_cms.storage.translations import localize_texts, read_content, slugs_by_locale
from remit_cms.templates.slots import Structure
from remit_cms.templates.values import show_content, show_names


class Publishing:
    """Publishes pages."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def publish_page(self, ctx: LeafContext, payload: PublishPage) -> PageStateReply:
        """Show one page to visitors as its draft is now, after approval. For several pages: cms_publishChangeSet."""

        async def work(edit: Edit) -> PageStateReply:
            page = await edit.find_document(payload.page_id)
            await check_token(edit, page, payload.if_unchanged)
            planned = await find_publication(edit, page)
            overruled = await describe_overruled(edit, [planned.move])
            done = await publish_at_once(edit, "Publication of", planned)
            message = f"Published {describe_document(page, page.live_path)}{overruled}"
            token = give_token(payload, page)
            return PageStateReply(page=page_state(page), change_set_id=done.id, token=token, message=message)

        return await edit_once(self._database, ctx, payload, PageStateReply, work)

    async def preview_publication(self, ctx: LeafContext, payload: PublishPage) -> Preview:
        """The difference between the live page and its draft, for the approver."""
        async with open_view(self._database, ctx) as scope:
            page = await scope.find_document(payload.page_id)
            await check_token(scope, page, payload.if_unchanged)
            return await describe_publication(scope, await find_publication(scope, page), ctx.caller)

    async def unpublish_page(self, ctx: LeafContext, payload: UnpublishPage) -> PageStateReply:
        """Hide one page from visitors, after approval. Its draft stays. To remove the page: cms_deletePage."""

        async def work(edit: Edit) -> PageStateReply:
            page = await edit.find_document(payload.page_id)
            await check_token(edit, page, payload.if_unchanged)
            _check_is_live(page)
            done = await publish_at_once(edit, "Hiding of", await plan_hiding(edit, page))
            message = f"Page '{page.title}' is hidden from visitors"
            token = give_token(payload, page)
            return PageStateReply(page=page_state(page), change_set_id=done.id, token=token, message=message)

        return await edit_once(self._database, ctx, payload, PageStateReply, work)

    async def preview_unpublication(self, ctx: LeafContext, payload: UnpublishPage) -> Preview:
        """The page that visitors would lose, for the approver."""
        async with open_view(self._database, ctx) as scope:
            page = await scope.find_document(payload.page_id)
            await check_token(scope, page, payload.if_unchanged)
            _check_is_live(page)
            named = describe_document(page, page.live_path, "the live ")
            return await preview_hiding(scope, page, named, ctx.caller)

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
            shown = cut_sections(scope, sections, payload.cursor, page.id, page.live)
            read = read_parts(snapshot, chain, shown_ids(shown))
            texts_read = read_text_parts(snapshot.texts, chain, page.locale)
            scope.show_revision(page, page.live or 0, *texts_read, *shown_parts(shown, read))
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
                sections=[*shown.rows],
            )
            message = f"Page '{view.title}' as visitors see it ({scope.format_address(locale, path)})"
            return LivePageReply(
                page=view, total=shown.total, next_cursor=shown.next_cursor, message=shown.describe(message)
            )


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


async def find_publication(scope: Scope, page: Page, *, at: datetime | None = None) -> Planned:
    """What publishing one page, now or at a time, makes of it.

    Raises:
        ConflictError: nothing would differ for visitors, or others have claims on it.
    """
    planned = await plan_page(scope, page, at=at)
    await check_plan(scope, [planned], at=at)
    return planned


async def describe_publication(
    scope: Scope, planned: Planned, caller: Caller, *, at: datetime | None = None
) -> Preview:
    """The difference that visitors will see of one page, now or at a time, for the approver."""
    page = planned.page
    changes = await show_changes(scope, await compare_states(scope, planned.live, planned.wanted))
    news = "which is new" if planned.live is None else f"in {pluralize(len(changes), 'place')}"
    overruled = await describe_overruled(scope, [planned.move])
    others = await describe_claims(scope, [planned], caller)
    summary = f"{describe_document(page, page.slug, 'the ')}, {news}{overruled}{others}"
    shows, remarks = pin_plan("publish", page.id, [planned], at), await remark_on(scope, [planned], at)
    return make_preview(summary, draft_state(page), changes=changes, remarks=remarks, shows=shows)


def _check_is_live(page: Page) -> None:
    if page.live is None:
        raise ConflictError(f"Page '{page.title}' is not live: visitors do not see it.")


def _section_view(section: SectionSnapshot, structures: Mapping[str, Structure], chain: tuple[str, ...]) -> SectionView:
    structure = structures.get(section.definition, Structure(rows=()))
    content, untranslated = read_content(structure, section.contents, chain, section.lists)
    return SectionView(
        id=section.id,
        section_key=section.definition,
        sort_order=section.sort_order,
        locale_code=chain[0],
        content=show_content(structure, content),
        untranslated=show_names(structure, untranslated) or None,
    )
