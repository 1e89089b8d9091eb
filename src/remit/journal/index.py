"""Derives the index of runs and questions from items and time. Both stores use this code, so they agree."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from remit.errors import ApprovalUsedError, IdempotencyError, LeaseError, RequestConflictError, RequestNotFoundError
from remit.journal.ports import QuestionRow, RunRow, RunStatus
from remit.record.arguments import content_digest
from remit.record.artifact import ArtifactScope
from remit.record.grant import GrantRow
from remit.record.items import (
    DETACHED,
    DecisionItem,
    Item,
    Position,
    QuestionClosed,
    QuestionItem,
    RunFinished,
    RunOpened,
    RunResumed,
    RunScheduled,
    RunStalled,
    RunSuspended,
)
from remit.record.ledger import Consumption, TurnRequest
from remit.record.question import Decision, Question
from remit.record.sentence import NO_SENTENCE
from remit.shown import show_id


def run_row_from_header(position: Position, item: RunOpened) -> RunRow:
    """Build the index row of a run from its header."""
    return RunRow(
        run=position.run,
        status="queued" if item.queued else "running",
        tenant=item.tenant,
        principal=item.principal,
        application=item.application,
        agent=item.agent,
        callee=item.callee,
        conversation=item.conversation,
        after=item.after,
        opened=position.at,
        ended=0.0,
        target=item.target,
    )


def status_after(item: Item) -> RunStatus | None:
    """The status of the run after an item, or None if the item does not change it."""
    if isinstance(item, RunFinished):
        return item.status
    if isinstance(item, RunSuspended) and not item.questions:
        return "open"
    return _STATUS_AFTER.get(type(item))


def is_at_rest(item: Item) -> bool:
    """Whether a run has ended or rests after an item, so that no executor runs it."""
    return isinstance(item, (RunFinished, RunSuspended, RunStalled, RunScheduled))


INDEXED_ITEMS: Final = frozenset(
    {
        RunOpened,
        QuestionItem,
        DecisionItem,
        QuestionClosed,
        RunSuspended,
        RunStalled,
        RunScheduled,
        RunResumed,
        RunFinished,
    }
)
"""The items that change the index of runs and questions."""


def artifact_scope(run: str, header: RunOpened) -> ArtifactScope:
    """The scope of a run. A direct call excludes the conversation's artifacts, because anyone may make one."""
    conversation = "" if header.after == DETACHED else header.conversation
    return ArtifactScope(header.tenant, header.principal, header.application, conversation, run)


def find_named_artifacts(position: Position) -> set[str]:
    """The digests that the body of an item names."""
    return set(_DIGEST.findall(position.body))


_DIGEST: Final = re.compile("sha256:[0-9a-f]{64}")


def artifacts_of_header(
    position: Position, header: RunOpened, find_owners: Callable[[str], Collection[ArtifactScope]]
) -> Iterator[tuple[str, ArtifactScope]]:
    """The scope of a new run, and the visible artifacts that its header names and that it receives."""
    scope = artifact_scope(position.run, header)
    for digest in find_named_artifacts(position):
        owners = find_owners(digest)
        if scope not in owners and any(scope.sees(owner) for owner in owners):
            yield digest, scope


def find_unreferenced(digests: Iterable[str], bodies: Mapping[int, str], erased: Collection[int]) -> list[str]:
    """The digests that only bodies to be erased name, or none if all are; ``bodies`` are all of a run's, by seq."""
    return [
        digest
        for digest in digests
        if ({seq for seq, body in bodies.items() if digest in body} or set(bodies)) <= set(erased)
    ]


_STATUS_AFTER: Final[dict[type[Item], RunStatus]] = {
    RunSuspended: "waiting",
    RunStalled: "stalled",
    RunScheduled: "scheduled",
    RunResumed: "running",
}

RESTING_STATUSES: Final[tuple[RunStatus, ...]] = ("open", "waiting", "stalled", "scheduled")
UNFINISHED_STATUSES: Final[tuple[RunStatus, ...]] = ("queued", "running", *RESTING_STATUSES)

NEVER: Final = 1e18
"""A time later than any deadline, in seconds since the epoch."""


def wake_time(item: Item, find_question: Callable[[str], QuestionRow | None]) -> float:
    """The time when a run with the last item ``item`` can continue.

    A run that waits for questions can continue at the first deadline, or at once if one is decided. A stalled or
    scheduled run can continue at its time.
    """
    if isinstance(item, RunScheduled):
        return item.at
    if not isinstance(item, (RunSuspended, RunStalled)):
        return 0.0
    rows = (find_question(each) for each in item.questions)
    open_until = [row.question.expires if row.status == "open" else 0.0 for row in rows if row is not None]
    return min(open_until + ([item.retry_at] if isinstance(item, RunStalled) else []), default=NEVER)


