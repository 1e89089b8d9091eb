"""The ledger of one run: what is known of a call, and a way to write more.

It is a fact of the run that a request belongs to, so it travels with the request; everything process-long comes by
constructor. One driver writes it, holding the run's lease.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from remit.contracts.grant import Grant
from remit.contracts.items import Item
from remit.contracts.question import Decision, Question


class Consumption(NamedTuple):
    """Use the decision on ``question`` for ``call`` of ``run``, in the transaction that writes what comes of it.

    An approval is taken with the item that says started, a refusal (``approved`` False) with the decision it copies.
    """

    question: str
    run: str
    call: str
    approved: bool = True


class UsageTotals(NamedTuple):
    """What a run has used so far."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Ledger(Protocol):
    """What layers, the base and the model's wire ask of a run's journal."""

    @property
    def run(self) -> str:
        """The id of the run."""
        ...

    @property
    def is_replaying(self) -> bool:
        """Whether this drive only compares: composed calls are driven again although their end is known."""
        ...

    @property
    def is_stopping(self) -> bool:
        """Whether the run is driven only to end it: what the journal does not know ends as cancelled."""
        ...

    def now(self) -> float:
        """Seconds since the epoch."""
        ...

    def items_for(self, call: str) -> Sequence[Item]:
        """Everything filed under ``call``, in order."""
        ...

    @property
    def prior_messages(self) -> Sequence[str]:
        """The wire texts of the conversation before this run."""
        ...

    def add(self, item: Item) -> None:
        """Write one item; it is stored with the next one that is committed, or soon."""
        ...

    async def commit(self, item: Item, consumption: Consumption | None = None) -> None:
        """Write one item, take an approval with it, and return when it and all before it are safely stored.

        Raises:
            JournalError: the journal refused; the driver of the run must stop.
        """
        ...

    def start_flush(self) -> None:
        """Begin to store what is written so far, and wait for nothing: a model is about to be asked."""
        ...

    def claim_call(self, parent: str, call: str) -> bool:
        """The body of ``parent`` makes ``call``: whether it may go at once.

        While a run is driven again, a call that the journal does not know waits for those that it does.
        """
        ...

    async def wait_for_recorded_calls(self, parent: str, call: str, is_busy: Callable[[], bool]) -> None:
        """Return when the body of ``parent``, which makes ``call``, has made those that the journal knows before it.

        Raises:
            DivergedError: it makes no more of them, while ``is_busy`` says that none of its calls is under way.
        """
        ...

    def finish_body(self, parent: str) -> None:
        """The body of ``parent`` makes no more calls.

        Raises:
            DivergedError: the journal knows of one that it has not made.
        """
        ...

    async def find_usable_question(self, match: str) -> tuple[Question, Decision | None] | None:
        """The open or unused question of this conversation that matches, with its decision if a person made one."""
        ...

    async def usable_grants(self, tenant: str, tool: str) -> Sequence[Grant]:
        """The grants for calls of a tool that still answer anything."""
        ...

    async def is_grant_valid(self, tenant: str, grant: str) -> bool:
        """Whether a grant that has allowed a call still does: nobody took it back, and its time is not over."""
        ...

    async def use_grant(self, grant: str) -> bool:
        """Use up one call of a grant; False if none is left, or it does not stand any more."""
        ...

    def reserve_call(self, call: str, limit: int) -> bool:
        """Reserve one of ``limit`` calls of the run for ``call``; False if none is left. Asking again is free."""
        ...

    def reserve_handoff(self, agent: str, limit: int) -> bool:
        """Reserve the next handoff in the call ``agent``, one of ``limit`` of the run; False if none is left.

        Asking again is free until that handoff is written.
        """
        ...

    def usage_totals(self) -> UsageTotals:
        """What the run has used so far."""
        ...
