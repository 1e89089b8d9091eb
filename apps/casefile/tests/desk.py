"""The whole application at a desk: its runtime with a scripted model, and the people who call."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any
from uuid import uuid4

from sqlalchemy import select

from apps.casefile.tests.office import principal
from apps.casefile.tests.shared import application_of
from remit import Principal, Runtime
from remit.engine.result import Result
from remit.runtime import CallResult, RunResult
from remit.stores import InMemoryStore
from remit.testing import Scripted
from remit.tools import Arguments
from remit_casefile.app import CasefileApplication
from remit_casefile.storage.database import Database
from remit_casefile.storage.tables import ChatMessage, Event

RECEIVED, STARTED, SENT = "tool_request_received", "tool_execution_started", "tool_response_sent"
COMPLETED, FAILED = "tool_execution_completed", "tool_execution_failed"
TYPES = (RECEIVED, STARTED, COMPLETED, FAILED, SENT)


class Desk:
    """An application over one database; ``script`` is what its model says."""

    def __init__(
        self,
        database: Database,
        *script: Any,
        store: InMemoryStore | None = None,
        parts: CasefileApplication | None = None,
    ) -> None:
        self.database = database
        self.parts = parts or application_of(database)
        self.model = Scripted(script)
        self._asked: dict[str, Callable[[], Awaitable[CallResult[Any]]]] = {}
        self.runtime = Runtime(self.parts.app, model=self.model, store=store, directory=principal)

    async def run(self, name: str, by: str | Principal = "ann", /, *, at: str = "", **arguments: Any) -> RunResult[Any]:
        """Call a tool, in the session ``at`` where one is named."""
        person = by if isinstance(by, Principal) else principal(by)
        said = Arguments(json.dumps(arguments), arguments)
        return await self.runtime.call_by_name(name, said, by=person, conversation=at)

    async def call(self, name: str, by: str | Principal = "ann", *, at: str = "", **arguments: Any) -> dict[str, Any]:
        """Call a tool, and read its reply."""
        return json.loads((await self.run(name, by, at=at, **arguments)).text)

    async def casefile(self, title: str = "Smith", by: str = "ann") -> str:
        """The id of a new casefile."""
        return (await self.call("create_casefile", by, title=title))["casefile_id"]

    async def grant(self, casefile_id: str, user: str, level: str) -> None:
        """Grant a user a permission on a casefile of ann's."""
        await self.call("grant_permission", casefile_id=casefile_id, target_user_id=user, permission=level)

    async def session(self, kind: str = "tool", by: str | Principal = "ann", **arguments: Any) -> str:
        """The id of a new session."""
        return (await self.call(f"create_{kind}_session", by, **arguments))["session_id"]

    async def ask(
        self, session: str, tool: str, parameters: dict[str, Any], by: str | Principal = "ann", /, **more: Any
    ) -> CallResult[Any]:
        """Ask for a tool in a session: a call of its open run."""
        asked = {"tool_name": tool, "parameters": parameters, **more}
        return await self._call_in_run(session, by if isinstance(by, Principal) else principal(by), asked, uuid4().hex)

    async def _call_in_run(self, session: str, by: Principal, asked: dict[str, Any], key: str) -> CallResult[Any]:
        opened = self.runtime.client(by).open_run(idempotency_key=f"session {session}", conversation=session)
        async with opened as run:
            made = await run.call("process_tool_request", json.dumps(asked), key=key)
        self._asked[made.call] = partial(self._call_in_run, session, by, asked, key)
        return made

    async def decide(self, waiting: Result[Any], *, approved: bool = True) -> Result[Any]:
        """Decide what a run or a call of one waits for, as ann, and drive it on."""
        for question in waiting.questions:
            await self.runtime.decide(question, approved=approved, by=principal())
        if isinstance(waiting, CallResult):
            return await self._asked[waiting.call]()
        return await self.runtime.resume(waiting.run)

    async def events(self, session: str = "") -> list[Event]:
        """What happened to requests, of one session or of all, in order; without what layers filed meanwhile."""
        async with self.database.read() as reading:
            query = select(Event).where(Event.event_type.in_(TYPES)).order_by(Event.chain_id, Event.chain_position)
            found = await reading.scalars(query.where(Event.session == session) if session else query)
            return list(found.all())

    async def types(self, session: str = "") -> list[str]:
        """The types of these events."""
        return [event.event_type for event in await self.events(session)]

    async def turns(self) -> Sequence[ChatMessage]:
        """All messages of users, in order."""
        said = select(ChatMessage).where(ChatMessage.role == "user").order_by(ChatMessage.created_at)
        async with self.database.read() as reading:
            return (await reading.scalars(said)).all()


def code_of(result: Result[Any]) -> str:
    """The code of the error that a run failed with; the empty text where it did not."""
    return result.reply.error.code if result.reply is not None and result.reply.error is not None else ""


def said_by(result: Result[Any]) -> str:
    """What that error says."""
    return result.reply.error.message if result.reply is not None and result.reply.error is not None else ""
