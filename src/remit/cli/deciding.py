"""Records the user's decision on a question, and continues its run if this process has the application."""

from __future__ import annotations

import os
import sys

from msgspec import Struct

from remit.app import App
from remit.cli.client import LocalClient, open_client
from remit.cli.engine import ENGINE_VARIABLE, choose_engine, notify_engine
from remit.cli.report import app_option, decision_commands, describe_approvers, name_app
from remit.cli.resume import prepare_app, resume_run
from remit.cli.run_events import call_label, decision_word, question_title
from remit.cli.status import ExitStatus, UsageError
from remit.cli.text import json_text, one_line, summarize_arguments
from remit.errors import LeaseError, RemitError, RequestConflictError, RequestDeniedError, SetupError
from remit.journal.index import UNFINISHED_STATUSES
from remit.journal.ports import QuestionRow, RunRow
from remit.record.items import DecisionItem
from remit.record.question import DecisionKind, Question, QuestionKind


class UserDecision(Struct, frozen=True, kw_only=True):
    """The user's decision, the kind of question it answers, and its label."""

    kind: QuestionKind
    approved: bool
    label: str
    reason: str = ""
    result: str = ""
    arguments: str = ""
    act: DecisionKind | None = None

    @property
    def is_plain(self) -> bool:
        """Whether it only approves or denies, without details that a recorded decision would have to match."""
        return not (self.result or self.arguments)


class _LocalApp(Struct, frozen=True):
    """The application of a run here, or None and the reason for leaving it to others. ``name`` is for commands."""

    name: str
    app: App | None
    why: str = ""


def decide_question(question_id: str, decision: UserDecision, *, app_reference: str, wait: float, as_json: bool) -> int:
    """Record a decision and continue its run. Returns the exit status.

    An application that is named is loaded before anything is recorded. Without one, the decision is recorded even if
    the application is not available here, and another process continues the run.
    """
    with open_client() as client:
        found = client.get_visible_question(question_id)
        question, asking = found.question, client.get_run(found.question.run)
        name = name_app(app_reference, asking.application)
        _check_question_kind(question, decision, name)
        _check_four_eyes(client, question)
        row = client.waiting_run(question) or _find_carrying_run(client, asking, found)
        is_recorded = _is_repeated(client, found, row, decision, name)
        # Approving an announced call opens a run of the application, which also checks edits and results.
        is_needed = not decision.is_plain or (decision.approved and (row is None or decision.kind == "outcome"))
        local = _find_app(client, row or asking, app_reference, name, is_needed=is_needed)
        last_seq = _last_seq(client, row)
        if not is_recorded and (opened := _record(client, question, decision, local.app)) is not None:
            row = opened
            last_seq = _last_seq(client, row)
        if row is None:
            return _report_denied(question, decision, as_json=as_json)
        return _continue_run(client, row, local, decision, question_id, last_seq=last_seq, wait=wait, as_json=as_json)


def _continue_run(
    client: LocalClient,
    row: RunRow,
    local: _LocalApp,
    decision: UserDecision,
    question_id: str,
    *,
    last_seq: int | None,
    wait: float,
    as_json: bool,
) -> int:
    """Continue the run of a recorded decision, or name the command that continues it."""
    if last_seq is not None:
        notify_engine(client, client.runtime(local.app or App(name=row.application)), row.run)
    if local.app is None:
        return _report_left(row, local, decision, as_json=as_json)
    try:
        return resume_run(
            client,
            row,
            local.app,
            app_reference=local.name,
            wait=wait,
            as_json=as_json,
            decided_after=last_seq,
            decided_question=question_id,
        )
    except (UsageError, SetupError) as error:  # their exit status would claim that nothing was done
        return _report_left(row, _LocalApp(local.name, None, error.message), decision, as_json=as_json)
    except LeaseError as error:
        return _report_executed_elsewhere(row, error, local.name, decision, as_json=as_json)


def _find_app(client: LocalClient, row: RunRow, app_reference: str, name: str, *, is_needed: bool) -> _LocalApp:
    """The application of a run: the named one, or the installed one if it can be loaded.

    Raises:
        RemitError: it cannot be loaded, but it was named or the decision needs it.
    """
    try:
        return _LocalApp(name, prepare_app(client, row, app_reference))
    except RemitError as error:
        if app_reference or is_needed:
            raise
        return _LocalApp(name, None, error.message)


