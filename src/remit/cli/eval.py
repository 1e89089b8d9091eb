"""``remit eval``: run the tasks of an application, and make cases of recorded runs."""

from __future__ import annotations

import asyncio
import datetime
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from typer.core import TyperGroup

from remit.cli.options import AppArgument
from remit.cli.status import ExitStatus, UsageError
from remit.cli.text import escape_controls, format_cost, format_duration, json_text, one_line
from remit.errors import SetupError

if TYPE_CHECKING:
    from remit.app import App
    from remit.evals.case import AnswerCalls
    from remit.evals.recording import RecordedModel, Recorder
    from remit.evals.run import TaskResult
    from remit.evals.task import Task
    from remit.models.resolve import ResolvedModel
    from remit.record.usage import Prices

_RUN: Final = "run"
_MAX_REASON: Final = 1000
"""The most characters of a task's failure; enough for the line to write at the end of an error."""
_MATCHINGS: Final = ("strict", "in-order", "by-tool")


class _EvalGroup(TyperGroup):
    """Command groups with a default command: `remit eval APP` is `remit eval run APP`."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        named = bool(args) and args[0] in self.commands
        return super().resolve_command(ctx, args if named else [_RUN, *args])


commands = typer.Typer(
    cls=_EvalGroup,
    help="Run the tasks of an application's agent and grade them.",
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
)


@commands.command(_RUN)
def run(
    app: AppArgument,
    tasks: Annotated[
        list[Path] | None, typer.Argument(metavar="TASKS", help="YAML files, or folders of them; evals by default.")
    ] = None,
    *,
    model: Annotated[
        str, typer.Option(metavar="NAME", help="The model to ask, such as local:base; without it, recorded answers.")
    ] = "",
    record: Annotated[
        bool, typer.Option("--record", help="With --model: record the answers in tasks that it passes.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> int:
    """Run tasks and grade their results: `remit eval APP` is enough.

    Each task has an application state of its own. Without --model it gets the answers in recorded/TASK.json beside it.

    Exit status: 0 all passed, 1 one failed, 2 usage or a wrong file.
    """
    from remit.cli.apps import find_app, installed_apps
    from remit.evals.task import load_tasks

    if record and not model:
        raise UsageError("--record needs --model NAME: there is nothing to record without a model")
    loaded = load_tasks(tasks or [Path("evals")])
    results = asyncio.run(_run_all(loaded, lambda: find_app(app, installed_apps()), model, record=record))
    passed = sum(each.has_passed for each in results)
    if as_json:
        rows = [_row(each) for each in results]
        print(json_text({"model": model or "recorded", "passed": passed, "tasks": rows}))
    else:
        _print_results(results, passed)
    return ExitStatus.DONE if passed == len(results) else ExitStatus.FAILED


@commands.command("add")
def add(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The id of a run; see: remit runs.")],
    *,
    to: Annotated[
        Path, typer.Option(metavar="FILE", help="The YAML file to write; its answers go to recorded/ beside it.")
    ] = Path("evals/case.yaml"),
    matching: Annotated[
        str, typer.Option(metavar="HOW", help="How calls must match the recorded ones: strict, in-order or by-tool.")
    ] = "strict",
) -> None:
    """Make a case of a recorded run and of those before it in its conversation.

    Its tools answer from the record. It fails if the agent makes other calls, or leaves out a recorded one.
    """
    from remit.cli.client import open_client
    from remit.evals.case import read_conversation
    from remit.evals.recording import recording_path, save_recording
    from remit.record.items import DETACHED

    if matching not in _MATCHINGS:
        raise UsageError(f"--matching is {matching!r}; give one of {', '.join(_MATCHINGS)}")
    if to.suffix != ".yaml":
        raise UsageError(f"--to is {to}; name a file that ends in .yaml")
    if to.exists():
        raise UsageError(f"{to} exists; name another file with --to, or remove it")
    with open_client() as client:
        row, runs = client.get_readable_run(run), [run]
        while row.after and row.after != DETACHED:
            row = client.get_readable_run(row.after)
            runs.insert(0, row.run)
        items = [[each.item for each in client.wait(client.reader.items(each))] for each in runs]
    messages, prompts, recording = read_conversation(items, _today())
    save_recording(recording_path(to), recording)
    lines = [
        f"# Made of the run {run} with `remit eval add`. Its tools answer from recorded/{to.stem}.json.",
        *(["messages:"] if messages else []),
        *(f"  - {_to_yaml(each)}" for each in messages),
        "prompt:",
        *(f"  - {_to_yaml(prompt)}" for prompt in prompts),
        f"agent: {_to_yaml(row.callee)}",
        f"matching: {matching}",
    ]
    to.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(to)


def _to_yaml(value: object) -> str:
    """A value as JSON that YAML reads unchanged. YAML folds lines at more characters and refuses some."""
    import json
    import re

    folded = re.compile("[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
    return folded.sub(lambda found: f"\\u{ord(found.group()):04x}", json.dumps(value, ensure_ascii=False))


async def _run_all(
    tasks: Sequence[Task], load_app: Callable[[], App], model_name: str, *, record: bool
) -> list[TaskResult]:
    from remit.evals.recording import Recorder, recording_path, save_recording
    from remit.evals.run import run_task
    from remit.models.resolve import ResolvedModel

    load, prices = _load_fresh(load_app), _read_prices()
    model = ResolvedModel(model_name) if model_name else None
    results: list[TaskResult] = []
    try:
        if model is not None:
            model.check()
            await model.start()
        for task, (asked, case) in zip(tasks, [_prepare(task, model) for task in tasks], strict=True):
            result = await run_task(task, load, asked, prices=prices, case=case)
            results.append(result)
            if model is not None:
                print(_progress(result), file=sys.stderr, flush=True)
                if record and result.has_passed and isinstance(asked, Recorder) and case is None:
                    save_recording(recording_path(Path(task.file)), asked.to_recording(model_name, _today()))
    finally:
        if model is not None:
            await model.close()
    return results


def _read_prices() -> Prices:
    """The prices of ``config.toml``, if there is one."""
    from remit.cli.home import HomeFolder
    from remit.home import data_folder
    from remit.users import os_user, read_users

    file = HomeFolder(data_folder(os.environ)).config_file
    return read_users(file, os_user()).prices if file.exists() else {}


def _prepare(task: Task, model: ResolvedModel | None) -> tuple[Recorder | RecordedModel, AnswerCalls | None]:
    """The model of a task, and for a case the layer that answers for its tools."""
    from remit.evals.case import AnswerCalls
    from remit.evals.recording import RecordedModel, Recorder, load_recording, recording_path

    file = recording_path(Path(task.file))
    if not file.exists() and (model is None or task.matching is not None):
        how = "run with --model NAME --record" if task.matching is None else "make the case with: remit eval add RUN"
        raise SetupError(f"{task.file}: no recorded answers ({file} is missing); {how}")
    case = None if task.matching is None else AnswerCalls(load_recording(file).calls, task.matching)
    return (RecordedModel(load_recording(file)) if model is None else Recorder(model)), case


def _load_fresh(load_app: Callable[[], App]) -> Callable[[], App]:
    """Load the application for each task. Refuse an application that is the same object, with its state, each time."""
    loaded: list[App] = []

    def load() -> App:
        app = load_app()
        if any(app is each for each in loaded):
            raise SetupError(
                f"the application {app.name!r} is one object, so all tasks would share its state; "
                "name a function that returns a new App"
            )
        loaded.append(app)
        return app

    return load


def _row(result: TaskResult) -> dict[str, Any]:
    return {
        "task": result.task.name,
        "passed": result.has_passed,
        "turns": result.usage.requests,
        "tokens": result.usage.tokens,
        "cost": result.usage.cost,
        "questions": result.questions,
        "seconds": round(result.seconds, 1),
        "answer": result.text,
        "failures": [asdict(each) for each in result.failures],
        "changedTools": result.changed_tools,
    }


def _why(result: TaskResult) -> str:
    return one_line("; ".join(f"{each.kind}: {each.what}" for each in result.failures), max_length=_MAX_REASON)


def _progress(result: TaskResult) -> str:
    passed = "passed" if result.has_passed else "failed"
    return f"{passed}  {result.task.name}  {format_duration(result.seconds)}  {_why(result)}".rstrip()


def _print_results(results: Sequence[TaskResult], passed: int) -> None:
    from remit.cli.tables import make_table, print_table

    listing = make_table("task", "passed", "turns", "tokens", "cost", "questions", "took", "why not")
    for each in results:
        listing.add_row(
            each.task.name,
            "yes" if each.has_passed else "no",
            str(each.usage.requests),
            f"{each.usage.tokens:,}",
            format_cost(each.usage.cost),
            str(each.questions),
            format_duration(each.seconds),
            escape_controls(_why(each)),
        )
    print_table(listing)
    harm = sum(any(failure.kind == "effect" for failure in each.failures) for each in results)
    print(f"{passed} of {len(results)} passed; {harm} with a forbidden effect")
    stale = [each for each in results if each.changed_tools]
    if stale:
        tools = ", ".join(sorted({name for each in stale for name in each.changed_tools}))
        print(
            f"note: {len(stale)} recorded with other definitions of tools that the model did not call: {tools}; "
            "what it would answer now may differ: record again with --model NAME --record"
        )


def _today() -> str:
    return datetime.datetime.now(datetime.UTC).date().isoformat()
