"""Reports the result of a run: the value on stdout, everything else on stderr, and the exit status."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from msgspec import Struct

from remit.call.callee import AgentLike
from remit.cli.apps import installed_apps
from remit.cli.client import LocalClient
from remit.cli.options import APP_PLACEHOLDER
from remit.cli.receipt import receipt_lines, receipt_summary
from remit.cli.run_events import REPEAT_NOTICE, CallEnded, RunFollower, question_title
from remit.cli.status import ExitStatus, error_line
from remit.cli.text import escape_controls, escape_unprintable, json_text, one_line
from remit.cli.worker_reference import WorkerReference
from remit.errors import CallCancelledError, CallError, InternalError
from remit.journal.rest import find_rest
from remit.record.question import Question, as_dict
from remit.runtime import RunResult


class ReportOptions(Struct, frozen=True, kw_only=True):
    """How to report a result.

    Args:
        app_reference: how the application was named on the command line, if not by its name.
        follower: the events observed while the run was executed.
    """

    as_json: bool
    application: str = ""
    conversation: str = ""
    app_reference: str = ""
    follower: RunFollower


def report_result(client: LocalClient, result: RunResult[Any], options: ReportOptions) -> int:
    """Print the result of a run. Returns the exit status."""
    rows = [client.get_question(question) for question in result.questions]
    open_questions = [row.question for row in rows if row.status == "open"]
    announced_questions = client.announced_questions(options.application, options.conversation)
    error = run_error(result)
    if options.as_json:
        print(json_text(_summary(result, error, [*open_questions, *announced_questions], options)))
    elif error is None and result.status == "done":
        print(_result_text(result))
    if not options.as_json and result.reply is not None and isinstance(result.callee, AgentLike):
        print("\n".join(receipt_lines(result.receipt)), file=sys.stderr)
    if error is not None:
        print(error_line(error.code, error.message), file=sys.stderr)
    if result.status == "stalled":
        print(stalled_notice(result, options.app_reference), file=sys.stderr)
    if result.status == "queued":
        print(queued_notice(result, options.app_reference), file=sys.stderr)
    if result.status == "open" and not options.as_json:
        print(f"open: run {result.run} rests until its next call")
    if result.status == "scheduled" and not options.as_json:
        print(_scheduled_notice(result, options.app_reference))
    for question in open_questions:
        print(_waiting_notice(question, options), file=sys.stderr)
        if question.four_eyes:
            print(f"  who:     {describe_approvers(client, question)}", file=sys.stderr)
    for question in announced_questions:
        print(_announced_notice(question, options), file=sys.stderr)
    if result.status in ("done", "scheduled", "open"):
        return ExitStatus.DONE
    return ExitStatus.WAITING if result.status in ("waiting", "stalled", "queued") else ExitStatus.FAILED


def stalled_notice(result: RunResult[Any], app_reference: str) -> str:
    """Why a run rests, and how it continues."""
    lacks = find_rest(result.items).lacks
    continuation = describe_continuation(result.run, lacks, result.retry_at, app_option(app_reference))
    return f"stalled: {escape_controls(result.reason)}\n{continuation}"


def describe_continuation(run: str, lacks: Sequence[str], retry_at: float, option: str) -> str:
    """The commands that continue a stalled run. ``option`` names its application."""
    if lacks:
        names = " ".join(f"--without {shlex.quote(each)}" for each in lacks)
        return (
            f"  with it:     remit resume {run}{option}\n  without it:  remit resume {run}{option} {names} --reason WHY"
        )
    at = datetime.fromtimestamp(retry_at).astimezone().strftime("%H:%M:%S")
    return (
        f"  nothing is lost: run `remit executor{option}` to try again at {at},\n  or now:  remit resume {run}{option}"
    )


def queued_notice(result: RunResult[Any], app_reference: str) -> str:
    """The run for which a queued run waits, and how the queued run continues."""
    option = app_option(app_reference)
    return (
        f"queued: run {result.run}; {escape_controls(result.reason)}\n"
        f"  nothing is lost: run `remit executor{option}` to have it executed when its turn comes,\n"
        f"  or then:  remit resume {result.run}{option}"
    )


def _scheduled_notice(result: RunResult[Any], app_reference: str) -> str:
    at = datetime.fromtimestamp(result.retry_at).astimezone().strftime("%Y-%m-%d %H:%M:%S %z")
    option = app_option(app_reference)
    return (
        f"scheduled: run {result.run} at {at}, by `remit executor{option}`\n"
        f"  not to make it:  remit cancel {result.run}{option}"
    )


def run_error(result: RunResult[Any]) -> CallError | None:
    """The error of a run that failed, or None."""
    if result.status == "cancelled":
        return CallCancelledError("the run was cancelled")
    if result.reply is None or result.reply.outcome == "ok":
        return None
    return result.reply.error or InternalError(result.text)


def json_value(result: RunResult[Any]) -> object:
    """The result of a finished run as JSON types."""
    return result.text if isinstance(result.value(), str) else json.loads(result.text)


def decision_commands(question: Question, app_reference: str = "") -> tuple[str, str]:
    """The commands that approve or confirm, and deny a question."""
    approve = "confirm" if question.needs == "confirm" else "approve"
    words = {"approval": (approve, "deny"), "outcome": ("happened", "did-not-happen")}[question.kind]
    result = " --result JSON" if question.kind == "outcome" else ""
    yes, no = (f"remit approvals {word} {question.id}" for word in words)
    return f"{yes}{result}{app_option(app_reference)}", f"{no}{app_option(app_reference)}"


def describe_approvers(client: LocalClient, question: Question) -> str:
    """The users who may decide a question that the requesters of its call may not decide."""
    requesters = one_line(" nor ".join(question.requesters))
    who = one_line(" or ".join(client.list_approvers(question)))
    lacking = f"no other user may; give one the permission {question.who} in {client.users.path}"
    return f"{who or lacking} (not {requesters}: four eyes)"


def _result_text(result: RunResult[Any]) -> str:
    """The reply of an agent as text; any other result as JSON."""
    if not isinstance(result.value(), str):
        return escape_unprintable(result.text)
    return escape_controls(result.text) if isinstance(result.callee, AgentLike) else json_text(result.text)


def _summary(
    result: RunResult[Any], error: CallError | None, questions: Sequence[Question], options: ReportOptions
) -> dict[str, object]:
    summary: dict[str, object] = {"run": result.run, "status": result.status}
    if options.conversation:
        summary["conversation"] = options.conversation
    if result.status == "done":
        summary["result"] = json_value(result)
    if error is not None:
        summary |= {"error": error.message, "errorCode": error.code}
    if result.status == "stalled":
        summary |= {"reason": result.reason, "retryAt": result.retry_at}
    if result.status == "scheduled":
        summary["startsAt"] = result.retry_at
    summary["receipt"] = receipt_summary(result.receipt)
    summary["questions"] = [as_dict(question) for question in questions]
    summary["calls"] = [call_summary(call) for call in _ended_calls(result, options.follower)]
    return summary


def _ended_calls(result: RunResult[Any], follower: RunFollower) -> list[CallEnded]:
    """The calls of a run. The root counts if it is a tool; an agent at the root is the run itself."""
    root = [] if follower.root_call is None or isinstance(result.callee, AgentLike) else [follower.root_call]
    return [*follower.ended_calls, *root]


def call_summary(call: CallEnded) -> dict[str, object]:
    """An ended call, for ``--json``."""
    summary: dict[str, object] = {
        "name": call.name,
        "sentence": call.sentence.text,
        "outcome": call.outcome,
        "seconds": call.seconds,
    }
    if call.error is not None:
        summary |= {"error": call.error.message, "errorCode": call.error.code}
    return summary


def _waiting_notice(question: Question, options: ReportOptions) -> str:
    yes, no = decision_commands(question, options.app_reference)
    return (
        f"waiting: {question_title(question)}   question {question.id}, {question.risk} risk\n"
        f"  see it:  remit approvals show {question.id}\n"
        f"  yes:     {yes}\n"
        f"  no:      {no}{_repeat_suffix(question)}"
    )


def _announced_notice(question: Question, options: ReportOptions) -> str:
    yes, no = decision_commands(question, options.app_reference)
    return (
        f"question {question.id} is open: {question_title(question)}   {question.risk} risk\n"
        f"  yes:     {yes}\n"
        f"  no:      {no}"
    )


def _repeat_suffix(question: Question) -> str:
    return f"   ({REPEAT_NOTICE})" if question.kind == "outcome" else ""


def name_app(app_reference: str, application: str) -> str:
    """The application of a run as commands name it: the user's name for it, or a placeholder if no name is enough."""
    return app_reference or ("" if application in installed_apps() else APP_PLACEHOLDER)


def app_option(app_reference: str) -> str:
    """The option for an application that is not installed, because its name alone does not find it."""
    is_folder = app_reference != "" and Path(app_reference).is_dir()
    needed = ":" in app_reference or is_folder or WorkerReference.of(app_reference)
    return f" --app {shlex.quote(app_reference)}" if needed else ""
