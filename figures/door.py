"""Every way to a tool leads through the one door: the same layers run in the same order, and the same denials hold."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Final

from figures.door_world import CHECKS, TOOL, WAYS, AnyCallee, Check, Number, Way, build_app
from figures.figure import Figure, no_violations
from remit import Principal, Runtime
from remit.engines import LocalEngine
from remit.inventory import handle_request
from remit.inventory.envelope import ToolRequest, ToolRequestPayload
from remit.journal.ports import Store
from remit.journal.sql.store import SqlStore
from remit.pipeline import Pipeline
from remit.record.arguments import Limits, parse_arguments
from remit.record.items import ToolOutput
from remit.runtime import RunResult
from remit.stores import InMemoryStore
from remit.users import os_user

ROOT: Final = Path(__file__).parent.parent
APP: Final = "figures.door_world:app"
FULLY_CHECKED_WAYS: Final = ("the tool", "a nested worker")
"""The ways that a command tries with every check, the others with the first."""
_FIRST_CHECK: Final = next(iter(CHECKS))
_DENIAL_CODES: Final = {"CAPABILITY_ABSENT", "PERMISSION_DENIED"}
_CLI_PROGRAM: Final = "from remit.cli.main import main; main()"

EntryPoint = Callable[[Runtime, AnyCallee, dict[str, Any], Principal], Awaitable[object]]


def figures(*, short: bool) -> Iterator[Figure]:
    """Ways on which a layer did not run, ran in another order, or a denial did not hold."""
    inside = _ways_in_process(every=29 if short else 1)
    missed = _find_missed(inside)
    outside = [each for each in product(WAYS, CHECKS) if _is_tried_outside(*each, short=short)]
    missed += [said for each in outside if (said := _check_by_command(*each))]
    how = (
        f"{len(WAYS)} ways to a tool, begun in {len(ENTRY_POINTS)} ways; {len(outside)} of all that by a command in "
        f"another process; seen on each: {', '.join(CHECKS)}"
    )
    yield no_violations("door.paths_missed", len(missed), len(inside) + len(outside), f"{how}{_first_missed(missed)}")


def measure_in_process() -> Iterator[Figure]:
    """The figure without commands, which start processes of their own: a defect planted here would not be there."""
    ways = _ways_in_process(every=11)
    missed = _find_missed(ways)
    how = f"{len(ways)} ways to a tool that begin in this process{_first_missed(missed)}"
    yield no_violations("door.paths_missed", len(missed), len(ways), how)


def _ways_in_process(*, every: int) -> list[tuple[str, str, str]]:
    return list(product(WAYS, ENTRY_POINTS, CHECKS))[::every]


def _find_missed(ways: Sequence[tuple[str, str, str]]) -> list[str]:
    return [said for each in ways if (said := asyncio.run(_check_in_process(*each)))]


def _is_tried_outside(way: str, check: str, *, short: bool) -> bool:
    """Whether a command tries it: a process takes its time."""
    return (
        (way, check) == (FULLY_CHECKED_WAYS[-1], _FIRST_CHECK)
        if short
        else way in FULLY_CHECKED_WAYS or check == _FIRST_CHECK
    )


def _first_missed(missed: Sequence[str]) -> str:
    return f"; first: {missed[0]}" if missed else ""


async def _run(runtime: Runtime, _top: AnyCallee, _arguments: dict[str, Any], by: Principal) -> object:
    return await runtime.run("go", by=by)


async def _call(runtime: Runtime, top: AnyCallee, arguments: dict[str, Any], by: Principal) -> object:
    return await runtime.call(top, by, *_python_arguments(top, arguments))


async def _call_in(runtime: Runtime, top: AnyCallee, arguments: dict[str, Any], by: Principal) -> object:
    return await runtime.call_in_conversation("talk", top, by, *_python_arguments(top, arguments))


async def _call_named(runtime: Runtime, top: AnyCallee, arguments: dict[str, Any], by: Principal) -> object:
    return await runtime.call_by_name(top.name, parse_arguments(json.dumps(arguments), Limits()), by=by)


async def _answer(runtime: Runtime, top: AnyCallee, arguments: dict[str, Any], by: Principal) -> object:
    payload = ToolRequestPayload(tool_name=top.name, parameters=arguments)
    return await handle_request(runtime, ToolRequest(user_id=by.name, payload=payload), by=by)


async def _resume(runtime: Runtime, _top: AnyCallee, _arguments: dict[str, Any], by: Principal) -> object:
    return await runtime.resume(await runtime.submit("go", by=by))


async def _engine(runtime: Runtime, _top: AnyCallee, _arguments: dict[str, Any], by: Principal) -> object:
    result: asyncio.Future[RunResult[Any]] = asyncio.get_running_loop().create_future()

    async def drive(run: str, leave: asyncio.Event) -> RunResult[Any]:
        rest = await runtime.resume(run, leave)
        result.set_result(rest)
        return rest

    def report(run: str, error: BaseException) -> None:
        raise RuntimeError(f"the engine could not drive {run}") from error

    await runtime.submit("go", by=by)
    async with LocalEngine(runtime.store, drive, applications=["door"], on_error=report):
        return await result


ENTRY_POINTS: Final[dict[str, EntryPoint]] = {
    "Runtime.run": _run,
    "Runtime.call": _call,
    "Runtime.call_in": _call_in,
    "Runtime.call_named": _call_named,
    "Runtime.answer": _answer,
    "Runtime.open, resumed": _resume,
    "Runtime.open, by an engine": _engine,
}


def _python_arguments(top: AnyCallee, arguments: dict[str, Any]) -> tuple[Any, ...]:
    """The same arguments, as Python says them."""
    return (Number(**arguments),) if isinstance(top, Pipeline) else tuple(arguments.values())


async def _check_in_process(way: str, opening: str, check: str) -> str:
    """What is wrong with a way that begins in this process; nothing, if nothing is."""
    return await find_violation(WAYS[way], ENTRY_POINTS[opening], CHECKS[check], f"{way}, {opening}, {check}")


async def find_violation(way: Way, opening: EntryPoint, check: Check, name: str) -> str:
    """What is wrong with a way; nothing, if nothing is."""
    log: list[str] = []
    app, top, arguments = build_app(way, check, log.append)
    by = Principal("ada", permissions=frozenset({"*"} if check.is_permitted else {"other:read"}))
    store = InMemoryStore()
    runtime = Runtime(app, store=store, directory=lambda _name, _tenant: by)
    await opening(runtime, top, arguments, by)
    run, questions_asked = (await store.list_runs())[0].run, 0
    while (questions := await store.list_questions()) and "base" not in log:
        questions_asked += 1
        for row in questions:
            await runtime.decide(row.question.id, approved=True, by=by)
        await runtime.resume(run)
    return _judge(way, check, name, log, await _ends(store), questions_asked)


def _check_by_command(way: str, check: str) -> str:
    """What is wrong with a way that begins with a command, in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="remit-door-") as name:
        home = Path(name)
        permissions = '"*"' if CHECKS[check].is_permitted else '"other:read"'
        owner = f"[roles.owner]\npermissions = [{permissions}]\n[users.{json.dumps(os_user())}]\n"
        (home / "config.toml").write_text(f'{owner}roles = ["owner"]\ntenant = "here"\n', encoding="utf-8")
        log = home / "log"
        _, top, arguments = build_app(WAYS[way], CHECKS[check], lambda _line: None)
        environment = {"REMIT_HOME": name, "DOOR_LOG": str(log), "DOOR_WAY": json.dumps([way, check])}
        status, asked = _run_command(environment, "call", APP, top.name, json.dumps(arguments)), 0
        while status == 3 and (questions := asyncio.run(_open_questions(home))):
            asked += 1
            for question in questions:
                status = _run_command(environment, "approvals", "approve", question, "--app", APP)
        lines = log.read_text(encoding="utf-8").split() if log.exists() else []
        ends = asyncio.run(_recorded_ends(home))
        return _judge(WAYS[way], CHECKS[check], f"{way}, remit call, {check}", lines, ends, asked)