def with_expiry(row: QuestionRow, now: float) -> QuestionRow:
    """The row at time ``now``: an open question past its deadline is expired."""
    return row._replace(status="expired") if row.status == "open" and row.question.expires <= now else row


def is_expired(row: QuestionRow, now: float) -> bool:
    """Whether a question can no longer be decided or used, because it has expired or was cancelled or erased."""
    return row.status in ("expired", "cancelled", "erased") or row.question.expires <= now


def approval_key(*, tenant: str, asker: str, target: str, tool: str, rule: str) -> str:
    """The key of the approved questions with the same rule, asker, tool and target."""
    return content_digest(tenant, asker, tool, rule, *([target] if target else []))


def approval_key_of(row: QuestionRow) -> str:
    """The key of an approved question whose arguments are not erased; empty for all others."""
    question, status, decision, _ = row
    if question.kind != "approval" or status not in ("approved", "taken") or decision is None or not decision.approved:
        return ""
    if not (decision.arguments or question.arguments):
        return ""
    return approval_key(
        tenant=question.tenant, asker=question.asker, target=question.target, tool=question.tool, rule=question.rule
    )


def erase_question_row(row: QuestionRow, item: QuestionItem | DecisionItem) -> QuestionRow:
    """The row of a question after the body of ``item`` is erased. It keeps the ids of the question and the decision.

    Erasing the question also erases the decision's content. An erased question cannot be decided, and its approval
    cannot be used. A used approval stays used, unless its edited arguments are erased, because a retry would then run
    the original arguments.
    """
    question, _, decision, _ = row
    if isinstance(item, QuestionItem):
        question = _erase_question(question)
    was_edited = decision is not None and decision.arguments != ""
    if decision is not None:
        decision = replace(decision, arguments="", result="", reason="", request_key="")
    status = "erased" if row.status in ("open", "approved") or was_edited else row.status
    return row._replace(question=question, status=status, decision=decision)


def _erase_question(question: Question) -> Question:
    """A question without its content. Its ids, its terms and its status remain."""
    return replace(
        question,
        arguments="",
        shown="",
        sentence=NO_SENTENCE,
        reason="",
        again=None,
        changes=(),
        link="",
        shows=None,
        state="",
        message="",
        news=(),
        plan=(),
    )


def check_open(row: QuestionRow | None, question: str, now: float) -> QuestionRow:
    """Return the row if the question can be decided.

    Raises:
        RequestError: the question does not exist, is decided, has expired, or was cancelled or erased.
    """
    if row is None:
        raise RequestNotFoundError(f"question {show_id(question)} does not exist")
    status = with_expiry(row, now).status
    if status == "expired":
        raise RequestConflictError(f"question {question} has expired, which denies the call; the agent may ask again")
    if status == "cancelled":
        raise RequestConflictError(
            f"run {row.question.run} was cancelled, so question {question} can no longer be decided; start a new run"
        )
    if status == "erased":
        raise RequestConflictError(f"question {question} was erased, so it can no longer be decided; start a new run")
    if status == "closed":
        raise RequestConflictError(f"question {question} is closed: the call has ended, and its outcome is recorded")
    if status != "open":
        by, kind = (f" by {row.decision.by}", row.decision.kind) if row.decision else ("", "")
        yes = "confirmed" if kind == "confirm" else "approved"
        raise RequestConflictError(f"question {question} is already {status if status == 'denied' else yes}{by}")
    return row


def check_decidable(questions: Mapping[str, QuestionRow], decision: Decision, now: float) -> None:
    """Refuse a decision that cannot be stored; ``questions`` are all questions of the store.

    Raises:
        RequestError: its question cannot be decided. IdempotencyError: its key was used for another question.
    """
    check_open(questions.get(decision.question), decision.question, now)
    decided = ((row.question.id, row.decision.request_key) for row in questions.values() if row.decision)
    check_key_free(decision.request_key, lambda key: next((each for each, used in decided if used == key), ""))


def check_key_free(key: str, find_decided: Callable[[str], str]) -> None:
    """Refuse an idempotency key that decided another question; ``find_decided`` finds that question.

    Raises:
        IdempotencyError: names the question.
    """
    if key and (question := find_decided(key)):
        raise IdempotencyError(f"the idempotency key was used to decide question {question}; use a new key")


def decision_of_header(items: Sequence[Position]) -> Decision | None:
    """The decision that opens a run that carries a call. It must be the first decision on its question."""
    header = items[0].item if items else None
    if not isinstance(header, RunOpened) or not header.carries:
        return None
    for position in items:
        if isinstance(position.item, DecisionItem) and position.item.call == header.carries:
            return Decision.from_json(position.item.body)
    return None


