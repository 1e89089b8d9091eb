"""The whole application at the fake Google, and its tools by name."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from apps.casefile.tests.google.fake.server import FakeGoogle
from apps.casefile.tests.google.mails import mail
from apps.casefile.tests.shared import reopen, shared_application
from apps.casefile.tests.world import Clock
from remit import Principal, Runtime
from remit.runtime import RunResult
from remit.stores import InMemoryStore
from remit.tools import Arguments
from remit_casefile.google.account import Account
from remit_casefile.google.transport import Hosts
from remit_casefile.storage.database import Database

ANN = Principal("ann", permissions=frozenset({"*"}))
BOB = Principal("bob", permissions=frozenset({"*"}))
PEOPLE = {"ann": ANN, "bob": BOB}


class Crash(BaseException):
    """The process dies here."""


class Mortal(Database):
    """A database whose process dies as the ``before``th write from now begins, or once the ``after``th is committed."""

    before = after = 0

    @asynccontextmanager
    async def write(self) -> AsyncGenerator[AsyncSession]:
        self.before -= 1
        if self.before == 0:
            raise Crash
        async with super().write() as session:
            yield session
        self.after -= 1
        if self.after == 0:
            raise Crash


class Desk:
    """The application of one process: its data in a folder, its account at the fake."""

    def __init__(self, folder: Path, google: FakeGoogle, store: InMemoryStore | None = None) -> None:
        self.google = google
        self.clock = Clock()
        self.account = folder / "credentials.json"
        self.store = store or InMemoryStore()
        said = {"type": "authorized_user", "client_id": "id", "token_uri": f"{google.url}/token"}
        keys = {"client_secret": "client-secret-1", "refresh_token": "refresh-1-of-ann"}
        self.account.write_text(json.dumps(said | keys))
        account = Account(file=self.account, hosts=Hosts.all_at(google.url))
        self.database = reopen(Mortal, folder / "casefile.db", self.clock, account)
        self.database.before = self.database.after = 0
        self.app = shared_application(Mortal).app
        self.runtime = Runtime(self.app, store=self.store, directory=lambda name, _tenant: PEOPLE[name])

    async def run(self, name: str, by: Principal = ANN, /, **arguments: Any) -> RunResult[Any]:
        """Call a tool as a run of its own."""
        return await self.runtime.call_by_name(name, Arguments(json.dumps(arguments), arguments), by=by)

    async def call(self, name: str, by: Principal = ANN, /, **arguments: Any) -> dict[str, Any]:
        """What a tool says."""
        return json.loads((await self.run(name, by, **arguments)).text)

    async def casefile(self) -> str:
        """A casefile of Ann's."""
        return (await self.call("create_casefile", title="Dune v. Harkonnen"))["casefile_id"]

    async def grant(self, casefile: str, level: str) -> None:
        """Give Bob a level of it."""
        said = await self.call("grant_permission", casefile_id=casefile, target_user_id="bob", permission=level)
        assert "error" not in said, said

    async def mail_in(self, casefile: str) -> dict[str, str]:
        """The subjects of the messages in a casefile, by id."""
        said = await self.call("list_casefile_messages", casefile_id=casefile, limit=100)
        return {each["id"]: each["subject"] for each in said["messages"]}

    async def state(self, casefile: str, tool: str = "list_casefile_messages") -> dict[str, Any]:
        """How its copies stand."""
        return (await self.call(tool, casefile_id=casefile))["sync"]

    def deliver(self, count: int, *labels: str, subject: str = "mail") -> list[str]:
        """New messages."""
        return [self.google.mailbox.deliver(mail(subject=f"{subject} {number}"), *labels) for number in range(count)]

    def in_gmail(self) -> dict[str, str]:
        """The subjects of the messages in the mailbox, by id."""
        return {key: str(stored.mail["Subject"]) for key, stored in self.google.mailbox.messages.items()}