def _record(client: LocalClient, question: Question, decision: UserDecision, app: App | None) -> RunRow | None:
    """Record the decision. Returns the run that it opens, or None."""
    deciding = client.client_of(app).decide(
        question.id,
        approved=decision.approved,
        kind=decision.act,
        reason=decision.reason,
        result=decision.result,
        arguments=decision.arguments,
    )
    opened = client.wait(deciding)
    edit = f", edited to {summarize_arguments(decision.arguments)}" if decision.arguments else ""
    print(f"{decision.label}: {call_label(question)}{edit}, question {question.id}", file=sys.stderr)
    return None if opened is None else client.get_run(opened)


def _find_carrying_run(client: LocalClient, asking: RunRow, found: QuestionRow) -> RunRow | None:
    """The run opened by an earlier approval of an announced call, if it is the last of its conversation."""
    if found.decision is None or not asking.conversation:
        return None
    last = client.latest_run(asking.application, asking.conversation)
    items = [] if last is None else client.wait(client.store.read(last.run))
    first = (each.item for each in items[:3])  # the header, the question and the decision
    return (
        last if any(isinstance(each, DecisionItem) and each.question == found.question.id for each in first) else None
    )


def _is_repeated(
    client: LocalClient, found: QuestionRow, row: RunRow | None, decision: UserDecision, name: str
) -> bool:
    """Whether the user has recorded this decision before, and its run has not ended.

    Raises:
        RequestConflictError: another decision is recorded; says which command continues the run.
    """
    made = found.decision
    if made is None or row is None or row.status not in UNFINISHED_STATUSES:
        return False
    word = decision_word(made, about_outcome=found.question.kind == "outcome")
    said = f"question {found.question.id} is already decided: {word} by {one_line(made.by)}"
    if made.by != client.principal.name or made.approved != decision.approved or not decision.is_plain:
        raise RequestConflictError(f"{said}; its run continues with: remit resume {row.run}{app_option(name)}")
    print(said, file=sys.stderr)
    return True


def _last_seq(client: LocalClient, row: RunRow | None) -> int | None:
    """The last item of the run if an engine of the environment continues it, and not this process."""
    if row is None or choose_engine(os.environ.get(ENGINE_VARIABLE, "")) == "local":
        return None
    return client.wait(client.store.read(row.run))[-1].seq


def _check_question_kind(question: Question, decision: UserDecision, name: str) -> None:
    """Reject an answer meant for the other kind of question: "denied" is not "did not happen"."""
    if question.kind != decision.kind:
        yes, no = decision_commands(question, name)
        raise UsageError(f"question {question.id} asks: {question_title(question)} Answer yes: {yes}; no: {no}")


def _check_four_eyes(client: LocalClient, question: Question) -> None:
    """Refuse an answer from the requester of the call, and name those who may answer."""
    if question.four_eyes and client.principal.name in question.requesters:
        raise RequestDeniedError(
            f"{client.principal.name} requested the call and may not decide question {question.id}; "
            f"{describe_approvers(client, question)}"
        )


def _report_denied(question: Question, decision: UserDecision, *, as_json: bool) -> int:
    """Report the denial of an announced call, for which no run waits."""
    if as_json:
        print(json_text({"question": question.id, "decision": decision.label}))
    else:
        print("The call is denied; the agent learns so if it tries.")
    return ExitStatus.DONE


def _report_left(row: RunRow, local: _LocalApp, decision: UserDecision, *, as_json: bool) -> int:
    """Report that the decision is recorded, why this process does not continue the run, and the commands that do."""
    if as_json:
        print(json_text({"run": row.run, "status": row.status, "decision": decision.label}))
    option = app_option(local.name)
    print(
        f"the decision is recorded; this process cannot continue the run: {one_line(local.why, max_length=400)}\n"
        f"  continue it:  remit resume {row.run}{option}\n"
        f"  or leave it to an executor that runs: remit executor{option}",
        file=sys.stderr,
    )
    return ExitStatus.WAITING


def _report_executed_elsewhere(
    row: RunRow, error: LeaseError, name: str, decision: UserDecision, *, as_json: bool
) -> int:
    """Report that another process continues the run; the decision is in its inbox."""
    from remit.cli.elsewhere import find_process, is_alive

    if as_json:
        print(json_text({"run": row.run, "status": "running", "decision": decision.label}))
    process = find_process(error.executor)
    if process is not None and is_alive(process):
        who, if_dead = f"executor {process}", ""
    else:
        who = f"executor {one_line(error.executor)}" if error.executor else "an executor"
        if_dead = f"; if it is dead: remit resume {row.run}{app_option(name)}"
    print(f"{who} continues the run: remit show {row.run}{if_dead}", file=sys.stderr)
    return ExitStatus.WAITING
