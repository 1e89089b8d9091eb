"""Where an item of the navigation, or a redirect, leads: to a page or entry by id, or to another server."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple, cast
from urllib.parse import urlsplit

from pydantic import JsonValue
from sqlalchemy import and_, or_, select

from remit.errors import InvalidArgumentsError, NotFoundError
from remit_cms.models import Content
from remit_cms.sections.links import find_addresses
from remit_cms.singles.hosts import is_on_site, is_web_address
from remit_cms.singles.payloads import Destination
from remit_cms.storage.keys import name_key
from remit_cms.storage.scope import Scope, list_pages, slug_of, split_address
from remit_cms.storage.tables import Kind, Page
from remit_cms.templates.references import ObjectRef

LINKED: Final = (Kind.PAGE, Kind.ENTRY)
"""The documents that have an address, to which it may lead."""
_NO_PART: Final = re.compile(r"(\?(locale=[\w-]*)?)?")
"""What may follow the address of a page and means nothing: a language, which is stored by itself or not at all."""

_GONE: Final = "its page was deleted, so it leads nowhere"
_NOT_LIVE: Final = "its page is not live, so visitors do not get there yet"


class Link(NamedTuple):
    """What is stored for a target: ``{page: id}``, ``{entry: id}`` or ``{url: address}``, and the language it named."""

    target: Content
    locale: str | None = None


async def find_link(scope: Scope, href: str, site_url: str) -> Link:
    """What an item or a redirect stores for a target that a caller names.

    Args:
        scope: the transaction.
        href: an address that begins with https, or a page or entry by id, address or exact title.
        site_url: the address of the site for visitors. A link to it is stored as a link to the page.

    Raises:
        NotFoundError: no such page; names similar ones.
        InvalidArgumentsError: several pages have that title, a part of a page is meant, or the address is none that
            visitors can follow safely.
    """
    address, locale = href.strip(), None
    if address.startswith("https://") and is_on_site(address, site_url):
        address = address.removeprefix(f"https://{urlsplit(address).netloc}")
        locale, rest = scope.split_address(urlsplit(address).path)
        if not rest:
            raise InvalidArgumentsError(f"'{href}' is the home page of this site. Name the page itself.")
    elif is_web_address(address):
        return Link({"url": address})
    try:
        page = await _find_page(scope, address)
    except NotFoundError:
        if ":" not in address and "//" not in address:
            raise
        raise InvalidArgumentsError(
            f"'{href}' is neither a page of this site nor an address that begins with https:// and a valid host."
        ) from None
    return Link({page.kind: page.id}, _find_language(address, scope.locales) or locale)


async def _find_page(scope: Scope, address: str) -> Page:
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
        raise InvalidArgumentsError(f"'{address}' may mean {list_pages(titled)}; give the id or slug of one.")
    if titled:
        return titled[0]
    if found is not None:
        raise InvalidArgumentsError(f"It leads to a whole page, without '{part}'. Give '{name}'.")
    return await scope.find_document(name, *LINKED)


def _find_language(address: str, locales: Sequence[str]) -> str | None:
    """The language that the address of a page names: that of ``/de/about`` and of ``about?locale=de`` is de."""
    path, _, code = address.partition("?locale=")
    if code in locales:
        return code
    locale, rest = split_address(path, locales)
    return None if rest == path.strip("/") else locale


async def find_destinations(
    scope: Scope, targets: Sequence[tuple[ObjectRef | None, str | None, str]]
) -> list[Destination]:
    """Where targets lead: each an object or else an address on another server, and the language in which it is read."""
    pages = await find_pages(scope, {ref.id for ref, _, _ in targets if ref})
    wanted = [(ref, locale) for ref, _, locale in targets if ref]
    addresses = {
        locale: await find_addresses(scope, {ref for ref, code in wanted if code == locale}, locale, live=False)
        for locale in {locale for _, locale in wanted}
    }
    found = list[Destination]()
    for ref, url, locale in targets:
        page = pages.get(ref.id) if ref else None
        href = addresses[locale].get(ref) if ref else url
        note = _GONE if href is None else _NOT_LIVE if page is not None and page.live is None else None
        found.append(Destination(href=href, page_id=ref and ref.id, broken=href is None or None, note=note))
    return found


async def find_pages(scope: Scope, ids: Collection[str]) -> dict[str, Page]:
    """The pages and entries with these ids, by id. Those that were deleted are left out."""
    if not ids:
        return {}
    pages = await scope.session.scalars(select(Page).where(scope.target.id_filter(Page, Page.id, ids)))
    return {page.id: page for page in pages}


def linked_object(content: Mapping[str, JsonValue]) -> ObjectRef | None:
    """The page or entry that an item leads to; None if it leads elsewhere."""
    target = cast("dict[str, str]", content.get("target") or {})
    return next((ObjectRef(kind, target[kind]) for kind in LINKED if kind in target), None)


def linked_url(content: Mapping[str, JsonValue]) -> str | None:
    """The address on another server that an item leads to, if it does."""
    return cast("dict[str, str]", content.get("target") or {}).get("url")
