"""The operations on the navigation. A model reads each docstring before it calls."""

from __future__ import annotations

from typing import Final

from remit import LeafContext
from remit.errors import AlreadyExistsError, ConflictError
from remit.tools import Candidate, Preview
from remit_cms.models import Content, WritePayload, pluralize
from remit_cms.navigation.items import Item, load_items
from remit_cms.navigation.payloads import (
    AddNavigationItem,
    GetNavigation,
    ItemReply,
    ItemView,
    NavigationReply,
    RemoveNavigationItem,
    ToggleNavigationItem,
    UpdateNavigationItem,
)
from remit_cms.navigation.targets import find_link
from remit_cms.sections.contents import remove_section
from remit_cms.storage.database import Database
from remit_cms.storage.documents import draft_state, find_single, load_single_sections, make_preview
from remit_cms.storage.missing import ITEM, not_found
from remit_cms.storage.parts import STRUCTURE, content_parts
from remit_cms.storage.revisions import check_removal, save_revision
from remit_cms.storage.scope import Scope
from remit_cms.storage.stale_edits import find_read_parts
from remit_cms.storage.tables import Kind, Page, PageSection, SectionContent
from remit_cms.storage.tokens import check_token, give_token
from remit_cms.storage.transactions import Edit, edit_once, open_trial, open_view

_MAX_ITEMS: Final = 50


class Navigation:
    """The links in the header and footer of a site."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get_navigation(self, ctx: LeafContext, payload: GetNavigation) -> NavigationReply:
        """List the links in the header and footer of the site, hidden ones too. For all pages: cms_getPages."""
        async with open_view(self._database, ctx) as scope:
            page = await find_single(scope, Kind.NAVIGATION)
            locale = scope.resolve_locale(payload.locale_code)
            items = await load_items(scope, live=False, locale=locale)
            if page is not None:
                scope.show(page, STRUCTURE, *await find_read_parts(scope, page, locale))
            return NavigationReply(
                token=give_token(payload, page),
                items=[_view(item) for item in items],
                total=len(items),
                status="draft" if page is None else page.status,
                revision=None if page is None else page.revision,
                message=f"The navigation has {pluralize(len(items), 'item')}",
            )

    async def add_navigation_item(self, ctx: LeafContext, payload: AddNavigationItem) -> ItemReply:
        """Add a link to the header or footer of the site. Not for buttons on a page: those are fields of sections."""

        async def work(edit: Edit) -> ItemReply:
            target = await find_link(edit, payload.href)
            page, rows = await _load_rows(edit)
            await check_token(edit, page, payload.if_unchanged)
            if len(rows) >= _MAX_ITEMS:
                raise ConflictError(f"The navigation has {_MAX_ITEMS} items, which is the most it can have.")
            for item in await load_items(edit, live=False):
                both = {item.location, payload.location}
                if item.label.lower() == payload.label.lower() and (len(both) == 1 or "both" in both):
                    raise AlreadyExistsError(
                        f"There is an item '{item.label}' in the {item.location} already, id {item.id}."
                    )
            definition = await edit.find_definition("navigation-item", Kind.NAVIGATION)
            row = PageSection(id=edit.new_id("item"), page=page.id, definition=definition.id, sort_order=len(rows))
            edit.session.add(row)
            await edit.session.flush()
            content: Content = {"label": payload.label, "target": target, "location": payload.location, "visible": True}
            edit.session.add(SectionContent(section=row.id, locale=page.locale, content=content))
            _move(rows, row, payload.position)
            return await _save(
                edit, page, row.id, "add_navigation_item", f"Added '{payload.label}' to the navigation", payload
            )

        return await edit_once(self._database, ctx, payload, ItemReply, work)

    async def update_navigation_item(self, ctx: LeafContext, payload: UpdateNavigationItem) -> ItemReply:
        """Change label, target, visibility or place of a link of header or footer. To rename a page: cms_updatePage."""

        async def work(edit: Edit) -> ItemReply:
            page, rows = await _load_rows(edit)
            await check_token(edit, page, payload.if_unchanged)
            row = _find(rows, payload.label)
            locale = edit.resolve_locale(payload.locale_code)
            shared: Content = {}
            if payload.new_href is not None:
                shared["target"] = await find_link(edit, payload.new_href)
            if payload.new_location is not None:
                shared["location"] = payload.new_location
            if payload.visible is not None:
                shared["visible"] = payload.visible
            changed = await _write(edit, row, page.locale, shared) if shared else False
            if payload.new_label is not None:
                changed = await _write(edit, row, locale, {"label": payload.new_label}) or changed
            changed = _move(rows, row, payload.new_position) or changed
            if not changed:
                return await _reply(edit, page, row.id, "The item is like that already", payload)
            return await _save(
                edit, page, row.id, "update_navigation_item", "Changed the item of the navigation", payload
            )

        return await edit_once(self._database, ctx, payload, ItemReply, work)

    async def toggle_navigation_item(self, ctx: LeafContext, payload: ToggleNavigationItem) -> ItemReply:
        """Hide a link of the header or footer, or show it again. To hide a page from visitors: cms_unpublishPage."""

        async def work(edit: Edit) -> ItemReply:
            page, rows = await _load_rows(edit)
            await check_token(edit, page, payload.if_unchanged)
            row = _find(rows, payload.label)
            (item,) = [each for each in await load_items(edit, live=False) if each.id == row.id]
            await _write(edit, row, page.locale, {"visible": not item.visible})
            message = f"Item '{item.label}' is {'hidden' if item.visible else 'visible'}"
            return await _save(edit, page, row.id, "toggle_navigation_item", message, payload)

        return await edit_once(self._database, ctx, payload, ItemReply, work)

    async def remove_navigation_item(self, ctx: LeafContext, payload: RemoveNavigationItem) -> NavigationReply:
        """Remove a link from the header or footer, after approval. To hide it for a while: cms_toggleNavigationItem."""

        async def work(edit: Edit) -> NavigationReply:
            page, rows = await _load_rows(edit)
            await check_token(edit, page, payload.if_unchanged)
            row = _find(rows, payload.label)
            label = _view(await _find_item(edit, row.id)).label
            await remove_section(edit, row)
            await save_revision(edit, page, "remove_navigation_item", "items")
            items = await load_items(edit, live=False)
            edit.show(page, STRUCTURE, *content_parts([page.locale]))
            return NavigationReply(
                items=[_view(item) for item in items],
                total=len(items),
                status=page.status,
                revision=page.revision,
                token=give_token(payload, page),
                message=f"Removed '{label}' from the navigation",
            )

        return await edit_once(self._database, ctx, payload, NavigationReply, work)

    async def preview_removal(self, ctx: LeafContext, payload: RemoveNavigationItem) -> Preview:
        """The item to remove, for the approver."""
        async with open_trial(self._database, ctx) as scope:
            item = await _find_item(scope, payload.label)
            page = await find_single(scope, Kind.NAVIGATION)
            if page is not None:
                await check_token(scope, page, payload.if_unchanged)
                await check_removal(scope, page, item.id)
            view = _view(item)
            target = "nowhere" if view.href is None else f"to {view.href}"
            summary = f"the item '{view.label}' of the navigation ({view.location}), which leads {target}"
            return make_preview(summary, item.id, "" if page is None else draft_state(page))


class NavigationReferences:
    """Resolves references to items of the navigation."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find_candidates(self, ctx: LeafContext, _text: str) -> list[Candidate]:
        """All items, by id or label."""
        async with open_view(self._database, ctx) as scope:
            page = await find_single(scope, Kind.NAVIGATION)
            revision = str(page.revision) if page else ""
            return [Candidate(item.id, item.label, revision) for item in await load_items(scope, live=False)]


