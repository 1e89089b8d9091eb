"""Whatever is said to any method of the casefile application: it does it, or says in a known code why not.

A call that failed has changed nothing; one that the schema of its tool refuses is refused.
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

from figures.figure import Figure, none
from figures.fuzz_values import ODD, Wanted, value, wanted
from figures.fuzz_world import COMPOSED_RECORDS, PEOPLE, RECORDS, World, world_in
from remit import Effect, RunResult
from remit.inventory import ToolDefinition
from remit_casefile.storage.database import Database

STEPS: Final = 40
KNOWN: Final = frozenset(
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
        "EXTERNAL_SERVICE_ERROR",
    }
)
"""The codes of what a caller can mend, or Google must."""

Draw = Callable[[st.SearchStrategy[Any]], Any]


@dataclass
class Found:
    """What was wrong, and out of how many calls; how these came out."""

    wrong: list[str] = field(default_factory=list[str])
    calls: int = 0
    outcomes: Counter[str] = field(default_factory=Counter[str])
    by_tool: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])


async def sequence(world: World, draw: Draw, found: Found, steps: int = STEPS) -> None:
    """A few calls, one after the other, each judged."""
    for _ in range(steps):
        tool = world.tools[draw(st.sampled_from(sorted(world.tools)))]
        who = draw(st.sampled_from(["ann", "ann", "ann", *sorted(PEOPLE)]))
        at = draw(st.sampled_from([*world.own[who] * 9, *world.pools["session_id"], *ODD]))
        asked: Wanted = draw(wanted(tool.tool.schema_in.json_schema, world.pools))
        if tool.name == "process_tool_request" and not asked.refused:
            asked = draw(_request_of(world))
        world.clock.advance(hours=draw(st.sampled_from([0, 0, 9])))
        found.calls += 1
        wrong = await judged(world, tool, who, asked, at, found, approved=draw(st.booleans()))
        found.wrong += [f"{tool.name} by {who} in {at!r} with {asked.raw[:300]}: {each}" for each in wrong]


async def judged(
    world: World, tool: ToolDefinition, who: str, asked: Wanted, at: str, found: Found, *, approved: bool
) -> list[str]:
    """Make a call: what is wrong with how it came out."""
    records = COMPOSED_RECORDS if tool.tool.facts.effect is Effect.COMPOSED else RECORDS
    before = world.state(records)
    try:
        result = await world.call(tool.name, who, asked.raw, at)
        if result.status == "waiting":
            if asked.refused or before != world.state(records):
                return ["a person is asked about what is refused, or after it was done"]
            result = await world.decide(result, approved=approved)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
        return [f"raised {error!r}"]
    code = _code(result)
    found.outcomes[code] += 1
    found.by_tool[tool.name, code] += 1
    wrong: list[str] = []
    if code == "ok" and asked.refused:
        wrong.append("did what its schema refuses")
    if code != "ok" and code not in KNOWN:
        wrong.append(f"ended with {code}: {result.text[:300]}")
    if code != "ok" and (after := world.state(records)) != before:
        wrong.append(f"failed with {code} and changed {sorted(set(after) ^ set(before))[:2]}")
    if code == "ok" and tool.tool.facts.effect is Effect.PURE and before != world.state(records):
        wrong.append("is pure and changed something")
    return wrong


def _request_of(world: World) -> st.SearchStrategy[Wanted]:
    """A request for a tool, with parameters that its schema allows, or nearly."""

    def of(name: str) -> st.SearchStrategy[Wanted]:
        schema = world.tools[name].tool.schema_in.json_schema
        parameters = value(schema, schema, "", world.pools)
        return parameters.map(lambda said: Wanted(json.dumps({"tool_name": name, "parameters": said}), refused=False))

    return st.sampled_from(sorted(world.tools)).flatmap(of)


def _code(result: RunResult[Any]) -> str:
    error = None if result.reply is None else result.reply.error
    return error.code if error is not None else "ok" if result.status == "done" else result.status


def fuzzed(examples: int, *, start: int = 0) -> Found:
    """Many sequences, each over a database of its own; all of it is judged."""
    found = Found()
    with TemporaryDirectory(prefix="remit-fuzz-") as home, asyncio.Runner() as runner:
        fresh = Path(home) / "fresh.db"
        runner.run(_made(fresh))

        @seed(start)
        @settings(max_examples=examples, database=None, deadline=None, phases=[Phase.generate], **_QUIET)
        @given(st.data())
        def one(data: st.DataObject) -> None:
            runner.run(_one(Path(home), fresh, data.draw, found))

        one()
    return found


async def _made(path: Path) -> None:
    """An empty database."""
    database = Database(path)
    async with database.reading() as session:
        await session.connection()
    await database.close()


async def _one(home: Path, fresh: Path, draw: Draw, found: Found) -> None:
    folder = home / "one"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    async with world_in(folder, fresh) as world:
        await sequence(world, draw, found)
        found.wrong += [f"Google was asked what it does not know: {each}" for each in world.google.broken]


_QUIET: Final[dict[str, Any]] = {"suppress_health_check": list(HealthCheck)}


def figures(*, short: bool) -> Iterator[Figure]:
    """Calls that ended otherwise than they may."""
    found = fuzzed(1 if short else 100)
    how = (
        "calls of every tool, of what its schema allows and of near misses, by four people in sequences over a database"
    )
    first = f"; {found.wrong[0]}" if found.wrong else ""
    yield none("fuzz.unexpected", len(found.wrong), found.calls, f"{how}; outcomes: {dict(found.outcomes)}{first}")
