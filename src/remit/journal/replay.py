"""The ledger of a replay: the journal answers, new items are compared with it, and nothing is written."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from remit.chat.chat import decode_message
from remit.errors import CallCancelledError, CallError, DeadlineError, DivergedError, Suspended, error_from_reply
from remit.journal.codec import encode_item
from remit.record.grant import Grant
from remit.record.items import (
    CallItem,
    DecisionItem,
    ErasedItem,
    Item,
    Message,
    Mismatch,
    ModelUsage,
    Note,
    Position,
    QuestionItem,
    RunFinished,
    RunScheduled,
    ToolOutput,
    output_content,
)
from remit.record.ledger import Consumption, TurnRequest
from remit.record.meter import Meter
from remit.record.question import Decision, Question

_SIBLING_TURNS: Final = 10
"""Turns of the event loop within which a body makes the calls that it makes together, nested groups included."""


class ReplayLedger:
    """Compares each item that the current code writes with the recorded one.

    Messages and terminal records are compared byte for byte. A call that the journal does not record is a difference.
    """

    is_replaying = True
    is_stopping = False
    starts_before = 0.0

    def __init__(self, run: str, history: Sequence[Position], prior_messages: Sequence[str] = ()) -> None:
        self.run = run
        self.prior_messages = prior_messages
        self._items_by_call: dict[str, list[Item]] = {}
        self._unclaimed_items: dict[int, Item] = {}
        self._first_seq_by_call: dict[str, int] = {}
        self._outputs_by_parent: dict[str, list[tuple[int, str, str]]] = {}
        self._claimed_calls: set[str] = set()
        self._executed_calls: set[str] = set()
        self.was_cancelled = any(isinstance(p.item, RunFinished) and p.item.status == "cancelled" for p in history)
        self._started_at = history[0].at if history else 0.0
        has_not_begun = bool(history) and isinstance(history[-1].item, RunScheduled)
        self.is_early = has_not_begun
        self.starts_at = math.inf if has_not_begun else 0.0
        parents: dict[str, str] = {}
        for position in history:
            item = position.item
            self._items_by_call.setdefault(item.call, []).append(item)
            self._first_seq_by_call.setdefault(item.call, position.seq)
            if isinstance(item, CallItem):
                parents[item.call] = item.parent
            if isinstance(item, ToolOutput):
                self._outputs_by_parent.setdefault(item.parent, []).append((position.seq, item.call, item.callee))
            if isinstance(item, (Message, ToolOutput)):
                self._unclaimed_items[id(item)] = item
            self._executed_calls.update(_calls_executed_before(item))
        for call, seq in list(self._first_seq_by_call.items()):
            parent = parents.get(call, "")
            while parent and seq < self._first_seq_by_call.get(parent, seq + 1):  # a composed call begins with a call
                self._first_seq_by_call[parent] = seq
                parent = parents.get(parent, "")
        for ends in self._outputs_by_parent.values():
            ends.reverse()
        self.compared_count = 0
        self.meter = Meter({}, self.now)
        self.unread_keys: set[str] = set()
        self._has_erased_message = False

    def now(self) -> float:
        """The start time of the recorded run."""
        return self._started_at

    @property
    def user_message(self) -> str:
        """Empty: a replay opens no question."""
        return ""

    def recorded_items(self) -> Iterable[Item]:
        """None: a replay opens no question."""
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
        """Whether to execute the body of ``call`` again: it did something, or ended well.

        Otherwise the call was refused before its body. A body that timed out, or that its caller cancelled, is not
        executed again, because no time passes in a replay; its recorded items count as reached.
        """
        ends = (item for item in self._items_by_call.get(call, ()) if isinstance(item, ToolOutput))
        cut = DeadlineError if self.was_cancelled else (DeadlineError, CallCancelledError)
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
        elif candidates and self.was_cancelled and _was_cancelled(candidates[0]):
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
            DivergedError: it was not.
        """
        if self.was_cancelled:
            raise Suspended
        if self._has_erased_message:
            raise DivergedError("a message was erased from the journal; the replay cannot continue without it")
        raise DivergedError("the current code makes one more model request than the journal records")

    def claim_call(self, parent: str, call: str) -> bool:
        """Return False: `wait_for_recorded_calls` checks the order of every call."""
        self._claimed_calls.add(call)
        return False

    async def wait_for_recorded_calls(self, parent: str, call: str, is_busy: Callable[[], bool]) -> None:
        """Check the order: calls that had ended before this one began must have been made before it.

        Raises:
            DivergedError: the call comes too early, or instead of another.
            Suspended: the run was cancelled before this call began.
        """
        if self.was_cancelled and call not in self._items_by_call:
            await self._raise_unrecorded_call(parent)
        ended = self._find_earlier_end(parent, call)
        for _ in range(_SIBLING_TURNS if ended else 0):
            await asyncio.sleep(0)  # calls that began together with this one may have ended before its first item
            ended = self._find_earlier_end(parent, call)
        if ended:
            raise DivergedError(f"a call of {parent[:8]} comes before {ended}, but the journal records {ended} first")

    def _find_earlier_end(self, parent: str, call: str) -> str:
        """The callee of a call that ended before the first item of ``call`` and is not made yet; empty if none."""
        ends = self._outputs_by_parent.get(parent)
        while ends and ends[-1][1] in self._claimed_calls:
            ends.pop()
        is_late = ends and call in self._items_by_call and ends[-1][0] < self._first_seq_by_call[call]
        return ends[-1][2] if ends and is_late else ""

    async def _raise_unrecorded_call(self, parent: str) -> None:
        """End an unrecorded call of a cancelled run: with `Suspended` once all recorded calls have been made."""
        await asyncio.sleep(0)  # let calls that begin together with this one be made first
        other = next(
            (callee for _, call, callee in self._outputs_by_parent.get(parent, ()) if call not in self._claimed_calls),
            None,
        )
        if other is None:
            raise Suspended
        raise DivergedError(f"a call of {parent[:8]} is not in the journal, which records {other} in its place")

    def expects_calls(self, parent: str) -> bool:
        """Whether the journal records calls of the body of ``parent`` that it has not made yet."""
        return any(call not in self._claimed_calls for _, call, _ in self._outputs_by_parent.get(parent, ()))

    def finish_body(self, parent: str) -> None:
        """Do nothing: calls that were not made are found at the end of the replay."""

    async def find_usable_question(self, match: str) -> tuple[Question, Decision | None] | None:
        """The question that the run recorded for this match."""
        question: Question | None = None
        decision: Decision | None = None
        for item in (item for items in self._items_by_call.values() for item in items):
            if isinstance(item, QuestionItem) and Question.from_json(item.body).match == match:
                question, decision = Question.from_json(item.body), None
            elif isinstance(item, DecisionItem) and question is not None and item.question == question.id:
                decision = Decision.from_json(item.body)
        return (question, decision) if question is not None else None

    async def find_last_approval(
        self, *, tenant: str, asker: str, target: str, tool: str, rule: str
    ) -> tuple[Question, Decision] | None:
        """Return None: a replay opens no question."""

    async def is_used_elsewhere(self, question: str, call: str) -> bool:
        """Return False: the run recorded the approval that it used."""
        return False

    async def decide(self, decision: Decision) -> Decision | None:
        """Return the decision: it is compared where it is journaled."""
        return decision

    async def usable_grants(self, tenant: str, tool: str) -> Sequence[Grant]:
        """Return none: decisions by grants are recorded."""
        return ()

    async def is_grant_valid(self, tenant: str, grant: str) -> bool:
        """Return True: decisions by grants are recorded."""
        return True

    async def use_grant(self, grant: str) -> bool:
        """Return False: a replay starts nothing."""
        return False

    async def take_turn(self, call: str, attempt: int, request: TurnRequest) -> float:
        """Return 0: a replay starts nothing."""
        return 0.0

    def reserve_call(self, call: str, limit: int, window: float = 0.0) -> bool:
        """Return True: a replay starts nothing."""
        return True

    def reserve_handoff(self, agent: str, limit: int) -> bool:
        """Return True: a replay starts nothing."""
        return True

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
