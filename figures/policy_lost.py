"""Policy travels with its application: no route and no process runs a call under less than its run was opened under."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import product
from pathlib import Path
from typing import Final, NamedTuple

from figures.figure import Figure, no_violations
from figures.policy_lost_http import ROUTES as HTTP_ROUTES
from figures.policy_lost_world import ADA, POLL_SECONDS, TERMS, Process, build_app
from remit.errors import JournalError, RemitError
from remit.evals.run import run_task
from remit.evals.task import Task
from remit.testing import Scripted
from remit.users import os_user

ROOT: Final = Path(__file__).parent.parent
_TRIED: Final = ("done", "failed", "stalled", "queued", "open")
_CLI_PROGRAM: Final = "from remit.cli.main import main; main()"


class Case(NamedTuple):
    """A route, the term that must hold on it, whether the process that executes it lacks the term, and the depth."""

    route: str
    term: str
    lacks_term: bool
    is_nested: bool


async def _run(process: Process) -> None:
    await process.opens.run("go", by=ADA)


async def _run_by_client(process: Process) -> None:
    await process.opens.client(ADA).run("go")


async def _call(process: Process) -> None:
    await process.opens.client(ADA).call(process.opens.app.agents[0].name, {"prompt": "go"})


async def _attach(process: Process) -> None:
    """The process that opened the run has died, and the same call is made in another one."""
    name, arguments = process.opens.app.agents[0].name, {"prompt": "go"}
    process.store.is_away = True
    with suppress(JournalError):
        await process.opens.client(ADA).call(name, arguments, attach=True)
    process.store.is_away = False
    await process.continues.client(ADA).call(name, arguments, attach=True)


async def _attach_twice(process: Process) -> None:
    """The same call is made again, while its run is stalled or after it has ended."""
    await _attach(process)
    await process.opens.client(ADA).call(process.opens.app.agents[0].name, {"prompt": "go"}, attach=True)


async def _call_in_open_run(process: Process) -> None:
    async with process.opens.client(ADA).open_run() as run:
        await run.call(process.opens.app.agents[0].name, {"prompt": "go"})


async def _call_in_run_of_another(process: Process) -> None:
    """One process opens a run and makes a call, and another one takes it up and makes the next."""
    name = process.opens.app.agents[0].name
    async with process.opens.client(ADA).open_run() as run:
        await run.call(name, {"prompt": "go"})
    async with process.continues.client(ADA).open_run(run_id=run.id) as run:
        await run.call(name, {"prompt": "go"})


async def _evaluate(process: Process) -> None:
    await run_task(Task(name="t", prompt=["go"]), process.load, Scripted([]))


async def _resume(process: Process) -> None:
    run = await process.opens.submit("go", by=ADA)
    await process.continues.resume(run)


async def _resume_twice(process: Process) -> None:
    run = await process.opens.submit("go", by=ADA)
    await process.continues.resume(run)
    await process.continues.resume(run)


async def _replay(process: Process) -> None:
    run = (await process.opens.run("go", by=ADA)).run
    await process.continues.replay(run)
    await process.continues.resume(run)


async def _execute(process: Process) -> None:
    await process.opens.submit("go", by=ADA)
    await _drive(process)


async def _schedule(process: Process) -> None:
    client = process.opens.client(ADA)
    soon = datetime.now(UTC) + timedelta(seconds=0.3)
    await client.schedule(process.opens.app.agents[0].name, {"prompt": "go"}, at=soon)
    await _drive(process)


async def _queue(process: Process) -> None:
    await process.opens.submit("go", by=ADA, conversation="talk")
    await process.opens.submit("go", by=ADA, conversation="talk", when_busy="queue")
    await _drive(process)


async def _drive(process: Process) -> None:
    """Execute what is due, as an executor does, until all runs have ended or one is stalled."""
    async with process.engine():
        while not {"stalled", "waiting"}.intersection(found := [row.status for row in await process.store.list_runs()]):
            if not {"running", "queued", "scheduled"}.intersection(found):
                return
            await asyncio.sleep(POLL_SECONDS)


ROUTES: Final[dict[str, Callable[[Process], Awaitable[None]]]] = {
    "Runtime.run": _run,
    "Client.run": _run_by_client,
    "Client.call": _call,
    "a call that attaches": _attach,
    "a call that attaches to a stalled run": _attach_twice,
    "a call of an open run": _call_in_open_run,
    "a call of an open run that another process takes up": _call_in_run_of_another,
    "an eval": _evaluate,
    "resume": _resume,
    "resume after a stall": _resume_twice,
    "replay": _replay,
    "an executor": _execute,
    "a schedule": _schedule,
    "a queued message": _queue,
    **HTTP_ROUTES,
}


CASES: Final = [Case(*each) for each in product(ROUTES, TERMS, (False, True), (False, True))]


def figures(*, short: bool) -> Iterator[Figure]:
    """Routes on which a call ran that the application forbids."""
    commands = TERMS[:1] if short else TERMS
    cases = CASES[:: 5 if short else 1]
    lost = _find_lost(cases) + [said for term in commands if (said := _try_command(term))]
    yield _figure(lost, len(cases) + len(commands))


def measure_in_process() -> Iterator[Figure]:
    """The figure without commands, whose processes know nothing of a defect that is planted here."""
    cases = [each for each in CASES if each.term != "timeout" and not each.is_nested]
    yield _figure(_find_lost(cases), len(cases))


def _figure(lost: Sequence[str], n: int) -> Figure:
    tried = f"{len(ROUTES)} routes and a command, for {', '.join(TERMS)}"
    how = f"{tried}; executed by the same application and by one that lacks them; nested too"
    return no_violations("policy.lost", len(lost), n, how + (f"; first: {lost[0]}" if lost else ""))


def _find_lost(cases: Sequence[Case]) -> list[str]:
    return [said for each in cases if (said := asyncio.run(_try_route(each)))]


async def _try_route(case: Case) -> str:
    """What is wrong on a route; nothing, if nothing is."""
    log = list[str]()
    load = partial(build_app, case.term, log.append, is_nested=case.is_nested)
    try:
        process = Process(load, partial(load, is_governed=not case.lacks_term))
        await ROUTES[case.route](process)
    except RemitError as error:
        return f"{case}: {error}"
    if log:
        return f"{case}"
    rows = await process.store.list_runs()
    if (rows or case.route == "an eval") and all(row.status in _TRIED for row in rows):
        return ""
    return f"{case}: nothing was tried"


def _try_command(term: str) -> str:
    """What is wrong if the command line runs the application; nothing, if nothing is."""
    with tempfile.TemporaryDirectory(prefix="remit-lost-") as name:
        home = Path(name)
        owner = (
            f'[roles.owner]\npermissions = ["*"]\n[users.{json.dumps(os_user())}]\nroles = ["owner"]\ntenant = "here"\n'
        )
        (home / "config.toml").write_text(owner, encoding="utf-8")
        environment = {each: value for each, value in os.environ.items() if not each.startswith("REMIT_")}
        environment |= {"REMIT_HOME": name, "LOST_TERM": term, "LOST_LOG": str(home / "log")}
        words = ("call", "figures.policy_lost_world:app", "clerk", '{"prompt": "go"}')
        done = subprocess.run(
            [sys.executable, "-c", _CLI_PROGRAM, *words], cwd=ROOT, env=environment, capture_output=True, check=False
        )
        if (home / "log").exists():
            return f"remit call, {term}"
        return (
            "" if done.returncode in (0, 1) else f"remit call, {term}: nothing was tried: {done.stderr.decode()[-300:]}"
        )
