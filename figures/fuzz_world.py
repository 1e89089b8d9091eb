"""What a fuzzed sequence runs in: the whole application over a database, a Google of its own, and people who call."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Table

from apps.casefile.tests.google.fake.server import FakeGoogle
from apps.casefile.tests.google.fake.serving import serving
from apps.casefile.tests.google.mails import mail
from apps.casefile.tests.world import Clock, Digits
from remit import Principal, Runtime
from remit.inventory import ToolDefinition
from remit.record.arguments import Limits, parse_arguments
from remit.runtime import RunResult
from remit.stores import InMemoryStore
from remit.testing import Scripted
from remit.tools import Arguments
from remit_casefile.app import build
from remit_casefile.google.account import Account
from remit_casefile.google.transport import Hosts
from remit_casefile.storage.database import Database
from remit_casefile.storage.tables import EFFECTS, Base, Casefile

EVERYTHING: Final = frozenset({"*"})
PEOPLE: Final = {
    "ann": Principal("ann", permissions=EVERYTHING),
    "bob": Principal("bob", permissions=EVERYTHING),
    "eve": Principal("eve", permissions=frozenset({"casefiles:read", "tools:execute", "tools:read"})),
    "Zoë 😀": Principal("Zoë 😀", permissions=EVERYTHING),
    "ann elsewhere": Principal("ann", "elsewhere", EVERYTHING),
}
"""Ann has casefiles, Bob and for a while Zoë a level of one, Eve nothing; another Ann is of another tenant."""

_SOON: Final = "2026-01-01T05:00:00Z"
_DOCUMENT: Final = "application/vnd.google-apps.document"

_TOKENS: Final = ('{"since": "1"}', '{"since": "../../x?y", "pending": ["", "../..", "é"]}', '{"since": "-1"}')

RECORDS: Final = frozenset({"events"})
COMPOSED_RECORDS: Final = RECORDS | {
    "remit_effects",
    "chat_messages",
    "sessions",
    "casefile_sessions",
}
"""Tables that say what was asked for, also where it failed: a call that makes several keeps each in them."""

_IGNORED_COLUMNS: Final = {"syncs": {"status", "error"}, "sessions": {"updated_at"}}
"""Columns that say how the last attempt went, and when."""


def _state_query(table: Table) -> str:
    """Asks for what a call that failed may not change. A sync that has only begun is nothing yet."""
    names = [column.name for column in table.columns if column.name not in _IGNORED_COLUMNS.get(table.name, set())]
    where = " WHERE synced_at IS NOT NULL OR token IS NOT NULL" if table.name == "syncs" else ""
    columns = ", ".join(f'"{name}"' for name in names)
    return f"SELECT {columns} FROM {table.name}{where}"  # noqa: S608 - names of ours


_TABLES: Final = (*Base.metadata.sorted_tables, EFFECTS)
_STATE_QUERIES: Final = {table.name: _state_query(table) for table in _TABLES}


class World:
    """The application, and what its database holds."""

    def __init__(self, folder: Path, google: FakeGoogle) -> None:
        self.clock, self.google = Clock(), google
        self._file = folder / "casefile.db"
        self.digits = Digits()
        self.database = Database(self._file, clock=self.clock, new_id=self.digits)
        account = folder / "credentials.json"
        credentials = {"type": "authorized_user", "client_id": "id", "token_uri": f"{google.url}/token"}
        account.write_text(json.dumps(credentials | {"client_secret": "client-secret-1", "refresh_token": "refresh-1"}))
        hosts = Hosts.all_at(google.url)
        self.parts = build(folder, account=Account(file=account, hosts=hosts), database=self.database, users=Principal)
        self.app = self.parts.app
        self.tools: Mapping[str, ToolDefinition] = {} if self.app.operations is None else self.app.operations.tools
        self.store = InMemoryStore()
        self.runtime = Runtime(self.app, store=self.store, model=Scripted(["Hm."] * 99), directory=_find_principal)
        self.pools: dict[str, list[str]] = {}
        self.own: dict[str, list[str]] = {}
        """The sessions in which somebody may well call; the empty one is none."""

    async def call(self, name: str, who: str, raw: str, conversation: str = "") -> RunResult[Any]:
        """Call a tool with these arguments."""
        arguments = parse_arguments(raw, Limits())
        return await self.runtime.call_by_name(name, arguments, by=PEOPLE[who], conversation=conversation)

    async def populate(self) -> None:
        """Casefiles and sessions: there, gone, shared, closed, archived, of others; mail, files and cells."""
        made = [
            await self._call_successfully("create_casefile", who, title="Smith")
            for who in (*["ann"] * 3, "ann elsewhere")
        ]
        mine, gone, old, foreign = (str(each["casefile_id"]) for each in made)
        for target, level, until in (("bob", "viewer", None), ("Zoë 😀", "editor", _SOON)):
            said = {"target_user_id": target, "permission": level, "expires_at": until}
            await self._call_successfully("grant_permission", "ann", casefile_id=mine, **said)
        async with self.database.write() as writing:
            (await writing.get_one(Casefile, old)).state = "archived"
        sessions = await self._sessions(mine, foreign)
        await self._delete_casefile(gone)
        pools = {"casefile_id": [*[mine] * 5, old, gone, foreign, "cf_260101_ffffff"]}
        pools["session_id"] = [*sessions[:2], *sessions, "ts_260101_ann00000_ffffff"]
        pools |= {"user_id": list(PEOPLE), "target_user_id": ["bob", *PEOPLE], "tool_name": [*self.tools, "lost"]}
        self.pools |= pools | self.populate_google()
        await self._call_successfully("file_mail", "ann", casefile_id=mine, query="subject:invoice")
        await self._call_successfully("sync_drive", "ann", casefile_id=mine)

    async def _sessions(self, mine: str, foreign: str) -> list[str]:
        """Sessions: two of Ann's, one of hers that is closed, one of Bob's, one of another tenant."""
        sessions: list[str] = []
        for kind, who, said in (
            ("tool", "ann", {"casefile_id": mine}),
            ("chat", "ann", {"casefile_id": mine}),
            ("tool", "ann", {}),
            ("chat", "bob", {}),
            ("tool", "ann elsewhere", {"casefile_id": foreign}),
        ):
            sessions.append((await self._call_successfully(f"create_{kind}_session", who, **said))["session_id"])
        await self._call_successfully("close_tool_session", "ann", session_id=sessions[2])
        await self.call("process_tool_request", "ann", '{"tool_name": "list_casefiles"}', sessions[0])
        self.own = {who: [""] for who in PEOPLE}
        self.own |= {"ann": ["", *sessions[:2]], "bob": ["", sessions[3]], "ann elsewhere": ["", sessions[4]]}
        return sessions

    def populate_google(self) -> dict[str, list[str]]:
        """What there is at Google, and what is not."""
        there = self.google.mailbox.deliver(mail(subject="invoice"))
        file, document = self.google.drive.put("a.txt", b"abc"), self.google.drive.put("b", b"a,b", _DOCUMENT)
        self.google.sheets.put("book", "Sheet1", [["a", "b"], ["c", "d"]])
        return {
            "message_id": [there, there, "gone"],
            "file_id": [file, document, "lost"],
            "spreadsheet_id": ["book", "book", "lost"],
            "range": ["Sheet1!A1:B2", "Sheet1!A1:B2", "Sheet1!Z9"],
            "ranges": ["Sheet1!A1:B2", "Sheet1!A1"],
            "label_ids": ["INBOX"],
            "sync_token": list(_TOKENS),
            "to": ["bob@example.com"],
            "query": ["subject:invoice", "name contains 'a'"],
        }

    def state(self, without: frozenset[str]) -> list[str]:
        """Everything that is kept, but for these tables."""
        found: list[str] = []
        with closing(sqlite3.connect(self._file)) as reading:
            for table in _TABLES:
                if table.name not in without:
                    rows = reading.execute(_STATE_QUERIES[table.name]).fetchall()
                    found += sorted(f"{table.name} {row!r}" for row in rows)
        return found

    async def _call_successfully(self, name: str, who: str, /, **said: Any) -> dict[str, Any]:
        result = await self.runtime.call_by_name(name, Arguments(json.dumps(said), said), by=PEOPLE[who])
        if result.status != "done" or result.reply is None or result.reply.error is not None:
            raise RuntimeError(f"the world cannot be created: {name}: {result.text}")
        return json.loads(result.text)

    async def _delete_casefile(self, casefile: str) -> None:
        raw = json.dumps({"casefile_id": casefile, "confirm": True})
        waiting = await self.call("delete_casefile", "ann", raw)
        await self.decide(waiting, approved=True)

    async def decide(self, waiting: RunResult[Any], *, approved: bool) -> RunResult[Any]:
        """Decide what a call waits for, and drive it on."""
        for question in waiting.questions:
            found = await self.store.find_question(question)
            decider = "ann" if found is not None and found.question.tenant == "default" else "ann elsewhere"
            await self.runtime.decide(question, approved=approved, by=PEOPLE[decider])
        return await self.runtime.resume(waiting.run)


def _find_principal(name: str, tenant: str) -> Principal | None:
    return next((each for each in PEOPLE.values() if (each.name, each.tenant) == (name, tenant)), None)


@asynccontextmanager
async def open_world(folder: Path, fresh: Path | None = None) -> AsyncGenerator[World]:
    """A world in a folder; ``fresh`` is an empty database to begin with, which saves making one."""
    if fresh is not None:
        shutil.copy(fresh, folder / "casefile.db")
    async with serving(FakeGoogle()) as google:
        world = World(folder, google)
        try:
            await world.populate()
            yield world
        finally:
            await world.parts.database.close()
