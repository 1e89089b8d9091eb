"""The items of the navigation that lead somewhere, as visitors or a preview see them."""

from __future__ import annotations

from dataclasses import dataclass

from remit_cms.navigation.items import Item, read_items
from remit_cms.site.lookup import Edition, load_paths
from remit_cms.storage.scope import Scope


@dataclass(frozen=True, slots=True)
class ItemLink:
    """A visible item of the navigation, and where it leads.

    ``path`` is the address of its page in the language; empty for the home page and other servers.
    """

    item: Item
    path: str
    href: str


async def link_items(scope: Scope, locale: str, edition: Edition) -> list[ItemLink]:
    """The visible items in a language, in their order. Those whose page is not shown are left out."""
    items = [item for item in read_items(scope, edition.navigation, locale) if item.visible]
    paths = await load_paths(scope, [item.page for item in items if item.page])
    paths |= {each.page: {**each.addresses} for each in edition.pages.values()}
    links = list[ItemLink]()
    for item in items:
        path = None if item.page in edition.hidden else paths.get(item.page or "", {}).get(locale)
        href = item.url
        if item.page is not None and path is not None:
            href = edition.address(item.page, locale, path).href(scope.default_locale, edition.prefix)
        if href is not None:
            links.append(ItemLink(item, path or "", href))
    return links