def check_consumable(
    row: QuestionRow | None, question: str, consumption: Consumption, now: float, grant: GrantRow | None = None
) -> QuestionRow:
    """Return a question's row if its decision can be consumed: it has not expired, and no other call has used it.

    ``grant`` is the grant behind the decision, if any. It must not be revoked.

    Raises:
        ApprovalUsedError: names the question.
    """
    if row is None or row.decision is None or row.decision.approved is not consumption.approved:
        raise ApprovalUsedError(f"question {question} has no such decision")
    if row.consumed_by not in (None, (consumption.run, consumption.call)):
        raise ApprovalUsedError(f"the decision on question {question} was used by another call")
    if row.status == "erased":
        raise ApprovalUsedError(f"the decision on question {question} was erased")
    if row.consumed_by is None and row.question.expires <= now:
        raise ApprovalUsedError(f"the decision on question {question} has expired")
    if (
        row.consumed_by is None
        and row.decision.grant
        and (grant is None or grant.revoked_by or grant.grant.expires <= now)
    ):
        raise ApprovalUsedError(f"the grant {row.decision.grant} for question {question} was revoked or has expired")
    return row


def check_revocable(row: GrantRow | None, grant: str) -> GrantRow:
    """Return the row if the grant can be revoked.

    Raises:
        RequestError: the grant does not exist or is revoked.
    """
    if row is None:
        raise RequestNotFoundError(f"grant {show_id(grant)} does not exist")
    if row.revoked_by:
        raise RequestConflictError(f"grant {grant} was already revoked by {row.revoked_by}")
    return row


def check_sequence(run: str, items: Sequence[Position], expected: int) -> None:
    """Refuse items that do not follow the last stored item and each other.

    Raises:
        LeaseError: another executor has written in between.
    """
    for seq, position in enumerate(items, start=expected):
        if position.seq != seq:
            raise LeaseError(f"run {run}: item {position.seq} does not follow item {seq - 1}")


def lease_held_error(run: str, executor: str) -> LeaseError:
    """The error for a run that another executor holds."""
    return LeaseError(f"run {run} is being executed by {executor}; wait for it or stop it", executor=executor)


def lease_lost_error(run: str) -> LeaseError:
    """The error for an executor whose epoch has ended."""
    return LeaseError(f"run {run}: another executor has taken over")


def check_conversation_free(row: RunRow, newest: RunRow | None, find_unfinished: Callable[[], str]) -> None:
    """Refuse a conversation's new run unless it follows the newest run, and all earlier runs have ended.

    A queued run waits for the earlier runs instead. Direct calls may be opened at any time and never count as the
    newest run. An unfinished run can precede an ended one only if the latter was cancelled, perhaps while queued;
    ``find_unfinished`` finds such a run.

    Raises:
        RequestError: names the run.
    """
    if newest is None or row.after == DETACHED or newest.run == row.run:
        return
    if newest.status in UNFINISHED_STATUSES and row.status != "queued":
        raise _busy_error(row.conversation, newest.run, newest.status)
    if newest.status == "cancelled" and row.status != "queued" and (unfinished := find_unfinished()):
        raise _busy_error(row.conversation, unfinished, "")
    if newest.run != row.after:
        raise RequestConflictError(
            f"conversation {row.conversation} has continued with run {newest.run}; send the message again"
        )


_WHAT_TO_DO: Final = {
    "running": ("is running, or waits for an executor since a decision opened it", "resume it or wait for its end"),
    "waiting": ("is waiting", "decide, resume or cancel it"),
    "": ("has not ended", "decide, resume or cancel it"),
}
"""A description and a remedy by status of the blocking run; in other states, it is to be resumed or cancelled."""


def _busy_error(conversation: str, run: str, status: str) -> RequestConflictError:
    does, remedy = _WHAT_TO_DO.get(status, (f"is {status}", "resume or cancel it"))
    return RequestConflictError(
        f"conversation {conversation} is busy: run {run} {does}; {remedy} first, or queue the message "
        "(when_busy='queue', or --queue)"
    )


class PlannedTurn(NamedTuple):
    """When a turn starts, and whether it starts a new lane or follows the earliest turn of a lane."""

    start: float
    is_new_lane: bool


def plan_turn(request: TurnRequest, earliest: float | None, lanes: int, now: float) -> PlannedTurn:
    """Plan the next turn of a rate. ``earliest`` is the turn that starts first among its ``lanes``.

    A rate has one lane per allowed call, and the turns of a lane start ``seconds`` apart, so no window of that length
    contains more turns than lanes.
    """
    if earliest is None or (earliest + request.seconds > now and lanes < request.calls):
        return PlannedTurn(now, is_new_lane=True)
    return PlannedTurn(max(now, earliest + request.seconds), is_new_lane=False)


def latest_start(request: TurnRequest, now: float) -> float:
    """The latest valid start of a turn. A later one means that the clock was set back, and counts as beginning now."""
    return now + request.max_wait + 1.0
