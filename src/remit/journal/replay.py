"""The ledger of a run that is driven again only to compare: the journal answers, and nothing is written."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from remit.contracts.chat import decode_message
from remit.contracts.grant import Grant
from remit.contracts.items import (
    AttemptStarted,
    DecisionItem,
    ErasedItem,
    Item,
    Message,
    Mismatch,
    ModelReply,
    ModelUsage,
    Note,
    Position,
    QuestionItem,
    RunFinished,
    ToolOutput,
)
from remit.contracts.ledger import Consumption, UsageTotals
from remit.contracts.question import Decision, Question
from remit.errors import CallCancelledError, CallError, DeadlineError, DivergedError, Suspended, error_from_reply
from remit.journal.codec import encode_item, output_content


class ReplayLedger:
    """Every item that today's code would write must be one that the journal holds.

    Messages and terminal records are compared to the byte; a call that the journal does not know is a difference.
    """

    is_replaying = True
    is_stopping = False

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
        for position in history:
            item = position.item
            self._items_by_call.setdefault(item.call, []).append(item)
            self._first_seq_by_call.setdefault(item.call, position.seq)
            if isinstance(item, ToolOutput):
                self._outputs_by_parent.setdefault(item.parent, []).append((position.seq, item.call, item.callee))
            if isinstance(item, (Message, ModelReply, ToolOutput)):
                self._unclaimed_items[id(item)] = item
            self._executed_calls.update(_calls_executed_before(item))
        for ends in self._outputs_by_parent.values():
            ends.reverse()
        self.compared_count = 0
        self._has_erased_message = False

    def now(self) -> float:
        """The time of the run, not of today."""
        return self._started_at

    def items_for(self, call: str) -> Sequence[Item]:
        """Everything filed under ``call``; whoever asks claims the messages and the end it finds."""
        items = self._items_by_call.get(call, [])
        for item in items:
            if isinstance(item, (ModelReply, ToolOutput)) or (isinstance(item, Message) and item.request):
                self._claim_item(item)
            elif isinstance(item, ErasedItem) and item.was in _MESSAGE_KINDS:
                self._has_erased_message = True
        return items

    def should_run_body(self, call: str) -> bool:
        """Whether the body of ``call`` is driven again: it did something, or came to a good end.

        Else it was refused before. One that ended because its time was over is not driven again: no time passes here.
        What it did is taken as it is told.
        """
        ends = (item for item in self._items_by_call.get(call, ()) if isinstance(item, ToolOutput))
        if any(_failed_with(item, DeadlineError) for item in ends):
            self._claim_descendants(call)
            return False
        return call in self._executed_calls

    def add(self, item: Item) -> None:
        """Compare an item with the recorded one.

        Raises:
            DivergedError: the journal holds another, or none.
            Suspended: the run was cancelled before this call came to its end.
        """
        if isinstance(item, (Note, ModelUsage, Mismatch)):
            return
        candidates = [known for known in self._items_by_call.get(item.call, ()) if known.kind == item.kind]
        equal = [known for known in candidates if known == item]
        same = next((known for known in equal if id(known) in self._unclaimed_items), equal[0] if equal else None)
        if same is not None:
            self._claim_item(same)
        elif candidates and self.was_cancelled and _was_cancelled(candidates[0]):
            self._claim_item(candidates[0])
            raise Suspended
        elif candidates:
            raise DivergedError(
                f"{_describe_item(item)}: recorded {encode_item(candidates[0])[:300]}, today {encode_item(item)[:300]}"
            )
        elif self._was_erased(item):
            raise DivergedError(f"{_describe_item(item)} was erased from the journal; it cannot be compared")
        else:
            raise DivergedError(f"{_describe_item(item)} is not in the journal: {encode_item(item)[:300]}")

    async def commit(self, item: Item, consumption: Consumption | None = None) -> None:
        """Compare an item with the recorded one."""
        self.add(item)

    def start_flush(self) -> None:
        """A request to the model that the journal does not know was about to be made.

        Raises:
            Suspended: the run was cancelled here.
            DivergedError: it was not.
        """
        if self.was_cancelled:
            raise Suspended
        if self._has_erased_message:
            raise DivergedError("the journal's message was erased; a replay does not go on without it")
        raise DivergedError("today's code asks the model once more than the journal tells of")

    def claim_call(self, parent: str, call: str) -> bool:
        """No: whether its turn has come is seen when it is made."""
        self._claimed_calls.add(call)
        return False

    async def wait_for_recorded_calls(self, parent: str, call: str, is_busy: Callable[[], bool]) -> None:
        """Compare the order: what had ended before this call began must have been called before it.

        Raises:
            DivergedError: it comes too early, or in the place of another.
            Suspended: the run was cancelled before this call began.
        """
        if self.was_cancelled and call not in self._items_by_call:
            await self._raise_unrecorded_call(parent)
        ends = self._outputs_by_parent.get(parent)
        while ends and ends[-1][1] in self._claimed_calls:
            ends.pop()
        if ends and call in self._items_by_call and ends[-1][0] < self._first_seq_by_call[call]:
            raise DivergedError(f"a call of {parent[:8]} comes before one ({ends[-1][2]}) that came before it")

    async def _raise_unrecorded_call(self, parent: str) -> None:
        """A run that was cancelled knows nothing of a call that had not begun; all that had is made before it."""
        await asyncio.sleep(0)  # calls that begin together with it are made now
        other = next(
            (callee for _, made, callee in self._outputs_by_parent.get(parent, ()) if made not in self._claimed_calls),
            None,
        )
        if other is None:
            raise Suspended
        raise DivergedError(f"a call of {parent[:8]} is not in the journal, where {other} comes in its place")

    def finish_body(self, parent: str) -> None:
        """What was not made is found at the end of the replay."""

    async def find_usable_question(self, match: str) -> tuple[Question, Decision | None] | None:
        """The question that the run recorded for this match."""
        found: Question | None = None
        decision: Decision | None = None
        for item in (item for items in self._items_by_call.values() for item in items):
            if isinstance(item, QuestionItem) and Question.from_json(item.body).match == match:
                found, decision = Question.from_json(item.body), None
            elif isinstance(item, DecisionItem) and found is not None and item.question == found.id:
                decision = Decision.from_json(item.body)
        return (found, decision) if found is not None else None

    async def usable_grants(self, tenant: str, tool: str) -> Sequence[Grant]:
        """None: what a grant allowed stands in the journal."""
        return ()

    async def is_grant_valid(self, tenant: str, grant: str) -> bool:
        """Yes: what a grant allowed stands in the journal."""
        return True

    async def use_grant(self, grant: str) -> bool:
        """No: nothing starts in a replay."""
        return False

    def reserve_call(self, call: str, limit: int) -> bool:
        """Yes: nothing starts in a replay."""
        return True

    def reserve_handoff(self, agent: str, limit: int) -> bool:
        """Yes: nothing starts in a replay."""
        return True

    def usage_totals(self) -> UsageTotals:
        """Nothing: nothing starts in a replay."""
        return UsageTotals()

    def unclaimed_items(self) -> list[Item]:
        """Messages and ends that the journal holds and today's code never came to."""
        return list(self._unclaimed_items.values())

    def _claim_descendants(self, call: str) -> None:
        below = [item for item in self._unclaimed_items.values() if _enclosing_call(item) == call]
        for item in below:
            self._claim_item(item)
            if item.call != call:
                self._claim_descendants(item.call)

    def _was_erased(self, item: Item) -> bool:
        filed = self._items_by_call.get(item.call, ())
        return any(isinstance(known, ErasedItem) and known.was == item.kind for known in filed)

    def _claim_item(self, item: Item) -> None:
        if self._unclaimed_items.pop(id(item), None) is not None:
            self.compared_count += 1


