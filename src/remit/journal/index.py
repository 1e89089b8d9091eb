"""How the index follows from items and time; both stores use it, so they agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from remit.contracts.grant import GrantRow
from remit.contracts.items import (
    DETACHED,
    DecisionItem,
    Item,
    Position,
    QuestionItem,
    RunFinished,
    RunOpened,
    RunResumed,
    RunSuspended,
)
from remit.contracts.ledger import Consumption
from remit.errors import ApprovalUsedError, LeaseError, RequestError
from remit.journal.ports import QuestionRow, RunRow, RunStatus


def run_row_from_header(position: Position, item: RunOpened) -> RunRow:
    """The line about a run that its header says."""
    return RunRow(
        run=position.run,
        status="running",
        tenant=item.tenant,
        principal=item.principal,
        application=item.application,
        agent=item.agent,
        callee=item.callee,
        conversation=item.conversation,
        after=item.after,
        opened=position.at,
        ended=0.0,
    )


def status_after(item: Item) -> RunStatus | None:
    """The status that a run has after an item, if the item changes it."""
    if isinstance(item, RunFinished):
        return item.status
    return _STATUS_AFTER.get(type(item))


INDEXED_ITEMS: Final = frozenset({RunOpened, QuestionItem, DecisionItem, RunSuspended, RunResumed, RunFinished})
"""The items that change what can be found about runs and questions."""

_STATUS_AFTER: Final[dict[type[Item], RunStatus]] = {RunSuspended: "waiting", RunResumed: "running"}


def with_expiry(row: QuestionRow, now: float) -> QuestionRow:
    """The row as it looks now: an open question past its time is expired."""
    return row._replace(status="expired") if row.status == "open" and row.question.expires <= now else row


def is_expired(row: QuestionRow, now: float) -> bool:
    """Whether nothing can come of a question any more: its time is over, or its run is."""
    return row.status == "expired" or row.question.expires <= now


def erase_question_row(row: QuestionRow, item: QuestionItem | DecisionItem) -> QuestionRow:
    """The row of a question once the body of ``item`` is erased: it keeps what names the question and the decision.

    With what was asked goes what was decided on it. Nobody can be asked about what is gone, and no approval of it can
    be used; one that was used stays so, unless its edited arguments are gone: others would run when the call is tried
    again.
    """
    question, _, decision, _ = row
    if isinstance(item, QuestionItem):
        question = replace(question, arguments="", shown="", reason="")
    was_edited = decision is not None and decision.arguments != ""
    if decision is not None:
        decision = replace(decision, arguments="", result="", reason="")
    status = "expired" if row.status in ("open", "approved") or was_edited else row.status
    return row._replace(question=question, status=status, decision=decision)


def check_open(row: QuestionRow | None, question: str, now: float) -> QuestionRow:
    """The row, if it can be decided.

    Raises:
        RequestError: no such question, or it is decided or expired.
    """
    if row is None:
        raise RequestError(f"there is no question {question}")
    status = with_expiry(row, now).status
    if status == "expired":
        raise RequestError(f"question {question} has expired, which means denied; the agent may ask again")
    if status != "open":
        by = f" by {row.decision.by}" if row.decision else ""
        raise RequestError(f"question {question} is {status}{by} already")
    return row


def check_consumable(
    row: QuestionRow | None, consumption: Consumption, now: float, grant: GrantRow | None = None
) -> QuestionRow:
    """The row, if its decision can be used: it is there, unused by another call, and was used in time.

    Where it came by a grant, that is ``grant``; it must not have been revoked since.

    Raises:
        ApprovalUsedError: naming the question.
    """
    if row is None or row.decision is None or row.decision.approved is not consumption.approved:
        raise ApprovalUsedError(f"question {consumption.question} was never decided that way")
    if row.consumed_by not in (None, (consumption.run, consumption.call)):
        raise ApprovalUsedError(f"the decision on question {consumption.question} was used by another call")
    if row.status == "expired" or (row.consumed_by is None and row.question.expires <= now):
        raise ApprovalUsedError(f"the decision on question {consumption.question} has expired")
    if (
        row.consumed_by is None
        and row.decision.grant
        and (grant is None or grant.revoked_by or grant.grant.expires <= now)
    ):
        raise ApprovalUsedError(
            f"the grant {row.decision.grant} that allowed question {consumption.question} does not stand"
        )
    return row


def check_revocable(row: GrantRow | None, grant: str) -> GrantRow:
    """The row, if it can be revoked.

    Raises:
        RequestError: there is no such grant, or it is revoked.
    """
    if row is None:
        raise RequestError(f"there is no grant {grant}")
    if row.revoked_by:
        raise RequestError(f"grant {grant} is revoked by {row.revoked_by} already")
    return row


def check_sequence(run: str, items: Sequence[Position], expected: int) -> None:
    """Refuse items that do not follow the last one, and one another.

    Raises:
        LeaseError: another driver has written in between.
    """
    for seq, position in enumerate(items, start=expected):
        if position.seq != seq:
            raise LeaseError(f"run {run}: item {position.seq} does not follow item {seq - 1}")


def lease_held_error(run: str, executor: str) -> LeaseError:
    """Why a run cannot be driven: somebody does."""
    return LeaseError(f"run {run} is being driven by {executor}; wait, or stop that one", executor=executor)


def lease_lost_error(run: str) -> LeaseError:
    """Why a driver must stop: its epoch is over."""
    return LeaseError(f"run {run}: another driver has taken over")


def check_conversation_free(row: RunRow, newest: RunRow | None) -> None:
    """Refuse to open a run of a conversation that does not follow its newest run, or does while that is not over.

    A run beside the conversation may be opened at any time, and is never the newest run.

    Raises:
        RequestError: naming that run.
    """
    if newest is None or row.after == DETACHED or newest.run == row.run:
        return
    if newest.status in ("running", "waiting"):
        busy = f"conversation {row.conversation} is busy: run {newest.run} is {newest.status}"
        raise RequestError(f"{busy}; decide, resume or cancel it first")
    if newest.run != row.after:
        raise RequestError(f"conversation {row.conversation} went on meanwhile with run {newest.run}; say it again")
