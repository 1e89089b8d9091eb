"""The ledger of a run that is driven again only to compare: the journal answers, and nothing is written."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from remit.contracts.chat import read
from remit.contracts.grant import Grant
from remit.contracts.items import (
    Asked,
    Decided,
    Erased,
    Finished,
    Item,
    Message,
    Mismatch,
    ModelReply,
    Note,
    Position,
    Started,
    ToolOutput,
    Usage,
)
from remit.contracts.ledger import Spent, Take
from remit.contracts.question import Decision, Question
from remit.errors import CallCancelledError, CallError, DeadlineError, DivergedError, Suspended, from_reply
from remit.journal.codec import encode, tool_content


class ReplayLedger:
    """Every item that today's code would write must be one that the journal holds.

    Messages and terminal records are compared to the byte; a call that the journal does not know is a difference.
    """

    replaying = True
    stopping = False

    def __init__(self, run: str, known: Sequence[Position], prior: Sequence[str] = ()) -> None:
        self.run = run
        self.prior = prior
        self._filed: dict[str, list[Item]] = {}
        self._unclaimed: dict[int, Item] = {}
        self._first: dict[str, int] = {}
        self._ends: dict[str, list[tuple[int, str, str]]] = {}
        self._made: set[str] = set()
        self._begun: set[str] = set()
        self.cancelled = any(isinstance(p.item, Finished) and p.item.status == "cancelled" for p in known)
        self._at = known[0].at if known else 0.0
        for position in known:
            item = position.item
            self._filed.setdefault(item.call, []).append(item)
            self._first.setdefault(item.call, position.seq)
            if isinstance(item, ToolOutput):
                self._ends.setdefault(item.parent, []).append((position.seq, item.call, item.callee))
            if isinstance(item, (Message, ModelReply, ToolOutput)):
                self._unclaimed[id(item)] = item
            self._begun.update(_signs(item))
        for ends in self._ends.values():
            ends.reverse()
        self.compared = 0
        self._gone = False

    def now(self) -> float:
        """The time of the run, not of today."""
        return self._at

    def known(self, call: str) -> Sequence[Item]:
        """Everything filed under ``call``; whoever asks claims the messages and the end it finds."""
        items = self._filed.get(call, [])
        for item in items:
            if isinstance(item, (ModelReply, ToolOutput)) or (isinstance(item, Message) and item.request):
                self._claim(item)
            elif isinstance(item, Erased) and item.was in _MESSAGES:
                self._gone = True
        return items

    def has_begun(self, call: str) -> bool:
        """Whether the body of ``call`` is driven again: it did something, or came to a good end.

        Else it was refused before. One that ended because its time was over is not driven again: no time passes here.
        What it did is taken as it is told.
        """
        ends = (item for item in self._filed.get(call, ()) if isinstance(item, ToolOutput))
        if any(_ended_by(item, DeadlineError) for item in ends):
            self._claim_below(call)
            return False
        return call in self._begun

    def add(self, item: Item) -> None:
        """Compare an item with the recorded one.

        Raises:
            DivergedError: the journal holds another, or none.
            Suspended: the run was cancelled before this call came to its end.
        """
        if isinstance(item, (Note, Usage, Mismatch)):
            return
        candidates = [known for known in self._filed.get(item.call, ()) if known.kind == item.kind]
        equal = [known for known in candidates if known == item]
        same = next((known for known in equal if id(known) in self._unclaimed), equal[0] if equal else None)
        if same is not None:
            self._claim(same)
        elif candidates and self.cancelled and _was_cut(candidates[0]):
            self._claim(candidates[0])
            raise Suspended
        elif candidates:
            raise DivergedError(f"{_what(item)}: recorded {encode(candidates[0])[:300]}, today {encode(item)[:300]}")
        elif self._was_erased(item):
            raise DivergedError(f"{_what(item)} was erased from the journal; it cannot be compared")
        else:
            raise DivergedError(f"{_what(item)} is not in the journal: {encode(item)[:300]}")

    async def commit(self, item: Item, take: Take | None = None) -> None:
        """Compare an item with the recorded one."""
        self.add(item)

    def store(self) -> None:
        """A request to the model that the journal does not know was about to be made.

        Raises:
            Suspended: the run was cancelled here.
            DivergedError: it was not.
        """
        if self.cancelled:
            raise Suspended
        if self._gone:
            raise DivergedError("the journal's message was erased; a replay does not go on without it")
        raise DivergedError("today's code asks the model once more than the journal tells of")

    def claim(self, parent: str, call: str) -> bool:
        """No: whether its turn has come is seen when it is made."""
        self._made.add(call)
        return False

    async def others_claimed(self, parent: str, call: str, busy: Callable[[], bool]) -> None:
        """Compare the order: what had ended before this call began must have been called before it.

        Raises:
            DivergedError: it comes too early, or in the place of another.
            Suspended: the run was cancelled before this call began.
        """
        if self.cancelled and call not in self._filed:
            await self._stopped_before(parent)
        ends = self._ends.get(parent)
        while ends and ends[-1][1] in self._made:
            ends.pop()
        if ends and call in self._filed and ends[-1][0] < self._first[call]:
            raise DivergedError(f"a call of {parent[:8]} comes before one ({ends[-1][2]}) that came before it")

    async def _stopped_before(self, parent: str) -> None:
        """A run that was cancelled knows nothing of a call that had not begun; all that had is made before it."""
        await asyncio.sleep(0)  # calls that begin together with it are made now
        other = next((callee for _, made, callee in self._ends.get(parent, ()) if made not in self._made), None)
        if other is None:
            raise Suspended
        raise DivergedError(f"a call of {parent[:8]} is not in the journal, where {other} comes in its place")

    def finish(self, parent: str) -> None:
        """What was not made is found at the end of the replay."""

    async def standing(self, match: str) -> tuple[Question, Decision | None] | None:
        """The question that the run recorded for this match."""
        found: Question | None = None
        decision: Decision | None = None
        for item in (item for items in self._filed.values() for item in items):
            if isinstance(item, Asked) and Question.of(item.body).match == match:
                found, decision = Question.of(item.body), None
            elif isinstance(item, Decided) and found is not None and item.question == found.id:
                decision = Decision.of(item.body)
        return (found, decision) if found is not None else None

    async def grants(self, tenant: str, tool: str) -> Sequence[Grant]:
        """None: what a grant allowed stands in the journal."""
        return ()

    async def honours(self, tenant: str, grant: str) -> bool:
        """Yes: what a grant allowed stands in the journal."""
        return True

    async def use(self, grant: str) -> bool:
        """No: nothing starts in a replay."""
        return False

    def reserve(self, call: str, limit: int) -> bool:
        """Yes: nothing starts in a replay."""
        return True

    def reserve_handoff(self, agent: str, limit: int) -> bool:
        """Yes: nothing starts in a replay."""
        return True

    def spent(self) -> Spent:
        """Nothing: nothing starts in a replay."""
        return Spent()

    def unclaimed(self) -> list[Item]:
        """Messages and ends that the journal holds and today's code never came to."""
        return list(self._unclaimed.values())

    def _claim_below(self, call: str) -> None:
        below = [item for item in self._unclaimed.values() if _above(item) == call]
        for item in below:
            self._claim(item)
            if item.call != call:
                self._claim_below(item.call)

    def _was_erased(self, item: Item) -> bool:
        filed = self._filed.get(item.call, ())
        return any(isinstance(known, Erased) and known.was == item.kind for known in filed)

    def _claim(self, item: Item) -> None:
        if self._unclaimed.pop(id(item), None) is not None:
            self.compared += 1


