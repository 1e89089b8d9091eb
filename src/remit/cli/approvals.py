"""``remit approvals``: the questions that wait for a person, and the decisions on them."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Annotated, Final

import typer

from remit.app import App
from remit.cli.calls import AGAIN, title
from remit.cli.desk import Desk, open_desk
from remit.cli.engine import VARIABLE, chosen, told_of
from remit.cli.grants import grant, grants, revoke
from remit.cli.group import group
from remit.cli.legible import json_text, lasting, one_line
from remit.cli.outcome import how_to_decide
from remit.cli.resume import drive_on, prepared
from remit.cli.status import Status, UsageError
from remit.contracts.question import Question, QuestionKind, as_dict
from remit.core.frozen import frozen
from remit.errors import LeaseError
from remit.journal.ports import QuestionRow, RunRow

commands = group("The questions that wait for a person, decisions, and what is allowed beforehand.")
commands.command()(grant)
commands.command()(grants)
commands.command()(revoke)

_Id = Annotated[str, typer.Argument(metavar="ID", help="The id of a question; see: remit approvals list.")]
_Json = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]
_Reason = Annotated[str, typer.Option(metavar="TEXT", help="Why; the agent is told.")]
_App = Annotated[str, typer.Option(metavar="APP", help="Where its application is, as package.module:attribute.")]

_DECIDES: Final[Mapping[QuestionKind, str]] = {
    "approval": "may it run?",
    "outcome": f"did it happen? if not, {AGAIN}",
}


@commands.command("list")
def list_(
    *,
    everything: Annotated[bool, typer.Option("--all", help="Those that were decided or expired, too.")] = False,
    as_json: _Json = False,
) -> None:
    """List the questions that are open, oldest first."""
    with open_desk() as desk:
        found = desk.wait(desk.store.questions(only_open=not everything))
        rows = [row for row in found if desk.sees(row.question)]
        now = desk.clock()
    if as_json:
        print(json_text({"questions": [_summary(row) for row in rows]}))
        return
    from remit.cli.terminal import draw, risk_text, table

    shown = table("question", "status", "tool", "risk", "asked for", "asked", "run", "conversation", "decides")
    for row in rows:
        question = row.question
        ago = f"{lasting(now - question.asked)} ago"
        asker, conversation = one_line(question.asker), one_line(question.conversation)
        risk = risk_text(question.risk)
        shown.add_row(
            question.id,
            row.status,
            question.tool,
            risk,
            asker,
            ago,
            question.run,
            conversation,
            _DECIDES[question.kind],
        )
    draw(shown)


@commands.command()
def show(question: _Id, *, as_json: _Json = False) -> None:
    """Show what a question is about: the call, its exact arguments, the reason."""
    with open_desk() as desk:
        row = desk.asked(question)
        now = desk.clock()
    if as_json:
        print(json_text(_summary(row)))
        return
    from remit.cli.terminal import Terminal, console

    terminal = Terminal(console(), App(name=""))
    terminal.question(row.question, now)
    decision = row.decision
    said = f" by {decision.by}" + (f": {decision.reason}" if decision.reason else "") if decision else ""
    terminal.say(("  status    ", "dim"), row.status, one_line(said, most=400))


@commands.command()
def approve(
    question: _Id,
    *,
    reason: _Reason = "",
    arguments: Annotated[
        str, typer.Option(metavar="JSON", help="What it is to run with instead, as a whole; the agent is told.")
    ] = "",
    app: _App = "",
    as_json: _Json = False,
) -> int:
    """Allow the call that a question is about, and drive its run on.

    Exit status: as the run's. 0 done, 1 failed, 2 usage, 3 waiting for another decision.
    """
    said = _Said(kind="approval", approved=True, word="approved", reason=reason, arguments=arguments)
    return _decide(question, said, where=app, as_json=as_json)


@commands.command()
def deny(question: _Id, *, reason: _Reason = "", app: _App = "", as_json: _Json = False) -> int:
    """Refuse the call that a question is about, and drive its run on.

    Exit status: as the run's. 0 done, 1 failed, 2 usage, 3 waiting for another decision.
    """
    said = _Said(kind="approval", approved=False, word="denied", reason=reason)
    return _decide(question, said, where=app, as_json=as_json)


@commands.command()
def happened(
    question: _Id,
    *,
    result: Annotated[str, typer.Option(metavar="JSON", help="What the call gave, as the agent would read it.")],
    reason: _Reason = "",
    app: _App = "",
    as_json: _Json = False,
) -> int:
    """Say that a call which was cut off has happened: it is not made again, and its run is driven on.

    Exit status: as the run's. 0 done, 1 failed, 2 usage, 3 waiting for another decision.
    """
    said = _Said(kind="outcome", approved=True, word="it happened", reason=reason, result=result)
    return _decide(question, said, where=app, as_json=as_json)


@commands.command("did-not-happen")
def did_not_happen(question: _Id, *, reason: _Reason = "", app: _App = "", as_json: _Json = False) -> int:
    """Say that a call which was cut off has not happened: the call WILL BE MADE AGAIN as its run is driven on.

    Exit status: as the run's. 0 done, 1 failed, 2 usage, 3 waiting for another decision.
    """
    said = _Said(kind="outcome", approved=False, word=f"it did not happen, {AGAIN}", reason=reason)
    return _decide(question, said, where=app, as_json=as_json)


@frozen
class _Said:
    """What the person says, to which kind of question, and the word for it."""

    kind: QuestionKind
    approved: bool
    word: str
    reason: str
    result: str = ""
    arguments: str = ""


def _decide(question: str, said: _Said, *, where: str, as_json: bool) -> int:
    with open_desk() as desk:
        asked = desk.asked(question).question
        _check(asked, said, where)
        row = desk.waiter(asked)
        app = prepared(desk, row, where) if row is not None else _app_of(desk, asked, said, where)
        deciding = desk.runtime(app).decide(
            question,
            approved=said.approved,
            by=desk.me,
            reason=said.reason,
            result=said.result,
            arguments=said.arguments,
        )
        desk.wait(deciding)
        print(f"{said.word}: {one_line(asked.tool)}, question {question}", file=sys.stderr)
        if row is None:
            return _announced(asked, said, as_json=as_json)
        if chosen(os.environ.get(VARIABLE, "")) != "local":
            return _woken(desk, row, app, said, as_json=as_json)
        try:
            return drive_on(desk, row, app, where=where, as_json=as_json)
        except LeaseError as error:
            return _driven_elsewhere(row, error, said, as_json=as_json)


def _app_of(desk: Desk, asked: Question, said: _Said, where: str) -> App:
    """The application that knows the tool whose call is edited; none is needed for a plain yes or no."""
    return desk.app_of(desk.run(asked.run), where) if said.arguments else App(name="")


def _check(asked: Question, said: _Said, where: str) -> None:
    """Refuse an answer to another kind of question: "denied" and "did not happen" have nothing in common."""
    if asked.kind != said.kind:
        yes, no = how_to_decide(asked, where)
        raise UsageError(f"question {asked.id} asks: {title(asked)} Answer yes: {yes}; no: {no}")


def _announced(asked: Question, said: _Said, *, as_json: bool) -> int:
    """No run waits for it: the agent announced the call and makes it, if at all, when it is told to."""
    if as_json:
        print(json_text({"question": asked.id, "decision": said.word}))
    elif said.approved:
        print(f"The agent may now go ahead; tell it to, in the conversation {one_line(asked.conversation)}.")
    else:
        print("The agent may not; it is told so if it tries.")
    return Status.DONE


def _woken(desk: Desk, row: RunRow, app: App, said: _Said, *, as_json: bool) -> int:
    """The engine has it driven on, wherever there is room."""
    told_of(desk, desk.runtime(app), row.run)
    if as_json:
        print(json_text({"run": row.run, "status": row.status, "decision": said.word}))
    print(f"A worker process drives it on; see: remit show {row.run}", file=sys.stderr)
    return Status.DONE


def _driven_elsewhere(row: RunRow, error: LeaseError, said: _Said, *, as_json: bool) -> int:
    """Another process drives the run, or did until a moment ago: the decision is in its inbox."""
    if as_json:
        print(json_text({"run": row.run, "status": "running", "decision": said.word}))
    print(f"{error.message}. It takes the decision up itself.", file=sys.stderr)
    print(f"If that process is gone, drive it on in half a minute: remit resume {row.run}", file=sys.stderr)
    return Status.DONE


def _summary(row: QuestionRow) -> dict[str, object]:
    return {
        **as_dict(row.question),
        "status": row.status,
        "decision": as_dict(row.decision) if row.decision else None,
        "taken": list(row.taken) if row.taken else None,
    }
