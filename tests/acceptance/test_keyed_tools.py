"""Every KEYED tool of both applications keeps its promise: if its process dies behind its effect, that happens once.

The tools are found in the inventories. A new one fails here until it has arguments.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from apps.cms.tests import world as cms
from figures.fuzz_world import PEOPLE, RECORDS
from figures.fuzz_world import open_world as open_casefile
from remit import App, Effect, Principal, Runtime
from remit.contracts.items import AttemptEnded, Position
from remit.contracts.ledger import Consumption
from remit.inventory import Operations
from remit.journal.ports import AppendFuture
from remit.runtime import RunResult
from remit.stores import InMemoryStore
from remit.testing import Scripted
from remit.tools import Arguments
from remit_casefile.app import build as build_casefile
from remit_cms.app import build as build_cms
from remit_cms.tools import page_operations, section_operations

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

CMS: dict[str, Sample] = {
    "cms_addSectionToPage": {"pageId": "about", "definitionId": "text", "content": {"content": "Hi"}},
    "cms_createPage": {"title": "Contact"},
    "cms_createPageWithContent": {"title": "Us", "sections": [{"definitionId": "hero", "content": {"heading": "We"}}]},
    "cms_deletePage": {"pageId": "page_1", "confirmed": True},
    "cms_deletePageSection": {"pageSectionId": "section_1", "confirmed": True},
    "cms_updatePage": {"pageId": "about", "title": "About us"},
    "cms_updateSectionContent": {"pageSectionId": "section_1", "content": {"heading": "Bread"}},
}


class Crash(BaseException):
    """The process died here."""


class DyingStore(InMemoryStore):
    """A store whose process dies, once, where the n-th end of an attempt is to be stored: the effect has happened."""

    def __init__(self, point: int) -> None:
        super().__init__()
        self._left = point

    @property
    def has_died(self) -> bool:
        """Whether the process died."""
        return self._left <= 0

    def append(
        self, run: str, epoch: int, items: Sequence[Position], consumption: Consumption | None = None
    ) -> AppendFuture:
        """Append, or die."""
        if not self.has_died and any(isinstance(each.item, AttemptEnded) for each in items):
            self._left -= 1
            if self.has_died:
                raise Crash
        return super().append(run, epoch, items, consumption)


class Changes(NamedTuple):
    """The rows that a call has added and removed; a row that it changed is both."""

    added: Counter[str] = Counter()  # noqa: RUF012 - never changed
    removed: Counter[str] = Counter()  # noqa: RUF012 - as above


class World:
    """An application, who calls it, and the rows of its database."""

    def __init__(self, app: App, path: Path, by: Principal, samples: dict[str, Sample], conversation: str) -> None:
        self.app, self.by, self.samples, self.conversation = app, by, samples, conversation
        self._path = path

    async def call(self, name: str, point: int) -> tuple[RunResult[Any], bool]:
        """Call a tool, crash at the point, and resume the run; the result, and whether it crashed."""
        store, arguments = DyingStore(point), self.samples[name]
        sent = Arguments(json.dumps(arguments), arguments)
        try:
            runtime = self._runtime(store)
            result = await runtime.call_by_name(name, sent, by=self.by, conversation=self.conversation)
            for question in result.questions:
                await runtime.decide(question, approved=True, by=self.by)
                result = await runtime.resume(result.run)
        except Crash:
            result = await self._runtime(store).resume("keyed")
        return result, store.has_died

    def _runtime(self, store: DyingStore) -> Runtime:
        return Runtime(
            self.app,
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
                if table in RECORDS or "search" in table or table == "remit_effects":
                    continue
                columns = [each[1] for each in database.execute(f"PRAGMA table_info({table})")]
                kept = ", ".join(f'"{each}"' for each in columns if not each.endswith("_at"))
                found.update(f"{table} {row!r}" for row in database.execute(f"SELECT {kept} FROM {table}"))  # noqa: S608
        return found


@asynccontextmanager
async def casefile_world(folder: Path) -> AsyncGenerator[World]:
    """The casefile application, with a Google of its own."""
    fresh = folder / "fresh.db"
    made = build_casefile(folder / "fresh")
    (folder / "fresh").mkdir()
    async with made.database.write():
        pass
    await made.close()
    (folder / "fresh" / "casefile.db").rename(fresh)
    async with open_casefile(folder, fresh) as opened:
        mail = json.dumps({"message_id": opened.pools["message_id"][0]})
        opened.pools["message"] = [(await opened.call("gmail_get_message", "ann", mail)).text]
        session = json.loads((await opened.call("create_tool_session", "ann", "{}")).text)
        opened.pools["session_id"].append(session["session_id"])
        opened.google.drive.put("new.txt", b"new")
        samples = {name: make(opened.pools) for name, make in CASEFILE.items()}
        mine = opened.pools["casefile_id"][0]
        for name, sample in samples.items():
            if not name.startswith(("create_casefile", "close_")):
                sample["casefile_id"] = mine
        conversation = opened.own["ann"][2]
        yield World(opened.app, folder / "casefile.db", PEOPLE["ann"], samples | RECORDED, conversation)


@asynccontextmanager
async def cms_world(folder: Path) -> AsyncGenerator[World]:
    """The CMS with one page."""
    made = cms.World(folder)
    await made.page("About", ("hero", {"heading": "We bake bread"}))
    operations = (page_operations(made.pages, made.search), section_operations(made.sections))
    app = App(name="cms", tools=tuple(tool for each in operations for tool in each.callees))
    yield World(app, folder / "cms.db", ANN, CMS, "")
    await made.database.close()


def keyed_tools(operations: Operations | None) -> set[str]:
    """The names of the KEYED tools."""
    assert operations is not None
    return {each.name for each in operations.callees if each.facts.effect is Effect.KEYED}


def test_every_keyed_tool_has_arguments_here(tmp_path: Path) -> None:
    records = {"begin_session_request", "end_session_request", "begin_chat_turn", "end_chat_turn"}
    assert keyed_tools(build_casefile(tmp_path).app.operations) - records == set(CASEFILE)
    assert keyed_tools(build_cms(tmp_path).app.operations) == set(CMS)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*CASEFILE, *RECORDED, *CMS])
async def test_the_effect_of_a_keyed_tool_happens_once_if_its_process_dies_behind_it(name: str, tmp_path: Path) -> None:
    open_world = cms_world if name in CMS else casefile_world
    expected, reply, point, crashed = Changes(), "", 0, True
    while crashed or not point:
        folder = tmp_path / str(point)
        folder.mkdir()
        async with open_world(folder) as world:
            before = world.rows()
            result, crashed = await world.call(name, point or 1_000)
            assert result.status == "done", result.text
            assert '"success":false' not in result.text.replace(" ", "")
            changes = Changes(world.rows() - before, before - world.rows())
            if not point:
                expected, reply, crashed = changes, result.text, True
            assert (changes, result.text) == (expected, reply)
        point += 1
        await asyncio.sleep(0)
    assert point > 2, "it did not crash"
    assert expected != Changes(), "it has no effect to double"