_MESSAGES: Final = (Message.kind, ModelReply.kind)


def _signs(item: Item) -> tuple[str, ...]:
    """The calls whose bodies must have run where the journal holds ``item``."""
    match item:
        case Message() | ModelReply():
            return (item.agent,)
        case Note():
            return (item.call,)
        case ToolOutput():
            return (item.parent, item.call) if item.outcome == "ok" else (item.parent,)
        case Started() | Asked():
            return (item.parent,)
        case _:
            return ()


def _above(item: Item) -> str:
    """The call in whose body an item was written."""
    return (
        item.parent if isinstance(item, ToolOutput) else item.agent if isinstance(item, (Message, ModelReply)) else ""
    )


def _was_cut(item: Item) -> bool:
    """Whether it is the end of a call that was cancelled."""
    return isinstance(item, ToolOutput) and _ended_by(item, CallCancelledError)


def _ended_by(item: ToolOutput, kind: type[CallError]) -> bool:
    return item.outcome == "error" and isinstance(from_reply(tool_content(item)), kind)


def _what(item: Item) -> str:
    if isinstance(item, ToolOutput):
        return f"the end of the call {item.callee} ({item.call[:8]})"
    if isinstance(item, Message):
        return f"turn 1: the {read(item.text)['role']} message"
    return f"{item.kind} of {item.call[:12]}"
