"""The same for tools of the casefile application: one writes to its database, and the others to Google."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Coroutine, Mapping
from contextlib import closing
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from figures.approval_casefile import CASEFILES, build_office
from figures.approval_google import ChangingTransport
from figures.interrupted import Interruption
from remit import App, Principal, Runtime
from remit.inventory import Inventory, Operations, read_inventory
from remit.runtime import RunResult
from remit.stores import InMemoryStore, SqlStore
from remit.tools import Arguments
from remit_casefile.app import INVENTORY_FOLDER, build
from remit_casefile.google.clients import Clients
from remit_casefile.google.operations import DriveOperations, GmailOperations, SheetsOperations
from remit_casefile.google.tools import with_google_hooks
from remit_casefile.google.transport import MAX_RESPONSE_BYTES, HttpResponse
from remit_casefile.policies.sections import build_section_table
from remit_casefile.policies.vocabulary import VOCABULARY
from remit_casefile.storage.database import Database
from remit_casefile.storage.tables import Casefile

ADA: Final = Principal("ada", "default", frozenset({"*"}))
BOB: Final = Principal("bob", "default", frozenset({"*"}))

_AT_GOOGLE: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "gmail_send_message": (
        "gmail",
        {"to": ["bob@example.com"], "subject": "Re", "body": "Yes", "thread_id": "thread"},
    ),
    "drive_upload_file": ("google_drive", {"name": "a.txt", "text": "a", "folder_id": "folder"}),
    "sheets_append_values": ("google_sheets", {"spreadsheet_id": "book", "range": "A1", "values": [["a"]]}),
    "sheets_update_values": ("google_sheets", {"spreadsheet_id": "book", "range": "A1", "values": [["a"]]}),
}
ELSEWHERE: Final = ("delete_casefile", *_AT_GOOGLE)
"""The tools with a state that are none of the CMS."""


def _find_person(name: str, _tenant: str) -> Principal | None:
    return {"ada": ADA, "bob": BOB}.get(name)


async def try_elsewhere(name: str, stride: int) -> list[str]:
    """What became of the call for an edit at each await of its execution; see `try_await`."""
    found: list[str] = []
    at = 1
    attempt = partial(_try_google, name)
    if name == "delete_casefile":
        attempt = partial(_try_deletion, await _prepare_office())
    else:
        stride = 1  # there are few
    while (outcome := await attempt(at)) != "over":
        found.append(outcome)
        at += stride
    return found


async def _approve(runtime: Runtime, name: str, arguments: Mapping[str, Any]) -> RunResult[Any]:
    said = Arguments(json.dumps(arguments), dict(arguments))
    asked = await runtime.call_by_name(name, said, by=ADA)
    for question in asked.questions:
        await runtime.decide(question, approved=True, by=BOB)
    return asked


async def _prepare_office() -> bytes:
    """The file of a database with casefiles."""
    with TemporaryDirectory() as folder:
        await (await build_office(Path(folder))).database.close()
        return (Path(folder) / "casefile.db").read_bytes()


async def _try_deletion(prepared: bytes, at: int) -> str:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "casefile.db"
        file.write_bytes(prepared)
        office = build(Path(folder), database=Database(file))
        runtime = Runtime(office.app, store=InMemoryStore(), directory=_find_person)
        asked = await _approve(runtime, "delete_casefile", {"casefile_id": CASEFILES[0], "confirm": True})
        interruption = Interruption(at, lambda: _rename(file))
        result = await interruption.run(runtime.resume(asked.run))
        await office.database.close()
        with closing(sqlite3.connect(file)) as database:
            (left,) = database.execute("SELECT count(*) FROM casefiles WHERE id = ?", (CASEFILES[0],)).fetchone()
    if interruption.waits < at or (isinstance(interruption.error, _GoneError) and not left):
        return "over"
    if not left:
        return "stale" if interruption.was_made else "shut out"
    return "asked anew" if result.status == "waiting" else "refused"


class _GoneError(Exception):
    """There is nothing to edit any more."""


async def _rename(file: Path) -> None:
    database = Database(file, busy_timeout=0.05)
    try:
        async with database.write() as session:
            casefile = await session.get(Casefile, CASEFILES[0])
            if casefile is None:
                raise _GoneError
            casefile.title = "Changed since"
    finally:
        await database.close()


class _Google(ChangingTransport):
    """Notes which revision there was when a write was sent. The answers come after another await."""

    def __init__(self) -> None:
        super().__init__()
        self.written_at = 0

    async def send(
        self,
        method: str,
        url: str,
        *,
        body: bytes | None = None,
        headers: Mapping[str, str],
        max_bytes: int = MAX_RESPONSE_BYTES,
    ) -> HttpResponse:
        """Answer a write with what its client reads of the answer."""
        if method == "GET":
            await asyncio.sleep(0)
            return await super().send(method, url, body=body, headers=headers, max_bytes=max_bytes)
        self.written_at = self.revision
        await asyncio.sleep(0)
        answer: dict[str, Any] = {
            "id": "new",
            "name": "a.txt",
            "threadId": "thread",
            "spreadsheetId": "book",
            "updates": {},
        }
        return HttpResponse(200, {}, json.dumps(answer).encode())


@cache
def _read_inventory() -> Inventory:
    table = build_section_table(build(Path("unused")).env, version="1.0")
    return read_inventory(INVENTORY_FOLDER, table, VOCABULARY)


async def _try_google(name: str, at: int) -> str:
    google = _Google()
    clients = Clients.from_transport(google)
    subdomain, arguments = _AT_GOOGLE[name]
    operations = {"gmail": GmailOperations, "google_drive": DriveOperations, "google_sheets": SheetsOperations}
    domain = "communication" if subdomain == "gmail" else "workspace"
    made = Operations(_read_inventory().slice(domain, subdomain), (operations[subdomain](clients),))
    tools = made.with_tools(partial(with_google_hooks, clients)).callees

    def edit() -> Coroutine[Any, Any, None]:
        if google.written_at:
            raise _GoneError
        google.revision += 1
        return asyncio.sleep(0)

    interruption = Interruption(at, edit)
    with TemporaryDirectory() as folder:
        store = SqlStore.at(Path(folder) / "journal.db")  # so that the call waits between the check and its start
        runtime = Runtime(App(name="office", tools=tools), store=store, directory=_find_person)
        asked = await _approve(runtime, name, arguments)
        result = await interruption.run(runtime.resume(asked.run))
        await store.close()
    if interruption.waits < at or interruption.error is not None:
        return "over"
    if google.written_at:
        return "stale" if google.written_at > 1 else "shut out"
    return "asked anew" if result.status == "waiting" else "refused"
