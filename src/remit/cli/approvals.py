"""``remit approvals``: list the open questions and decide them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final

import typer

from remit.cli.approval_health import health
from remit.cli.client import open_client
from remit.cli.deciding import UserDecision, decide_question
from remit.cli.grants import grant, grants, revoke
from remit.cli.group import make_group
from remit.cli.options import WAIT_SECONDS, DecisionAppOption, WaitOption
from remit.cli.run_events import REPEAT_NOTICE, call_label, decision_word
from remit.cli.text import format_duration, json_text, one_line
from remit.journal.ports import QuestionRow
from remit.record.question import QuestionKind, as_dict

commands = make_group("List and decide questions, and approve calls in advance.")
commands.command()(health)
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
    """Show the call that a question is about, and why.

    Its arguments are in words, and JSON with --json.
    """
    with open_client() as client:
        row = client.get_visible_question(question)
        now = client.clock()
    if as_json:
        print(json_text(_summary(row)))
        return
    from remit.cli.tables import make_console
    from remit.cli.terminal import Terminal

    terminal = Terminal(make_console())
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
    app: DecisionAppOption = "",
    wait: WaitOption = WAIT_SECONDS,
    as_json: _AsJson = False,
) -> int:
    """Approve the call of a question, and have it made.

    Exit status: that of the run. 0 done, 1 failed, 2 usage: nothing was decided, 3 decided, and the run has not ended.
    """
    decision = UserDecision(kind="approval", approved=True, label="approved", reason=reason, arguments=arguments)
    return decide_question(question, decision, app_reference=app, wait=wait, as_json=as_json)


@commands.command()
def confirm(
    question: _QuestionId,
    *,
    app: DecisionAppOption = "",
    wait: WaitOption = WAIT_SECONDS,
    as_json: _AsJson = False,
) -> int:
    """Confirm a call that you requested, and have it made.

    It answers questions for which a confirmation is enough.

    Exit status: that of the run. 0 done, 1 failed, 2 usage: nothing was decided, 3 decided, and the run has not ended.
    """
    decision = UserDecision(kind="approval", approved=True, label="confirmed", act="confirm")
    return decide_question(question, decision, app_reference=app, wait=wait, as_json=as_json)


@commands.command()
def deny(
    question: _QuestionId,
    *,
    reason: _Reason = "",
    app: DecisionAppOption = "",
    wait: WaitOption = WAIT_SECONDS,
    as_json: _AsJson = False,
) -> int:
    """Deny the call of a question, and resume its run.

    Exit status: that of the run. 0 done, 1 failed, 2 usage: nothing was decided, 3 decided, and the run has not ended.
    """
    decision = UserDecision(kind="approval", approved=False, label="denied", reason=reason)
    return decide_question(question, decision, app_reference=app, wait=wait, as_json=as_json)


@commands.command()
def happened(
    question: _QuestionId,
    *,
    result: Annotated[str, typer.Option(metavar="JSON", help="The result of the call, as the agent would read it.")],
    reason: _Reason = "",
    app: DecisionAppOption = "",
    wait: WaitOption = WAIT_SECONDS,
    as_json: _AsJson = False,
) -> int:
    """State that an interrupted call did happen.

    The call is not made again, and its run is resumed.

    Exit status: that of the run. 0 done, 1 failed, 2 usage: nothing was decided, 3 decided, and the run has not ended.
    """
    decision = UserDecision(kind="outcome", approved=True, label="it happened", reason=reason, result=result)
    return decide_question(question, decision, app_reference=app, wait=wait, as_json=as_json)


@commands.command("did-not-happen")
def did_not_happen(
    question: _QuestionId,
    *,
    reason: _Reason = "",
    app: DecisionAppOption = "",
    wait: WaitOption = WAIT_SECONDS,
    as_json: _AsJson = False,
) -> int:
    """State that an interrupted call did NOT happen.

    The call WILL BE MADE AGAIN when its run is resumed.

    Exit status: that of the run. 0 done, 1 failed, 2 usage: nothing was decided, 3 decided, and the run has not ended.
    """
    decision = UserDecision(kind="outcome", approved=False, label=f"it did not happen, {REPEAT_NOTICE}", reason=reason)
    return decide_question(question, decision, app_reference=app, wait=wait, as_json=as_json)


def _status_word(row: QuestionRow) -> str:
    """The status of a question in the terms of the glossary."""
    return "consumed" if row.status == "taken" else row.status


def _describe_status(row: QuestionRow) -> str:
    """The status of a question, and the decision: ``denied by ann: too early``, ``consumed, confirmed by ann``."""
    decision, status = row.decision, _status_word(row)
    if decision is None:
        return status
    about_outcome = row.question.kind == "outcome"
    decided = (
        f"{decision_word(decision, about_outcome=about_outcome)}{', says' if about_outcome else ' by'} {decision.by}"
    )
    is_said = status in ("approved", "denied")
    return f"{'' if is_said else f'{status}, '}{decided}" + (f": {decision.reason}" if decision.reason else "")


def _summary(row: QuestionRow) -> dict[str, object]:
    return {
        **as_dict(row.question),
        "status": row.status,
        "decision": as_dict(row.decision) if row.decision else None,
        "taken": list(row.consumed_by) if row.consumed_by else None,
    }
