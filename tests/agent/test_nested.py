"""Three agents deep, a tool of the innermost calls an object: a listed one runs, another is refused, also on resume."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from remit import Agent, App, Context, Effect, Risk, Runtime, tool
from remit.agent import NativeDriver
from remit.journal.ports import Store
from remit.runtime import LEASE_SECONDS
from remit.testing import Scripted, calls, superuser
from remit.tools import UNKNOWN, Callee, LeafContext, ReconcileResult
from remit.workers import PydanticAIDriver, load_workers
from tests.agent.test_drivers import messages_of
from tests.runtime.kit import Clock, Crash, Mortal, World, find_superuser

KINDS = ["native", "pydantic-ai", "files"]
FILES = {
    "lead": "workers: [mid]\ndelegates: [inner, errand, write]",
    "mid": "workers: [inner]\ndelegates: [errand, write]",
}


async def find_nothing(_ctx: LeafContext, _payload: object) -> ReconcileResult:
    return UNKNOWN


def scripts() -> dict[str, Scripted]:
    return {
        "lead": Scripted([calls(("mid", {"prompt": "go"})), "done"]),
        "mid": Scripted([calls(("inner", {"prompt": "go"})), "mid"]),
        "inner": Scripted([calls(("errand", {})), "tried"]),
    }


def lead_of(
    kind: str, errand: Callee[..., Any], write: Callee[..., Any], folder: Path, models: dict[str, Scripted]
) -> Agent:
    """An agent that calls one that calls one with the tool ``errand``."""
    if kind == "files":
        for name, keys in {**FILES, "inner": "tools: [errand]\ndelegates: [write]"}.items():
            (folder / f"{name}.worker").write_text(f"---\n{keys}\n---\nWork.")
        agents = load_workers(folder, tools=[errand, write], transform=lambda each: each.with_model(models[each.name]))
        return next(each for each in agents if each.name == "lead")
    driver = NativeDriver() if kind == "native" else PydanticAIDriver()
    inner = Agent("inner", instructions="x", tools=[errand], driver=driver, model=models["inner"])
    mid = Agent("mid", instructions="x", tools=[inner], driver=driver, model=models["mid"])
    return Agent("lead", instructions="x", tools=[mid], driver=driver, model=models["lead"])


def runtime_of(
    kind: str, folder: Path, world: World, store: Store, clock: Clock, *, listed: bool
) -> tuple[Runtime, dict[str, Scripted]]:
    """A new process: its models begin at their first lines, and everything is built anew."""
    write, models = world.write(risk=Risk.HIGH), scripts()

    @tool(effect=Effect.COMPOSED)
    async def errand(ctx: Context) -> str:
        """Write by object."""
        return await ctx.call(write if listed else write.with_reconcile(find_nothing), "a")

    lead = lead_of(kind, errand, write, folder, models)
    return Runtime(
        App(name="test", agents=(lead,), tools=(write,)), store=store, directory=find_superuser, clock=clock
    ), models


@pytest.mark.parametrize("kind", KINDS)
async def test_three_deep_an_object_derived_otherwise_is_refused_and_the_model_reads_why(
    kind: str, tmp_path: Path
) -> None:
    world, clock = World(), Clock()
    store = Mortal(clock)
    runtime, models = runtime_of(kind, tmp_path, world, store, clock, listed=False)
    result = await runtime.run("go", by=superuser())
    assert (result.value(), world.texts) == ("done", [])
    (content,) = [content for role, content in messages_of(models["inner"]) if role == "tool"]
    refused = json.loads(content)
    assert (refused["errorCode"], "is not listed: its name is that of Tool write" in refused["error"]) == (
        "UNKNOWN_TOOL",
        True,
    )
    assert (await runtime.replay(result.run)).difference == ""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("listed", [True, False], ids=["listed", "another"])
async def test_three_deep_it_is_the_same_in_the_process_that_goes_on_after_a_kill(
    kind: str, tmp_path: Path, *, listed: bool
) -> None:
    world, clock = World(), Clock()
    store = Mortal(clock)
    runtime, _ = runtime_of(kind, tmp_path, world, store, clock, listed=listed)
    store.die_at(4, after=True)
    with pytest.raises(Crash):
        await runtime.run("go", by=superuser())
    store.revive()
    clock.now += LEASE_SECONDS
    (header,) = await store.list_runs()
    runtime, _ = runtime_of(kind, tmp_path, world, store, clock, listed=listed)
    result = await runtime.resume(header.run)
    assert result.status == ("waiting" if listed else "done")
    for question in result.questions:
        await runtime.decide(question, approved=True, by=superuser())
        result = await runtime.resume(header.run)
    assert (result.value(), world.texts) == ("done", ["a"] if listed else [])
