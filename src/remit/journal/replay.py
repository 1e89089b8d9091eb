"""The ledger of a replay: the journal provides answers, new items are compared with it, and nothing is written."""

from __future__ import annotations

import math
from collections.abc import Sequence

from remit.chat.chat import decode_message
from remit.errors import CallCancelledError, CallError, DeadlineError, DivergedError, Suspended, error_from_reply
from remit.journal.codec import encode_item
from remit.journal.replayed_calls import ReplayedCalls
from remit.journal.replayed_decisions import NoReservations, ReplayedDecisions
from remit.record.items import (
    CallItem,
    ErasedItem,
    Item,
    Message,
    Mismatch,
    ModelUsage,
    Note,
    Position,
    RunFinished,
    RunScheduled,
    ToolOutput,
    output_content,
)
from remit.record.ledger import Consumption, Execution
from remit.record.meter import Meter
from remit.record.past import PastCalls


class ReplayLedger:
    """Compares each item that the current code writes with the recorded one.

    Messages and terminal records are compared byte for byte. An unrecorded call counts as a difference.
    """

    def __init__(self, run: str, history: Sequence[Position], prior_messages: Sequence[str] = ()) -> None:
        self.run = run
        self.prior_messages = prior_messages
        self._items_by_call: dict[str, list[Item]] = {}
        self._unclaimed_items: dict[int, Item] = {}
        self._executed_calls: set[str] = set()
        was_cancelled = any(isinstance(p.item, RunFinished) and p.item.status == "cancelled" for p in history)
        is_early = bool(history) and isinstance(history[-1].item, RunScheduled)
        self.execution = Execution(
            is_replaying=True,
            was_cancelled=was_cancelled,
            starts_at=math.inf if is_early else 0.0,
            is_early=is_early,
        )
        self._started_at = history[0].at if history else 0.0
        for position in history:
            item = position.item
            self._items_by_call.setdefault(item.call, []).append(item)
            if isinstance(item, (Message, ToolOutput)):
                self._unclaimed_items[id(item)] = item
            self._executed_calls.update(_calls_executed_before(item))
        self.order = ReplayedCalls(history, self._items_by_call, was_cancelled=was_cancelled)
        self.decisions = ReplayedDecisions(self._items_by_call)
        self.reservations = NoReservations()
        self.past = PastCalls([])
        self.compared_count = 0
        self.meter = Meter({}, self.now)
        self.unread_keys: set[str] = set()
        self._has_erased_message = False

    def now(self) -> float:
        """The start time of the recorded run."""
        return self._started_at

    def recorded_items(self) -> Sequence[Item]:
        """Return no items: a replay opens no question."""
        return ()

    def items_for(self, call: str) -> Sequence[Item]:
        """All items stored under ``call``. Its messages and terminal record count as reached."""
        items = self._items_by_call.get(call, [])
        for item in items:
            if isinstance(item, ToolOutput) or (isinstance(item, Message) and item.request):
                self._claim_item(item)
            elif isinstance(item, ErasedItem) and item.was == Message.kind:
                self._has_erased_message = True
        return items

    def should_run_body(self, call: str) -> bool:
        """Whether to execute the body of ``call`` again, because it left items or succeeded.

        Otherwise the call was refused before its body ran. A body that timed out or was cancelled by its caller is not
        executed again, because no time passes in a replay; its recorded items count as reached.
        """
        ends = (item for item in self._items_by_call.get(call, ()) if isinstance(item, ToolOutput))
        cut = DeadlineError if self.execution.was_cancelled else (DeadlineError, CallCancelledError)
        if any(_failed_with(item, cut) for item in ends):
            self._claim_descendants(call)
            return False
        return call in self._executed_calls

    def add(self, item: Item) -> None:
        """Compare an item with the recorded one.

        Raises:
            DivergedError: the journal has a different item, or no item.
            Suspended: the run was cancelled before this call ended.
        """
        if isinstance(item, (Note, ModelUsage, Mismatch)):
            return
        candidates = [recorded for recorded in self._items_by_call.get(item.call, ()) if recorded.kind == item.kind]
        equal = [recorded for recorded in candidates if recorded == item]
        match = next((each for each in equal if id(each) in self._unclaimed_items), equal[0] if equal else None)
        if match is not None:
            self._claim_item(match)
        elif candidates and self.execution.was_cancelled and _was_cancelled(candidates[0]):
            self._claim_item(candidates[0])
            raise Suspended
        elif candidates:
            raise DivergedError(
                f"{_describe_item(item)}: recorded {encode_item(candidates[0])[:300]}, today {encode_item(item)[:300]}"
            )
        elif self._was_erased(item):
            raise DivergedError(f"{_describe_item(item)} was erased from the journal and cannot be compared")
        else:
            raise DivergedError(f"{_describe_item(item)} is not in the journal: {encode_item(item)[:300]}")

    async def commit(self, item: Item, consumption: Consumption | None = None) -> None:
        """Compare an item with the recorded one."""
        self.add(item)

    def start_flush(self) -> None:
        """Reject a model request, since the journal does not record it.

        Raises:
            Suspended: the run was cancelled at this point.
            DivergedError: the run was not cancelled here.
        """
        if self.execution.was_cancelled:
            raise Suspended
        if self._has_erased_message:
            raise DivergedError("a message was erased from the journal; the replay cannot continue without it")
        raise DivergedError("the current code makes one more model request than the journal records")

    def unclaimed_items(self) -> list[Item]:
        """Recorded messages and terminal records that the current code did not reach."""
        return list(self._unclaimed_items.values())

    def _claim_descendants(self, call: str) -> None:
        below = [item for item in self._unclaimed_items.values() if _enclosing_call(item) == call]
        for item in below:
            self._claim_item(item)
            if item.call != call:
                self._claim_descendants(item.call)

    def _was_erased(self, item: Item) -> bool:
        recorded = self._items_by_call.get(item.call, ())
        return any(isinstance(each, ErasedItem) and each.was == item.kind for each in recorded)

    def _claim_item(self, item: Item) -> None:
        if self._unclaimed_items.pop(id(item), None) is not None:
            self.compared_count += 1


def _calls_executed_before(item: Item) -> tuple[str, ...]:
    """The calls whose bodies must have run before ``item`` was written."""
    match item:
        case Message():
            return (item.agent,)
        case Note():
            return (item.call,)
        case ToolOutput():
            return (item.parent, item.call) if item.outcome == "ok" else (item.parent,)
        case CallItem():
            return (item.parent,)
        case _:
            return ()


def _enclosing_call(item: Item) -> str:
    """The call whose body wrote the item."""
    if isinstance(item, ToolOutput):
        return item.parent
    return item.agent.partition(":")[0] if isinstance(item, Message) else ""  # without `:compaction`


def _was_cancelled(item: Item) -> bool:
    """Whether the item is the terminal record of a cancelled call."""
    return isinstance(item, ToolOutput) and _failed_with(item, CallCancelledError)


def _failed_with(item: ToolOutput, kind: type[CallError] | tuple[type[CallError], ...]) -> bool:
    return item.outcome == "error" and isinstance(error_from_reply(output_content(item)), kind)


def _describe_item(item: Item) -> str:
    if isinstance(item, ToolOutput):
        return f"the end of the call {item.callee} ({item.call[:8]})"
    if isinstance(item, Message):
        return f"turn 1: the {decode_message(item.text)['role']} message"
    return f"{item.kind} of {item.call[:12]}"
