"""Audit events about calls: request and outcome, without fields that must not be recorded."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final, cast

from remit.call.call import Call, CallLayer, CallService
from remit.call.notes import write_note
from remit.call.reply import Reply
from remit.core.call_checks import check_arguments
from remit.errors import CallError

REDACTED: Final = "[redacted]"


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class RecordEvents(CallLayer):
    """Records one event for each call that ends, named ``success`` or ``failure``. An empty name records none.

    ``request`` and ``response`` control whether arguments and result are included. ``fields`` selects fields of the
    result; empty selects all. ``redact`` names fields that are always removed, at any depth.
    """

    success: str = ""
    failure: str = ""
    request: bool = False
    response: bool = False
    fields: tuple[str, ...] = ()
    redact: tuple[str, ...] = ()

    def __call__(self, inner: CallService, /) -> CallService:
        """Record how each call of ``inner`` ends."""

        async def call_and_record(call: Call, /) -> Reply:
            try:
                reply = await inner(call)
            except CallError as error:
                self._record_event(call, Reply.from_error(error))
                raise
            self._record_event(call, reply)
            return reply

        return call_and_record

    def _record_event(self, call: Call, reply: Reply) -> None:
        name = self.success if reply.outcome == "ok" else self.failure
        if not name:
            return
        event: dict[str, Any] = {
            "tool": call.callee.name,
            "by": call.caller.principal.name,
            "outcome": reply.outcome,
        }
        if reply.error is not None:
            event["error"] = reply.error.code
        if self.request:
            event["request"] = redact_fields(self.redact, call.arguments.value)
        if self.response and reply.outcome == "ok":
            event["response"] = redact_fields(self.redact, _select_fields(_parse_content(reply.content), self.fields))
        write_note(call, name, event)


def redact_fields(names: Collection[str], value: Any) -> Any:
    """Replace the values of the named fields in a JSON value. Case is ignored."""
    if isinstance(value, dict):
        parts = cast("dict[str, Any]", value)
        hidden = {name.lower() for name in names}
        return {key: REDACTED if key.lower() in hidden else redact_fields(names, each) for key, each in parts.items()}
    if isinstance(value, list):
        return [redact_fields(names, each) for each in cast("list[Any]", value)]
    return value


def _select_fields(value: Any, names: Collection[str]) -> Any:
    if not names or not isinstance(value, dict):
        return value
    return {key: each for key, each in cast("dict[str, Any]", value).items() if key in names}


def _parse_content(content: str) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return content
