"""Both applications, each in a world in which every tool that writes can be called, and whose process can die."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

from apps.casefile.tests.google.fake.server import FakeGoogle
from apps.cms.tests import world as cms
from apps.cms.tests.images.files import SITE, SITE_UPLOADED, UPLOAD, UPLOADED
from figures import fuzz_world
from remit import App, Principal, Runtime
from remit.journal.ports import AppendFuture
from remit.record.items import Item, Position
from remit.record.ledger import Consumption
from remit.runtime import RunResult
from remit.stores import InMemoryStore
from remit.testing import Scripted
from remit.tools import Arguments
from remit_cms.sites.payloads import AddSite

ANN = Principal("ann", "local-site", frozenset({"*"}))
Sample = dict[str, Any]

CASEFILE: dict[str, Callable[[dict[str, list[str]]], Sample]] = {
    "add_session_to_casefile": lambda has: {"session_id": has["session_id"][-1], "session_type": "tool"},
    "archive_casefile": lambda _: {"archived": True},
    "close_chat_session": lambda has: {"session_id": has["session_id"][1]},
    "close_tool_session": lambda has: {"session_id": has["session_id"][0]},
    "create_casefile": lambda _: {"title": "Jones", "tags": ["new"]},
    "create_chat_session": lambda _: {"title": "talk"},
    "create_tool_session": lambda _: {"title": "work"},
    "delete_casefile": lambda _: {"confirm": True},
    "grant_permission": lambda _: {"target_user_id": "eve", "permission": "editor"},
    "revoke_permission": lambda _: {"target_user_id": "bob"},
    "set_public_access": lambda _: {"level": "viewer"},
    "store_drive_files": lambda _: {"files": [{"id": "f1", "name": "a", "mimeType": "text/plain"}]},
    "store_gmail_messages": lambda has: {"messages": [json.loads(has["message"][0]) | {"id": "other"}]},
    "store_sheet_data": lambda _: {"sheet_payloads": [{"spreadsheetId": "book", "valueRanges": []}]},
    "sync_drive": lambda _: {},
    "sync_gmail": lambda _: {},
    "sync_sheets": lambda _: {"spreadsheet_id": "book", "ranges": ["Sheet1!A1:B2"]},
    "update_casefile": lambda _: {"notes": "more"},
}
"""Arguments beside the casefile, by tool. The objects are those of the world."""

RECORDED: dict[str, Sample] = {
    "process_tool_request": {"tool_name": "create_casefile", "parameters": {"title": "Jones"}},
    "process_chat_request": {"message": "Hello."},
}
"""What calls the tools that write the record of a session: no other code can."""

GOOGLE: dict[str, Sample] = {
    "gmail_send_message": {"to": ["bob@example.com"], "subject": "Hi", "body": "Ho"},
    "drive_upload_file": {"name": "new.txt", "text": "new"},
    "sheets_update_values": {"spreadsheet_id": "book", "range": "Sheet1!A1", "values": [["x"]]},
    "sheets_append_values": {"spreadsheet_id": "book", "range": "Sheet1!A1:B1", "values": [["x", "y"]]},
}
"""The writes to Google."""

CMS: dict[str, Sample] = {
    "cms_addSite": {"key": "bakery", "name": "Bakery"},
    "cms_importContent": {"file": SITE_UPLOADED},
    "cms_seedSite": {},
    "cms_addToChangeSet": {"changeSetId": "set_2", "pageIds": ["about"]},
    "cms_addImageToSection": {"pageSectionId": "section_1", "imageId": "image_1"},
    "cms_addSectionToPage": {"pageId": "about", "definitionId": "text", "content": {"content": "Hi"}},
    "cms_copyPage": {"pageId": "about", "title": "Us"},
    "cms_createChangeSet": {"name": "Spring", "pageIds": ["about"]},
    "cms_createPage": {"title": "Contact"},
    "cms_createPageWithContent": {"title": "Us", "sections": [{"definitionId": "hero", "content": {"heading": "We"}}]},
    "cms_deleteImage": {"imageId": "image_1"},
    "cms_deletePage": {"pageId": "page_1", "confirmed": True},
    "cms_deletePageSection": {"pageSectionId": "section_1", "confirmed": True},
    "cms_discardChangeSet": {"changeSetId": "set_2"},
    "cms_movePage": {"pageId": "about", "parentId": "live"},
    "cms_addListItem": {"pageSectionId": "section_3", "item": {"question": "When?", "answer": "At nine."}},
    "cms_updateListItem": {"pageSectionId": "section_3", "itemId": "i1", "item": {"answer": "Here."}},
    "cms_moveListItem": {"pageSectionId": "section_3", "itemId": "i1"},
    "cms_removeListItem": {"pageSectionId": "section_3", "itemId": "i1"},
    "cms_moveSection": {"pageSectionId": "section_1", "sortOrder": 1},
    "cms_publishChangeSet": {"changeSetId": "set_2"},
    "cms_publishPage": {"pageId": "about"},
    "cms_purgePage": {"pageId": "gone"},
    "cms_replaceImage": {"oldImageDescription": "image_2", "newImageId": "image_1"},
    "cms_removeWithChangeSet": {"pageId": "live", "removal": "delete", "changeSetId": "set_2"},
    "cms_restorePage": {"pageId": "gone"},
    "cms_revertChangeSet": {"changeSetId": "set_1"},
    "cms_revertPage": {"pageId": "live", "revision": 1},
    "cms_translatePage": {"pageId": "about", "localeCode": "de", "title": "Wir"},
    "cms_unpublishPage": {"pageId": "live"},
    "cms_schedulePage": {"pageId": "about", "at": "2126-01-01T09:00"},
    "cms_expirePage": {"pageId": "live", "at": "2126-01-01T09:00"},
    "cms_scheduleChangeSet": {"changeSetId": "set_2", "at": "2126-01-01T09:00"},
    "cms_cancelScheduledAction": {"actionId": "action_1"},
    "cms_runScheduledAction": {"actionId": "action_1"},
    "cms_promoteChangeSet": {"fromEnvironment": "staging", "changeSetId": "set_6"},
    "cms_addWebhook": {"url": "http://127.0.0.1:1/new"},
    "cms_removeWebhook": {"webhookId": "webhook_1"},
    "cms_deliverWebhook": {"deliveryId": "delivery_1"},
    "cms_updateSiteSettings": {"tagline": "Daily bread"},
    "cms_addNavigationItem": {"label": "Live", "href": "live"},
    "cms_updateNavigationItem": {"label": "Who we are", "newLabel": "Us"},
    "cms_toggleNavigationItem": {"label": "Who we are"},
    "cms_removeNavigationItem": {"label": "Who we are"},
    "cms_addRedirect": {"path": "/new-menu", "href": "live"},
    "cms_updateRedirect": {"path": "/old-menu", "newHref": "live"},
    "cms_removeRedirect": {"path": "/old-menu"},
    "cms_updateImage": {"imageId": "image_2", "altText": "A big cake"},
    "cms_defineType": {"name": "Team", "fields": [{"key": "role", "type": "text"}]},
    "cms_addLanguage": {"localeCode": "fr"},
    "cms_removeLanguage": {"localeCode": "de"},
    "cms_changeType": {"typeId": "posts", "name": "News"},
    "cms_deleteType": {"typeId": "quote"},
    "cms_createEntry": {"collectionId": "posts", "title": "New", "content": {"body": "Cake"}},
    "cms_updateEntry": {"entryId": "soon", "content": {"body": "Cake"}},
    "cms_deleteEntry": {"entryId": "soon"},
    "cms_createPost": {"title": "New", "body": "Cake"},
    "cms_updatePost": {"postSlug": "soon", "title": "Now"},
    "cms_publishPost": {"postSlug": "soon"},
    "cms_archivePost": {"postSlug": "news"},
    "cms_deletePost": {"postSlug": "soon"},
    "cms_updatePage": {"pageId": "about", "title": "About us"},
    "cms_updatePageMeta": {"pageId": "about", "description": "Bread."},
    "cms_updateSectionContent": {"pageSectionId": "section_1", "content": {"heading": "Bread"}},
    "cms_updateSectionImage": {"pageSectionId": "section_1", "imageId": "image_1"},
    "cms_uploadImage": {"file": UPLOADED, "altText": "A new loaf"},
}


class Crash(BaseException):
    """The process died here."""


class DyingStore(InMemoryStore):
    """A store whose process dies, once, where the n-th of certain items is to be stored.

    The dead process stores nothing more: the append may be that of a timer, after which its calls would go on.
    """

    def __init__(self, point: int, is_point: Callable[[Item], bool]) -> None:
        super().__init__()
        self._left = point
        self._is_point = is_point
        self._is_dead = False

    @property
    def has_died(self) -> bool:
        """Whether the process died."""
        return self._left <= 0

    def revive(self) -> None:
        """A new process comes to the same data."""
        self._is_dead = False

    def append(
        self, run: str, epoch: int, items: Sequence[Position], consumption: Consumption | None = None
    ) -> AppendFuture:
        """Append, or die."""
        if not self.has_died and any(self._is_point(each.item) for each in items):
            self._left -= 1
            self._is_dead = self.has_died
        if self._is_dead:
            raise Crash
        return super().append(run, epoch, items, consumption)


class World:
    """An application with each tool, who calls it, and the rows of its database.

    All calls of a file of tests share it, one by one.
    """

    def __init__(
        self,
        app_with: Callable[[str], App],
        path: Path,
        by: Principal,
        samples: dict[str, Sample],
        conversation: str,
    ) -> None:
        self._app_with, self.by, self.samples, self.conversation = app_with, by, samples, conversation
        self._path = path
        self._prepared = sqlite3.connect(":memory:")
        with closing(sqlite3.connect(path)) as database:
            database.backup(self._prepared)

    def restore(self) -> None:
        """Undo what calls did to the database."""
        with closing(sqlite3.connect(self._path)) as database:
            self._prepared.backup(database)

    def close(self) -> None:
        """Forget what the database was."""
        self._prepared.close()

    async def call(self, name: str, store: DyingStore) -> RunResult[Any]:
        """Call a tool, and resume the run if its process died."""
        arguments = self.samples[name]
        sent = Arguments(json.dumps(arguments), arguments)
        try:
            runtime = self._runtime(name, store)
            for file in (UPLOAD, SITE):
                await runtime.artifacts.add(file, by=self.by)
            target = "empty" if name in {"cms_importContent", "cms_seedSite"} else ""
            result = await runtime.call_by_name(name, sent, by=self.by, conversation=self.conversation, target=target)
            for question in result.questions:
                await runtime.decide(question, approved=True, by=self.by)
                result = await runtime.resume(result.run)
        except Crash:
            store.revive()
            result = await self._runtime(name, store).resume("keyed")
        return result

    def _runtime(self, tool: str, store: DyingStore) -> Runtime:
        return Runtime(
            self._app_with(tool),
            store=store,
            model=Scripted(["Hm."]),
            directory=lambda _name, _tenant: self.by,
            make_run_id=lambda: "keyed",
        )

    def rows(self) -> Counter[str]:
        """The rows of all tables, without times and without the events that tell of each attempt."""
        found = Counter[str]()
        with closing(sqlite3.connect(self._path)) as database:
            listed = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            for (table,) in listed:
                if table in fuzz_world.RECORDS or "search" in table or table == "remit_effects":
                    continue
                columns = [each[1] for each in database.execute(f"PRAGMA table_info({table})")]
                kept = ", ".join(f'"{each}"' for each in columns if not each.endswith("_at"))
                found.update(f"{table} {row!r}" for row in database.execute(f"SELECT {kept} FROM {table}"))  # noqa: S608
        return found


class CasefileWorld(World):
    """The casefile application, with a Google of its own."""

    def __init__(self, opened: fuzz_world.World, samples: dict[str, Sample], path: Path) -> None:
        super().__init__(lambda _: opened.app, path, fuzz_world.PEOPLE["ann"], samples, opened.own["ann"][2])
        self._opened = opened
        self._digits = opened.digits.count

    def restore(self) -> None:
        """Undo what calls did to the database and at Google."""
        super().restore()
        self._opened.digits.count = self._digits
        google = self._opened.google
        vars(google).update(vars(FakeGoogle()) | {"url": google.url})
        populate_google(self._opened)


class CmsWorld(World):
    """The CMS with a few pages, and an application of each tool: a runtime composes the layers of all that it has."""

    def __init__(self, made: cms.World, path: Path) -> None:
        apps = {each.name: App(name="cms", tools=(each,), references=made.references) for each in made.tools}
        super().__init__(apps.__getitem__, path, ANN, CMS, "")
        self._made = made
        self._looks, self._counts = made.clock.looks, made.ids.counts.copy()

    def restore(self) -> None:
        """Undo what calls did to the database, its clock and its ids."""
        super().restore()
        self._made.clock.looks, self._made.ids.counts = self._looks, self._counts.copy()


def populate_google(opened: fuzz_world.World) -> None:
    """Deliver the mail and put the files that each call finds."""
    opened.populate_google()
    opened.google.drive.put("new.txt", b"new")


@asynccontextmanager
async def casefile_world(folder: Path) -> AsyncGenerator[World]:
    """The casefile application, in which each tool has arguments."""
    async with fuzz_world.open_world(folder) as opened:
        mail = json.dumps({"message_id": opened.pools["message_id"][0]})
        opened.pools["message"] = [(await opened.call("gmail_get_message", "ann", mail)).text]
        session = json.loads((await opened.call("create_tool_session", "ann", "{}")).text)
        opened.pools["session_id"].append(session["session_id"])
        samples = {name: make(opened.pools) for name, make in CASEFILE.items()}
        mine = opened.pools["casefile_id"][0]
        for name, sample in samples.items():
            if not name.startswith(("create_casefile", "close_")):
                sample["casefile_id"] = mine
        with closing(CasefileWorld(opened, samples | RECORDED | GOOGLE, folder / "casefile.db")) as world:
            yield world


@asynccontextmanager
async def cms_world(folder: Path) -> AsyncGenerator[World]:
    """The CMS, in which each tool has arguments."""
    made = cms.World(folder)
    made.calls.run = "keyed"
    await made.populate()
    await made.sites.add_site(made.call(), AddSite(key="empty", name="Empty"))
    with closing(CmsWorld(made, folder / "cms.db")) as world:
        yield world
    await made.database.close()


class Worlds:
    """Both applications, opened once for all tests of a file."""

    def __init__(self, casefile: World, cms: World) -> None:
        self._casefile, self._cms = casefile, cms

    def of(self, tool: str) -> World:
        """The world of a tool, as if nothing had been called in it."""
        world = self._cms if tool in CMS else self._casefile
        world.restore()
        return world
