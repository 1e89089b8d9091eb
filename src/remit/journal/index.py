"""How the index follows from items and time; both stores use it, so they agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from remit.contracts.grant import GrantRow
from remit.contracts.items import BESIDE, Asked, Decided, Finished, Item, Opened, Position, Resumed, Waiting
from remit.contracts.ledger import Take
from remit.errors import ApprovalUsedError, LeaseError, RequestError
from remit.journal.ports import QuestionRow, RunRow, RunStatus


def row_of(position: Position, item: Opened) -> RunRow:
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


def status_of(item: Item) -> RunStatus | None:
    """The status that a run has after an item, if the item changes it."""
    if isinstance(item, Finished):
        return item.status
    return _STATUS.get(type(item))


INDEXED: Final = frozenset({Opened, Asked, Decided, Waiting, Resumed, Finished})
"""The items that change what can be found about runs and questions."""

_STATUS: Final[dict[type[Item], RunStatus]] = {Waiting: "waiting", Resumed: "running"}


def seen(row: QuestionRow, now: float) -> QuestionRow:
    """The row as it looks now: an open question past its time is expired."""
    return row._replace(status="expired") if row.status == "open" and row.question.expires <= now else row


def spent(row: QuestionRow, now: float) -> bool:
    """Whether nothing can come of a question any more: its time is over, or its run is."""
    return row.status == "expired" or row.question.expires <= now


def erased(row: QuestionRow, item: Asked | Decided) -> QuestionRow:
    """The row of a question once the body of ``item`` is erased: it keeps what names the question and the decision.

    With what was asked goes what was decided on it. Nobody can be asked about what is gone, and no approval of it can
    be used; one that was used stays so, unless its edited arguments are gone: others would run when the call is tried
    again.
    """
    asked, _, decision, _ = row
    if isinstance(item, Asked):
        asked = replace(asked, arguments="", shown="", reason="")
    edited = decision is not None and decision.arguments != ""
    if decision is not None:
        decision = replace(decision, arguments="", result="", reason="")
    status = "expired" if row.status in ("open", "approved") or edited else row.status
    return row._replace(question=asked, status=status, decision=decision)


def check_open(row: QuestionRow | None, question: str, now: float) -> QuestionRow:
    """The row, if it can be decided.

    Raises:
        RequestError: no such question, or it is decided or expired.
    """
    if row is None:
        raise RequestError(f"there is no question {question}")
    status = seen(row, now).status
    if status == "expired":
        raise RequestError(f"question {question} has expired, which means denied; the agent may ask again")
    if status != "open":
        by = f" by {row.decision.by}" if row.decision else ""
        raise RequestError(f"question {question} is {status}{by} already")
    return row


def check_take(row: QuestionRow | None, take: Take, now: float, grant: GrantRow | None = None) -> QuestionRow:
    """The row, if its decision can be used: it is there, unused by another call, and was used in time.

    Where it came by a grant, that is ``grant``; it must not have been revoked since.

    Raises:
        ApprovalUsedError: naming the question.
    """
    if row is None or row.decision is None or row.decision.approved is not take.approved:
        raise ApprovalUsedError(f"question {take.question} was never decided that way")
    if row.taken not in (None, (take.run, take.call)):
        raise ApprovalUsedError(f"the decision on question {take.question} was used by another call")
    if row.status == "expired" or (row.taken is None and row.question.expires <= now):
        raise ApprovalUsedError(f"the decision on question {take.question} has expired")
    if row.taken is None and row.decision.grant and (grant is None or grant.revoked or grant.grant.expires <= now):
        raise ApprovalUsedError(f"the grant {row.decision.grant} that allowed question {take.question} does not stand")
    return row


def check_standing(row: GrantRow | None, grant: str) -> GrantRow:
    """The row, if it can be revoked.

    Raises:
        RequestError: there is no such grant, or it is revoked.
    """
    if row is None:
        raise RequestError(f"there is no grant {grant}")
    if row.revoked:
        raise RequestError(f"grant {grant} is revoked by {row.revoked} already")
    return row


def check_sequence(run: str, items: Sequence[Position], expected: int) -> None:
    """Refuse items that do not follow the last one, and one another.

    Raises:
        LeaseError: another driver has written in between.
    """
    for seq, position in enumerate(items, start=expected):
        if position.seq != seq:
            raise LeaseError(f"run {run}: item {position.seq} does not follow item {seq - 1}")


def held_by(run: str, driver: str) -> LeaseError:
    """Why a run cannot be driven: somebody does."""
    return LeaseError(f"run {run} is being driven by {driver}; wait, or stop that one", driver=driver)


def taken_over(run: str) -> LeaseError:
    """Why a driver must stop: its epoch is over."""
    return LeaseError(f"run {run}: another driver has taken over")


def check_free(row: RunRow, newest: RunRow | None) -> None:
    """Refuse to open a run of a conversation that does not follow its newest run, or does while that is not over.

    A run beside the conversation may be opened at any time, and is never the newest run.

    Raises:
        RequestError: naming that run.
    """
    if newest is None or row.after == BESIDE or newest.run == row.run:
        return
    if newest.status in ("running", "waiting"):
        busy = f"conversation {row.conversation} is busy: run {newest.run} is {newest.status}"
        raise RequestError(f"{busy}; decide, resume or cancel it first")
    if newest.run != row.after:
        raise RequestError(f"conversation {row.conversation} went on meanwhile with run {newest.run}; say it again")
