"""The casefiles of an office through a real runtime: the two slices of the inventory that need nobody else."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from apps.casefile.tests.shared import shared_application
from remit import App, Principal, Runtime
from remit.inventory import Operations, read_inventory
from remit.journal.ports import Store
from remit.runtime import RunResult
from remit.tools import Arguments
from remit_casefile.app import INVENTORY_FOLDER
from remit_casefile.casefiles.access_list import AccessList
from remit_casefile.casefiles.cases import Cases
from remit_casefile.policies.env import CallEvent, Env
from remit_casefile.policies.sections import build_section_table
from remit_casefile.policies.vocabulary import VOCABULARY
from remit_casefile.storage.database import Database
from remit_casefile.storage.tables import Base, Casefile, Grant, Session


@dataclass
class Kept:
    """An event log in memory."""

    events: list[CallEvent] = field(default_factory=list[CallEvent])

    async def append(self, event: CallEvent, /) -> None:
        """Keep it."""
        self.events.append(event)


class Unread:
    """An event log that nothing is read from."""

    async def append(self, event: CallEvent, /) -> None:
        """Drop it."""


def principal(name: str = "ann", tenant: str = "default", *permissions: str) -> Principal:
    """A person with these permissions; with all where none are named."""
    return Principal(name, tenant, frozenset(permissions or {"*"}))


def _build_office(database: Database, access_list: AccessList | None = None) -> App:
    env = Env(database=database, events=Unread())
    cases, access_list = Cases(database), access_list or AccessList(database, principal)
    inventory = read_inventory(INVENTORY_FOLDER, build_section_table(env, version="1.0"), VOCABULARY)
    casefile = Operations(inventory.slice("workspace", "casefile"), (cases,))
    acl = Operations(inventory.slice("workspace", "casefile_acl"), (access_list,))
    tools = tuple(
        tool.with_preview(cases.preview_deletion) if tool.name == "delete_casefile" else tool
        for tool in (*casefile.callees, *acl.callees)
    )
    return App(name="office", tools=tools, env=env)


@cache
def _shared_office() -> App:
    """The same over the database that `reopen` gives another file, built once in a process."""
    return _build_office(shared_application().database)


class Office:
    """An application with casefiles and access lists alone."""

    def __init__(
        self,
        database: Database,
        *,
        store: Store | None = None,
        now: Callable[[], float] = time.time,
        access_list: AccessList | None = None,
    ) -> None:
        self.database = database
        shared = database is shared_application().database and access_list is None
        app = _shared_office() if shared else _build_office(database, access_list)
        self.runtime = Runtime(app, store=store, clock=now, directory=principal)

    async def run(
        self, name: str, by: str | Principal = "ann", *, conversation: str = "", **arguments: Any
    ) -> RunResult[Any]:
        """Call a tool, as the application would be called."""
        person = by if isinstance(by, Principal) else principal(by)
        said = Arguments(json.dumps(arguments), arguments)
        return await self.runtime.call_by_name(name, said, by=person, conversation=conversation)

    async def call(self, name: str, by: str | Principal = "ann", **arguments: Any) -> dict[str, Any]:
        """Call a tool, and read its reply."""
        result = await self.run(name, by, **arguments)
        return json.loads(result.text)

    async def casefile(self, title: str = "Smith", by: str = "ann", **more: Any) -> str:
        """The id of a casefile that is there already."""
        return (await self.call("create_casefile", by, title=title, **more))["casefile_id"]

    async def grant(self, casefile_id: str, user: str, level: str, **more: Any) -> None:
        """Write an entry of an access list."""
        now = self.database.clock()
        entry = {"granted_by": "ann", "granted_at": now, "notes": "", "expires_at": None, **more}
        await self.add([Grant(casefile=casefile_id, user=user, level=level, **entry)])

    async def session(self, session_id: str, user: str = "ann", **more: Any) -> None:
        """Write a session."""
        now = self.database.clock()
        kind = "tool" if session_id.startswith("ts_") else "chat"
        said = {"tenant": "default", "title": "", "state": "active", "created_at": now, "updated_at": now, **more}
        await self.add([Session(id=session_id, kind=kind, user=user, conversation=session_id, **said)])

    async def add(self, rows: Iterable[Base]) -> None:
        """Write rows."""
        async with self.database.write() as session:
            session.add_all(rows)

    async def change(self, casefile_id: str, **fields: Any) -> None:
        """Change a casefile behind the back of everybody."""
        async with self.database.write() as session:
            casefile = await session.get_one(Casefile, casefile_id)
            for name, value in fields.items():
                setattr(casefile, name, value)
