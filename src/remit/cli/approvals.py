"""``remit approvals``: list the open questions and decide them."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Annotated, Final

import typer
from msgspec import Struct

from remit.app import App
from remit.cli.client import LocalClient, open_client
from remit.cli.engine import ENGINE_VARIABLE, choose_engine, notify_engine
from remit.cli.grants import grant, grants, revoke
from remit.cli.group import make_group
from remit.cli.options import WAIT_SECONDS, RunAppOption, WaitOption
from remit.cli.report import app_option, decision_commands, describe_approvers
from remit.cli.resume import prepare_app, resume_run
from remit.cli.run_events import REPEAT_NOTICE, call_label, question_title
from remit.cli.status import ExitStatus, UsageError
from remit.cli.text import format_duration, json_text, one_line
from remit.contracts.question import DecisionKind, Question, QuestionKind, as_dict
from remit.errors import LeaseError, RemitError, RequestDeniedError
from remit.journal.ports import QuestionRow, RunRow

commands = make_group("List and decide questions, and approve calls in advance.")
commands.command()(grant)
commands.command()(grants)
commands.command()(revoke)

_QuestionId = Annotated[str, typer.Argument(metavar="ID", help="The id of a question; see: remit approvals list.")]
_AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]
_Reason = Annotated[str, typer.Option(metavar="TEXT", help="The reason; the agent reads it.")]

_DECISION_PROMPTS: Final[Mapping[QuestionKind, str]] = {
    "approval": "may it run?",
    "outcome": f"did it happen? if not, {REPEAT_NOTICE}",
}


@commands.command("list")
def list_(
    *,
    include_closed: Annotated[bool, typer.Option("--all", help="Include decided and expired questions.")] = False,
    as_json: _AsJson = False,
) -> None:
    """List the open questions, oldest first."""
    with open_client() as client:
        rows = client.list_questions(only_open=not include_closed)
        now = client.clock()
    if as_json:
        print(json_text({"questions": [_summary(row) for row in rows]}))
        return
    from remit.cli.tables import make_table, print_table, risk_text

    listing = make_table("question", "status", "call", "risk", "asked for", "asked", "run", "conversation", "decides")
    for row in rows:
        question = row.question
        ago = f"{format_duration(now - question.asked)} ago"
        asker, conversation = one_line(question.asker), one_line(question.conversation)
        risk = risk_text(question.risk)
        listing.add_row(
            question.id,
            _status_word(row),
            call_label(question),
            risk,
            asker,
            ago,
            question.run,
            conversation,
            _DECISION_PROMPTS[question.kind],
        )
    print_table(listing)


@commands.command()
def show(question: _QuestionId, *, as_json: _AsJson = False) -> None:
    """Show the call that a question is about, and why it is asked."""
    with open_client() as client:
        row = client.get_visible_question(question)
        now = client.clock()
    if as_json:
        print(json_text(_summary(row)))
        return
    from remit.cli.tables import make_console
    from remit.cli.terminal import Terminal

    terminal = Terminal(make_console(), App(name=""))
    terminal.show_question(row.question, now)
    terminal.print_line(("  status    ", "dim"), one_line(_describe_status(row), max_length=400))


@commands.command()
def approve(
    question: _QuestionId,
    *,
    reason: _Reason = "",
    arguments: Annotated[
        str,
        typer.Option(
            metavar="JSON", help="Run the call with these arguments instead, as one JSON object; the agent reads them."
        ),
    ] = "",
    app: RunAppOption = "",
    wait: WaitOption = WAIT_SECONDS,
    as_json: _AsJson = False,
) -> int:
    """Approve the call of a question, and have it made.

    Exit status: that of the run. 0 done, 1 failed, 2 usage, 3 waiting for another decision, or not ended yet.
    """
    decision = _Decision(kind="approval", approved=True, label="approved", reason=reason, arguments=arguments)
    return _decide(question, decision, app_reference=app, wait=wait, as_json=as_json)


@commands.command()
def confirm(
    question: _QuestionId,
    *,
    app: RunAppOption = "",
    wait: WaitOption = WAIT_SECONDS,
    as_json: _AsJson = False,
) -> int:
    """Confirm a call that you requested, and have it made.

    It answers questions for which a confirmation is enough.

    Exit status: that of the run. 0 done, 1 failed, 2 usage, 3 waiting for another decision, or not ended yet.
    """
    decision = _Decision(kind="approval", approved=True, label="confirmed", act="confirm")
    return _decide(question, decision, app_reference=app, wait=wait, as_json=as_json)


@commands.command()
def deny(
    question: _QuestionId,
    *,
    reason: _Reason = "",
    app: RunAppOption = "",
    wait: WaitOption = WAIT_SECONDS,
    as_json: _AsJson = False,
) -> int:
    """Deny the call of a question, and resume its run.

    Exit status: that of the run. 0 done, 1 failed, 2 usage, 3 waiting for another decision, or not ended yet.
    """
    decision = _Decision(kind="approval", approved=False, label="denied", reason=reason)
    return _decide(question, decision, app_reference=app, wait=wait, as_json=as_json)


@commands.command()
def happened(
    question: _QuestionId,
    *,
    result: Annotated[str, typer.Option(metavar="JSON", help="The result of the call, as the agent would read it.")],
    reason: _Reason = "",
    app: RunAppOption = "",
    wait: WaitOption = WAIT_SECONDS,
    as_json: _AsJson = False,
) -> int:
    """State that an interrupted call did happen.

    The call is not made again, and its run is resumed.

    Exit status: that of the run. 0 done, 1 failed, 2 usage, 3 waiting for another decision, or not ended yet.
    """
    decision = _Decision(kind="outcome", approved=True, label="it happened", reason=reason, result=result)
    return _decide(question, decision, app_reference=app, wait=wait, as_json=as_json)


@commands.command("did-not-happen")
def did_not_happen(
    question: _QuestionId,
    *,
    reason: _Reason = "",
    app: RunAppOption = "",
    wait: WaitOption = WAIT_SECONDS,
    as_json: _AsJson = False,
) -> int:
    """State that an interrupted call did NOT happen.

    The call WILL BE MADE AGAIN when its run is resumed.

    Exit status: that of the run. 0 done, 1 failed, 2 usage, 3 waiting for another decision, or not ended yet.
    """
    decision = _Decision(kind="outcome", approved=False, label=f"it did not happen, {REPEAT_NOTICE}", reason=reason)
    return _decide(question, decision, app_reference=app, wait=wait, as_json=as_json)


class _Decision(Struct, frozen=True, kw_only=True):
    """The user's decision, the kind of question it answers, and its label."""

    kind: QuestionKind
    approved: bool
    label: str
    reason: str = ""
    result: str = ""
    arguments: str = ""
    act: DecisionKind | None = None


