"""The editors of a site with all that it consists of: posts, collections, and the documents of which it has one."""

from __future__ import annotations

import json
import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import World
from figures.cms_editors import PEOPLE, Editors
from figures.cms_lists import LIST_STEPS
from figures.cms_model import FIELDS, Page, Values, text_of
from figures.cms_sections import SectionEditors
from remit_cms.navigation.navigation import Navigation
from remit_cms.navigation.payloads import (
    AddNavigationItem,
    RemoveNavigationItem,
    ToggleNavigationItem,
    UpdateNavigationItem,
)
from remit_cms.posts.collections import Collections
from remit_cms.posts.payloads import (
    ArchivePost,
    CreateEntry,
    CreatePost,
    DeleteEntry,
    DeletePost,
    UpdateEntry,
    UpdatePost,
)
from remit_cms.posts.posts import Posts
from remit_cms.redirects.payloads import AddRedirect, RemoveRedirect, UpdateRedirect
from remit_cms.settings.payloads import UpdateSiteSettings
from remit_cms.settings.settings import Settings
from remit_cms.types.payloads import DefineType
from remit_cms.types.types import Types

ALL_STEPS: Final = (
    *LIST_STEPS,
    *(("edit_entry", "set", "arrange", "settle") * 5),
    *(("redirect",) * 3),
    "collect",
    "post",
    "archive",
    "drop",
)
"""The steps of `ListEditors`, and those of documents that are no pages."""

_ENTRY_FIELDS: Final = tuple(name for name in FIELDS if name != "meta")