def _run_command(variables: dict[str, str], *words: str) -> int:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("REMIT_")} | variables
    return subprocess.run(
        [sys.executable, "-c", _CLI_PROGRAM, *words], cwd=ROOT, env=environment, capture_output=True, check=False
    ).returncode


async def _open_questions(home: Path) -> list[str]:
    store = SqlStore.at(home / "journal.db")
    found = [row.question.id for row in await store.list_questions()]
    await store.close()
    return found


async def _recorded_ends(home: Path) -> list[ToolOutput]:
    store = SqlStore.at(home / "journal.db")
    found = await _ends(store)
    await store.close()
    return found


async def _ends(store: Store) -> list[ToolOutput]:
    positions = await store.read((await store.list_runs())[0].run)
    return [position.item for position in positions if isinstance(position.item, ToolOutput)]


def _judge(way: Way, check: Check, name: str, log: list[str], ends: list[ToolOutput], question_count: int) -> str:
    """What is wrong with what ran and what was recorded."""
    all_layers = ["run", way.calling_agent, "tool", "base"]
    ran = [line for index, line in enumerate(log) if line not in log[:index]] if question_count else log
    depth = _layers_reached(check)
    instead = way.stands_for and not check.is_permitted
    expected = all_layers[: 0 if instead else depth]
    if ran != expected or log.count("base") > 1:
        return f"{name}: {log} ran, not {expected}"
    if (question_count > 0) is not check.is_risky:
        return f"{name}: {question_count} questions"
    outcomes = [each.outcome for each in ends if each.callee == ("chain" if instead else TOOL)]
    if outcomes != ["ok" if depth == len(all_layers) else "denied"]:
        return f"{name}: recorded as {outcomes}"
    denied = [each for each in ends if each.outcome == "denied"]
    if depth < len(all_layers) and not any(code in each.text for code in _DENIAL_CODES for each in denied):
        return f"{name}: the denial has another code"
    return ""


def _layers_reached(check: Check) -> int:
    """How many scopes of the onion see the call of the tool."""
    if check.is_fenced:
        return 0
    if not check.is_permitted:
        return 1
    if not check.has_approver:
        return 2
    return {"run": 1, "actor": 2, "tool": 3}.get(check.refused_at, 4)
