"""The operations on redirects. A model reads each docstring before it calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from remit import LeafContext
from remit.errors import AlreadyExistsError, InvalidArgumentsError
from remit.tools import Preview
from remit_cms.models import Content, pluralize
from remit_cms.redirects.items import SiteRedirect, find_holder, load_automatic, read_redirects
from remit_cms.redirects.paths import normalize_path
from remit_cms.redirects.payloads import (
    AddRedirect,
    ListRedirects,
    RedirectReply,
    RedirectsReply,
    RedirectView,
    RemoveRedirect,
    UpdateRedirect,
)
from remit_cms.redirects.views import view_redirects
from remit_cms.singles.items import ItemReferences, Items
from remit_cms.singles.targets import find_link, linked_url
from remit_cms.storage.database import Database
from remit_cms.storage.documents import find_single
from remit_cms.storage.lists import list_items
from remit_cms.storage.parts import STRUCTURE, content_parts, structure_parts
from remit_cms.storage.scope import Scope
from remit_cms.storage.singles import REDIRECTS
from remit_cms.storage.snapshots import Snapshot, build_snapshot
from remit_cms.storage.tables import Kind, Page
from remit_cms.storage.tokens import give_token
from remit_cms.storage.transactions import Edit, open_view


class Redirects:
    """Addresses without a page, and where each leads.

    Args:
        database: the database of the CMS.
        url: the address of the site for visitors: a redirect to that is one to a page.
    """

    def __init__(self, database: Database, url: str) -> None:
        self._database, self._url = database, url
        self._items = Items(
            database, REDIRECTS, reply=RedirectReply, prepare=self._prepare, show=_show, describe=_describe
        )

    async def list_redirects(self, ctx: LeafContext, payload: ListRedirects) -> RedirectsReply:
        """List redirects: old and short addresses, and where each leads. For the pages of the site: cms_getPages."""
        async with open_view(self._database, ctx) as scope:
            page = await find_single(scope, Kind.REDIRECTS)
            own = read_redirects(scope, None if page is None else await build_snapshot(scope, page))
            every = [*own, *await load_automatic(scope)]
            found = list_items(
                scope, payload.cursor, every, lambda each: each.id or each.path, "redirects", limit=payload.limit
            )
            if page is not None:
                scope.show(page, *_shown_parts(page, own, found.rows))
            made = len(every) - len(own)
            message = f"The site has {pluralize(len(own), 'redirect')}, and the CMS made {made or 'none'} by itself"
            return RedirectsReply(
                redirects=await view_redirects(scope, found.rows, every),
                status="draft" if page is None else page.status,
                revision=None if page is None else page.revision,
                token=give_token(payload, page),
                **found.summarize(message),
            )

    async def add_redirect(self, ctx: LeafContext, payload: AddRedirect) -> RedirectReply:
        """Let an old or short address redirect to a page or website. For another address of a page: cms_movePage."""
        given = {"path": payload.path, "href": payload.href, "locale": payload.locale_code}
        return await self._items.write(ctx, payload, given)

    async def update_redirect(self, ctx: LeafContext, payload: UpdateRedirect) -> RedirectReply:
        """Change where a redirect leads, or from which address. For the address of a page itself: cms_movePage."""
        given = {"path": payload.new_path, "href": payload.new_href, "locale": payload.locale_code}
        return await self._items.write(ctx, payload, given, item=payload.path)

    async def remove_redirect(self, ctx: LeafContext, payload: RemoveRedirect) -> RedirectReply:
        """Remove a redirect, after approval, so that its address leads nowhere. To change it: cms_updateRedirect."""
        return await self._items.remove(ctx, payload, payload.path)

    async def preview_removal(self, ctx: LeafContext, payload: RemoveRedirect) -> Preview:
        """The redirect to remove, for the approver."""
        return await self._items.preview_removal(ctx, payload, payload.path)

    async def _prepare(self, edit: Edit, given: Content, stored: Content, others: Mapping[str, Content]) -> Content:
        """What a redirect stores: its path and target, and the language of the page only where that is said.

        Raises:
            InvalidArgumentsError: a language is given for another server.
        """
        values = Content()
        if "path" in given:
            values["path"] = await _find_free_path(edit, str(given["path"]), others)
        if "href" in given:
            link = await find_link(edit, str(given["href"]), self._url)
            values |= {"target": link.target, "locale": link.locale or stored.get("locale")}
        if linked_url({**stored, **values}) is not None:
            if "locale" in given:
                raise InvalidArgumentsError(
                    "localeCode: an address on another server has no other languages; leave it out."
                )
            values["locale"] = None
        elif "locale" in given:
            values["locale"] = edit.resolve_locale(str(given["locale"]))
        return values


class RedirectReferences(ItemReferences):
    """Resolves references to redirects of the owner: by id, or by address however it is written."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, REDIRECTS, _to_path)


async def _find_free_path(edit: Edit, given: str, others: Mapping[str, Content]) -> str:
    """The address that is given, in the way in which it is stored.

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
    for other, content in others.items():
        if content.get("path") == path:
            raise AlreadyExistsError(
                f"There is a redirect from {path} already, id {other}. cms_updateRedirect lets it lead elsewhere."
            )
    return path


def _shown_parts(page: Page, own: Sequence[SiteRedirect], shown: Sequence[SiteRedirect]) -> list[str]:
    """The parts of the document that a list shows, of redirects of the owner alone."""
    ids = [each.id for each in shown if each.id]
    if len(ids) == len(own):
        return [STRUCTURE, *content_parts([page.locale])]
    return [part for each in ids for part in (*structure_parts(each, items=False), *content_parts([page.locale], each))]


async def _show(scope: Scope, state: Snapshot | None, _locale: str) -> list[RedirectView]:
    """The redirects in one state of their document: each names the language in which its page is read."""
    redirects = read_redirects(scope, state)
    return await view_redirects(scope, redirects, redirects)


def _describe(redirect: RedirectView) -> str:
    return f"the redirect from {redirect.path}{f' to {redirect.href}' if redirect.href else ', which leads nowhere'}"


def _to_path(scope: Scope, text: str) -> str:
    """The path that a text is, written in any way; any other text stands for no redirect."""
    return scope.format_address(*scope.split_address(text.lower()))
