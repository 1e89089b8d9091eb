"""Model outages: the model fails at each request of a tree of agents with effects, and the run is resumed.

The run has a target, for which alone the person may do anything. Each agent passes on by reference a result that is too
large and the person's file. The first agent answers with JSON, the second by a tool, and each corrects its result once.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Coroutine, Iterator, Sequence
from typing import Any, Final

import looptime
from pydantic import BaseModel

from figures.by_turn import Streamed, answer_by_turn
from figures.figure import Figure, no_violations
from figures.followed import execute_followed
from figures.scout import SCOUT, SCOUTING
from figures.stream_world import Reader
from remit import Agent, App, Block, Effect, LeafContext, Policy, Principal, Runtime, When, tool
from remit.agent import Compaction, ToolSearch, WorkingMemory
from remit.agent.driver import AgentDriver
from remit.agent.native import NativeDriver
from remit.artifacts import Artifact, PromptWithFiles, RunArtifacts
from remit.chat.chat import ChatRequest, Completion
from remit.errors import ModelBusyError, ModelUnavailableError
from remit.record.arguments import Limits
from remit.record.artifact import digest_of
from remit.record.items import HistoryCompacted
from remit.runtime import RunResult
from remit.stores import InMemoryStore
from remit.testing import calls
from remit.testing.history_check import history_errors
from remit.workers import PydanticAIDriver

PERSON: Final = Principal("ada", permissions=frozenset({"till:write@bakery/*"}))
DEPTH: Final = 3
TARGET: Final = "bakery/main"
PHOTO: Final = b"a photo of the till"
"""The person's file."""


class Report(BaseModel):
    """What the upper agents give."""

    status: str
    pages: int


DONE: Final = '{"status":"all done","pages":2}'
INVALID: Final = '{"status":"all done"}'
"""The first result, which lacks a field."""

_RESULTS: Final[tuple[list[Any], ...]] = (
    [INVALID, DONE],
    [calls(("final_result", INVALID)), calls(("final_result", DONE))],
    ["done"],
)
"""What the model gives in the end, by level."""

_POLICY: Final = Policy.only(
    When("elsewhere", lambda call: call.caller.target != TARGET, Block(reason="it is for another till"), version="1")
)


def scanned(number: int) -> str:
    """A text that is too large for the journal."""
    return f"page {number} of the books; " * 200


def _reference(content: bytes, name: str = "") -> dict[str, Any]:
    """The reference to content that a model is given and copies."""
    return Artifact(digest=digest_of(content), size=len(content), media_type="text/plain", name=name).model_dump()


_SENT: Final = _reference(PHOTO, "till.txt")
OUTAGES: Final = (ModelBusyError("429", retry_after=3600), ModelUnavailableError("503"))


def figures(*, short: bool) -> Iterator[Figure]:
    """Effects and results that an outage lost or doubled."""
    lost, doubled, cases = 0, 0, 0
    for driver, is_whole in (
        (NativeDriver(), False),
        (PydanticAIDriver(), True),
        *(() if short else ((NativeDriver(), True),)),
    ):
        requests = _play(driver, -1, OUTAGES[0], is_whole=is_whole)[2]
        for outage in OUTAGES[:1] if short else OUTAGES:
            for failing in range(0, requests, 3 if short else 1):
                missing, repeated, _ = _play(driver, failing, outage, is_whole=is_whole)
                lost, doubled, cases = lost + missing, doubled + repeated, cases + 1
    how = (
        f"a tree of agents {DEPTH} deep, of both drivers, with and without stream, compaction, memory and tool search; "
        "the model fails at each request in turn, those for summaries included, until the run stalls"
    )
    yield no_violations("model.outage.lost", lost, cases, f"{how}; effects, results and histories that are missing")
    yield no_violations("model.outage.doubled", doubled, cases, f"{how}; effects that happened more than once")


def _play(driver: AgentDriver, failing: int, outage: Exception, *, is_whole: bool) -> tuple[int, int, int]:
    """Lost and doubled effects where the model fails at request ``failing``, and the number of requests."""
    with asyncio.Runner(loop_factory=looptime.new_event_loop) as runner:
        return runner.run(_Tree(driver, failing, outage, is_whole=is_whole).play())