async def _load_rows(edit: Edit) -> tuple[Page, list[PageSection]]:
    return await load_single_sections(edit, Kind.NAVIGATION)


def _find(rows: list[PageSection], item: str) -> PageSection:
    found = next((row for row in rows if row.id == item), None)
    if found is None:
        raise not_found(ITEM, item)
    return found


async def _find_item(scope: Scope, item_id: str) -> Item:
    for item in await load_items(scope, live=False):
        if item.id == item_id:
            return item
    raise not_found(ITEM, item_id)


async def _write(edit: Edit, row: PageSection, locale: str, values: Content) -> bool:
    """Merge values into the content of an item in a language, and return whether that changed it."""
    stored = await edit.session.get(SectionContent, (row.id, locale))
    before = {} if stored is None else stored.content
    after = {**before, **values}
    if after != before:
        await edit.session.merge(SectionContent(section=row.id, locale=locale, content=after))
    return after != before


def _move(rows: list[PageSection], row: PageSection, position: int | None) -> bool:
    """Give an item another place, and return whether that changed the order."""
    if position is None:
        return False
    before = [each.id for each in rows]
    others = [each for each in rows if each.id != row.id]
    others.insert(position, row)
    for number, each in enumerate(others):
        each.sort_order = number
    return before != [each.id for each in others]


async def _save(edit: Edit, page: Page, item: str, action: str, message: str, payload: WritePayload) -> ItemReply:
    await edit.session.flush()
    await save_revision(edit, page, action, "items")
    return await _reply(edit, page, item, message, payload)


async def _reply(edit: Edit, page: Page, item: str, message: str, payload: WritePayload) -> ItemReply:
    edit.show(page, *content_parts([page.locale], item))
    return ItemReply(
        item=_view(await _find_item(edit, item)),
        revision=page.revision,
        token=give_token(payload, page),
        message=message,
    )


def _view(item: Item) -> ItemView:
    broken = item.page is None and item.url is None
    return ItemView(
        id=item.id,
        label=item.label,
        href=item.url or (f"/{item.page.slug}" if item.page else None),
        page_id=item.wanted,
        location=item.location,
        visible=item.visible,
        broken=broken or None,
    )
