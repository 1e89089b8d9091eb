"""Workers replay as they ran: random trees of them, whose models ask for all that models ask for, right or wrong.

Each run is driven on by a new process after every decision, so that most of it is answered from the journal, and then
replayed by another. Beside them one tree whose processes are killed, and changes that a replay has to find.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from pydantic import BaseModel
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from figures.figure import Figure, no_violations
from figures.worker_replay import CHANGES, check_killed_run, find_missed_changes
from remit import Agent, App, Effect, LeafContext, Principal, Risk, Runtime, tool
from remit.errors import ConflictError
from remit.layers import Reply
from remit.record.arguments import Arguments
from remit.record.items import Mismatch
from remit.stores import InMemoryStore
from remit.workers import WorkerDefinition, build_agent, definition_of

PERSON: Final = Principal("ada", permissions=frozenset({"*"}))
RUNS, SHORT = 120, 6
MAX_DEPTH: Final = 3
_PROMPT: Final = Arguments('{"prompt":"go"}', {"prompt": "go"})
ARGUMENTS: Final = ('{"text":"a"}', '{ "text" : "b" }', '{"text":1}', '{"text"', "", "[1]")
IDS: Final = ("", "same", "one", "two")


class Said(BaseModel):
    """What some of the workers give."""

    text: str


@tool(effect=Effect.PURE)
async def look(text: str) -> str:
    """Look."""
    return f"saw {text}"


@tool(effect=Effect.KEYED)
async def save(ctx: LeafContext, text: str) -> str:
    """Save."""
    return f"saved {text} by {ctx.key[:4]}"


@tool(effect=Effect.KEYED, risk=Risk.HIGH)
async def burn(_ctx: LeafContext, text: str) -> str:
    """Burn."""
    return f"burned {text}"


@tool(effect=Effect.PURE)
async def fail(text: str) -> str:
    """Fail."""
    raise ConflictError(f"no {text}")


@tool(effect=Effect.PURE)
async def end(text: str) -> Any:
    """End the run."""
    return Reply.final(text)


TOOLS: Final = (look, save, burn, fail, end)


def figures(*, short: bool) -> Iterator[Figure]:
    """Replays that differ, runs that are driven on and differ, runs that do not end, and changes that are not found."""
    count = SHORT if short else RUNS
    wrong = list[str]()
    checks = (
        lambda: asyncio.run(find_missed_changes()),
        check_killed_run,
        *(partial(_check_tree, seed) for seed in range(count)),
    )
    for check in checks:
        wrong += check()
        if short and wrong:
            break
    how = (
        f"{count} random trees of workers, driven on by a new process after each decision, then replayed by another; "
        "one three deep, whose processes are killed while it waits, decided and finished by others; "
        f"and one that is replayed without a model by changed code: {', '.join(CHANGES)}; and by the same"
    )
    tried = count + 1 + len(CHANGES) + 1
    yield no_violations(
        "worker.replay_mismatches", len(wrong), tried, how if not wrong else f"{how}; wrong: {wrong[:3]}"
    )


def _check_tree(seed: int) -> list[str]:
    found = asyncio.run(_check_seed(seed))
    return [found] if found else []


async def _check_seed(seed: int) -> str:
    """What is wrong with one run; empty if nothing is."""
    store, decides = InMemoryStore(), random.Random(seed)
    result = await _runtime(seed, store).call_by_name("w", _PROMPT, by=PERSON)
    while result.status == "waiting":
        runtime = _runtime(seed, store)
        question = decides.choice(result.questions)
        await runtime.decide(question, approved=decides.random() < 0.7, by=PERSON)
        result = await runtime.resume(result.run)
    differs = [item for item in await store.read(result.run) if isinstance(item.item, Mismatch)]
    report = await _runtime(seed, store).replay(result.run)
    if differs or report.difference or report.compared_count < 3:
        return f"{seed}: {differs[:1]} {report.difference}"
    return ""


def _runtime(seed: int, store: InMemoryStore) -> Runtime:
    """A new process: everything is made anew, and the same for the same seed."""
    worker = _worker(random.Random(seed), "w", 1)
    made = Runtime(App(name="figures", tools=(worker,)), store=store)
    made.add_principals(PERSON)
    return made


def _worker(rng: random.Random, name: str, depth: int) -> Agent:
    below = [_worker(rng, f"{name}{i}", depth + 1) for i in range(rng.randint(0, 2) if depth < MAX_DEPTH else 0)]
    own = [each for each in TOOLS[:4] if rng.random() < 0.8] + ([end] if rng.random() < 0.1 else [])
    gives: type[BaseModel | str] = Said if rng.random() < 0.5 else str
    definition = WorkerDefinition(
        name=name,
        prompt="Work.",
        tools=tuple(each.name for each in own),
        workers=tuple(each.name for each in below),
        delegates=tuple(each.name for each in TOOLS if each not in own) + tuple(_names(below)),
        output=gives,
        retries=2,
    )
    lines = [_random_calls(rng, [*own, *below]) for _ in range(rng.randint(1, 3))]
    model = FunctionModel(_scripted_model([*lines, *_result_turns(rng, gives is str)]))
    return build_agent(definition, tools=own, workers={each.name: each for each in below}, model=model)


def _names(workers: list[Agent]) -> Iterator[str]:
    """The names of all workers further down than these."""
    for each in workers:
        definition = definition_of(each)
        if definition is not None:
            yield from definition.workers
            yield from (name for name in definition.delegates or () if name.startswith("w"))


def _random_calls(rng: random.Random, callees: list[Any]) -> list[ToolCallPart]:
    names = [each.name for each in callees] + ["nothing"]
    return [_random_call(rng, rng.choice(names)) for _ in range(rng.randint(1, 4))]


def _random_call(rng: random.Random, name: str) -> ToolCallPart:
    arguments = '{"prompt":"go"}' if name.startswith("w") else rng.choice(ARGUMENTS)
    return ToolCallPart(name, arguments, rng.choice(IDS))


def _result_turns(rng: random.Random, text: bool) -> list[list[TextPart | ToolCallPart]]:  # noqa: FBT001 - of one use
    if text:
        return [[TextPart("done")]]
    wrong: list[list[TextPart | ToolCallPart]] = [[TextPart("done")], [ToolCallPart("final_result", "{}", "r")]]
    return [*wrong[: rng.randint(0, 2)], [ToolCallPart("final_result", '{"text":"done"}', "r")]]


def _scripted_model(lines: list[Any]) -> Callable[[list[ModelMessage], AgentInfo], Any]:
    async def say(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        number = sum(isinstance(message, ModelResponse) for message in messages)
        return ModelResponse(list(lines[number]))

    return say
