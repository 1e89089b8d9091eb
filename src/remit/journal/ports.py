"""The interface of a journal store: small ports that one store implements, so that transactions can span them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import Final, Literal, NamedTuple, Protocol, TypedDict, Unpack

from remit.journal.attached_calls import AttachedCalls
from remit.journal.changes import ChangeIndex
from remit.journal.conversation_row import (
    ConversationChange,
    ConversationFilter,
    ConversationKey,
    ConversationRow,
)
from remit.journal.question_row import QuestionRow
from remit.journal.run_row import RunRow, RunStatus
from remit.journal.run_summary import RunSummaries
from remit.journal.use_counter import UseCounter
from remit.record.artifact import ArtifactScope
from remit.record.grant import Grant, GrantRow
from remit.record.items import Position
from remit.record.ledger import Consumption, TurnRequest
from remit.record.question import Decision


class RunFilter(TypedDict, total=False):
    """Selects runs by conversation, tenant, principal, application and other properties, with a limit.

    ``since`` and ``until`` (exclusive) bound the opening time. ``before`` is the id of the previous page's last run.
    ``without_erased`` excludes runs with an erased header.
    """

    conversation: str
    tenant: str
    principal: str
    application: str
    target: str
    status: RunStatus | Literal[""]
    callee: str
    since: float
    until: float
    before: str
    without_erased: bool
    limit: int


class QuestionFilter(TypedDict, total=False):
    """Selects questions by conversation, tenant or run; by default open ones, oldest first.

    ``after`` is the id of the previous page's last question. Without a ``limit``, all questions are listed. With a
    limit, questions past their deadline are listed as expired among the open ones, so that only the last page is
    shorter.
    """

    only_open: bool
    conversation: str
    tenant: str
    run: str
    newest_first: bool
    after: str
    limit: int


class AcquiredLease(NamedTuple):
    """A lease with its epoch and the state that its executor needs.

    ``items`` are those above the requested seq, out of ``item_count``. ``row`` is None if the run is not opened yet.
    ``cancel_requested_by`` names the principal that requested cancellation. ``questions`` are those that the run has
    asked. ``is_opened`` means that acquiring the lease opened the run, so that the given first items are stored and are
    not in ``items``.
    """

    epoch: int
    items: Sequence[Position] = ()
    item_count: int = 0
    row: RunRow | None = None
    cancel_requested_by: str = ""
    questions: Sequence[QuestionRow] = ()
    is_opened: bool = False

    @property
    def decisions(self) -> list[Decision]:
        """The decisions on the run's questions, oldest first."""
        if not self.questions:
            return []
        return sorted((row.decision for row in self.questions if row.decision is not None), key=lambda each: each.at)


AppendFuture = asyncio.Future[None]
"""Completes when the append is stored, or fails with the reason for its refusal."""

FIRST_EPOCH: Final = 1
"""The epoch of the first lease of a run."""


class Journal(Protocol):
    """The items of runs, append-only."""

    def append(
        self, run: str, epoch: int, items: Sequence[Position], consumption: Consumption | None = None
    ) -> AppendFuture:
        """Append at least one item to a run and consume decisions, in one transaction: all or nothing.

        Appends are stored in the order of their calls, even if they are not awaited. An append whose last item ends the
        run or brings it to rest releases the lease. Errors are raised when the future is awaited.

        Raises:
            LeaseError: another epoch has started, or the items do not follow the last one.
            RequestError: the items open a run in a conversation that was deleted, or whose newest run has not ended.
            ApprovalUsedError: a decision was consumed by another call, does not exist, or its grant was revoked.
        """
        ...

    async def read(self, run: str, after: int = -1) -> list[Position]:
        """The items of a run with a seq above ``after``, in order."""
        ...

    async def erase(self, run: str, seqs: Sequence[int]) -> None:
        """Erase the bodies of items permanently. Their digests stay, so that the chain still holds.

        Erasing a question also erases its row, except the ids, and its decision's content. Erasing a decision erases
        its arguments, result and reason. Afterwards neither can be decided or used. An artifact that no other item
        names is erased with the body that names it. Erasing all bodies of a run erases all artifacts that only this run
        has. Erasing a header erases the conversation's copy of the first message.

        Raises:
            JournalFormatError: an item about a question cannot be read; nothing was erased.
        """
        ...


