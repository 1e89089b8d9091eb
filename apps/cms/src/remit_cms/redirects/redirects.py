"""The operations on redirects. A model reads each docstring before it calls."""

from __future__ import annotations

from urllib.parse import urlsplit

from pydantic import JsonValue

from remit import LeafContext
from remit.errors import AlreadyExistsError, ConflictError, InvalidArgumentsError
from remit.tools import Candidate, Preview
from remit_cms.models import Content, WritePayload, pluralize
from remit_cms.navigation.targets import find_link, linked_url
from remit_cms.redirects.items import OwnRedirect, find_holder, read_redirects
from remit_cms.redirects.paths import MAX_REDIRECTS, find_language, is_on_site, normalize_path
from remit_cms.redirects.payloads import (
    AddRedirect,
    ListRedirects,
    RedirectRemoval,
    RedirectReply,
    RedirectsReply,
    RedirectView,
    RemoveRedirect,
    UpdateRedirect,
)
from remit_cms.redirects.views import find_automatic, list_automatic, view_redirects
from remit_cms.sections.contents import remove_section
from remit_cms.storage.database import Database
from remit_cms.storage.documents import (
    draft_state,
    find_single,
    load_document,
    load_single_sections,
    make_preview,
)
from remit_cms.storage.missing import REDIRECT, not_found
from remit_cms.storage.parts import STRUCTURE, content_parts
from remit_cms.storage.revisions import check_removal, save_revision
from remit_cms.storage.scope import Scope
from remit_cms.storage.tables import Kind, Page, PageSection, SectionContent
from remit_cms.storage.tokens import check_token, give_token
from remit_cms.storage.transactions import Edit, edit_once, open_trial, open_view


class Redirects:
    """Addresses without a page, and where each leads.

    Args:
        database: the database of the CMS.
        url: the address of the site for visitors: a redirect to that is one to a page.
    """

    def __init__(self, database: Database, url: str) -> None:
        self._database, self._url = database, url

    async def list_redirects(self, ctx: LeafContext, payload: ListRedirects) -> RedirectsReply:
        """List redirects: old and short addresses, and where each leads. For the pages of the site: cms_getPages."""
        async with open_view(self._database, ctx) as scope:
            page = await find_single(scope, Kind.REDIRECTS)
            own = await _load(scope)
            automatic, total = await list_automatic(scope, own, payload.limit)
            if page is not None:
                scope.show(page, STRUCTURE, *content_parts([page.locale]))
            made = "the CMS made" if total else "and the CMS made"
            return RedirectsReply(
                redirects=(await view_redirects(scope, own))[: payload.limit],
                total=len(own),
                automatic=automatic,
                total_automatic=total,
                status="draft" if page is None else page.status,
                revision=None if page is None else page.revision,
                token=give_token(payload, page),
                message=f"The site has {pluralize(len(own), 'redirect')}, {made} {total or 'none'} by itself",
            )

    async def add_redirect(self, ctx: LeafContext, payload: AddRedirect) -> RedirectReply:
        """Let an old or short address redirect to a page or website. For another address of a page: cms_updatePage."""

        async def work(edit: Edit) -> RedirectReply:
            path = await _find_free_path(edit, payload.path)
            target, locale = await self._find_target(edit, payload.href)
            content = _make_content(edit, path, target, payload.locale_code, locale)
            page, rows = await load_single_sections(edit, Kind.REDIRECTS)
            await check_token(edit, page, payload.if_unchanged)
            if len(rows) >= MAX_REDIRECTS:
                raise ConflictError(f"The site has {MAX_REDIRECTS} redirects, which is the most it can have.")
            definition = await edit.find_definition("redirect-item", Kind.REDIRECTS)
            row = PageSection(id=edit.new_id("redirect"), page=page.id, definition=definition.id, sort_order=len(rows))
            edit.session.add(row)
            await edit.session.flush()
            edit.session.add(SectionContent(section=row.id, locale=page.locale, content=content))
            await edit.session.flush()
            await save_revision(edit, page, "add_redirect", "items")
            former = await find_automatic(edit, path)
            remark = "" if former is None else f". It comes before the one that the CMS made to '{former.title}'"
            return await _reply(edit, page, row.id, "Added the redirect from {}", payload, remark)

        return await edit_once(self._database, ctx, payload, RedirectReply, work)

    async def update_redirect(self, ctx: LeafContext, payload: UpdateRedirect) -> RedirectReply:
        """Change where a redirect leads, or from which address. For the address of a page itself: cms_updatePage."""

        async def work(edit: Edit) -> RedirectReply:
            page, rows = await load_single_sections(edit, Kind.REDIRECTS)
            await check_token(edit, page, payload.if_unchanged)
            row = next((each for each in rows if each.id == payload.path), None)
            stored = None if row is None else await edit.session.get(SectionContent, (row.id, page.locale))
            if row is None or stored is None:
                raise not_found(REDIRECT, payload.path)
            content, target, locale = stored.content, stored.content["target"], stored.content.get("locale")
            if payload.new_href is not None:
                target, named = await self._find_target(edit, payload.new_href)
                locale = named or locale
            path = content["path"]
            if payload.new_path is not None:
                path = await _find_free_path(edit, payload.new_path, own=row.id)
            after = _make_content(edit, path, target, payload.locale_code, locale)
            if after == content:
                return await _reply(edit, page, row.id, "The redirect from {} is like that already", payload)
            stored.content = after
            await edit.session.flush()
            await save_revision(edit, page, "update_redirect", "items")
            return await _reply(edit, page, row.id, "Changed the redirect from {}", payload)

        return await edit_once(self._database, ctx, payload, RedirectReply, work)

    async def remove_redirect(self, ctx: LeafContext, payload: RemoveRedirect) -> RedirectRemoval:
        """Remove a redirect, after approval, so that its address leads nowhere. To change it: cms_updateRedirect."""

        async def work(edit: Edit) -> RedirectRemoval:
            page, rows = await load_single_sections(edit, Kind.REDIRECTS)
            await check_token(edit, page, payload.if_unchanged)
            found = await _find_one(edit, payload.path)
            await remove_section(edit, next(row for row in rows if row.id == found.id))
            await save_revision(edit, page, "remove_redirect", "items")
            return RedirectRemoval(
                redirect_id=found.id,
                total=len(rows) - 1,
                revision=page.revision,
                token=give_token(payload, page),
                message=f"Removed the redirect from {found.path}, in the draft",
            )

        return await edit_once(self._database, ctx, payload, RedirectRemoval, work)

    async def preview_removal(self, ctx: LeafContext, payload: RemoveRedirect) -> Preview:
        """The redirect to remove, for the approver."""
        async with open_trial(self._database, ctx) as scope:
            found = await _find_one(scope, payload.path)
            page = await find_single(scope, Kind.REDIRECTS)
            if page is not None:
                await check_token(scope, page, payload.if_unchanged)
                await check_removal(scope, page, found.id)
            (view,) = await view_redirects(scope, [found])
            where = ", which leads nowhere" if view.href is None else f" to {view.href}"
            state = "" if page is None else draft_state(page)
            return make_preview(f"the redirect from {view.path}{where}", found.id, state)

    async def _find_target(self, edit: Edit, href: str) -> tuple[Content, str | None]:
        """Where a redirect leads, and the language that this names, if it does.

        An address of the site itself is that of one of its pages, in one language.
        """
        address = href.strip()
        if not (address.startswith("https://") and is_on_site(address, self._url)):
            return await find_link(edit, address), find_language(address, edit.locales)
        address = address.removeprefix(f"https://{urlsplit(address).netloc}")
        locale, rest = edit.split_address(urlsplit(address).path)
        if not rest:
            raise InvalidArgumentsError(f"'{href}' is the home page of this site. Name the page itself.")
        return await find_link(edit, address), find_language(address, edit.locales) or locale


