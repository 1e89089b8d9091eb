"""What a journal store can do: five small ports, which one store implements so that one transaction spans them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from remit.contracts.grant import Grant, GrantRow
from remit.contracts.items import Position
from remit.contracts.ledger import Consumption
from remit.contracts.question import Decision, Question, QuestionStatus

RunStatus = Literal["running", "waiting", "done", "failed", "cancelled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """One line about a run. Times are seconds since the epoch; ``ended`` is 0 while it has not ended."""

    run: str
    status: RunStatus
    tenant: str
    principal: str
    application: str
    agent: str
    callee: str
    conversation: str
    after: str
    opened: float
    ended: float


class QuestionRow(NamedTuple):
    """A question, what became of it, and the call that took it (run, call), if one did."""

    question: Question
    status: QuestionStatus
    decision: Decision | None
    consumed_by: tuple[str, str] | None


class AcquiredLease(NamedTuple):
    """What comes with a lease: the number of the epoch, and all that its driver does not know yet.

    ``items`` are those above the seq that it asked for, ``status`` is empty for a run that nobody has opened,
    ``cancel_requested_by`` says who asked to cancel it, ``decisions`` are those on its questions, oldest first.
    """

    epoch: int
    items: Sequence[Position] = ()
    status: RunStatus | Literal[""] = ""
    cancel_requested_by: str = ""
    decisions: Sequence[Decision] = ()


AppendFuture = asyncio.Future[None]
"""Says when an append is stored, or why it was refused."""


class Journal(Protocol):
    """The items of runs, append-only."""

    def append(
        self, run: str, epoch: int, items: Sequence[Position], consumption: Consumption | None = None
    ) -> AppendFuture:
        """Store items, at least one, at the end of a run, and take an approval, in one transaction: all or nothing.

        Appends are stored in the order in which they were made, whether anybody waits for them or not. One with a
        `Finished` lets the lease go.

        Raises:
            LeaseError: another epoch has begun, or the items do not follow the last one.
            RequestError: they open a run of a conversation in which another run is not over.
            ApprovalUsedError: the approval was taken by another call, or not given, or by a grant that was revoked.
            (All of them when the answer is awaited.)
        """
        ...

    async def read(self, run: str, after: int = -1) -> list[Position]:
        """The items of a run with a seq above ``after``, in order."""
        ...

    async def erase(self, run: str, seqs: Sequence[int]) -> None:
        """Erase the bodies of items, for good. A tombstone and the digest stay, so the chain still holds.

        With a question goes what its row says beyond its name, and what was decided on it; with a decision its
        arguments, result and reason. Neither can be decided or used any more.

        Raises:
            JournalFormatError: an item about a question cannot be read; nothing was erased.
        """
        ...


class Leases(Protocol):
    """Who drives a run: one at a time, until a time."""

    async def acquire(self, run: str, executor: str, seconds: float, after: int = -1) -> AcquiredLease:
        """Become the driver of a run, known or new; what it has to know, with the items above ``after``.

        Raises:
            LeaseError: a live driver holds it.
        """
        ...

    async def renew(self, run: str, epoch: int, seconds: float) -> None:
        """Hold on to it.

        Raises:
            LeaseError: another epoch has begun.
        """
        ...

    async def release(self, run: str, epoch: int) -> None:
        """Let it go, if it is still held."""
        ...


class RunInbox(Protocol):
    """What everybody else tells a run; its driver copies it into the journal."""

    async def decide(self, decision: Decision) -> None:
        """Store a decision for the run that asked. The first one counts.

        Raises:
            RequestError: no such question, or it is decided or expired.
        """
        ...

    async def request_cancel(self, run: str, by: str) -> None:
        """Ask the driver of a run to cancel it."""
        ...

    async def cancel_requested_by(self, run: str) -> str:
        """Who asked for the run to be cancelled; empty if nobody did."""
        ...


class RunIndex(Protocol):
    """Runs and questions, found by what they are about."""

    async def list_runs(
        self,
        *,
        conversation: str = "",
        tenant: str = "",
        principal: str = "",
        application: str = "",
        include_direct_calls: bool = True,
        limit: int = 50,
    ) -> list[RunRow]:
        """The newest runs, newest first; of one conversation, tenant, principal or application where one is named.

        ``include_direct_calls`` False leaves out direct calls that were made in a conversation.
        """
        ...

    async def find_run(self, run: str) -> RunRow | None:
        """The run with this id."""
        ...

    async def list_questions(self, *, only_open: bool = True, conversation: str = "") -> list[QuestionRow]:
        """Questions, oldest first."""
        ...

    async def find_question(self, question: str) -> QuestionRow | None:
        """The question with this id."""
        ...

    async def find_usable_question(self, conversation: str, match: str) -> QuestionRow | None:
        """The newest question of a conversation with this match that is open, or decided and not taken."""
        ...


class GrantStore(Protocol):
    """What people have allowed for calls to come."""

    async def add_grant(self, grant: Grant) -> None:
        """Keep a grant."""
        ...

    async def list_grants(self, *, tenant: str, tool: str = "") -> list[GrantRow]:
        """The grants of a tenant, for one tool where one is named, oldest first."""
        ...

    async def use_grant(self, grant: str) -> bool:
        """Count one more call of a grant, at once; False if none is left, it is revoked or over."""
        ...

    async def revoke_grant(self, grant: str, by: str) -> None:
        """End a grant, for every call that has not started.

        Raises:
            RequestError: it is revoked already, or there is none.
        """
        ...


class Store(Journal, Leases, RunInbox, RunIndex, GrantStore, Protocol):
    """All five."""

    async def close(self) -> None:
        """Give back what the store holds. Everything appended is stored by then."""
        ...
