"""Events about calls: what was asked, how it came out, and what must not be read left out."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any, Final, cast

from remit.contracts.call import Call, CallLayer, CallService
from remit.contracts.notes import note
from remit.contracts.reply import Reply
from remit.core.frozen import frozen
from remit.errors import CallError

REDACTED: Final = "[redacted]"


@frozen
class Events(CallLayer):
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
                self._file(call, Reply.failed(error))
                raise
            self._file(call, reply)
            return reply

        return audited

    def _file(self, call: Call, reply: Reply) -> None:
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
            event["request"] = without(self.redact, call.arguments.value)
        if self.response and reply.outcome == "ok":
            event["response"] = without(self.redact, _picked(_read(reply.content), self.fields))
        note(call, name, event)


def without(names: Collection[str], value: Any) -> Any:
    """A JSON value in which the fields of these names, however they are capitalised, say that they are left out."""
    if isinstance(value, dict):
        known = cast("dict[str, Any]", value)
        hidden = {name.lower() for name in names}
        return {key: REDACTED if key.lower() in hidden else without(names, each) for key, each in known.items()}
    if isinstance(value, list):
        return [without(names, each) for each in cast("list[Any]", value)]
    return value


def _picked(value: Any, names: Collection[str]) -> Any:
    if not names or not isinstance(value, dict):
        return value
    return {key: each for key, each in cast("dict[str, Any]", value).items() if key in names}


def _read(content: str) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return content
