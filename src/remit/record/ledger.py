"""The ledger of one run: reads the journal of a call and writes to it.

The ledger travels with the request, because it belongs to the run; services that live as long as the process come by
constructor. One executor writes it and holds the run's lease.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol

from msgspec import Struct

from remit.record.grant import Grant
from remit.record.items import OPEN_RUN, Item, QuestionItem, RunOpened
from remit.record.meter import Meter
from remit.record.question import Decision, Question


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

    ``rate`` identifies the limit and what it counts. A turn that would begin after ``max_wait`` seconds is not taken.
    """

    rate: str
    calls: int
    seconds: float
    max_wait: float


class Execution(Struct, kw_only=True):
    """How a run is executed.

    Attributes:
        is_replaying: this execution only compares: composed calls run again although their end is recorded.
        is_stopping: it executes only to end: calls without a recorded end are cancelled.
        was_cancelled: it replays a run that was cancelled.
        starts_at: when the call at the root of the run starts, in seconds since the epoch; 0 for at once.
        starts_before: when it is too late for that call, in seconds since the epoch; 0 for never.
        is_early: it began before ``starts_at``: then it does not make the call, even if the time has come.
    """

    is_replaying: bool = False
    is_stopping: bool = False
    was_cancelled: bool = False
    starts_at: float = 0.0
    starts_before: float = 0.0
    is_early: bool = False


class CallOrder(Protocol):
    """The order in which the bodies of a run make their calls. A run that executes again keeps the recorded one."""

    def claim(self, parent: str, call: str) -> bool:
        """Report that the body of ``parent`` makes ``call``; return whether the call may start at once.

        When a run executes again, a call that the journal does not record waits for those that it does.
        """
        ...

    async def wait(self, parent: str, call: str, is_busy: Callable[[], bool]) -> None:
        """Wait until the body of ``parent``, which makes ``call``, has made the calls recorded before it.

        Raises:
            DivergedError: it does not make them, and ``is_busy`` reports that none of its calls is in progress.
        """
        ...

    def expects(self, parent: str) -> bool:
        """Whether the journal records calls of the body of ``parent`` that it has not made yet."""
        ...

    def finish(self, parent: str) -> None:
        """Report that the body of ``parent`` makes no more calls.

        Raises:
            DivergedError: the journal records a call that it has not made.
        """
        ...


class Decisions(Protocol):
    """The decisions and grants that calls of a run use."""

    async def find_usable_question(self, match: str) -> tuple[Question, Decision | None] | None:
        """The open or unused question of this conversation that matches, with its decision if there is one."""
        ...

    async def find_last_approval(
        self, *, tenant: str, asker: str, target: str, tool: str, rule: str
    ) -> tuple[Question, Decision] | None:
        """The newest approved question of a rule about an asker's calls of a tool for a target, in this application."""
        ...

    async def is_used_elsewhere(self, question: str, call: str) -> bool:
        """Whether a call other than ``call`` has used the decision on a question."""
        ...

    async def decide(self, decision: Decision) -> Decision | None:
        """Store a decision made in this process as the inbox stores one, and return the decision that stands.

        That is the first one stored. None: the question can no longer be decided.
        """
        ...

    async def usable_grants(self, tenant: str, tool: str) -> Sequence[Grant]:
        """The grants that can still approve calls of a tool."""
        ...

    async def is_grant_valid(self, tenant: str, grant: str) -> bool:
        """Whether a grant that approved a call is still valid: neither revoked nor expired."""
        ...

    async def use_grant(self, grant: str) -> bool:
        """Use one call of a grant; False if no call is left or the grant is no longer valid."""
        ...


class Reservations(Protocol):
    """What calls reserve before they are made, of what a run or a rate allows."""

    async def take_turn(self, call: str, attempt: int, request: TurnRequest) -> float:
        """Take a turn for an attempt of a call, among all processes of the store; return the seconds until it starts.

        An attempt takes one turn of a rate, however many equal limits wrap it.
        """
        ...

    def reserve_call(self, call: str, limit: int, window: float = 0.0) -> bool:
        """Reserve one of the run's ``limit`` calls for ``call``; False if none is left. Idempotent.

        An open run has so many in any ``window`` seconds, if that is not 0.
        """
        ...

    def reserve_handoff(self, agent: str, limit: int) -> bool:
        """Reserve the next handoff in the call ``agent``, one of the run's ``limit``; False if none is left.

        Idempotent until that handoff is written. In an open run, each call from outside has so many.
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

    def recorded_items(self) -> Iterable[Item]:
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
        """The order of the calls of its bodies."""
        ...

    @property
    def decisions(self) -> Decisions:
        """The decisions and grants that its calls use."""
        ...

    @property
    def reservations(self) -> Reservations:
        """What its calls reserve before they are made."""
        ...

    @property
    def meter(self) -> Meter:
        """The usage of the run's models, and the limits that bind them."""
        ...

    @property
    def unread_keys(self) -> set[str]:
        """The calls of keyed tools whose last attempt has not read its idempotency key, so that none may follow."""
        ...


def is_of_open_run(ledger: Ledger, run: str) -> bool:
    """Whether the calls of a run come from outside."""
    header = next(iter(ledger.items_for(run)), None)
    return isinstance(header, RunOpened) and header.callee == OPEN_RUN


def find_carried_call(ledger: Ledger) -> tuple[str, Question | None]:
    """The id of the call for which a person's decision opened the run, and the question about it.

    The id is empty if there is no such call. The question is None if it was erased.
    """
    header = next(iter(ledger.items_for(ledger.run)), None)
    call = header.carries if isinstance(header, RunOpened) else ""
    if not call:
        return "", None
    asked = (item for item in ledger.items_for(call) if isinstance(item, QuestionItem))
    return call, next((Question.from_json(item.body) for item in asked), None)
