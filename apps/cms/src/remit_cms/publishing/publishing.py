"""The operations that decide what visitors see of one page. A model reads each docstring before it calls."""

from __future__ import annotations

from datetime import datetime

from remit import LeafContext
from remit.errors import ConflictError
from remit.tools import Caller, Preview
from remit_cms.checks.checking import remark_on
from remit_cms.models import pluralize
from remit_cms.pages.reading import view_meta
from remit_cms.publishing.changes import compare_states, describe_types, show_changes, title_of
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
from remit_cms.sections.contents import view_section
from remit_cms.sections.slices import cut_sections, shown_ids, shown_parts
from remit_cms.storage.database import Database
from remit_cms.storage.documents import describe_document, draft_state, load_title, make_preview
from remit_cms.storage.door import check_plan, describe_claims, plan_hiding, publish_at_once
from remit_cms.storage.hiding import preview_hiding
from remit_cms.storage.live import find_live_page
from remit_cms.storage.outlook import pin_plan
from remit_cms.storage.planning import Planned, plan_page
from remit_cms.storage.readings import read_state
from remit_cms.storage.scope import Scope, slug_of
from remit_cms.storage.stale_edits import read_parts, read_text_parts
from remit_cms.storage.tables import Page
from remit_cms.storage.tokens import check_token, give_token
from remit_cms.storage.transactions import Edit, edit_once, open_view


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
            named = describe_document(page, page.live_path, "the live ", await load_title(scope, page))
            return await preview_hiding(scope, page, named, ctx.caller)

    async def get_live_page(self, ctx: LeafContext, payload: GetLivePage) -> LivePageReply:
        """Read a page as visitors see it now, with all content. Not for drafts: cms_getPage."""
        async with open_view(self._database, ctx) as scope:
            locale = scope.resolve_locale(payload.locale_code)
            found = await find_live_page(scope, payload.page_id, locale)
            page, snapshot = found.page, found.snapshot
            read = await read_state(scope, snapshot, locale)
            sections = [view_section(each, read.chain) for each in read.sections]
            shown = cut_sections(scope, sections, payload.cursor, page.id, page.live)
            content = read_parts(snapshot, read.chain, shown_ids(shown))
            texts = read_text_parts(snapshot.texts, read.chain, page.locale)
            scope.show_revision(page, page.live or 0, *texts, *shown_parts(shown, content))
            view = LivePageView(
                id=page.id,
                title=read.title,
                live_path=read.slug,
                revision=page.live or 0,
                redirected_from=slug_of(payload.page_id) if found.redirected else None,
                indexing=snapshot.indexing,
                meta=view_meta(read),
                locale_code=locale,
                untranslated={**read.untranslated} or None,
                sections=[*shown.rows],
            )
            message = f"Page '{view.title}' as visitors see it ({scope.format_address(locale, read.slug)})"
            return LivePageReply(page=view, **shown.summarize(message))


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
    summary = f"{describe_document(page, page.slug, 'the ', title_of(planned))}, {news}{overruled}{others}"
    types = await describe_types(scope, [planned])
    shows, remarks = pin_plan("publish", page.id, [planned], at), await remark_on(scope, [planned], caller, at)
    return make_preview(summary, draft_state(page), types, changes=changes, remarks=remarks, shows=shows)


def _check_is_live(page: Page) -> None:
    if page.live is None:
        raise ConflictError(f"Page '{page.title}' is not live: visitors do not see it.")
