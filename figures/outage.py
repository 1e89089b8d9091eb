"""Model outages: the model fails at each request of a tree of agents with effects, and the run is resumed."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import looptime

from figures.figure import Figure, no_violations
from remit import Agent, App, Effect, LeafContext, Principal, Runtime, tool
from remit.agent.driver import AgentDriver
from remit.agent.native import NativeDriver
from remit.contracts.chat import ChatRequest, Completion
from remit.errors import ModelBusyError, ModelUnavailableError
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls
from remit.testing.history_check import history_errors
from remit.workers import PydanticAIDriver

PERSON: Final = Principal("ada", permissions=frozenset({"*"}))
DEPTH: Final = 3
OUTAGES: Final = (ModelBusyError("429", retry_after=3600), ModelUnavailableError("503"))


def figures(*, short: bool) -> Iterator[Figure]:
    """Effects and results that an outage lost or doubled."""
    lost, doubled, cases = 0, 0, 0
    for driver in (NativeDriver(), PydanticAIDriver()):
        requests = _play(driver, -1, OUTAGES[0])[2]
        for outage in OUTAGES[:1] if short else OUTAGES:
            for failing in range(0, requests, 2 if short else 1):
                missing, repeated, _ = _play(driver, failing, outage)
                lost, doubled, cases = lost + missing, doubled + repeated, cases + 1
    how = (
        f"a tree of agents {DEPTH} deep, of both drivers; the model fails at each request in turn until the run stalls"
    )
    yield no_violations("model.outage.lost", lost, cases, f"{how}; effects, results and histories that are missing")
    yield no_violations("model.outage.doubled", doubled, cases, f"{how}; effects that happened more than once")


def _play(driver: AgentDriver, failing: int, outage: Exception) -> tuple[int, int, int]:
    """Lost and doubled effects where the model fails at request ``failing``, and the number of requests."""
    with asyncio.Runner(loop_factory=looptime.new_event_loop) as runner:
        return runner.run(_Tree(driver, failing, outage).play())


class _Tree:
    """A lead with agents below it. Each has effects before and after the agent below, side by side with it."""

    def __init__(self, driver: AgentDriver, failing: int, outage: Exception) -> None:
        self._driver = driver
        self._failing = failing
        self._outage = outage
        self._is_down = False
        self._requests = 0
        self._outage_count = 0
        self._effects = Counter[str]()
        self._store = InMemoryStore()

    async def play(self) -> tuple[int, int, int]:
        result = await self._runtime().run("go", by=PERSON)
        run = result.run
        has_stalled = result.status == "stalled"
        missing = has_stalled and not (await self._runtime().replay(run)).is_identical
        self._is_down = False
        self._failing = -1
        if has_stalled:
            result = await self._runtime().resume(run)
        expected = {f"{name} {level}" for level in range(DEPTH) for name in ("first", "beside", "last")}
        missing += len(expected - self._effects.keys()) + (result.status != "done")
        missing += len(history_errors(await self._runtime().history(run)))
        missing += not (await self._runtime().replay(run)).is_identical
        missing += has_stalled != (self._outage_count > 0)
        return missing, sum(count - 1 for count in self._effects.values()), self._requests

    async def _answer(self, request: ChatRequest, /) -> Completion:
        number, self._requests = self._requests, self._requests + (not self._is_down)
        if number == self._failing or self._is_down:
            self._is_down = True
            self._outage_count += 1
            raise self._outage
        level = int(next(each for each in request.history if '"role":"system"' in each).split("level ")[1][0])
        below = [(f"agent{level + 1}", {"prompt": "go on"})] if level + 1 < DEPTH else []
        script: list[Any] = [
            calls(("act", {"name": f"first {level}"})),
            calls(("act", {"name": f"beside {level}"}), *below),
            calls(("act", {"name": f"last {level}"})),
            "done",
        ]
        return await Scripted(script)(request)

    def _runtime(self) -> Runtime:
        @tool(effect=Effect.KEYED)
        async def act(_ctx: LeafContext, name: str) -> str:
            """Act."""
            self._effects[name] += 1
            return "acted"

        agents: list[Agent] = []
        for level in reversed(range(DEPTH)):
            tools: list[Any] = [act, *agents[-1:]]
            agents.append(
                Agent(f"agent{level}", instructions=f"You are level {level}.", tools=tools, driver=self._driver)
            )
        app = App(name="outage", agents=tuple(reversed(agents)))
        return Runtime(app, model=self._answer, store=self._store, directory=lambda _name, _tenant: PERSON)
