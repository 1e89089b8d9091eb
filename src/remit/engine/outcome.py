"""The outcome of one execution of a run, and how a run comes to rest."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final, Literal

from msgspec import Struct

from remit.call.reply import Reply
from remit.errors import CallCancelledError, Suspended
from remit.journal.index import RESTING_STATUSES
from remit.journal.ledger import RunLedger
from remit.record.items import Item, RunFinished, RunScheduled, RunStalled, RunSuspended
from remit.record.usage import NO_USAGE, UsageTotals

CANCELLED_REPLY: Final = Reply.from_error(CallCancelledError("the run was cancelled"))

STALL_FIRST_SECONDS: Final = 60.0
STALL_MAX_SECONDS: Final = 900.0
"""The first and the longest delay of a stalled run in seconds, if the provider gives none."""

SAID_FIRST_SECONDS: Final = 1.0
"""The first delay of a stalled run in seconds. Later delays grow. The provider can only ask for more."""

RETRY_AFTER_MAX_SECONDS: Final = 3600.0
"""The longest delay of a stalled run in seconds, whatever the provider asks for."""

ExecutionStatus = Literal["done", "failed", "queued", "open", "waiting", "stalled", "scheduled", "cancelled"]


class RunRefused(asyncio.CancelledError):
    """A run may not start. It ends as cancelled; the text gives the reason."""


class TermsLostSignal(Suspended):
    """The run rests because this process lacks its terms ``lacks``."""

    def __init__(self, *questions: str, reason: str, lacks: Iterable[str]) -> None:
        super().__init__(*questions, reason=reason)
        self.lacks = tuple(lacks)


class ExecutionOutcome(Struct, frozen=True, kw_only=True):
    """The outcome of an execution: the reply of the root call, or what the run waits for.

    ``items`` are all items of the run so far.

    ``retry_at`` (epoch seconds) is when a stalled or scheduled run continues, ``reason`` why a run is stalled.
    """

    status: ExecutionStatus
    reply: Reply | None = None
    questions: tuple[str, ...] = ()
    retry_at: float = 0.0
    reason: str = ""
    usage: UsageTotals = NO_USAGE
    items: Sequence[Item] = ()

    @property
    def is_resting(self) -> bool:
        """Whether the run can be resumed."""
        return self.status in RESTING_STATUSES


def cancelled_outcome(run: str, reason: str) -> tuple[ExecutionOutcome, RunFinished]:
    """The outcome of an execution that was cancelled, for a reason if there is one, and the item that records it."""
    reply = Reply.from_error(CallCancelledError(reason)) if reason else CANCELLED_REPLY
    finished = RunFinished(call=run, status="cancelled", error=reason)
    return ExecutionOutcome(status="cancelled", reply=reply), finished


def bring_to_rest(ledger: RunLedger, signal: Suspended) -> tuple[ExecutionOutcome, Item]:
    """The outcome of an execution that came to rest, and the item that records it.

    A stalled run is retried when the provider says, but within an hour; by default after a minute. The delay (a
    minute, or a second if the provider asks for less) doubles each time, up to a quarter of an hour. It is reset after
    a quarter of an hour without a stall.
    """
    if signal.starts_at:
        return ExecutionOutcome(status="scheduled", retry_at=signal.starts_at), RunScheduled(
            call=ledger.run, at=signal.starts_at
        )
    if not signal.reason:
        suspended = RunSuspended(call=ledger.run, questions=signal.questions)
        status = "waiting" if signal.questions else "open"
        return ExecutionOutcome(status=status, questions=signal.questions), suspended
    asked = signal.retry_after
    if asked is None or not asked >= 0:  # the provider's delay may be NaN
        asked = 0.0
        delay = STALL_FIRST_SECONDS
    else:
        delay = SAID_FIRST_SECONDS
    earlier = [item for item in ledger.items_for(ledger.run) if isinstance(item, RunStalled)]
    if earlier and ledger.now() <= earlier[-1].retry_at + STALL_MAX_SECONDS:
        delay = min(delay * 2.0 ** min(len(earlier), 10), STALL_MAX_SECONDS)
    retry_at = ledger.now() + max(delay, min(asked, RETRY_AFTER_MAX_SECONDS))
    lacks = signal.lacks if isinstance(signal, TermsLostSignal) else ()
    stalled = RunStalled(
        call=ledger.run, reason=signal.reason, retry_at=retry_at, questions=signal.questions, lacks=lacks
    )
    return (
        ExecutionOutcome(status="stalled", questions=signal.questions, retry_at=retry_at, reason=signal.reason),
        stalled,
    )