class Leases(Protocol):
    """Leases: one executor at a time holds a run, until an expiry time."""

    def acquire(
        self, run: str, executor: str, seconds: float, after: int = -1, opening: Sequence[Position] = ()
    ) -> Awaitable[AcquiredLease]:
        """Acquire the lease of a new or existing run, and read its state and the items above ``after``.

        ``opening`` are the first items of a run, in the `FIRST_EPOCH`. An unknown run is opened with them in the same
        transaction; an existing run is acquired without them. A lease of 0 seconds is released at once. Of a run that
        has ended only the state is read: its epoch stays, and nothing can be appended in the one that is returned.

        Raises:
            LeaseError: a live executor holds it.
            RequestError: the run cannot be opened, as in `Journal.append`; no lease is acquired.
        """
        ...

    async def renew(self, run: str, epoch: int, seconds: float) -> None:
        """Extend the lease.

        Raises:
            LeaseError: another epoch has started.
        """
        ...

    async def release(self, run: str, epoch: int) -> None:
        """Release the lease if it is still held."""
        ...


class RunInbox(Protocol):
    """Messages to a run from other processes. Its executor copies them into the journal."""

    async def decide(self, decision: Decision) -> None:
        """Store a decision in the inbox of the run. The first decision counts.

        Raises:
            RequestError: the question does not exist, is decided, or has expired.
            IdempotencyError: a decision on another question has its key.
        """
        ...

    async def request_cancel(self, run: str, by: str) -> None:
        """Ask the executor of a run to cancel it."""
        ...

    async def cancel_requested_by(self, run: str) -> str:
        """The name of the principal who requested cancellation of the run; empty if there is no request."""
        ...


class RunIndex(Protocol):
    """The index of runs and questions."""

    async def list_runs(self, **run_filter: Unpack[RunFilter]) -> list[RunRow]:
        """The newest runs, newest first: 50 unless the filter has another limit.

        Runs of one conversation are in their opening order, even if the clocks of processes differ.
        """
        ...

    async def find_latest_run(self, conversation: str, *, tenant: str, application: str) -> RunRow | None:
        """The run opened last in a conversation, ignoring direct calls."""
        ...

    async def list_due_runs(self, application: str, limit: int = 1000) -> list[str]:
        """Runs of an application that can continue and that no executor holds, the longest due first.

        A running run is always due. A stalled run is due at its time, a waiting run when one of its questions is no
        longer open or its cancellation was requested, and a queued run when all earlier runs of its conversation have
        ended.
        """
        ...

    async def is_held(self, run: str) -> bool:
        """Whether an executor holds an unexpired lease of a run."""
        ...

    async def postpone(self, run: str, seconds: float) -> None:
        """Postpone a run by at least ``seconds``, unless a decision or cancellation arrives earlier."""
        ...

    async def find_run(self, run: str) -> RunRow | None:
        """The run with this id."""
        ...

    async def list_questions(self, **question_filter: Unpack[QuestionFilter]) -> list[QuestionRow]:
        """Questions, oldest first unless the filter says otherwise."""
        ...

    async def find_question(self, question: str) -> QuestionRow | None:
        """The question with this id."""
        ...

    async def find_usable_question(self, conversation: str, match: str) -> QuestionRow | None:
        """The newest matching question of a conversation that is open or has an unused decision."""
        ...

    async def find_last_approval(
        self, *, application: str, tenant: str, asker: str, target: str, tool: str, rule: str
    ) -> QuestionRow | None:
        """The newest approved question, with arguments, for that rule, asker, tool and target.

        Only runs of the application count, without erased questions. An implementation must not scan other questions,
        because a store has many and this runs before each new question.
        """
        ...


