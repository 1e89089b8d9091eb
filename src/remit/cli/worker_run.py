"""``remit worker run``: run the worker of a file."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from remit.cli.apps import find_app, installed
from remit.cli.desk import check_models, open_desk
from remit.cli.legible import json_text, legible
from remit.cli.status import UsageError
from remit.cli.worker_at import WorkerAt, needing_extra
from remit.contracts.arguments import Arguments, Limits, parse


def run(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A worker file, NAME.worker.")],
    text: Annotated[
        str, typer.Argument(metavar="INPUT", help="The prompt, or JSON where the worker names an input; - reads stdin.")
    ],
    *,
    app: Annotated[
        str, typer.Option(metavar="APP", help="Whose tools it may use: an application, or package.module:attribute.")
    ] = "",
    model: Annotated[
        str, typer.Option(metavar="MODEL", help="The model, in place of the file's and that of REMIT_MODEL.")
    ] = "",
    attach: Annotated[
        list[str] | None, typer.Option(metavar="FILE", help="A file to give it. Can be repeated.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object about the whole run on stdout.")] = False,
) -> int:
    """Run the worker of a file, and print its result.

    The run is governed and journaled like any other. Commands that drive it on or compare it find the worker again if
    they are told FILE, or APP+FILE: remit resume RUN --app APP+FILE.

    Exit status: 0 done, 1 failed, 2 usage, 3 waiting for a decision.
    """
    at = WorkerAt.of(str(WorkerAt(file=Path(file), app=app, model=model)))
    if at is None:
        raise UsageError(f"{file!r} is no worker file; its name ends in .worker")
    said = sys.stdin.read() if text == "-" else text
    with open_desk() as desk:
        from remit.cli.outcome import Told, tell
        from remit.cli.terminal import Terminal, console

        found = find_app(str(at), installed())
        name, asked, arguments = _prepared(at, said, attach or ())
        check_models(desk, found, name)
        terminal = Terminal(console(stderr=True), found)
        runtime = desk.runtime(found, terminal)
        terminal.say(f"worker {name}, model: {legible(asked)}")
        with terminal.busy(name):
            result = desk.drive(
                runtime,
                runtime.call_named(name, arguments, by=desk.me),
                lambda: desk.find(terminal.following.run),
            )
        told = Told(as_json=as_json, application=found.name, where=str(at), following=terminal.following)
        return tell(desk, result, told)


def _prepared(at: WorkerAt, said: str, attach: Sequence[str]) -> tuple[str, str, Arguments]:
    """The worker's name, the name of its model, and the arguments that are meant."""
    with needing_extra():
        from remit.cli.worker_team import model_of
        from remit.workers import Attachment, read_worker
    definition = read_worker(at.file)
    given = [Attachment.of(Path(each)).model_dump() for each in attach]
    if given and definition.attachments is None:
        raise UsageError(f"worker {definition.name} takes no attachments; say in its file which: `attachments`")
    if definition.asks_prompt:
        return definition.name, model_of(definition, at.model), _arguments({"prompt": said}, given)
    arguments = parse(said, Limits())
    if given and arguments.value is not None:
        arguments = _arguments(arguments.value, given)
    return definition.name, model_of(definition, at.model), arguments


def _arguments(value: dict[str, object], given: Sequence[dict[str, str]]) -> Arguments:
    return parse(json_text({**value, **({"attachments": given} if given else {})}), Limits())