def _decide(question_id: str, decision: _Decision, *, app_reference: str, wait: float, as_json: bool) -> int:
    with open_client() as client:
        pending_question = client.get_visible_question(question_id).question
        _check_question_kind(pending_question, decision, app_reference)
        _check_four_eyes(client, pending_question)
        row = client.waiting_run(pending_question)
        # A yes to an announced call opens a run of the application, which also checks edits and results.
        needs_app = bool(decision.arguments) or (decision.approved and (row is None or decision.kind == "outcome"))
        asking = client.get_run(pending_question.run)
        app = prepare_app(client, row or asking, app_reference) if needs_app else App(name="")
        last_seq = _last_seq(client, row)
        deciding = client.client_of(app).decide(
            question_id,
            approved=decision.approved,
            kind=decision.act,
            reason=decision.reason,
            result=decision.result,
            arguments=decision.arguments,
        )
        opened = client.wait(deciding)
        print(f"{decision.label}: {call_label(pending_question)}, question {question_id}", file=sys.stderr)
        if opened is not None:
            row = client.get_run(opened)
            last_seq = _last_seq(client, row)
        if row is None:
            return _report_denied(pending_question, decision, as_json=as_json)
        if not needs_app:
            app = _prepare_to_resume(client, row, app_reference)
        if last_seq is not None:
            notify_engine(client, client.runtime(app), row.run)
        try:
            return resume_run(
                client, row, app, app_reference=app_reference, wait=wait, as_json=as_json, decided_after=last_seq
            )
        except LeaseError as error:
            return _report_executed_elsewhere(row, error, decision, app_reference=app_reference, as_json=as_json)


def _prepare_to_resume(client: LocalClient, row: RunRow, app_reference: str) -> App:
    """The application of a decided run.

    Raises:
        UsageError: it cannot be loaded; the decision stands.
    """
    try:
        return prepare_app(client, row, app_reference)
    except RemitError as error:
        what = f"the decision is recorded, but its run cannot be resumed here: {error.message}"
        raise UsageError(f"{what}; then continue it: remit resume {row.run}") from error


def _last_seq(client: LocalClient, row: RunRow | None) -> int | None:
    """The last item of the run if an engine of the environment continues it, and not this process."""
    if row is None or choose_engine(os.environ.get(ENGINE_VARIABLE, "")) == "local":
        return None
    return client.wait(client.store.read(row.run))[-1].seq


def _check_question_kind(question: Question, decision: _Decision, app_reference: str) -> None:
    """Reject an answer meant for the other kind of question: "denied" is not "did not happen"."""
    if question.kind != decision.kind:
        yes, no = decision_commands(question, app_reference)
        raise UsageError(f"question {question.id} asks: {question_title(question)} Answer yes: {yes}; no: {no}")


def _check_four_eyes(client: LocalClient, question: Question) -> None:
    """Refuse the answer of who requested the call, and name those who may give it."""
    if question.four_eyes and client.principal.name in question.requesters:
        raise RequestDeniedError(
            f"{client.principal.name} requested the call and may not decide question {question.id}; "
            f"{describe_approvers(client, question)}"
        )


def _report_denied(question: Question, decision: _Decision, *, as_json: bool) -> int:
    """Report the denial of an announced call, for which no run waits."""
    if as_json:
        print(json_text({"question": question.id, "decision": decision.label}))
    else:
        print("The call is denied; the agent learns so if it tries.")
    return ExitStatus.DONE


def _report_executed_elsewhere(
    row: RunRow, error: LeaseError, decision: _Decision, *, app_reference: str, as_json: bool
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
        if_dead = f"; if it is dead: remit resume {row.run}{app_option(app_reference)}"
    print(f"{who} continues the run: remit show {row.run}{if_dead}", file=sys.stderr)
    return ExitStatus.WAITING


def _status_word(row: QuestionRow) -> str:
    """The status of a question in the terms of the glossary."""
    return "consumed" if row.status == "taken" else row.status


def _describe_status(row: QuestionRow) -> str:
    """The status of a question, and the decision: ``denied by ann: too early``."""
    decision, word = row.decision, _status_word(row)
    if decision is None:
        return word
    decided = f"{word} by" if word in ("approved", "denied") else f"{word}, decided by"
    return f"{decided} {decision.by}" + (f": {decision.reason}" if decision.reason else "")


def _summary(row: QuestionRow) -> dict[str, object]:
    return {
        **as_dict(row.question),
        "status": row.status,
        "decision": as_dict(row.decision) if row.decision else None,
        "taken": list(row.consumed_by) if row.consumed_by else None,
    }
