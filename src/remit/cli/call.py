"""``remit call``: call one tool."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from remit.app import App
from remit.cli.apps import find_app, installed, tools_of
from remit.cli.desk import check_models, open_desk
from remit.cli.status import NoSuchError, near
from remit.contracts.arguments import Limits, parse


def call(
    app: Annotated[str, typer.Argument(metavar="APP", help="An installed application, or package.module:attribute.")],
    tool: Annotated[str, typer.Argument(metavar="TOOL", help="The tool's name; see: remit tools APP.")],
    arguments: Annotated[
        str, typer.Argument(metavar="JSON", help="The arguments as a JSON object; - reads them from stdin.")
    ] = "{}",
    *,
    conversation: Annotated[
        str, typer.Option(metavar="ID", help="The conversation to call it in; an application may call that a session.")
    ] = "",
    request: Annotated[
        str, typer.Option(metavar="KEY", help="An idempotency key: sent again, it gives what came of it before.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object about the whole run on stdout.")] = False,
) -> int:
    """Call one tool, and print its result as JSON.

    The call takes the same path as a model's, under all layers of policy.

    Exit status: 0 done, 1 failed, 2 usage, 3 waiting for a decision.
    """
    raw = sys.stdin.read() if arguments == "-" else arguments
    with open_desk() as desk:
        from remit.cli.outcome import Told, tell
        from remit.cli.terminal import Terminal, console

        found = find_app(app, installed())
        _check(found, tool, app)
        if not request:  # else there may be a result, which needs no model
            check_models(desk, found, tool)
        terminal = Terminal(console(stderr=True), found)
        runtime = desk.runtime(found, terminal)
        with terminal.busy(tool):
            work = runtime.call_named(
                tool, parse(raw, Limits()), by=desk.me, conversation=conversation, request=request
            )
            result = desk.drive(runtime, work, lambda: desk.find(terminal.following.run))
        told = Told(
            as_json=as_json,
            application=found.name,
            conversation=conversation,
            where=app,
            following=terminal.following,
        )
        return tell(desk, result, told)


def _check(app: App, tool: str, where: str) -> None:
    """See to it that there is something of that name to call."""
    known = [each.name for each in (*tools_of(app), *app.agents)]
    if tool not in known:
        raise NoSuchError(
            f"the application {app.name!r} has no tool {tool!r}{near(tool, known)}; see: remit tools {where}"
        )
