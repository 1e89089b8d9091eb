"""``remit call``: call one tool."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from remit.app import App
from remit.cli.apps import collect_tools
from remit.cli.checked import load_checked, remember_checked
from remit.cli.client import LocalClient, open_client
from remit.cli.needed_models import check_models
from remit.cli.open_runs import InOption, SessionOption, call_in_run, check_key_option, check_run_options
from remit.cli.options import AppArgument, TargetOption
from remit.cli.schedule import AtOption, EveryOption, MissedOption, ZoneOption, parse_schedule
from remit.cli.status import NoSuchError, UsageError, did_you_mean
from remit.cli.text import json_text, one_line
from remit.record.arguments import Arguments, parse_arguments

if TYPE_CHECKING:
    from remit.runtime import Runtime


FileOption = Annotated[
    list[str] | None, typer.Option(metavar="NAME=PATH", help="A file for the parameter NAME. Can be repeated.")
]
KeyOption = Annotated[
    str | None,
    typer.Option(metavar="KEY", help="An idempotency key: repeating the call with it returns the first result."),
]


def call(
    app: AppArgument,
    tool: Annotated[
        str, typer.Argument(metavar="TOOL", help="The tool's name; see: remit tools APP, remit tools APP TOOL.")
    ],
    arguments: Annotated[
        str, typer.Argument(metavar="JSON", help="The arguments as a JSON object; - reads them from stdin.")
    ] = "{}",
    *,
    file: FileOption = None,
    conversation: Annotated[
        str, typer.Option(metavar="ID", help="The conversation of the call; some applications call it a session.")
    ] = "",
    target: TargetOption = "",
    idempotency_key: KeyOption = None,
    session: SessionOption = None,
    in_run: InOption = None,
    at: AtOption = "",
    every: EveryOption = "",
    zone: ZoneOption = "",
    missed: MissedOption = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object about the whole run on stdout.")
    ] = False,
) -> int:
    """Call one tool, and print its result as JSON.

    The call goes through the same policy layers as a call made by a model. A scheduled call (--at) is checked and asked
    about now; an executor makes it, with the permissions that you have then. Calls with --session or --in are made in
    one open run, in which --idempotency-key makes the same call one call, until `remit close` ends it.

    Exit status: 0 done or scheduled, 1 failed, 2 usage, 3 waiting for a decision, or stalled.
    """
    check_key_option(idempotency_key)
    is_in_run = check_run_options(session, in_run, conversation=conversation, target=target, at=at, every=every)
    schedule, raw = parse_schedule(at, every, zone, missed), _read_json(arguments)
    kept: Any = {"conversation": conversation, "target": target}
    with open_client() as client:
        from remit.cli.report import ReportOptions, report_result
        from remit.cli.tables import make_console_on_use
        from remit.cli.terminal import Terminal

        found = load_checked(client, app)
        _check_callee(client, found, tool, app, may_be_known=bool(idempotency_key))
        runtime = client.runtime(found, terminal := Terminal(make_console_on_use(stderr=True), found))
        remember_checked(client, app, found)
        given = _add_files(client, runtime, tool, parse_arguments(raw, found.limits), file or ())
        by, key = client.principal, idempotency_key or ""
        if is_in_run:
            where: Any = {"session": session, "run": in_run, "quiet": as_json}
            execution = call_in_run(client, runtime.client(by), found.name, tool, given, key=key, **where, **kept)
        else:
            execution = runtime.call_by_name(tool, given, by=by, idempotency_key=key, schedule=schedule, **kept)
        follower = terminal.follower
        with terminal.show_busy(tool):
            result = client.execute(runtime, execution, lambda: None if is_in_run else client.find_run(follower.run))
        options = ReportOptions(
            as_json=as_json, application=found.name, conversation=conversation, app_reference=app, follower=follower
        )
        return report_result(client, result, options)


def _add_files(
    client: LocalClient, runtime: Runtime, tool: str, arguments: Arguments, files: Sequence[str]
) -> Arguments:
    """Store files and add their references to the arguments. A list parameter can take several files."""
    if not files or arguments.value is None:
        return arguments
    callees = [*collect_tools(runtime.app), *runtime.app.agents]
    callee = next(each for each in callees if each.name == tool)
    parameters, value = callee.schema_in.json_schema.get("properties", {}), dict(arguments.value)
    takers = [name for name, schema in parameters.items() if _takes_files(schema)]
    hint = f"parameters with files: {', '.join(takers) or 'none'}"
    for each in files:
        name, is_named, path = each.partition("=")
        if not is_named or name not in parameters:
            raise UsageError(f"--file {each!r} does not name a parameter; write --file NAME=PATH; {hint}")
        if name not in takers:
            raise UsageError(f"--file: {name} takes no file; {hint}")
        given = cast("object", value.get(name) or [])
        is_list = _takes_files(parameters[name]) == "several"
        if is_list and not isinstance(given, list):
            raise UsageError(f"--file: {name} takes a list of files; it is {json_text(given)} in the arguments")
        reference = client.store_file(runtime, Path(path)).model_dump()
        value[name] = [*cast("list[object]", given), reference] if is_list else reference
    return parse_arguments(json_text(value), runtime.app.limits)


def _takes_files(schema: Any) -> Literal["", "one", "several"]:
    """Whether a parameter with this JSON schema takes a file or a list of files."""
    if not isinstance(schema, dict):
        return ""
    schema = cast("dict[str, Any]", schema)
    if schema.get("$ref") == "#/$defs/Artifact":
        return "one"
    if _takes_files(schema.get("items")):
        return "several"
    found = {_takes_files(each) for each in schema.get("anyOf", ())}
    return "one" if "one" in found else "several" if "several" in found else ""


def _read_json(arguments: str) -> str:
    """The arguments, or those on stdin. Invalid JSON starts no run: most often, the shell removed the quotes.

    Raises:
        UsageError: says where, and how to write them.
    """
    text = sys.stdin.read() if arguments == "-" else arguments
    try:
        json.loads(text)
    except RecursionError:
        return text  # the application's limits bound their depth
    except ValueError as error:
        at = error.pos if isinstance(error, json.JSONDecodeError) else 0
        rest = one_line(text[at : at + 20])
        where = f"at character {at + 1}, {rest!r}" if rest else "where they end"
        raise UsageError(
            f"the arguments are not JSON {where}; write one object in single quotes, names and texts in double quotes: "
            """'{"name": "text", "number": 1}'"""
        ) from error
    return text


def _check_callee(client: LocalClient, app: App, tool: str, app_reference: str, *, may_be_known: bool) -> None:
    """Check that the application has a tool or agent of this name, and the model that it needs.

    The contract of a lazily found tool is read here, where its check is on record.
    ``may_be_known``: a result may exist, which needs no model.
    """
    callees = {each.name: each for each in (*collect_tools(app), *app.agents)}
    if tool not in callees:
        raise NoSuchError(
            f"the application {app.name!r} has no tool {tool!r}{did_you_mean(tool, callees)}; see: "
            f"remit tools {app_reference}"
        )
    _ = callees[tool].schema_in
    if not may_be_known:
        check_models(client, app, tool)
