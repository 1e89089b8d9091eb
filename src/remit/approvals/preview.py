"""A tool's preview of a call, shown to the approver."""

from __future__ import annotations

import asyncio
from typing import Final, Protocol, runtime_checkable

from pydantic import BaseModel

from remit.contracts.call import Call
from remit.contracts.callee import LeafContext
from remit.contracts.principal import Caller

_TIMEOUT: Final = 10.0
"""Seconds on the loop's clock that a preview may take."""

_MAX_LENGTH: Final = 2000


@runtime_checkable
class HasPreview(Protocol):
    """A callee that can describe a call better than its arguments do."""

    async def preview(self, payload: BaseModel, ctx: LeafContext, /) -> str:
        """Describe the call in one or a few lines."""
        ...


class _PreviewContext:
    """The context of a call that has not been made, for its preview. Messages are not recorded."""

    def __init__(self, call: Call) -> None:
        self.caller: Caller = call.caller
        self.deadline = call.deadline
        self.key = call.id

    @property
    def run(self) -> str:
        """The id of the run."""
        return self.caller.run

    def log(self, message: str, /, **fields: object) -> None:
        """Do nothing: the call does not run."""

    def emit(self, name: str, data: object = None, /) -> None:
        """Do nothing: the call does not run."""


async def preview_call(call: Call) -> str:
    """The callee's preview of a validated call, empty without one. A failing preview does not prevent the question."""
    callee, payload = call.callee, call.payload
    if payload is None or not isinstance(callee, HasPreview):
        return ""
    try:
        async with asyncio.timeout(_TIMEOUT):
            return (await callee.preview(payload, _PreviewContext(call)))[:_MAX_LENGTH]
    except TimeoutError:
        return f"(what this is about could not be told: {callee.name} took longer than {_TIMEOUT:g} seconds)"
    except Exception as error:  # noqa: BLE001 - the approver decides without it
        return f"(what this is about could not be told: {error})"[:_MAX_LENGTH]
