"""Where an item of the navigation, or a redirect, leads: to a page or entry by id, or to another server."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final, cast

from pydantic import JsonValue
from sqlalchemy import and_, or_, select

from remit.errors import InvalidArgumentsError, NotFoundError
from remit_cms.models import Content
from remit_cms.navigation.hosts import is_web_address
from remit_cms.storage.keys import name_key
from remit_cms.storage.scope import Scope, list_pages, slug_of
from remit_cms.storage.tables import Kind, Page

LINKED: Final = (Kind.PAGE, Kind.ENTRY)
"""The documents that have an address, to which it may lead."""
_NO_PART: Final = re.compile(r"(\?(locale=[\w-]*)?)?")
"""What may follow the address of a page and means nothing: a language, which each item has anyway."""


async def find_link(scope: Scope, href: str) -> Content:
    """What an item or a redirect stores for a target: ``{page: id}``, ``{entry: id}`` or ``{url: address}``.

    Args:
        scope: the transaction.
        href: an address that begins with https, or a page or entry by id, address or exact title.

    Raises:
        NotFoundError: no such page; names similar ones.
        InvalidArgumentsError: several pages have that title, a part of a page is meant, or the address is none that
            visitors can follow safely.
    """
    address = href.strip()
    if is_web_address(address):
        return {"url": address}
    try:
        page = await _find_page(scope, href)
    except NotFoundError:
        if ":" not in address and "//" not in address:
            raise
        raise InvalidArgumentsError(
            f"'{href}' is neither a page of this site nor an address that begins with https:// and a valid host."
        ) from None
    return {page.kind: page.id}


async def _find_page(scope: Scope, href: str) -> Page:
    address = href.strip()
    name = re.split(r"[?#]", address)[0].strip() or address
    part, slug = address.removeprefix(name), slug_of(name).removeprefix("pages/")
    chosen = select(Page).where(scope.target.row_filter(Page), Page.kind.in_(LINKED))
    named = or_(Page.id == name, and_(Page.slug == slug, Page.parent.is_(None)))
    in_order = (Page.id != name, Page.locale != scope.default_locale)
    found = (await scope.session.scalars(chosen.where(named).order_by(*in_order).limit(1))).first()
    if found is not None and (_NO_PART.fullmatch(part) or found.title_key == name_key(address)):
        return found
    titled = (await scope.session.scalars(chosen.where(Page.title_key == name_key(address)))).all()
    if len(titled) > 1:
        raise InvalidArgumentsError(f"'{href}' may mean {list_pages(titled)}; give the id or slug of one.")
    if titled:
        return titled[0]
    if found is not None:
        raise InvalidArgumentsError(f"It leads to a whole page, without '{part}'. Give '{name}'.")
    return await scope.find_document(name, *LINKED)


async def find_linked(scope: Scope, contents: list[Mapping[str, JsonValue]]) -> dict[str, Page]:
    """The pages and entries that items lead to, by id. Those that were deleted are left out."""
    return await find_by_ids(scope, {each for content in contents if (each := linked_id(content))})


async def find_by_ids(scope: Scope, ids: Collection[str]) -> dict[str, Page]:
    """The pages and entries with these ids, by id. Those that were deleted are left out."""
    if not ids:
        return {}
    pages = await scope.session.scalars(select(Page).where(scope.target.id_filter(Page, Page.id, ids)))
    return {page.id: page for page in pages}


def linked_id(content: Mapping[str, JsonValue]) -> str | None:
    """The id of the page or entry that an item leads to; None if it leads elsewhere."""
    target = cast("dict[str, str]", content.get("target") or {})
    return next((target[kind] for kind in LINKED if kind in target), None)


def linked_url(content: Mapping[str, JsonValue]) -> str | None:
    """The address on another server that an item leads to, if it does."""
    return cast("dict[str, str]", content.get("target") or {}).get("url")
