"""``remit run``: talk to an application's agent, or ask it once."""

from __future__ import annotations

import secrets
import sys
from typing import Annotated

import typer

from remit.app import App
from remit.cli.apps import find_app, installed
from remit.cli.desk import Desk, check_models, needs_model, open_desk
from remit.cli.legible import json_text, legible
from remit.cli.model import fetch_weights
from remit.cli.status import Status, UsageError
from remit.errors import RequestError


def run(
    app: Annotated[str, typer.Argument(metavar="APP", help="An installed application, or package.module:attribute.")],
    *,
    ask: Annotated[str | None, typer.Option(metavar="TEXT", help="Ask once, without a terminal.")] = None,
    conversation: Annotated[
        str, typer.Option(metavar="NAME", help="The conversation to go on with; a new one if not given.")
    ] = "",
    yes: Annotated[
        bool, typer.Option("--yes", help="Fetch a model's weights without asking. Approves no call.")
    ] = False,
    detach: Annotated[
        bool, typer.Option("--detach", help="With --ask: open the run, and leave it to a worker process.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="With --ask: one JSON object on stdout.")] = False,
) -> int:
    """Talk to an application's agent, or ask it once.

    Exit status: 0 done, 1 failed, 2 usage, 3 waiting for a decision. REMIT_MODEL says which model: openai:NAME,
    local:base (the default), local:small, local:FILE.gguf, pydantic-ai:PROVIDER:NAME or scripted:FILE.
    """
    _check(ask, as_json=as_json, detach=detach)
    with open_desk() as desk:
        found = find_app(app, installed())
        if not found.agents:
            raise RequestError(f"the application {found.name!r} has no agent to talk to; see: remit tools {app}")
        named = conversation or f"{found.name}-{secrets.token_hex(4)}"
        if ask is not None and detach:
            return _detach(desk, found, named, ask, as_json=as_json)
        if needs_model(found, found.agents[0].name):
            _prepare(desk, yes=yes, may_ask=ask is None)
        check_models(desk, found, found.agents[0].name)
        return _talk(desk, found, named, app) if ask is None else _ask(desk, found, named, ask, app, as_json=as_json)


def _check(ask: str | None, *, as_json: bool, detach: bool) -> None:
    if ask is None and detach:
        raise UsageError("--detach goes with --ask TEXT; a conversation in a terminal is driven here")
    if ask is None and as_json:
        raise UsageError("--json goes with --ask TEXT; a conversation in a terminal is no JSON object")
    if ask is None and not sys.stdin.isatty():
        raise UsageError("there is no terminal to talk in (stdin is none); ask once with --ask TEXT")
    if ask is not None and not ask.strip():
        raise UsageError("--ask says nothing; give it a text")


def _prepare(desk: Desk, *, yes: bool, may_ask: bool) -> None:
    """Have the weights that the chosen model needs."""
    weights = desk.model.choice.missing()
    if weights is not None:
        fetch_weights(weights, yes=yes, may_ask=may_ask and sys.stdin.isatty())


def _detach(desk: Desk, app: App, conversation: str, text: str, *, as_json: bool) -> int:
    from remit.cli.engine import told_of

    runtime = desk.runtime(app)
    run = desk.wait(runtime.open(text, by=desk.me, conversation=conversation))
    told_of(desk, runtime, run)
    if as_json:
        print(json_text({"run": run, "status": "running", "conversation": conversation}))
    else:
        print(run)
    return Status.DONE


def _talk(desk: Desk, app: App, conversation: str, where: str) -> int:
    from remit.cli.chat import Chat
    from remit.cli.terminal import Terminal, console

    terminal = Terminal(console(), app)
    return Chat(desk, desk.runtime(app, terminal), terminal, conversation, where).talk()


def _ask(desk: Desk, app: App, conversation: str, text: str, where: str, *, as_json: bool) -> int:
    from remit.cli.outcome import Told, tell
    from remit.cli.terminal import Terminal, console

    terminal = Terminal(console(stderr=True), app)
    runtime = desk.runtime(app, terminal)
    model = f", model: {desk.model.choice.said}" if needs_model(app, app.agents[0].name) else ""
    if model:
        with terminal.busy("starting the model"):
            desk.wait(desk.model.start())
    terminal.say(f"conversation {legible(conversation)}{model}")
    with terminal.busy("thinking"):
        work = runtime.run(text, by=desk.me, conversation=conversation)
        result = desk.drive(runtime, work, lambda: desk.newest(app.name, conversation))
    told = Told(
        as_json=as_json,
        application=app.name,
        conversation=conversation,
        where=where,
        following=terminal.following,
    )
    return tell(desk, result, told)
