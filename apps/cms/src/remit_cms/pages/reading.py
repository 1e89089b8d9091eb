"""Reads of one page."""

from __future__ import annotations

from remit_cms.pages.payloads import GetPage, MetaView, PageReply, PageView
from remit_cms.sections.contents import view_sections
from remit_cms.sections.slices import SMALL_PAGE, count_characters, cut_sections, outline, shown_ids, shown_parts
from remit_cms.storage.change_sets import describe_fate
from remit_cms.storage.claims import LEAVING
from remit_cms.storage.readings import Reading, read_draft
from remit_cms.storage.scope import Scope
from remit_cms.storage.stale_edits import read_parts, read_text_parts
from remit_cms.storage.tables import Page
from remit_cms.storage.tokens import give_token


async def describe_leaving(scope: Scope, page: Page) -> str:
    """A remark on a page that goes with a change set."""
    return await describe_fate(scope, page) if page.status in LEAVING.values() else ""


def view_meta(read: Reading) -> MetaView | None:
    """What search engines show of a page; None if nothing of it is set."""
    meta = MetaView(title=read.texts.meta_title, description=read.texts.meta_description)
    return None if meta == MetaView() else meta


async def show_page(scope: Scope, page: Page, locale: str, payload: GetPage) -> PageReply:
    """The page as a reader of a locale sees it."""
    read, is_default = await read_draft(scope, page, locale), locale == scope.default_locale
    whole = view_sections(read)
    sizes = [count_characters(section) for section in whole]
    with_content = payload.include_content or sum(sizes) <= SMALL_PAGE
    outlines = [outline(each, size, is_default=is_default) for each, size in zip(whole, sizes, strict=True)]
    shown = cut_sections(scope, whole if with_content else outlines, payload.cursor, "draft", page.id)
    view = PageView(
        id=page.id,
        title=read.title,
        slug=read.slug,
        status=page.status,
        revision=page.revision,
        indexing=page.indexing,
        locale_code=None if is_default else locale,
        meta=view_meta(read),
        untranslated={**read.untranslated} or None,
        sections=[*shown.rows],
    )
    content = read_parts(read.snapshot, read.chain, shown_ids(shown)) if with_content else ()
    texts = read_text_parts(read.snapshot.texts, read.chain, page.locale)
    scope.show(page, *texts, *shown_parts(shown, content))
    message = f"Page '{view.title}' ({scope.format_address(locale, view.slug)})" + await describe_leaving(scope, page)
    if with_content and whole and not payload.include_content:
        message += ", with its content, which is short"
    return PageReply(
        page=view,
        token=give_token(payload, page),
        **shown.summarize(message),
    )
