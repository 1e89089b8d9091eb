"""Events about calls: what was asked, how it came out, and what must not be read left out."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final, cast

from remit.contracts.call import Call, CallLayer, CallService
from remit.contracts.notes import write_note
from remit.contracts.reply import Reply
from remit.errors import CallError

REDACTED: Final = "[redacted]"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordEvents(CallLayer):
    """Files one event for each call that ends: ``success`` or ``failure`` is its name, and an empty name means none.

    ``request`` and ``response`` say whether arguments and result are part of it; ``fields`` names those of the result
    that are, all of them where it is empty. What ``redact`` names is never in it, however deep it stands.
    """

    success: str = ""
    failure: str = ""
    request: bool = False
    response: bool = False
    fields: tuple[str, ...] = ()
    redact: tuple[str, ...] = ()

    def __call__(self, inner: CallService, /) -> CallService:
        """The service that files how ``inner`` came out."""

        async def audited(call: Call, /) -> Reply:
            try:
                reply = await inner(call)
            except CallError as error:
                self._record_event(call, Reply.from_error(error))
                raise
            self._record_event(call, reply)
            return reply

        return audited

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
    """A JSON value in which the fields of these names, however they are capitalised, say that they are left out."""
    if isinstance(value, dict):
        known = cast("dict[str, Any]", value)
        hidden = {name.lower() for name in names}
        return {key: REDACTED if key.lower() in hidden else redact_fields(names, each) for key, each in known.items()}
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
