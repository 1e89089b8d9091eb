"""The operations on the navigation. A model reads each docstring before it calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from remit import LeafContext
from remit.errors import AlreadyExistsError
from remit.tools import Preview
from remit_cms.models import Content, pluralize
from remit_cms.navigation.items import read_items
from remit_cms.navigation.payloads import (
    AddNavigationItem,
    GetNavigation,
    NavigationItemReply,
    NavigationItemView,
    NavigationReply,
    RemoveNavigationItem,
    ToggleNavigationItem,
    UpdateNavigationItem,
)
from remit_cms.singles.items import ItemReferences, Items
from remit_cms.singles.targets import find_destinations, find_link
from remit_cms.storage.database import Database
from remit_cms.storage.documents import find_single
from remit_cms.storage.parts import STRUCTURE
from remit_cms.storage.scope import Scope
from remit_cms.storage.singles import NAVIGATION
from remit_cms.storage.snapshots import Snapshot
from remit_cms.storage.stale_edits import find_read_parts
from remit_cms.storage.tables import Kind
from remit_cms.storage.tokens import give_token
from remit_cms.storage.transactions import Edit, open_view

_OTHERWISE: Final = "otherwise"
"""Stands for the visibility that an item does not have."""


class Navigation:
    """The links in the header and footer of a site.

    Args:
        database: the database of the CMS.
        url: the address of the site for visitors: a link to that is one to a page.
    """

    def __init__(self, database: Database, url: str = "") -> None:
        self._database, self._url = database, url
        self._items = Items(
            database, NAVIGATION, reply=NavigationItemReply, prepare=self._prepare, show=_show, describe=_describe
        )

    async def get_navigation(self, ctx: LeafContext, payload: GetNavigation) -> NavigationReply:
        """List the links in the header and footer of the site, hidden ones too. For all pages: cms_getPages."""
        async with open_view(self._database, ctx) as scope:
            page = await find_single(scope, Kind.NAVIGATION)
            locale = scope.resolve_locale(payload.locale_code)
            items = await self._items.load(scope, locale)
            if page is not None:
                scope.show(page, STRUCTURE, *await find_read_parts(scope, page, locale))
            return NavigationReply(
                token=give_token(payload, page),
                items=[*items],
                total=len(items),
                status="draft" if page is None else page.status,
                revision=None if page is None else page.revision,
                message=f"The navigation has {pluralize(len(items), 'item')}",
            )

    async def add_navigation_item(self, ctx: LeafContext, payload: AddNavigationItem) -> NavigationItemReply:
        """Add a link to the header or footer of the site. Not for buttons on a page: those are fields of sections."""
        given = {"label": payload.label, "href": payload.href, "location": payload.location, "visible": True}
        return await self._items.write(ctx, payload, given, position=payload.position)

    async def update_navigation_item(self, ctx: LeafContext, payload: UpdateNavigationItem) -> NavigationItemReply:
        """Change label, target, visibility or place of a link of header or footer. To rename a page: cms_updatePage."""
        given = {"label": payload.new_label, "href": payload.new_href, "location": payload.new_location}
        changes = {**given, "visible": payload.visible}
        place, locale = payload.new_position, payload.locale_code
        return await self._items.write(ctx, payload, changes, item=payload.label, position=place, locale=locale)

    async def toggle_navigation_item(self, ctx: LeafContext, payload: ToggleNavigationItem) -> NavigationItemReply:
        """Hide a link of the header or footer, or show it again. To hide a page from visitors: cms_unpublishPage."""
        return await self._items.write(ctx, payload, {"visible": _OTHERWISE}, item=payload.label)

    async def remove_navigation_item(self, ctx: LeafContext, payload: RemoveNavigationItem) -> NavigationItemReply:
        """Remove a link from the header or footer, after approval. To hide it for a while: cms_toggleNavigationItem."""
        return await self._items.remove(ctx, payload, payload.label)

    async def preview_removal(self, ctx: LeafContext, payload: RemoveNavigationItem) -> Preview:
        """The item to remove, for the approver."""
        return await self._items.preview_removal(ctx, payload, payload.label)

    async def _prepare(self, edit: Edit, given: Content, stored: Content, others: Mapping[str, Content]) -> Content:
        """What an item stores: its target by id, the rest as it is given. No place has two of one label."""
        values = dict(given)
        if "href" in values:
            values["target"] = (await find_link(edit, str(values.pop("href")), self._url)).target
        if values.get("visible") == _OTHERWISE:
            values["visible"] = stored.get("visible") is False
        after = {**stored, **values}
        if (stored.get("label"), stored.get("location")) != (after["label"], after["location"]):
            _check_is_new(after, others)
        return values


class NavigationReferences(ItemReferences):
    """Resolves references to items of the navigation: by id or label."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, NAVIGATION)


def _check_is_new(content: Content, others: Mapping[str, Content]) -> None:
    """Refuse a second item of one label in one place.

    Raises:
        AlreadyExistsError: names the first.
    """
    for item, other in others.items():
        places = {str(each.get("location")) for each in (content, other)}
        label = str(other.get("label", ""))
        if label.lower() == str(content["label"]).lower() and (len(places) == 1 or "both" in places):
            raise AlreadyExistsError(f"There is an item '{label}' in the {other['location']} already, id {item}.")


async def _show(scope: Scope, state: Snapshot | None, locale: str) -> list[NavigationItemView]:
    """The items in one state of the navigation, with the addresses of their pages' drafts in a language."""
    items = read_items(scope, state, locale)
    destinations = await find_destinations(scope, [(item.target, item.url, locale) for item in items])
    return [
        NavigationItemView(
            id=item.id, label=item.label, location=item.location, visible=item.visible, **found.model_dump()
        )
        for item, found in zip(items, destinations, strict=True)
    ]


def _describe(item: NavigationItemView) -> str:
    place = item.location if item.visible else f"{item.location}, hidden"
    leads = f"to {item.href}" if item.href else "nowhere"
    return f"the item '{item.label}' of the navigation ({place}), which leads {leads}"