_MESSAGE_KINDS: Final = (Message.kind, ModelReply.kind)


def _calls_executed_before(item: Item) -> tuple[str, ...]:
    """The calls whose bodies must have run where the journal holds ``item``."""
    match item:
        case Message() | ModelReply():
            return (item.agent,)
        case Note():
            return (item.call,)
        case ToolOutput():
            return (item.parent, item.call) if item.outcome == "ok" else (item.parent,)
        case AttemptStarted() | QuestionItem():
            return (item.parent,)
        case _:
            return ()


def _enclosing_call(item: Item) -> str:
    """The call in whose body an item was written."""
    return (
        item.parent if isinstance(item, ToolOutput) else item.agent if isinstance(item, (Message, ModelReply)) else ""
    )


def _was_cancelled(item: Item) -> bool:
    """Whether it is the end of a call that was cancelled."""
    return isinstance(item, ToolOutput) and _failed_with(item, CallCancelledError)


def _failed_with(item: ToolOutput, kind: type[CallError]) -> bool:
    return item.outcome == "error" and isinstance(error_from_reply(output_content(item)), kind)


def _describe_item(item: Item) -> str:
    if isinstance(item, ToolOutput):
        return f"the end of the call {item.callee} ({item.call[:8]})"
    if isinstance(item, Message):
        return f"turn 1: the {decode_message(item.text)['role']} message"
    return f"{item.kind} of {item.call[:12]}"