class SiteEditors(SectionEditors):
    """Editors of all documents."""

    def __init__(self, world: World, path: Path) -> None:
        super().__init__(world, path)
        self.collections = ["posts"]

    async def _post(self, editor: Editor, choice: int) -> bool:
        text, key = self._next(), self.collections[choice % len(self.collections)]
        if key == "posts":
            post = CreatePost(title=text, body=text)
            made = (await Posts(self.world.database).create_post(editor.call(), post)).post.id
        else:
            entry = CreateEntry(collection_id=key, title=text, content={"body": text})
            made = (await Collections(self.world.database).create_entry(editor.call(), entry)).entry.id
        page = Page(made, kind="entry", collection=key)
        page.add({**dict.fromkeys(FIELDS), "title": text, "slug": f"{key}/{text}", "en": text}, self._set_of(editor))
        self.pages.append(page)
        return True

    async def _edit_entry(self, editor: Editor, choice: int) -> bool:
        page = self._alive(choice, "entry")
        if page is None:
            return await self._post(editor, choice)
        name, text = _ENTRY_FIELDS[choice % len(_ENTRY_FIELDS)], self._next()
        field, _, locale = name.partition(" ")
        value = f"{page.collection}/{text}" if field == "slug" else text
        if field in ("en", "de"):
            field, locale, value = "body", field, text + self._link(choice)
        changed = {field: value, "locale_code": locale or None}
        if page.collection == "posts":
            post = UpdatePost.model_validate({"post_slug": page.id, **changed})
            await Posts(self.world.database).update_post(editor.call(), post)
        else:
            given = {"content": {"body": value}, "locale_code": locale} if field == "body" else changed
            entry = UpdateEntry.model_validate({"entry_id": page.id, **given})
            await Collections(self.world.database).update_entry(editor.call(), entry)
        page.add({**page.draft, name: value}, self._set_of(editor))
        return True

    async def _archive(self, editor: Editor, choice: int) -> bool:
        page = self._alive(choice, "entry")
        if page is None or page.live is None:
            return False
        await Posts(self.world.database).archive_post(editor.call(), ArchivePost(post_slug=page.id))
        page.move(None, self._make_published())
        return True

    async def _drop(self, editor: Editor, choice: int) -> bool:
        page = self._alive(choice, "entry")
        if page is None or choice % 2:
            return False
        if page.collection == "posts":
            await Posts(self.world.database).delete_post(editor.call(), DeletePost(post_slug=page.id))
        else:
            await Collections(self.world.database).delete_entry(editor.call(), DeleteEntry(entry_id=page.id))
        return self._gone(page)

    async def _collect(self, editor: Editor, _choice: int) -> bool:
        text = self._next()
        made = DefineType.model_validate({"name": text, "fields": [{"key": "body", "type": "richText"}]})
        await Types(self.world.database).define_type(editor.call(), made)
        self.collections.append(text)
        return True

    async def _set(self, editor: Editor, choice: int) -> bool:
        name, locale = (("tagline", "en"), ("tagline", "de"), ("instructions", "en"))[choice % 3]
        text = self._next() if choice % 5 else ""
        values = self._single_draft("settings")
        payload = UpdateSiteSettings.model_validate({name: text, "locale_code": locale})
        await Settings(self.world.database).update_site_settings(editor.call(), payload)
        return self._put(editor, "settings", {**values, f"{name} {locale}": text})

    async def _arrange(self, editor: Editor, choice: int) -> bool:
        navigation, values, call = Navigation(self.world.database), self._single_draft("navigation"), editor.call()
        order: list[str] = values.setdefault("_order", [])
        text, place, item = self._next(), choice // 5 % (len(order) + 1), order[choice % len(order)] if order else ""
        target = self._alive(choice // 7, "page", "entry")
        match choice % 6 if len(order) > 1 else 0:
            case 0 if target is not None:
                added = AddNavigationItem(label=text, href=target.id, position=place if choice % 2 else None)
                item = (await navigation.add_navigation_item(call, added)).id
                order.insert(place if choice % 2 else len(order), item)
                stored = {"label": text, "target": {target.kind: target.id}, "location": "header", "visible": True}
                values |= {f"{item} {slot} en": text_of(value) for slot, value in stored.items()}
            case 0:
                return False
            case 1 | 2 as which:
                locale = ("en", "de")[which - 1]
                renamed = UpdateNavigationItem(label=item, new_label=text, locale_code=locale)
                await navigation.update_navigation_item(call, renamed)
                values[f"{item} label {locale}"] = text
            case 3:
                await navigation.toggle_navigation_item(call, ToggleNavigationItem(label=item))
                values[f"{item} visible en"] = json.dumps(values[f"{item} visible en"] == "false")
            case 4:
                await navigation.update_navigation_item(call, UpdateNavigationItem(label=item, new_position=place))
                order.remove(item)
                order.insert(place, item)
            case _:
                await navigation.remove_navigation_item(call, RemoveNavigationItem(label=item))
                order.remove(item)
                values = {name: value for name, value in values.items() if name.split(" ")[0] != item}
        return self._put(editor, "navigation", values)

    async def _redirect(self, editor: Editor, choice: int) -> bool:
        redirects, values, call = self.world.redirects, self._single_draft("redirects"), editor.call()
        order: list[str] = values.setdefault("_order", [])
        path, target = f"/from-{self._next()}", self._alive(choice // 7, "page", "entry")
        redirect = order[choice % len(order)] if order else ""
        match choice % 4 if order else 0:
            case 0 if target is not None:
                added = AddRedirect(path=path, href=target.id)
                redirect = (await redirects.add_redirect(call, added)).id
                order.append(redirect)
                stored = {"path": path, "target": {target.kind: target.id}}
                values |= {f"{redirect} {slot} en": text_of(value) for slot, value in stored.items()}
            case 0:
                return False
            case 1 | 2 as which:
                url = f"https://shop.example.com{path}"
                href = {"new_path": path} if which == 1 else {"new_href": url}
                await redirects.update_redirect(call, UpdateRedirect.model_validate({"path": redirect, **href}))
                changed = {"path": path} if which == 1 else {"target": {"url": url}}
                values |= {f"{redirect} {slot} en": text_of(value) for slot, value in changed.items()}
            case _:
                await redirects.remove_redirect(call, RemoveRedirect(path=redirect))
                order.remove(redirect)
                values = {name: value for name, value in values.items() if name.split(" ")[0] != redirect}
        return self._put(editor, "redirects", values)

    async def _settle(self, editor: Editor, choice: int) -> bool:
        """Take over what others have edited of the documents of a set, and publish it."""
        for page, _ in self._pending(self.open.get(editor.name)):
            await self._take_over(editor, page)
        return await self._publish_set(editor, choice)

    def _single_draft(self, kind: str) -> Values:
        page = self._alive(0, kind)
        values = {} if page is None else page.draft
        return {**values, "_order": [*values["_order"]]} if "_order" in values else values

    def _put(self, editor: Editor, kind: str, values: Values) -> bool:
        """Add a revision of the only document of a kind, if that differs from its draft."""
        page = self._alive(0, kind)
        values = {name: value for name, value in values.items() if value or name == "_order"}
        if page is None:
            number = sum(each.kind == kind for each in self.pages) + 1
            page = Page(f"{kind}_{number}", kind=kind)
            if not values:
                return False
            self.pages.append(page)
        if not page.revisions or values != page.draft:
            page.add(values, self._set_of(editor))
        return True

    def _compare(self, where: str) -> None:
        """Compare collections too."""
        super()._compare(where)
        if not self.pages:
            return
        with closing(sqlite3.connect(self._path)) as database:
            query = "SELECT key FROM section_definitions WHERE kind = 'entry' AND site = 'local-site'"
            kept = {key for (key,) in database.execute(query)}
        self._claim(kept == {*self.collections}, f"{where}: the collections are {kept}, not {self.collections}")


async def run_schedule(folder: Path, seed: int, steps: int, chosen: tuple[str, ...] = ALL_STEPS) -> Editors:
    """Random steps of all people on a new site, of those that are chosen."""
    rng = random.Random(seed)
    world = World(folder)
    editors = SiteEditors(world, folder / "cms.db")
    for _ in range(steps):
        await editors.step(rng.choice(chosen), rng.choice(PEOPLE), rng.randrange(1_000))
        if editors.failures:
            break
    await world.database.close()
    return editors
