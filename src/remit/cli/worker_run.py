"""``remit worker run``: run the worker of a file."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from remit.cli.apps import find_app, installed_apps
from remit.cli.client import open_client
from remit.cli.needed_models import check_models
from remit.cli.options import TargetOption
from remit.cli.status import UsageError
from remit.cli.text import escape_controls, json_text
from remit.cli.worker_reference import WorkerReference, require_workers_extra
from remit.record.arguments import Arguments, Limits, parse_arguments


def run(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A worker file, NAME.worker.")],
    text: Annotated[
        str, typer.Argument(metavar="INPUT", help="The prompt, or JSON if the worker declares an input; - reads stdin.")
    ],
    *,
    app: Annotated[
        str, typer.Option(metavar="APP", help="The application whose tools it may use, or package.module:attribute.")
    ] = "",
    model: Annotated[
        str, typer.Option(metavar="MODEL", help="The model, instead of the file's or that of REMIT_MODEL.")
    ] = "",
    attach: Annotated[list[str] | None, typer.Option(metavar="FILE", help="A file to attach. Can be repeated.")] = None,
    target: TargetOption = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object about the whole run on stdout.")
    ] = False,
) -> int:
    """Run the worker of a file, and print its result.

    The run is governed and journaled like any other. To resume, replay or show it later, name the worker again:
    remit resume RUN --app APP+FILE (or FILE alone).

    Exit status: 0 done, 1 failed, 2 usage, 3 waiting for a decision, or stalled.
    """
    reference = WorkerReference.of(str(WorkerReference(file=Path(file), app=app, model=model)))
    if reference is None:
        raise UsageError(f"{file!r} is not a worker file; its name must end in .worker")
    input_text = sys.stdin.read() if text == "-" else text
    with open_client() as client:
        from remit.cli.live_answer import execute_shown
        from remit.cli.report import ReportOptions, report_result
        from remit.cli.tables import make_console
        from remit.cli.terminal import Terminal

        found = find_app(str(reference), installed_apps())
        name, model_name, arguments = _prepare_call(reference, input_text, attach or ())
        check_models(client, found, name)
        terminal = Terminal(make_console(stderr=True), found, shows_answers=sys.stdout.isatty() and not as_json)
        runtime = client.runtime(found, terminal, terminal.make_run_id)
        terminal.print_line(f"worker {name}, model: {escape_controls(model_name)}")
        with terminal.show_busy(name):
            running = runtime.call_by_name(name, arguments, by=client.principal, target=target)
            execution = execute_shown(client.store, terminal.next_run, terminal, running)
            result = client.execute(runtime, execution, lambda: client.find_run(terminal.follower.run))
        options = ReportOptions(
            as_json=as_json, application=found.name, app_reference=str(reference), follower=terminal.follower
        )
        return report_result(client, result, options)


def _prepare_call(reference: WorkerReference, input_text: str, attach: Sequence[str]) -> tuple[str, str, Arguments]:
    """The name of the worker, the name of its model, and the arguments of the call."""
    with require_workers_extra():
        from remit.cli.worker_app import resolve_model_name
        from remit.workers import Attachment, read_worker
    definition = read_worker(reference.file)
    attachments = [Attachment.from_path(Path(each)).model_dump() for each in attach]
    if attachments and definition.attachments is None:
        raise UsageError(f"worker {definition.name} takes no attachments; declare `attachments` in its file")
    if definition.takes_prompt:
        return (
            definition.name,
            resolve_model_name(definition, reference.model),
            _build_arguments({"prompt": input_text}, attachments),
        )
    arguments = parse_arguments(input_text, Limits())
    if attachments and arguments.value is not None:
        arguments = _build_arguments(arguments.value, attachments)
    return definition.name, resolve_model_name(definition, reference.model), arguments


def _build_arguments(value: dict[str, object], attachments: Sequence[dict[str, str]]) -> Arguments:
    return parse_arguments(json_text({**value, **({"attachments": attachments} if attachments else {})}), Limits())
