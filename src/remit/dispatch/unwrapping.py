"""Unwraps replies for Python callers."""

from __future__ import annotations

from typing import Any, Final

from remit.call.reply import NOT_LOADED, Reply
from remit.call.schema import shorten_text
from remit.dispatch.registry import AnyCallee
from remit.errors import InvalidOutputError

_PENDING: Final = '"status":"PENDING"'


def unwrap_reply(callee: AnyCallee, reply: Reply) -> Any:
    """Return the value of a successful reply, loaded from its content if necessary, or raise the error."""
    if reply.outcome != "ok":
        reply.raise_error()
    if reply.value is not NOT_LOADED:
        return reply.value
    try:
        return callee.schema_out.load(reply.content)
    except ValueError as error:
        if reply.is_final:
            return reply.content  # the run's result may come from another callee
        is_pending = reply.is_pending or _PENDING in reply.content  # a method's reply, whose value says so itself
        what = f"the recorded result of {callee.name} does not match its present contract"
        what = f"{callee.name} has no result yet: it answered PENDING" if is_pending else what
        raise InvalidOutputError(f"{what}: {shorten_text(reply.content, 200)}") from error
