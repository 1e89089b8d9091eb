"""The ledger of one run, through which calls read and write the journal.

The ledger travels with the request because it belongs to the run, whereas services with the lifetime of the process are
passed to constructors. Only the executor that holds the run's lease writes to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from msgspec import Struct

from remit.record.grant import Grant
from remit.record.items import OPEN_RUN, Item, QuestionItem, RunOpened
from remit.record.meter import Meter
from remit.record.past import PastCalls
from remit.record.question import Decision, Question
from remit.record.uses import UseRefusal, UseRequest


class Consumption(NamedTuple):
    """A request to consume the decisions on ``questions`` for ``call`` of ``run``, atomically with the resulting item.

    Approvals are consumed with the item that starts the attempt. A denial (``approved`` False) is consumed with the
    copy of the decision.
    """

    questions: tuple[str, ...]
    run: str
    call: str
    approved: bool = True


class TurnRequest(NamedTuple):
    """A request for a turn under a rate limit: at most ``calls`` turns begin in any ``seconds``.

    ``rate`` identifies the limit and its subject. A turn that would begin after ``max_wait`` seconds is not taken.
    """

    rate: str
    calls: int
    seconds: float
    max_wait: float


class Execution(Struct, kw_only=True):
    """How a run is executed.

    Attributes:
        is_replaying: this execution only compares; composed calls run again although their ends are recorded.
        is_stopping: it executes only to end the run; calls without a recorded end are cancelled.
        was_cancelled: it replays a run that was cancelled.
        starts_at: when the run's root call starts, in seconds since the epoch; 0 for immediately.
        starts_before: when it is too late for the root call, in seconds since the epoch; 0 for never.
        is_early: it began before ``starts_at``, and so does not make the root call even if the time comes.
    """

    is_replaying: bool = False
    is_stopping: bool = False
    was_cancelled: bool = False
    starts_at: float = 0.0
    starts_before: float = 0.0
    is_early: bool = False


class CallOrder(Protocol):
    """The order in which a run's bodies make calls. A re-executed run keeps the recorded order."""

    def claim(self, parent: str, call: str) -> bool:
        """Report that the body of ``parent`` makes ``call``; return whether the call may start at once.

        In a re-executed run, an unrecorded call waits for the recorded ones.
        """
        ...

    async def wait(self, parent: str, call: str, is_busy: Callable[[], bool]) -> None:
        """Wait until the body of ``parent`` has made the calls recorded before ``call``.

        Raises:
            DivergedError: the body does not make them, and ``is_busy`` reports that none of its calls is in progress.
        """
        ...

    def expects(self, parent: str) -> bool:
        """Whether the body of ``parent`` has still to make recorded calls."""
        ...

    def finish(self, parent: str) -> None:
        """Report that the body of ``parent`` makes no more calls.

        Raises:
            DivergedError: the body has not made a recorded call.
        """
        ...


class Decisions(Protocol):
    """The decisions and grants that a run's calls use."""

    async def find_usable_question(self, match: str) -> tuple[Question, Decision | None] | None:
        """The conversation's open or unused question that matches, with its decision if there is one."""
        ...

    async def find_last_approval(
        self, *, tenant: str, asker: str, target: str, tool: str, rule: str
    ) -> tuple[Question, Decision] | None:
        """The newest approved question of this application with that rule, asker, tool and target."""
        ...

    async def is_used_elsewhere(self, question: str, call: str) -> bool:
        """Whether a call other than ``call`` has used the decision on a question."""
        ...

    async def decide(self, decision: Decision) -> Decision | None:
        """Store a decision made in this process as the inbox does, and return the first stored decision, which stands.

        None means that the question can no longer be decided.
        """
        ...

    async def usable_grants(self, tenant: str, tool: str) -> Sequence[Grant]:
        """The grants that can still approve calls of a tool."""
        ...

    async def is_grant_valid(self, tenant: str, grant: str) -> bool:
        """Whether a grant that approved a call is still valid: neither revoked nor expired."""
        ...

    async def use_grant(self, grant: str) -> bool:
        """Use one call of a grant. False means that no call is left or the grant is no longer valid."""
        ...


