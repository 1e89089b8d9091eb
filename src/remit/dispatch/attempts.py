"""The attempts of a call: those that its items record, and stopped ones that continue in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple

from pydantic import BaseModel

from remit.call.call import Call, describe_unread_key
from remit.call.gate import has_begun
from remit.call.reply import Reply
from remit.call.threads import ThreadStillRunning
from remit.errors import CallCancelledError, DeadlineError, InternalError, Suspended
from remit.record.items import AttemptEnded, AttemptStarted, CallEntered, Item


class LateAttempt(NamedTuple):
    """An unsafe attempt that was stopped while its function continues in a thread."""

    call: Call
    number: int
    payload: BaseModel
    thread: Future[Any]
    recording: list[asyncio.Task[None]]


def find_attempt(items: Sequence[Item], attempt: int) -> tuple[int, AttemptStarted | None, AttemptEnded | None]:
    """Find the number of an attempt, not counting void ones, with its recorded start and end."""
    number = attempt + sum(isinstance(item, AttemptEnded) and item.void for item in items)
    started = next((item for item in items if isinstance(item, AttemptStarted) and item.attempt == number), None)
    ended = next((item for item in reversed(items) if isinstance(item, AttemptEnded) and item.attempt == number), None)
    return number, started, ended


def record_entry(call: Call, items: Sequence[Item]) -> None:
    """Record that a composed call starts, before its own calls. The run's header already records the root call."""
    if call.caller.call and not any(isinstance(item, CallEntered) for item in items):
        parent, callee = call.caller.call, call.callee.name
        call.ledger.add(CallEntered(call=call.id, parent=parent, callee=callee, wire=call.wire_id))


def make_end(call: Call, number: int, failed: Reply, *, void: bool = False, where: str = "") -> AttemptEnded:
    """Make the item for the end of a failed attempt. A void attempt has not started, so another may follow."""
    if void:
        call.ledger.unread_keys.discard(call.id)
    return AttemptEnded(
        call=call.id,
        attempt=number,
        outcome=failed.outcome,
        content=failed.content,
        void=void,
        where=where,
        keyless=call.id in call.ledger.unread_keys,
    )


def as_stopped(name: str, error: asyncio.CancelledError) -> CallCancelledError:
    """The error of a cancelled attempt of the callee ``name``."""
    if isinstance(error, ThreadStillRunning):
        return CallCancelledError(f"{name} was cancelled, but {error}; it may still happen")
    return CallCancelledError(f"{name} was stopped while it ran; it may have happened in part")


def check_key(call: Call, ended: AttemptEnded | None) -> None:
    """Refuse a new attempt of a keyed call, from any layer, if the last attempt has not read its key.

    ``ended`` is the attempt's recorded end; a recorded attempt is not made again.

    Raises:
        InternalError: the last attempt ended without reading the key, or is running and has not read it yet.
    """
    if ended is None and call.id in call.ledger.unread_keys:
        raise InternalError(describe_unread_key(call))
    if ended is not None and ended.keyless:
        call.ledger.unread_keys.add(call.id)


def check_time(call: Call, items: Sequence[Item]) -> None:
    """Check that the time of a scheduled run's root call has come.

    Raises:
        Suspended: it is too early.
        DeadlineError: it is too late.
    """
    if has_begun(items):
        return
    now, ledger = call.ledger.now(), call.ledger
    if ledger.execution.is_early or now < ledger.execution.starts_at:
        raise Suspended(reason="scheduled", starts_at=ledger.execution.starts_at)
    if 0 < ledger.execution.starts_before <= now:
        raise DeadlineError(
            f"{call.callee.name} was to start {now - ledger.execution.starts_at:.0f} s ago, and is skipped if missed"
        )
