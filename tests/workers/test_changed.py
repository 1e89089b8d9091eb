"""What a layer makes of a worker's result, and what ends a run below a worker, is the same live and resumed."""

from __future__ import annotations

from typing import Any

import pytest

from remit import Agent, Context, Effect, Risk, tool
from remit.errors import InvalidOutputError
from remit.layers import Call, CallService, Reply, layer_fn
from remit.stores import InMemoryStore
from remit.testing import superuser
from tests.runtime.kit import World
from tests.workers.kit import Found, Script, call, found, read_of, runtime_of, worker_of


def changing(value: object) -> Agent:
    """A worker that gives a `Found`, with a layer around it that replies with ``value``."""

    @layer_fn
    async def change(call: Call, inner: CallService) -> Reply:
        """Another result."""
        await inner(call)
        return Reply.from_value(value)

    return worker_of(Script(found()).model, name="finder", output=Found).layer_around(change())


@pytest.mark.parametrize(
    ("value", "given"),
    [
        ({"page": "home", "words": 1}, "Found home"),
        (Found(page="home", words=1), "Found home"),
        ("normalised: home", "a layer changed the result of finder: the result does not match the contract"),
    ],
    ids=["loads", "is one", "text"],
)
async def test_a_changed_result_is_the_same_before_and_after_a_resume(value: object, given: str) -> None:
    seen: list[str] = []
    world, store = World(), InMemoryStore()
    danger = world.write("danger", risk=Risk.HIGH)

    def process() -> Any:
        finder = changing(value)

        @tool(effect=Effect.COMPOSED)
        async def both(ctx: Context) -> str:
            """Find, and do what needs an approval."""
            try:
                result = await ctx.call(finder, "go")
                seen.append(f"{type(result).__name__} {result.page}")
            except InvalidOutputError as error:
                seen.append(error.message)
            return await ctx.call(danger, "a")

        return runtime_of(both, finder, danger, store=store), both

    runtime, both = process()
    result = await runtime.call(both, superuser())
    await runtime.decide(result.questions[0], approved=True, by=superuser())
    assert (await process()[0].resume(result.run)).status == "done"
    assert len(seen) == 2
    assert seen[0] == seen[1]
    assert seen[0].startswith(given)


async def test_a_final_reply_below_workers_is_the_end_of_the_run_with_its_content_as_it_is() -> None:
    @tool(effect=Effect.PURE)
    async def stop() -> Any:
        """End the run."""
        return Reply.final("over")

    inner = worker_of(Script([call("stop")], "not asked").model, stop, name="inner", output=Found)
    script = Script([call("inner", '{"prompt":"in"}')], "not asked")
    outer = worker_of(script.model, name="outer", workers=[inner], delegates=("stop",), output=Found)
    runtime = runtime_of(outer)
    result = await runtime.call(outer, superuser(), "go")
    assert (result.status, result.text, result.value(), len(script.requests)) == ("done", "over", "over", 1)
    again = await runtime.resume(result.run)
    assert (again.status, again.text, again.value()) == ("done", "over", "over")
    assert (await runtime.replay(result.run)).is_identical
    assert read_of(script.requests[0]) == []
