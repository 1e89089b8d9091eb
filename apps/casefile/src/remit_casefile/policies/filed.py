"""Events of a casefile: that somebody called something in it, and how that came out."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final, cast

from remit import Call, CallLayer, CallService, Reply
from remit.errors import CallError, CapabilityError
from remit.inventory import note, without
from remit_casefile.casefiles.access import Level, level_of
from remit_casefile.policies.env import CallEvent, Env, EventLog
from remit_casefile.policies.place import PARAMETER, CasefileOf
from remit_casefile.storage.work import viewing

_SUMMARY: Final = 500
UNFILED: Final = "event.unfiled"
"""The note in the journal of a call whose event could not be kept."""


@dataclass(frozen=True, slots=True)
class Filed(CallLayer):
    """Files one event for each call that ends, in the casefile of that call; a name that is empty files none.

    The casefile is the one that the call names, or that its result names, or that of its session. Nothing is filed in
    one that the caller may not see: nobody writes into the file of others by being refused. An environment that keeps
    no events refuses all calls.
    """

    env: Env = field(repr=False)
    where: CasefileOf = field(repr=False)
    success: str = field(default="", kw_only=True)
    failure: str = field(default="", kw_only=True)
    fields: tuple[str, ...] = field(default=(), kw_only=True)
    redact: tuple[str, ...] = field(default=(), kw_only=True)

    def __call__(self, inner: CallService, /) -> CallService:
        """The service that files how ``inner`` came out."""

        async def filed(call: Call, /) -> Reply:
            if call.ledger.replaying:
                return await inner(call)
            events = self.env.events
            if events is None:
                raise CapabilityError(f"{call.callee.name} cannot run: the environment keeps no events")
            before, begun = await self._seen(call, None), asyncio.get_running_loop().time()
            try:
                reply = await inner(call)
            except CallError as error:
                await self._file(events, call, Reply.failed(error), before, begun)
                raise
            casefile = before or await self._seen(call, _named_by(reply))
            await self._file(events, call, reply, casefile, begun)
            return reply

        return filed

    async def _seen(self, call: Call, given: str | None) -> str | None:
        """The casefile of a call, or the one that is given, where the caller may see it."""
        try:
            async with viewing(self.env.database, call) as view:
                found = given or self.where.named(call) or await self.where.found(view, call)
                row = None if found is None else await view.casefile(found)
                return None if row is None or await level_of(view, row, view.person) is Level.NONE else row.id
        except CallError:
            return None

    async def _file(self, events: EventLog, call: Call, reply: Reply, casefile: str | None, begun: float) -> None:
        name = self.success if reply.outcome == "ok" else self.failure
        if not name or casefile is None:
            return
        event = self._event(call, reply, casefile, name, begun)
        try:
            await events.file(event)
        except CallError as error:  # what was done is done, and the journal has it: the reply must say so
            note(call, UNFILED, {"event": event.event_type, "casefile": casefile, "error": error.message})

    def _event(self, call: Call, reply: Reply, casefile: str, name: str, begun: float) -> CallEvent:
        caller, lasted = call.caller, asyncio.get_running_loop().time() - begun
        ok = reply.outcome == "ok"
        return CallEvent(
            id=f"te_{sha256(f'{caller.run} {call.id} {name}'.encode()).hexdigest()[:12]}",
            tenant=caller.principal.tenant,
            run=caller.run,
            call=call.id,
            parent=caller.call,
            casefile=casefile,
            session=caller.conversation or None,
            event_type=name,
            tool_name=call.callee.name,
            timestamp=self.env.database.clock(),
            parameters=without(self.redact, call.arguments.value or {}),
            result_summary=_summary(reply, self.fields, self.redact) if ok and self.fields else None,
            duration_ms=round(lasted * 1000),
            status="completed" if ok else "failed",
            error_message=None if ok or reply.error is None else reply.error.message,
            initiator=caller.principal.name,
        )


def _named_by(reply: Reply) -> str | None:
    """The casefile that a result names, as that of create_casefile does."""
    said = _read(reply).get(PARAMETER)
    return said if isinstance(said, str) else None


def _summary(reply: Reply, fields: Sequence[str], redact: Sequence[str]) -> str:
    kept = {key: value for key, value in _read(reply).items() if key in fields}
    text = json.dumps(without(redact, kept), ensure_ascii=False)
    return text if len(text) <= _SUMMARY else f"{text[:_SUMMARY]}…"


def _read(reply: Reply) -> dict[str, Any]:
    """The object that a reply says; an empty one where it says none."""
    try:
        value = json.loads(reply.content)
    except ValueError:
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
