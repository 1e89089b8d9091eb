"""What a tool says that a call of it is about, for the person who is asked."""

from __future__ import annotations

import asyncio
from typing import Final, Protocol, runtime_checkable

from pydantic import BaseModel

from remit.contracts.call import Call
from remit.contracts.callee import LeafContext
from remit.contracts.principal import Caller

_TIMEOUT: Final = 10.0
"""Seconds on the loop's clock that a tool has to find words."""

_MAX_LENGTH: Final = 2000


@runtime_checkable
class HasPreview(Protocol):
    """A callee that can tell a person more about a call than its arguments do."""

    async def preview(self, payload: BaseModel, ctx: LeafContext, /) -> str:
        """What the call is about, in a line or a few."""
        ...


class _PreviewContext:
    """The context of a call that is not made yet, for whoever describes it. What it says to watchers is not kept."""

    def __init__(self, call: Call) -> None:
        self.caller: Caller = call.caller
        self.deadline = call.deadline
        self.key = call.id

    @property
    def run(self) -> str:
        """The id of the run."""
        return self.caller.run

    def log(self, message: str, /, **fields: object) -> None:
        """Say nothing: nothing runs."""

    def emit(self, name: str, data: object = None, /) -> None:
        """Tell nothing: nothing runs."""


async def preview_call(call: Call) -> str:
    """What the callee says of a bound call; empty where it says nothing. One that fails to is no reason not to ask."""
    callee, payload = call.callee, call.payload
    if payload is None or not isinstance(callee, HasPreview):
        return ""
    try:
        async with asyncio.timeout(_TIMEOUT):
            return (await callee.preview(payload, _PreviewContext(call)))[:_MAX_LENGTH]
    except TimeoutError:
        return f"(what this is about could not be told: {callee.name} took longer than {_TIMEOUT:g} seconds)"
    except Exception as error:  # noqa: BLE001 - a person decides with less
        return f"(what this is about could not be told: {error})"[:_MAX_LENGTH]
