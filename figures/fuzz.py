"""Whatever is said to any method of the casefile application: it does it, or says in a known code why not.

A call that failed has changed nothing; one that the schema of its tool refuses is refused, and so is one in a
conversation whose name cannot be one. The operations of a server are asked in the same way; see `figures.fuzz_routes`.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from figures.figure import Figure, no_violations
from figures.fuzz_routes import RoutesReport, fuzz_routes
from figures.fuzz_values import ODD_STRINGS, REFUSED_NAMES, GeneratedArguments, generate_arguments, generate_value
from figures.fuzz_world import COMPOSED_RECORDS, PEOPLE, RECORDS, World, open_world
from remit import Effect
from remit.errors import RequestError, SetupError
from remit.inventory import ToolDefinition
from remit.runtime import RunResult
from remit_casefile.storage.database import Database

STEPS: Final = 40
_MAX_SEQUENCES: Final = 60
"""How many sequences are tried until one notices a defect."""
EXPECTED_CODES: Final = frozenset(
    {
        "VALIDATION_ERROR",
        "NOT_FOUND",
        "UNKNOWN_TOOL",
        "ALREADY_EXISTS",
        "CONFLICT",
        "PERMISSION_DENIED",
        "BLOCKED",
        "APPROVAL_DENIED",
        "RATE_LIMITED",
        "BREAKER_OPEN",
        "GOOGLE_BUSY",
        "GOOGLE_INVALID",
        "GOOGLE_NOT_FOUND",
        "GOOGLE_REFUSED",
        "GOOGLE_UNAVAILABLE",
        "GOOGLE_UNREACHABLE",
    }
)
"""The codes of what a caller can mend, or Google must."""

Draw = Callable[[st.SearchStrategy[Any]], Any]


@dataclass
class FuzzReport:
    """What was wrong, and out of how many calls; how these came out."""

    problems: list[str] = field(default_factory=list[str])
    calls: int = 0
    outcomes: Counter[str] = field(default_factory=Counter[str])
    by_tool: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])


async def run_sequence(world: World, draw: Draw, found: FuzzReport, steps: int = STEPS) -> None:
    """A few calls, one after the other, each judged."""
    for _ in range(steps):
        tool = world.tools[draw(st.sampled_from(sorted(world.tools)))]
        who = draw(st.sampled_from(["ann", "ann", "ann", *sorted(PEOPLE)]))
        at = draw(st.sampled_from([*world.own[who] * 9, *world.pools["session_id"], *ODD_STRINGS]))
        generated: GeneratedArguments = draw(generate_arguments(tool.tool.schema_in.json_schema, world.pools))
        if tool.name == "process_tool_request" and not generated.is_refused:
            generated = draw(_tool_request_arguments(world))
        world.clock.advance(hours=draw(st.sampled_from([0, 0, 9])))
        found.calls += 1
        wrong = await judge_call(world, tool, who, generated, at, found, approved=draw(st.booleans()))
        found.problems += [f"{tool.name} by {who} in {at!r} with {generated.raw[:300]}: {each}" for each in wrong]


async def judge_call(
    world: World,
    tool: ToolDefinition,
    who: str,
    generated: GeneratedArguments,
    at: str,
    found: FuzzReport,
    *,
    approved: bool,
) -> list[str]:
    """Make a call: what is wrong with how it came out."""
    records = COMPOSED_RECORDS if tool.tool.facts.effect is Effect.COMPOSED else RECORDS
    before = world.state(records)
    try:
        result = await world.call(tool.name, who, generated.raw, at)
        if result.status == "waiting":
            if generated.is_refused or before != world.state(records):
                return ["a person is asked about what is refused, or after it was done"]
            result = await world.decide(result, approved=approved)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
        if not _refuses_name(error, at):
            return [f"raised {error!r}"]
        found.outcomes["no conversation"] += 1
        return [] if before == world.state(records) else [f"raised {error!r} and changed something"]
    code = _outcome_code(result)
    found.outcomes[code] += 1
    found.by_tool[tool.name, code] += 1
    wrong: list[str] = []
    if at in REFUSED_NAMES:
        wrong.append("was made in a conversation whose name cannot be one")
    if code == "ok" and generated.is_refused:
        wrong.append("did what its schema refuses")
    if code != "ok" and code not in EXPECTED_CODES:
        wrong.append(f"ended with {code}: {result.text[:300]}")
    if code != "ok" and (after := world.state(records)) != before:
        wrong.append(f"failed with {code} and changed {sorted(set(after) ^ set(before))[:2]}")
    if code == "ok" and tool.tool.facts.effect is Effect.PURE and before != world.state(records):
        wrong.append("is pure and changed something")
    return wrong


def _refuses_name(error: Exception, at: str) -> bool:
    """Whether a call was refused before it was opened, for the name of its conversation alone."""
    is_refusal = isinstance(error, (RequestError, SetupError))
    return is_refusal and at in REFUSED_NAMES and str(error).startswith("conversation is ")


def _tool_request_arguments(world: World) -> st.SearchStrategy[GeneratedArguments]:
    """A request for a tool, with parameters that its schema allows, or nearly."""

    def of(name: str) -> st.SearchStrategy[GeneratedArguments]:
        schema = world.tools[name].tool.schema_in.json_schema
        parameters = generate_value(schema, schema, "", world.pools)
        return parameters.map(
            lambda said: GeneratedArguments(json.dumps({"tool_name": name, "parameters": said}), is_refused=False)
        )

    return st.sampled_from(sorted(world.tools)).flatmap(of)


def _outcome_code(result: RunResult[Any]) -> str:
    error = None if result.reply is None else result.reply.error
    return error.code if error is not None else "ok" if result.status == "done" else result.status


def run_fuzz(examples: int, *, start: int = 0) -> FuzzReport:
    """Many sequences, each over a database of its own; all of it is judged.

    Hypothesis begins with the simplest sequence, the same call again and again: a number of 0 stands for it, and it is
    left out.
    """
    found = FuzzReport()
    with TemporaryDirectory(prefix="remit-fuzz-") as home, asyncio.Runner() as runner:
        fresh = Path(home) / "fresh.db"
        runner.run(_create_database(fresh))

        @seed(start)
        @settings(max_examples=examples + 1, database=None, deadline=None, phases=[Phase.generate], **_QUIET)
        @given(st.data())
        def one(data: st.DataObject) -> None:
            if data.draw(st.integers(0, 2**64)):
                runner.run(_run_example(Path(home), fresh, data.draw, found))

        one()
    return found


async def _create_database(path: Path) -> None:
    """An empty database."""
    database = Database(path)
    async with database.read() as session:
        await session.connection()
    await database.close()


async def _run_example(home: Path, fresh: Path, draw: Draw, found: FuzzReport) -> None:
    folder = home / "one"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    async with open_world(folder, fresh) as world:
        await run_sequence(world, draw, found)
        found.problems += [f"Google was asked what it does not know: {each}" for each in world.google.broken]


_QUIET: Final[dict[str, Any]] = {"suppress_health_check": list(HealthCheck)}


def figures(*, short: bool) -> Iterator[Figure]:
    """Calls and requests to a server that ended otherwise than they may."""
    yield _figure(run_fuzz(1 if short else 100), fuzz_routes(7 if short else 1))


def measure_routes() -> Iterator[Figure]:
    """The figure of some operations of a server alone."""
    yield _figure(FuzzReport(), fuzz_routes(only=("start_run", "add_file", "call_tool")))


def measure_until_noticed() -> Iterator[Figure]:
    """The figure of one sequence after another, until something is wrong in one: few sequences notice a rare defect."""
    (found,) = measure_sequences(1)
    for start in range(1, _MAX_SEQUENCES):
        if not found.holds:
            break
        (found,) = measure_sequences(1, start=start)
    yield found


def measure_sequences(examples: int, *, start: int = 0) -> Iterator[Figure]:
    """The figure of so many sequences, of those that begin with the seed ``start``."""
    yield _figure(run_fuzz(examples, start=start), RoutesReport())


def _figure(found: FuzzReport, routes: RoutesReport) -> Figure:
    problems = [*found.problems, *routes.problems]
    how = (
        f"{found.calls:,} calls of every tool, of what its schema allows and of near misses, by four people in "
        f"sequences over a database, and {routes.requests:,} hostile requests to every operation of a server; "
        f"outcomes: {dict(found.outcomes)}"
    )
    first = f"; {problems[0]}" if problems else ""
    return no_violations("fuzz.unexpected", len(problems), found.calls + routes.requests, how + first)