class ConversationStore(Protocol):
    """The conversations, each stored with its first run that is not a direct call."""

    async def find_conversation(self, key: ConversationKey) -> ConversationRow | None:
        """The conversation with this key, even if it was deleted.

        Raises:
            BrokenJournalError: its row was changed.
        """
        ...

    async def list_conversations(self, **conversation_filter: Unpack[ConversationFilter]) -> list[ConversationRow]:
        """A page of conversations, the most recently active first: 50 unless the filter has another limit."""
        ...

    async def change_conversation(self, key: ConversationKey, **change: Unpack[ConversationChange]) -> None:
        """Change a conversation.

        Raises:
            RequestError: it does not exist, was deleted, or is being deleted while one of its runs is unfinished.
        """
        ...


class GrantStore(Protocol):
    """Grants: approvals given in advance."""

    async def add_grant(self, grant: Grant) -> None:
        """Store a grant, unless one with its id is stored."""
        ...

    async def list_grants(
        self, *, tenant: str, tool: str = "", after: str = "", limit: int | None = None
    ) -> list[GrantRow]:
        """The grants of a tenant, optionally for one tool, oldest first; up to ``limit`` of those ``after`` a grant."""
        ...

    async def find_grant(self, grant: str) -> GrantRow | None:
        """The grant with this id."""
        ...

    async def use_grant(self, grant: str, run: str, epoch: int) -> bool:
        """Count one more call of a grant for a run, atomically; False if no call is left, or it is revoked or expired.

        Raises:
            LeaseError: another epoch of the run has started.
        """
        ...

    async def revoke_grant(self, grant: str, by: str) -> None:
        """Revoke a grant for all calls that have not started.

        Raises:
            RequestError: the grant does not exist or is revoked.
        """
        ...


class RateCounter(Protocol):
    """Turns under rate limits, counted over all processes that share the store."""

    async def take_turn(self, request: TurnRequest) -> float:
        """Take the next turn of a rate, by the store's clock, and return the seconds until it starts.

        If the wait would exceed the request's ``max_wait``, no turn is taken.
        """
        ...


class ArtifactStore(Protocol):
    """Content that items refer to by its digest.

    When a header is appended, its run receives the visible artifacts that the header names, so erasing another run does
    not remove them.
    """

    async def add_artifact(self, digest: str, owner: ArtifactScope, content: bytes | None) -> None:
        """Store content durably, or if None grant ``owner`` access to stored content.

        Raises:
            BrokenJournalError: the content is not stored.
        """
        ...

    async def read_artifact(self, digest: str, scope: ArtifactScope) -> bytes | None:
        """The content of an artifact that ``scope`` sees; None if there is no such artifact.

        Raises:
            BrokenJournalError: the content was removed.
        """
        ...


class AnswerPiece(NamedTuple):
    """A piece, beginning at the character ``start``, of an epoch's answer ``number`` to the request ``call``.

    If the answer is about to be recorded, ``start`` is -1 and ``body`` empty. ``follows`` is the number of the item
    after which the answer was opened.
    """

    call: str
    number: int
    start: int
    body: str
    follows: int


class AnswerPieces(Protocol):
    """Answers in progress, for readers in other processes. They are lost with their epoch."""

    async def watch(self, run: str, seconds: float) -> None:
        """Ask the executor of a run for the pieces of answers, for ``seconds``."""
        ...

    async def is_watched(self, run: str) -> bool:
        """Whether a reader has asked for the pieces of the run's answers."""
        ...

    def write_pieces(
        self, run: str, epoch: int, pieces: Sequence[AnswerPiece], closed: Sequence[int] = ()
    ) -> AppendFuture:
        """Store pieces and delete those of the ``closed`` answers, unless another epoch has started.

        This takes effect before later appends.
        """
        ...

    async def read_pieces(self, run: str) -> tuple[int, list[AnswerPiece]]:
        """The epoch of a run and the pieces that it has stored, those of each answer in order."""
        ...


class Store(
    Journal,
    Leases,
    RunInbox,
    RunIndex,
    ChangeIndex,
    ConversationStore,
    GrantStore,
    RateCounter,
    UseCounter,
    ArtifactStore,
    AttachedCalls,
    RunSummaries,
    AnswerPieces,
    Protocol,
):
    """A store of journals: all ports in one object."""

    async def close(self) -> None:
        """Release the store's resources. All appended items are stored first."""
        ...