def _make_content(
    edit: Edit, path: JsonValue, target: JsonValue, locale: str | None, named: JsonValue = None
) -> Content:
    """What a redirect stores; the language of the page only if that is said, or else ``named`` by where it leads."""
    content: Content = {"path": path, "target": target}
    if linked_url(content) is None:
        chosen = named if locale is None else edit.resolve_locale(locale)
        return content if chosen is None else {**content, "locale": chosen}
    if locale is not None:
        raise InvalidArgumentsError("localeCode: an address on another server has no other languages; leave it out.")
    return content


class RedirectReferences:
    """Resolves references to redirects of the owner."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find_candidates(self, ctx: LeafContext, text: str) -> list[Candidate]:
        """All redirects, by id or address."""
        given = text.strip()
        async with open_view(self._database, ctx) as scope:
            page = await find_single(scope, Kind.REDIRECTS)
            revision = str(page.revision) if page else ""
            address = scope.format_address(*scope.split_address(given.lower()))
            return [
                Candidate(each.id, each.path, revision, (given,) if address == each.path else ())
                for each in await _load(scope)
            ]


async def _load(scope: Scope) -> list[OwnRedirect]:
    """The redirects of the draft."""
    return read_redirects(scope, await load_document(scope, Kind.REDIRECTS, live=False))


async def _find_free_path(edit: Edit, given: str, own: str = "") -> str:
    """The address that is given, as it is written; ``own`` is the redirect that may have it.

    Raises:
        AlreadyExistsError: a page or another redirect has it.
        InvalidArgumentsError: it is none.
    """
    path = normalize_path(given, edit.locales)
    holder = await find_holder(edit, path)
    if holder is not None:
        raise AlreadyExistsError(
            f"{path} is the address of the {holder.kind} '{holder.title}', id {holder.id}, so nothing redirects there. "
            "Give an address that has no page."
        )
    for each in await _load(edit):
        if each.path == path and each.id != own:
            raise AlreadyExistsError(
                f"There is a redirect from {path} already, id {each.id}. cms_updateRedirect lets it lead elsewhere."
            )
    return path


async def _find_one(scope: Scope, redirect: str) -> OwnRedirect:
    for each in await _load(scope):
        if each.id == redirect:
            return each
    raise not_found(REDIRECT, redirect)


async def _reply(
    edit: Edit, page: Page, redirect: str, message: str, payload: WritePayload, remark: str = ""
) -> RedirectReply:
    edit.show(page, *content_parts([page.locale], redirect))
    view = await _view_one(edit, redirect)
    note = f". Note: {view.note}" if view.note else ""
    return RedirectReply(
        redirect=view,
        revision=page.revision,
        token=give_token(payload, page),
        message=f"{message.format(view.path)} to {view.href}{remark}{note}",
    )


async def _view_one(scope: Scope, redirect: str) -> RedirectView:
    (view,) = await view_redirects(scope, [await _find_one(scope, redirect)])
    return view
