"""Budgets stop the model: seeded trees of agents that ask in parallel and are interrupted and resumed."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from figures.figure import Figure, no_violations
from remit import Agent, App, Principal, Runtime, Stack
from remit.agent.limits import AgentLimits
from remit.errors import LeaseError, NoModelError
from remit.items import ModelUsage, ToolOutput
from remit.layers import Budget, CallLayer
from remit.messages import ChatRequest, Completion
from remit.models import ModelSettings, Price
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls
from remit.workers import PydanticAIDriver

PERSON = Principal("ada", permissions=frozenset({"*"}))
MAX_TOKENS = 300
PRICES = {"dear": Price(1_000, 1_000), "free": Price(0, 0)}
"""A thousandth of a dollar for each token; the answers of the model asked name one of no price as often."""


def figures(*, short: bool) -> Iterator[Figure]:
    """Runs and agents whose requests on record used more tokens than their limit, whatever the models reported."""
    seeds = 40 if short else 400
    worlds = [asyncio.run(_run(seed)) for seed in range(seeds)]
    refused, resumed = sum(each.refused for each in worlds), sum(each.resumed for each in worlds)
    how = (
        f"{seeds:,} trees of agents of both drivers with limits on run and agents, {refused:,} agents stopped by one, "
        f"{resumed:,} interruptions and resumes; tokens of the answers on record, all within "
        "their estimates, three of seven misreported"
    )
    held = sum(each.over for each in worlds) if refused and resumed else 1
    yield no_violations("budget.tokens_over", held, seeds, how)
    dollars = sum(each.dollars_over for each in worlds) if refused else 1
    how = (
        f"the same {seeds:,} trees, half of them with a limit in dollars; of three answers two name another model, and "
        "a run that lacks a price counts too, because the model that is asked has one"
    )
    yield no_violations("budget.dollars_over", dollars, seeds, how)


@dataclass
class World:
    """A model whose answers call agents at random, and what came of one run."""

    model, vendor = "dear", "lab"
    chance: random.Random
    agents: Sequence[str] = ()
    requests: int = 0
    interrupt_at: int = 0
    interrupted: asyncio.Event = field(default_factory=asyncio.Event)
    refused: int = 0
    resumed: int = 0
    over: int = 0
    dollars_over: int = 0
    tokens: dict[str, int] = field(default_factory=dict[str, int])
    """What the last answer to each request used, whatever it reported."""

    async def __call__(self, request: ChatRequest, /) -> Completion:
        """Answer within the estimate, after a while. Three answers of seven report impossible usage, or none."""
        self.requests += 1
        if self.requests == self.interrupt_at:
            self.interrupted.set()
        for _ in range(self.chance.randrange(12)):
            await asyncio.sleep(0)
        size = len("".join(request.history).encode()) // 4
        answer = await Scripted([self._choose_line(request)] * 99)(request)
        prompt, completion = size * self.chance.choice((1, 2)) // 2, self.chance.choice((10, 150, MAX_TOKENS))
        self.tokens[f"{request.agent_call_id}:{_count_turns(request) + 1}"] = prompt + completion
        reported = self.chance.choice([(prompt, completion)] * 4 + [(-50 * prompt, completion), (0, 0), (10**20, 1)])
        named = self.chance.choice(("dear", "free", "unheard-of"))
        return replace(answer, model=named, prompt_tokens=reported[0], completion_tokens=reported[1])

    def _choose_line(self, request: ChatRequest) -> str | dict[str, Any]:
        names = [each for each in request.tools.names if each in self.agents]
        turns = _count_turns(request)
        if not names or turns >= self.chance.randrange(1, 4):
            return "done"
        chosen = [self.chance.choice(names) for _ in range(self.chance.randrange(1, 4))]
        return calls(*((name, {"prompt": f"part {turns} {number}"}) for number, name in enumerate(chosen)))


def _count_turns(request: ChatRequest) -> int:
    return sum('"role":"assistant"' in text[:40] for text in request.history)


async def _run(seed: int) -> World:
    asyncio.get_running_loop().set_exception_handler(lambda _loop, _context: None)  # late items of an interrupted run
    chance = random.Random(seed)
    world = World(chance)
    limits: dict[str, int | None] = {}
    below: list[Agent] = []
    for level in range(3):
        names = [f"agent_{level}_{number}" for number in range(1 if level == 2 else 2)]
        limits |= {name: chance.choice((None, 900, 2_500)) for name in names}
        below = [
            Agent(
                name,
                instructions="Work.",
                tools=below,
                model=world,
                driver=PydanticAIDriver() if chance.random() < 0.3 else None,
                limits=AgentLimits(tokens=limits[name]),
                settings=ModelSettings(max_tokens=MAX_TOKENS),
            )
            for name in names
        ]
    world.agents = tuple(limits)
    limit = chance.choice((1_500, 4_000, 12_000))
    store = InMemoryStore()
    is_in_dollars = chance.random() < 0.5
    layers: Stack[CallLayer] = Stack(Budget(cost=limit / 1_000) if is_in_dollars else Budget(tokens=limit))
    runtime = Runtime(App(name="budgets", agents=tuple(below)), store=store, layers=layers, prices=PRICES)
    run = await runtime.submit("go", by=PERSON)
    for _ in range(chance.randrange(3)):
        world.interrupt_at, world.interrupted = world.requests + chance.randrange(1, 9), asyncio.Event()
        with contextlib.suppress(LeaseError):
            await _resume(world, runtime, run, world.interrupted)
            break
        world.resumed += 1
    world.interrupt_at = 0
    await _resume(world, runtime, run)
    await _count(world, store, run, limits, limit, is_in_dollars=is_in_dollars)
    return world


async def _resume(world: World, runtime: Runtime, run: str, stop: asyncio.Event | None = None) -> None:
    try:
        await runtime.resume(run, stop)
    except NoModelError:
        world.dollars_over += 1


async def _count(
    world: World, store: InMemoryStore, run: str, limits: dict[str, int | None], limit: int, *, is_in_dollars: bool
) -> None:
    """Compare what the answers on record used with the limits, of the run and of each call of an agent."""
    items = [position.item for position in await store.read(run)]
    ends = {item.call: item for item in items if isinstance(item, ToolOutput)}
    used: dict[str, int] = {}
    for item in items:
        if isinstance(item, ModelUsage):
            call = item.call.partition(":")[0]
            while call:
                used[call] = used.get(call, 0) + world.tokens[item.call]
                call = ends[call].parent if call in ends else ""
    for call, tokens in used.items():
        if call not in ends:
            continue
        own = limits[ends[call].callee]
        world.over += own is not None and tokens > own
        is_over = not ends[call].parent and tokens > limit
        world.dollars_over += is_over and is_in_dollars
        world.over += is_over and not is_in_dollars
    world.refused += sum(_is_refusal(item.text) for item in ends.values())


def _is_refusal(text: str) -> bool:
    with contextlib.suppress(ValueError):
        message = json.loads(text)
        return "BUDGET_EXCEEDED" in str(message)
    return False
