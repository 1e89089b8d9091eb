"""Logs the calls made in a casefile, and their outcomes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final, cast

from remit.errors import CallError, MissingCapabilityError
from remit.layers import Call, CallLayer, CallService, Reply, redact_fields, write_note
from remit_casefile.casefiles.access import Level, resolve_level
from remit_casefile.policies.casefile_resolver import CASEFILE_PARAMETER, CasefileResolver
from remit_casefile.policies.env import CallEvent, Env, EventLog
from remit_casefile.storage.transactions import open_view

_MAX_SUMMARY_LENGTH: Final = 500
EVENT_NOT_LOGGED: Final = "event.unfiled"
"""The note in the journal of a call whose event could not be kept."""


@dataclass(frozen=True, slots=True)
class LogCasefileEvents(CallLayer):
    """Logs one event for each ended call, in the casefile of that call; an empty name logs none.

    The casefile is the one named by the call, by its result, or by its session. Nothing is logged in a casefile that
    the caller may not see, so that refused callers cannot write to it. An environment without an event log refuses all
    calls.
    """

    env: Env = field(repr=False)
    resolver: CasefileResolver = field(repr=False)
    success: str = field(default="", kw_only=True)
    failure: str = field(default="", kw_only=True)
    fields: tuple[str, ...] = field(default=(), kw_only=True)
    redact: tuple[str, ...] = field(default=(), kw_only=True)

    def __call__(self, inner: CallService, /) -> CallService:
        """The service that logs the outcome of ``inner``."""

        async def filed(call: Call, /) -> Reply:
            if call.ledger.execution.is_replaying:
                return await inner(call)
            events = self.env.events
            if events is None:
                raise MissingCapabilityError(f"{call.callee.name} cannot run: the environment keeps no events")
            before, started_at = await self._visible_casefile(call, None), asyncio.get_running_loop().time()
            try:
                reply = await inner(call)
            except CallError as error:
                await self._log_event(events, call, Reply.from_error(error), before, started_at)
                raise
            casefile = before or await self._visible_casefile(call, _casefile_in_result(reply))
            await self._log_event(events, call, reply, casefile, started_at)
            return reply

        return filed

    async def _visible_casefile(self, call: Call, casefile_id: str | None) -> str | None:
        """The casefile of a call, or the given one, if the caller may see it."""
        try:
            async with open_view(self.env.database, call) as view:
                found = (
                    casefile_id
                    or self.resolver.explicit_casefile(call)
                    or await self.resolver.find_casefile(view, call)
                )
                row = None if found is None else await view.get_casefile(found)
                return None if row is None or await resolve_level(view, row, view.person) is Level.NONE else row.id
        except CallError:
            return None

    async def _log_event(
        self, events: EventLog, call: Call, reply: Reply, casefile: str | None, started_at: float
    ) -> None:
        name = self.success if reply.outcome == "ok" else self.failure
        if not name or casefile is None:
            return
        event = self._build_event(call, reply, casefile, name, started_at)
        try:
            await events.append(event)
        except CallError as error:  # what was done is done, and the journal has it: the reply must say so
            write_note(
                call, EVENT_NOT_LOGGED, {"event": event.event_type, "casefile": casefile, "error": error.message}
            )

    def _build_event(self, call: Call, reply: Reply, casefile: str, name: str, started_at: float) -> CallEvent:
        caller, duration = call.caller, asyncio.get_running_loop().time() - started_at
        ok = reply.outcome == "ok"
        return CallEvent(
            id=f"te_{sha256(f'{caller.run} {call.id} {name}'.encode()).hexdigest()[:12]}",
            tenant=caller.principal.tenant,
            run=caller.run,
            call=call.id,
            parent=caller.call,
            request=_call_from_outside(call),
            casefile=casefile,
            session=caller.conversation or None,
            event_type=name,
            tool_name=call.callee.name,
            timestamp=self.env.database.clock(),
            parameters=redact_fields(self.redact, call.arguments.value or {}),
            result_summary=_summarize(reply, self.fields, self.redact) if ok and self.fields else None,
            duration_ms=round(duration * 1000),
            status="completed" if ok else "failed",
            error_message=None if ok or reply.error is None else reply.error.message,
            initiator=caller.principal.name,
        )


def _call_from_outside(call: Call) -> str:
    """The call from outside for which a call is made: in an open run one that it received, else that of the run."""
    meter, parent = call.ledger.meter, call.caller.call
    if not parent:
        return call.id
    if meter.is_open:
        return meter.call_from_outside(parent) or call.id
    return (parent, *meter.calls_around(parent))[-1]


def _casefile_in_result(reply: Reply) -> str | None:
    """The casefile named by a result, such as that of create_casefile."""
    casefile_id = _reply_object(reply).get(CASEFILE_PARAMETER)
    return casefile_id if isinstance(casefile_id, str) else None


def _summarize(reply: Reply, fields: Sequence[str], redact: Sequence[str]) -> str:
    kept = {key: value for key, value in _reply_object(reply).items() if key in fields}
    text = json.dumps(redact_fields(redact, kept), ensure_ascii=False)
    return text if len(text) <= _MAX_SUMMARY_LENGTH else f"{text[:_MAX_SUMMARY_LENGTH]}…"


def _reply_object(reply: Reply) -> dict[str, Any]:
    """The object in a reply; empty if there is none."""
    try:
        value = json.loads(reply.content)
    except ValueError:
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
