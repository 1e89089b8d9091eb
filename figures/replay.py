"""A replay finds every difference: one thing is changed, and the replay of an old run must name it.

The runs are streamed; some are compacted, remember an earlier run, or search their tools.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from figures.by_turn import Streamed, answer_by_turn
from figures.figure import Figure, no_violations
from figures.scout import SCOUT, SCOUTING
from remit import Agent, App, Context, Effect, LeafContext, Principal, Runtime, tool
from remit.agent import Compaction, ToolSearch, WorkingMemory
from remit.items import DeltaEvent
from remit.messages import ChatRequest, Completion
from remit.models import ModelSettings
from remit.record.arguments import Limits, parse_arguments
from remit.runtime import RunResult
from remit.stores import InMemoryStore
from remit.testing import calls

PERSON = Principal("ada", permissions=frozenset({"*"}))


@dataclass(frozen=True)
class Code:
    """The code of an application, as far as it may change between a run and its replay."""

    prompt: str = "You keep the books. Be careful."
    tool_description: str = "Add an amount to the books."
    default: int = 1
    extra_parameter: bool = False
    passed_on: int = 5
    order: tuple[int, ...] = (1, 2)
    temperature: float | None = 0.0
    max_tokens: int | None = 100
    tools: tuple[int, ...] = (0, 1)
    result: str = "booked " * 80
    one_more: bool = False
    clock: Callable[[], str] = lambda: ""
    limit: int = 0
    """The tokens above which the history is compacted; 0 for no compaction."""
    memory: bool = False
    """Whether the agent remembers what an earlier run of its conversation found."""
    found: int = 0
    """How many tools a search finds; 0 for no search."""
    description_found: str = "Book an amount."
    is_direct: bool = False
    """Whether the tool is called without a model, so that its result is the last thing on record."""


def _unchanged(code: Code) -> Code:
    return code


CHANGES: dict[str, Callable[[Code], Code]] = {
    "a word of the prompt": lambda code: replace(code, prompt="You keep the books. Be quick."),
    "a space in the prompt": lambda code: replace(code, prompt="You keep the books.  Be careful."),
    "a tool's description": lambda code: replace(code, tool_description="Add an amount to the book."),
    "a default in a tool's schema": lambda code: replace(code, default=2),
    "one more parameter": lambda code: replace(code, extra_parameter=True),
    "an argument passed on": lambda code: replace(code, passed_on=6),
    "the order of nested calls": lambda code: replace(code, order=(2, 1)),
    "one nested call less": lambda code: replace(code, order=(1,)),
    "one nested call more": lambda code: replace(code, order=(1, 2, 3)),
    "the temperature": lambda code: replace(code, temperature=0.5),
    "the token limit": lambda code: replace(code, max_tokens=200),
    "the order of tools": lambda code: replace(code, tools=(1, 0)),
    "a tool less": lambda code: replace(code, tools=(0,)),
    "a composed result": lambda code: replace(code, result="done"),
    "the clock in the prompt": _unchanged,
    "the result of a direct call": lambda code: replace(code, result="done"),
    "the limit of a compaction": lambda code: replace(code, limit=10_000),
    "the working memory": lambda code: replace(code, memory=False),
    "the tool search": lambda code: replace(code, found=0),
    "the description of a tool that a tool search finds": lambda code: replace(code, description_found="Book it."),
    "the error of a direct call": lambda code: replace(code, result=""),
}


_NOTHING = {
    f"nothing{what}": _unchanged
    for what in ("", " of a direct call", " of a compaction", " of a working memory", " of a tool search")
}


def figures(*, short: bool) -> Iterator[Figure]:
    """Differences that a replay did not find; an unchanged replay that finds one counts too."""
    missed, tried = asyncio.run(_count_missed())
    how = f"one change each: {', '.join(CHANGES)}; and none at all" if not short else "one change each, and none"
    yield no_violations("replay.missed_differences", len(missed), tried, how if not missed else f"missed: {missed}")


async def _count_missed() -> tuple[list[str], int]:
    ticks = itertools.count()
    missed: list[str] = []
    for name, change in {**_NOTHING, **CHANGES}.items():
        clock = (lambda: f" It is {next(ticks)} o'clock.") if "clock" in name else (lambda: "")
        store = InMemoryStore()
        before = Code(
            clock=clock,
            is_direct="direct" in name,
            limit=20 if "compaction" in name else 0,
            memory="memory" in name,
            found=2 if "search" in name else 0,
        )
        run = await _start_run(_runtime(before, store), before)
        report = await _runtime(change(before), store).replay(run)
        if report.is_identical is not name.startswith("nothing"):
            missed.append(f"{name}: {report.difference}")
    return missed, len(CHANGES) + len(_NOTHING)


async def _start_run(runtime: Runtime, code: Code) -> str:
    if code.is_direct:
        arguments = parse_arguments('{"number":3}', Limits())
        return (await runtime.call_by_name("add", arguments, by=PERSON)).run
    if code.memory:
        await runtime.run("look", by=PERSON, agent=SCOUT, conversation="c")
    conversation = "c" if code.memory else ""
    pieces = 0
    async with contextlib.aclosing(runtime.stream("go", by=PERSON, agent="agent", conversation=conversation)) as events:
        async for event in events:
            pieces += isinstance(event, DeltaEvent)
            if isinstance(event, RunResult):
                return event.run if pieces else ""
    raise AssertionError


def _runtime(code: Code, store: InMemoryStore) -> Runtime:
    @tool(effect=Effect.KEYED, description=code.description_found)
    async def book(_ctx: LeafContext, amount: int) -> str:
        return f"booked {amount}"

    async def add(ctx: Context, number: int = code.default) -> str:
        for each in code.order:
            await ctx.call(book, number * each * code.passed_on)
        if not code.result:
            raise ValueError("no result")
        return code.result

    async def add_more(ctx: Context, number: int = code.default, more: int = 0) -> str:
        return await add(ctx, number + more)

    made = tool(
        add_more if code.extra_parameter else add, name="add", description=code.tool_description, effect=Effect.COMPOSED
    )
    both = (made, book)
    agent = Agent(
        "agent",
        instructions=code.prompt + code.clock(),
        tools=[both[index] for index in code.tools],
        settings=ModelSettings(temperature=code.temperature, max_tokens=code.max_tokens),
        compaction=Compaction(tokens=code.limit, keep=1) if code.limit else None,
        memory=WorkingMemory() if code.memory else None,
        tool_search=ToolSearch(above=1, limit=code.found) if code.found else None,
    )
    searches = [calls(("search_tools", {"query": "add, book an amount"}))] if code.found else []
    script = [*searches, calls(("add", {"number": 3})), calls(("add", {"number": 4})), "done"]

    async def answer(request: ChatRequest) -> Completion:
        is_scout = '"content":"Scout."' in request.history[0]
        return await answer_by_turn(SCOUTING if is_scout else script, request)

    return Runtime(
        App(name="replay", agents=(agent, SCOUT), tools=(book,)), model=Streamed(answer, delay=0.001), store=store
    )
