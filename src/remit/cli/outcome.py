"""Tells how a run came out: the result on stdout, everything else on stderr, and the exit status."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from typing import Any

from remit.cli.calls import AGAIN, CallEnded, Following, title
from remit.cli.desk import Desk
from remit.cli.legible import exact, json_text, legible, one_line
from remit.cli.status import Status, line_of
from remit.cli.worker_at import WorkerAt
from remit.contracts.callee import Actor
from remit.contracts.question import Question, as_dict
from remit.core.frozen import frozen
from remit.errors import CallCancelledError, CallError, ToolFailedError
from remit.runtime import RunResult

GO_AHEAD = "Yes, I confirm: go ahead."
"""What a person's yes to an announced call is to the model: a message that asks it to make the call."""


@frozen
class Told:
    """What is told beside the result.

    Args:
        where: how the application was named on the command line, where that is not by its name.
        following: what was seen of the run while it was driven.
    """

    as_json: bool
    application: str = ""
    conversation: str = ""
    where: str = ""
    following: Following


def tell(desk: Desk, result: RunResult[Any], told: Told) -> int:
    """Print how a run came out; the exit status."""
    waiting = [desk.question(question).question for question in result.questions]
    announced = desk.announced(told.application, told.conversation)
    error = failure_of(result)
    if told.as_json:
        print(json_text(_summary(result, error, [*waiting, *announced], told)))
    elif error is None and result.status == "done":
        print(_shown(result))
    if error is not None:
        print(line_of(error.code, error.message), file=sys.stderr)
    for question in waiting:
        print(_waiting(question, told), file=sys.stderr)
    for question in announced:
        print(_announced(question, told), file=sys.stderr)
    return {"done": Status.DONE, "waiting": Status.WAITING}.get(result.status, Status.FAILED)


def failure_of(result: RunResult[Any]) -> CallError | None:
    """The error that a run ended with, if it ended badly."""
    if result.status == "cancelled":
        return CallCancelledError("the run was cancelled")
    if result.reply is None or result.reply.outcome == "ok":
        return None
    return result.reply.error or ToolFailedError(result.text)


def value_of(result: RunResult[Any]) -> object:
    """The result of a run that is done, made of JSON types."""
    return result.text if isinstance(result.value(), str) else json.loads(result.text)


def how_to_decide(question: Question, where: str = "") -> tuple[str, str]:
    """The commands that say yes and no to a question."""
    words = {"approval": ("approve", "deny"), "outcome": ("happened", "did-not-happen")}[question.kind]
    result = " --result JSON" if question.kind == "outcome" else ""
    yes, no = (f"remit approvals {word} {question.id}" for word in words)
    return f"{yes}{result}{_option(where)}", f"{no}{_option(where)}"


def _shown(result: RunResult[Any]) -> str:
    """What an agent or a worker says as text, any other result as JSON."""
    if not isinstance(result.value(), str):
        return exact(result.text)
    return legible(result.text) if isinstance(result.callee, Actor) else json_text(result.text)


def _summary(
    result: RunResult[Any], error: CallError | None, questions: Sequence[Question], told: Told
) -> dict[str, object]:
    summary: dict[str, object] = {"run": result.run, "status": result.status}
    if told.conversation:
        summary["conversation"] = told.conversation
    if result.status == "done":
        summary["result"] = value_of(result)
    if error is not None:
        summary |= {"error": error.message, "errorCode": error.code}
    summary["questions"] = [as_dict(question) for question in questions]
    summary["calls"] = [call_summary(call) for call in _calls(result, told.following)]
    return summary


def _calls(result: RunResult[Any], following: Following) -> list[CallEnded]:
    """The calls of a run. Its root is one of them where a tool was called; an agent's run is not a call of its own."""
    root = [] if following.root is None or isinstance(result.callee, Actor) else [following.root]
    return [*following.calls, *root]


def call_summary(call: CallEnded) -> dict[str, object]:
    """A call that has ended, for ``--json``."""
    summary: dict[str, object] = {"name": call.name, "outcome": call.outcome, "seconds": call.seconds}
    if call.error is not None:
        summary |= {"error": call.error.message, "errorCode": call.error.code}
    return summary


def _waiting(question: Question, told: Told) -> str:
    yes, no = how_to_decide(question, told.where)
    return (
        f"waiting: {title(question)}   question {question.id}, {question.risk} risk\n"
        f"  see it:  remit approvals show {question.id}\n"
        f"  yes:     {yes}\n"
        f"  no:      {no}{_consequence(question)}"
    )


def _announced(question: Question, told: Told) -> str:
    app, conversation = shlex.quote(told.where or "APP"), shlex.quote(question.conversation)
    yes, no = how_to_decide(question)
    return (
        f"question {question.id} is open: may the agent call {one_line(question.tool)} ({question.risk} risk)?\n"
        f"  yes:     {yes}\n"
        f"  no:      {no}\n"
        f'  then:    remit run {app} --conversation {conversation} --ask "{GO_AHEAD}"'
    )


def _consequence(question: Question) -> str:
    return f"   ({AGAIN})" if question.kind == "outcome" else ""


def _option(where: str) -> str:
    return f" --app {shlex.quote(where)}" if ":" in where or WorkerAt.of(where) else ""
