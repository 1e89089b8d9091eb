"""A tool's preview of a call, shown to the approver, and compared again before the call runs."""

from __future__ import annotations

import asyncio
from typing import Final, Protocol, runtime_checkable

from pydantic import BaseModel

from remit.contracts.call import Call
from remit.contracts.callee import LeafContext
from remit.contracts.changed import Changed
from remit.contracts.failures import is_failure
from remit.contracts.principal import Caller
from remit.contracts.question import NO_PREVIEW, Change, Preview, content_digest
from remit.contracts.secret import redact_secrets
from remit.errors import CallError, ToolFailedError

_TIMEOUT: Final = 10.0
"""Seconds on the loop's clock that a preview may take."""

_MAX_SUMMARY: Final = 2000
_MAX_CHANGES: Final = 50
_MAX_VALUE: Final = 500
_MAX_STATE: Final = 200


@runtime_checkable
class HasPreview(Protocol):
    """A callee that can describe a call better than its arguments do."""

    async def preview(self, payload: BaseModel, ctx: LeafContext, /) -> Preview | str:
        """Describe the call."""
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

    def emit(self, name: str | Changed, data: object = None, /) -> None:
        """Do nothing: the call does not run."""


async def preview_call(call: Call) -> Preview:
    """The callee's preview of a validated call, empty without one.

    Raises:
        CallError: the preview failed, so that the call cannot be judged.
    """
    callee, payload = call.callee, call.payload
    if payload is None or not isinstance(callee, HasPreview):
        return NO_PREVIEW
    try:
        async with asyncio.timeout(_TIMEOUT):
            # A preview gets a payload of its own: one that changes it must not change what runs.
            own = call.callee.schema_in.load(call.canonical_arguments)
            preview = await callee.preview(own, _PreviewContext(call))
        return _shorten(Preview(preview) if isinstance(preview, str) else preview)
    except CallError:
        raise
    except TimeoutError as error:
        raise ToolFailedError(f"the preview of {callee.name} took longer than {_TIMEOUT:g} seconds") from error
    except BaseException as error:
        if not is_failure(error):
            raise
        message = redact_secrets(f"the preview of {callee.name} failed: {type(error).__name__}: {error}")
        raise ToolFailedError(message[:_MAX_SUMMARY]) from error


def _shorten(preview: Preview) -> Preview:
    state = preview.state
    return Preview(
        _shorten_text(preview.summary, _MAX_SUMMARY),
        tuple(
            Change(*(_shorten_text(text, _MAX_VALUE) for text in (change.where, change.before, change.after)))
            for change in list(preview.changes)[:_MAX_CHANGES]
        ),
        _shorten_text(preview.link, _MAX_VALUE),
        state if len(state) <= _MAX_STATE else content_digest(state),
    )


def _shorten_text(text: str, length: int) -> str:
    return redact_secrets(text)[:length]
