"""``remit run``: talk to an application's agent, or send it one message."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from remit.app import App
from remit.cli.apps import find_app, installed_apps
from remit.cli.client import LocalClient, open_client
from remit.cli.model import fetch_weights, missing_weights
from remit.cli.needed_models import check_models, needs_model
from remit.cli.options import AppArgument, TargetOption
from remit.cli.status import ExitStatus, UsageError
from remit.cli.text import escape_controls, json_text
from remit.engine.request import RunOptions
from remit.errors import RequestError

if TYPE_CHECKING:
    from remit.record.artifact import Artifact
    from remit.runtime import Runtime


def run(
    app: AppArgument,
    *,
    ask: Annotated[str | None, typer.Option(metavar="TEXT", help="Send one message, without a terminal.")] = None,
    conversation: Annotated[
        str, typer.Option(metavar="NAME", help="The conversation to continue; a new one by default.")
    ] = "",
    target: TargetOption = "",
    file: Annotated[
        list[str] | None, typer.Option(metavar="PATH", help="With --ask: a file for the agent. Can be repeated.")
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Download a model's weights without asking. Approves no call.")
    ] = False,
    detach: Annotated[
        bool, typer.Option("--detach", help="With --ask: submit the run and leave it to an executor.")
    ] = False,
    queue: Annotated[bool, typer.Option("--queue", help="With --ask: wait for a turn in a busy conversation.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="With --ask: print one JSON object on stdout.")] = False,
) -> int:
    """Talk to an application's agent, or ask it once. A terminal shows the answer while it is written.

    Exit status: 0 done, 1 failed, 2 usage, 3 waiting for a decision, stalled or queued. REMIT_MODEL names the model:
    openai:NAME, PROVIDER:NAME, local:base (the default), local:small, local:FILE.gguf or scripted:FILE.
    """
    files = [Path(each) for each in file or ()]
    _check_options(ask, files, as_json=as_json, detach=detach, queue=queue)
    with open_client() as client:
        found = find_app(app, installed_apps())
        if not found.agents:
            raise RequestError(f"the application {found.name!r} has no agent to talk to; see: remit tools {app}")
        conversation_id = conversation or f"{found.name}-{secrets.token_hex(4)}"
        options = RunOptions(conversation=conversation_id, target=target, when_busy="queue" if queue else "refuse")
        if ask is not None and detach:
            return _detach(client, found, options, ask, files, as_json=as_json)
        if needs_model(found, found.agents[0].name):
            _ensure_weights(client, yes=yes, may_ask=ask is None)
        check_models(client, found, found.agents[0].name)
        return (
            _talk(client, found, conversation_id, target, app)
            if ask is None
            else _ask(client, found, options, ask, files, app, as_json=as_json)
        )


def _check_options(ask: str | None, files: Sequence[Path], *, as_json: bool, detach: bool, queue: bool) -> None:
    if ask is None and queue:
        raise UsageError("--queue needs --ask TEXT; a conversation in a terminal finishes its last run first")
    if ask is None and files:
        raise UsageError("--file needs --ask TEXT; in a terminal, name the file in a call: remit call --file")
    if ask is None and detach:
        raise UsageError("--detach needs --ask TEXT; a conversation in a terminal runs in this process")
    if ask is None and as_json:
        raise UsageError("--json needs --ask TEXT; a conversation in a terminal is not one JSON object")
    if ask is None and not sys.stdin.isatty():
        raise UsageError("stdin is not a terminal; send one message with --ask TEXT")
    if ask is not None and not ask.strip():
        raise UsageError("--ask is empty; give it text")


def _ensure_weights(client: LocalClient, *, yes: bool, may_ask: bool) -> None:
    """Download the weights that the chosen model needs, if they are missing."""
    weights = missing_weights(client.model)
    if weights is not None:
        fetch_weights(weights, yes=yes, may_ask=may_ask and sys.stdin.isatty())


def _store_files(client: LocalClient, runtime: Runtime, files: Sequence[Path]) -> list[Artifact]:
    return [client.store_file(runtime, each) for each in files]


def _detach(
    client: LocalClient, app: App, options: RunOptions, text: str, files: Sequence[Path], *, as_json: bool
) -> int:
    from remit.cli.engine import notify_engine

    runtime = client.runtime(app)
    options["files"] = _store_files(client, runtime, files)
    run = client.wait(runtime.submit(text, by=client.principal, **options))
    notify_engine(client, runtime, run)
    row = client.get_run(run)
    if as_json:
        print(json_text({"run": run, "status": row.status, "conversation": row.conversation}))
    else:
        print(run)
    return ExitStatus.DONE


def _talk(client: LocalClient, app: App, conversation: str, target: str, app_reference: str) -> int:
    from remit.cli.chat import Chat
    from remit.cli.tables import make_console
    from remit.cli.terminal import Terminal

    terminal = Terminal(make_console(), app, shows_answers=True)
    runtime = client.runtime(app, terminal, terminal.make_run_id)
    return Chat(client, runtime, terminal, conversation, app_reference, target=target).talk()


def _ask(
    client: LocalClient,
    app: App,
    options: RunOptions,
    text: str,
    files: Sequence[Path],
    app_reference: str,
    *,
    as_json: bool,
) -> int:
    from remit.cli.live_answer import execute_shown
    from remit.cli.report import ReportOptions, report_result
    from remit.cli.tables import make_console
    from remit.cli.terminal import Terminal

    terminal = Terminal(make_console(stderr=True), app, shows_answers=sys.stdout.isatty() and not as_json)
    runtime = client.runtime(app, terminal, terminal.make_run_id)
    model = f", model: {client.model.description}" if needs_model(app, app.agents[0].name) else ""
    if model:
        with terminal.show_busy("starting the model"):
            client.wait(client.model.start())
    conversation = options.get("conversation", "")
    terminal.print_line(f"conversation {escape_controls(conversation)}{model}")
    with terminal.show_busy("thinking"):
        options["files"] = _store_files(client, runtime, files)
        running = runtime.run(text, by=client.principal, **options)
        execution = execute_shown(client.store, terminal.next_run, terminal, running)
        result = client.execute(runtime, execution, lambda: client.latest_run(app.name, conversation))
    report_options = ReportOptions(
        as_json=as_json,
        application=app.name,
        conversation=conversation,
        app_reference=app_reference,
        follower=terminal.follower,
    )
    return report_result(client, result, report_options)