class _Tree:
    """A lead with agents below it. Each has effects before and after the agent below, and side by side with it."""

    def __init__(self, driver: AgentDriver, failing: int, outage: Exception, *, is_whole: bool) -> None:
        self._driver = driver
        self._is_whole = is_whole
        self._reader = Reader()
        self._run_id = "scouting"
        self._failing = failing
        self._outage = outage
        self._is_down = False
        self._requests = 0
        self._outage_count = 0
        self._effects = Counter[str]()
        self._wrong_targets = 0
        self._store = InMemoryStore()

    async def play(self) -> tuple[int, int, int]:
        runtime = self._runtime()
        file = await runtime.artifacts.add(PHOTO, by=PERSON, name="till.txt")
        conversation = "c" if self._is_whole else ""
        if conversation:
            await runtime.run("look", by=PERSON, agent=SCOUT, target=TARGET, conversation=conversation)
        run = self._run_id = "run"
        result = await self._follow(
            runtime.run("go", by=PERSON, agent="agent0", files=[file], target=TARGET, conversation=conversation)
        )
        has_stalled = result.status == "stalled"
        missing = has_stalled and not (await self._runtime().replay(run)).is_identical
        self._is_down = False
        self._failing = -1
        if has_stalled:
            result = await self._follow(self._runtime().resume(run))
        history = await self._runtime().history(run)
        expected = {f"{name} {level}" for level in range(DEPTH) for name in ("first", "beside", "last", "sent")}
        missing += len(expected - self._effects.keys()) + (result.text != DONE) + self._wrong_targets
        missing += len(history_errors(history)) + (not _is_corrected(history))
        missing += not (await self._runtime().replay(run)).is_identical
        missing += has_stalled != (self._outage_count > 0)
        items = [position.item for position in await self._store.read(run)]
        missing += any(isinstance(item, HistoryCompacted) for item in items) is not self._is_whole
        missing += sum("Bakery" in text for text in history) != self._is_whole
        missing += (self._reader.pieces > 0) is not self._is_whole
        missing += self._reader.lost + len(self._reader.open)
        repeated = sum(count - 1 for count in self._effects.values()) + self._reader.doubled
        return missing, repeated, self._requests

    async def _follow(self, execution: Coroutine[Any, Any, RunResult[Any]]) -> RunResult[Any]:
        if not self._is_whole:
            return await execution
        return await execute_followed(self._store, self._run_id, self._reader, execution)

    async def _answer(self, request: ChatRequest, /) -> Completion:
        if '"content":"Scout."' in request.history[0]:
            return await answer_by_turn(SCOUTING, request)
        number, self._requests = self._requests, self._requests + (not self._is_down)
        if number == self._failing or self._is_down:
            self._is_down = True
            self._outage_count += 1
            raise self._outage
        if request.agent_call_id.endswith(":compaction"):
            return await answer_by_turn((), request)
        level = int(next(each for each in request.history if '"role":"system"' in each).split("level ")[1][0])
        below = [(f"agent{level + 1}", {"prompt": "go on", "files": [_SENT]})] if level + 1 < DEPTH else []
        script: list[Any] = [
            calls(("act", {"name": f"first {level}"}), ("scan", {"number": level})),
            calls(("act", {"name": f"beside {level}"}), *below),
            calls(
                ("keep", {"name": f"last {level}", "file": _reference(scanned(level).encode())}),
                ("keep", {"name": f"sent {level}", "file": _SENT}),
            ),
            *_RESULTS[level],
        ]
        if self._is_whole:
            script = [calls(("search_tools", {"query": f"act, scan, keep, agent{level + 1}"})), *script]
        return await answer_by_turn(script, request)

    def _act(self, name: str, ctx: LeafContext) -> str:
        self._effects[name] += 1
        self._wrong_targets += ctx.caller.target != TARGET
        return "acted"

    def _tools(self) -> list[Any]:
        artifacts = RunArtifacts()

        @tool(effect=Effect.KEYED, permissions={"till:write"})
        async def act(ctx: LeafContext, name: str) -> str:
            """Act."""
            return self._act(name, ctx)

        @tool(effect=Effect.PURE, permissions={"till:write"})
        async def scan(number: int) -> str:
            """Scan a page of the books."""
            return scanned(number)

        @tool(effect=Effect.KEYED, permissions={"till:write"})
        async def keep(ctx: LeafContext, file: Artifact, name: str) -> str:
            """Keep a file."""
            await artifacts.read(file)
            return self._act(name, ctx)

        return [act, scan, keep]

    def _runtime(self) -> Runtime:
        tools, agents = self._tools(), list[Agent]()
        for level in reversed(range(DEPTH)):
            agents.append(
                Agent(
                    f"agent{level}",
                    instructions=f"You are level {level}.",
                    input=PromptWithFiles,
                    output=Report if level < DEPTH - 1 else str,
                    output_mode="native" if level == 0 else "tool",
                    tools=[*tools, *agents[-1:]],
                    driver=self._driver,
                    compaction=Compaction(tokens=300, keep=150) if self._is_whole else None,
                    memory=WorkingMemory() if self._is_whole else None,
                    tool_search=ToolSearch(above=1) if self._is_whole else None,
                )
            )
        app = App(
            name="outage",
            agents=(*reversed(agents), SCOUT),
            policy=_POLICY,
            limits=Limits(output_bytes=2048),
        )
        return Runtime(
            app,
            model=Streamed(self._answer),
            store=self._store,
            directory=lambda _name, _tenant: PERSON,
            make_run_id=lambda: self._run_id,
        )


def _is_corrected(history: Sequence[str]) -> bool:
    """Whether the lead's invalid result, the reason against it and the right one end the history."""
    last = [json.loads(text) for text in history[-3:]]
    return [each["role"] for each in last[1:2]] == ["user"] and [each["content"] for each in last[::2]] == [
        INVALID,
        DONE,
    ]