class Reservations(Protocol):
    """The reservations that calls make against the limits of a run or a rate."""

    async def take_turn(self, call: str, attempt: int, request: TurnRequest) -> float:
        """Take a turn for an attempt, counted over all processes of the store; return the seconds until it starts.

        An attempt takes one turn of a rate, however many equal limits wrap it.
        """
        ...

    def reserve_call(self, call: str, limit: int, window: float = 0.0) -> bool:
        """Reserve one of the run's ``limit`` calls for ``call``; False if none is left. Idempotent.

        If ``window`` is not 0, the limit applies to any ``window`` seconds, as in an open run.
        """
        ...

    async def reserve_uses(self, call: str, requests: Sequence[UseRequest]) -> UseRefusal | None:
        """Reserve all of what a call would use of windows, or nothing; return the first request that does not fit.

        A request replaces an earlier one of the call for the same window. Windows with a subject are counted in the
        store, over all processes.
        """
        ...

    async def latest_use(self, subject: str, call: str) -> float | None:
        """When another call than ``call`` last used what ``subject`` identifies in the store; None for never."""
        ...

    def reserve_handoff(self, agent: str, limit: int) -> bool:
        """Reserve one of the run's ``limit`` handoffs for the call ``agent``; False if none is left.

        Idempotent until that handoff is written. In an open run, the limit applies to each external call.
        """
        ...


class Ledger(Protocol):
    """The journal of a run, as layers, the base and the model boundary use it."""

    @property
    def run(self) -> str:
        """The id of the run."""
        ...

    @property
    def execution(self) -> Execution:
        """How the run is executed."""
        ...

    def now(self) -> float:
        """Seconds since the epoch."""
        ...

    def items_for(self, call: str) -> Sequence[Item]:
        """All items stored under ``call``, in order."""
        ...

    def recorded_items(self) -> Sequence[Item]:
        """All items of the run, in order."""
        ...

    @property
    def prior_messages(self) -> Sequence[str]:
        """The wire texts of the conversation before this run."""
        ...

    def add(self, item: Item) -> None:
        """Write one item. It is stored with the next committed item, or shortly after."""
        ...

    async def commit(self, item: Item, consumption: Consumption | None = None) -> None:
        """Write one item, optionally consume decisions, and return when it and all earlier items are durable.

        Raises:
            JournalError: the journal refused; the executor of the run must stop.
        """
        ...

    def start_flush(self) -> None:
        """Start storing the items written so far, without waiting: a model request follows."""
        ...

    @property
    def order(self) -> CallOrder:
        """The order of the calls that its bodies make."""
        ...

    @property
    def decisions(self) -> Decisions:
        """The decisions and grants that its calls use."""
        ...

    @property
    def reservations(self) -> Reservations:
        """The reservations of its calls."""
        ...

    @property
    def past(self) -> PastCalls:
        """The calls that have begun and succeeded so far."""
        ...

    @property
    def meter(self) -> Meter:
        """The usage of the run's models, and their limits."""
        ...

    @property
    def unread_keys(self) -> set[str]:
        """The keyed calls that may not be repeated, because their last attempt did not read the idempotency key."""
        ...


def is_of_open_run(ledger: Ledger, run: str) -> bool:
    """Whether a run receives its calls from outside."""
    header = next(iter(ledger.items_for(run)), None)
    return isinstance(header, RunOpened) and header.callee == OPEN_RUN


def find_carried_call(ledger: Ledger) -> tuple[str, Question | None]:
    """Find the id of the call that the run carries, and the question about it.

    The id is empty if the run carries no call. The question is None if it was erased.
    """
    header = next(iter(ledger.items_for(ledger.run)), None)
    call = header.carries if isinstance(header, RunOpened) else ""
    if not call:
        return "", None
    asked = (item for item in ledger.items_for(call) if isinstance(item, QuestionItem))
    return call, next((Question.from_json(item.body) for item in asked), None)
