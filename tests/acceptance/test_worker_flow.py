"""The design of workers, sentence by sentence: the sketch of how a call flows."""

from __future__ import annotations

import json
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart

from remit import Agent, Context, Effect, Risk, Stack, Tool, tool
from remit.errors import ConflictError
from remit.layers import Call, CallLayer, CallService, Reply
from remit.testing import superuser
from remit.tools import Callee
from tests.runtime.kit import World
from tests.workers.kit import Found, Script, call, found, read_of, runtime_of, seeing, value_of, worker_of


def calling(worker: Agent) -> Tool[[], Any]:
    """A composed tool that calls the worker in the two ways there are."""

    @tool(effect=Effect.COMPOSED)
    async def asks(ctx: Context) -> list[Any]:
        """Call a worker."""
        return [await ctx.tools.worker({"prompt": "a"}), await ctx.call("worker", {"prompt": "b"})]

    return asks


class TestFlow:
    """Execution flow sketch."""

    async def test_step_1(self) -> None:
        """Caller uses `ctx.tools.analyze(input)` or `ctx.call("analyze", input)`."""
        script = Script("done")
        worker = worker_of(script.model)
        assert await runtime_value(calling(worker), worker) == ["done", "done"]
        assert len(script.requests) == 2

    async def test_step_2(self) -> None:
        """`ctx` resolves the canonical name in the registry."""
        worker = worker_of(Script("done").model, name="canonical-name")

        @tool(effect=Effect.COMPOSED)
        async def asks(ctx: Context) -> list[Any]:
            """Call it by its name and by its alias."""
            arguments = {"prompt": "go"}
            return [await ctx.call("canonical-name", arguments), await ctx.tools.canonical_name(arguments)]

        assert await runtime_value(asks, worker) == ["done", "done"]

    async def test_step_3(self) -> None:
        """If entry is a tool: validate input, enforce approval, execute, validate output; failures bubble up."""
        world = World()
        danger = world.write("danger", risk=Risk.HIGH)
        script = Script([call("danger", '{"text":1}'), call("danger", '{"text":"a"}', "2")], "done")
        runtime = runtime_of(worker := worker_of(script.model, danger))
        result = await runtime.call(worker, superuser(), "go")
        assert (result.status, world.ran) == ("waiting", [])
        await runtime.decide(result.questions[0], approved=True, by=superuser())
        await runtime.resume(result.run)
        refused, wrote = read_of(script.requests[-1])
        assert (json.loads(refused)["errorCode"], wrote, world.ran) == ("VALIDATION_ERROR", "wrote a", ["a"])

    async def test_step_4(self) -> None:
        """If entry is a worker: build agent with wrappers and `ctx` deps, pass `output_type`, run agent."""
        script = Script([call("look")], [call("final_result", '{"page":"about"}')], found())
        worker = worker_of(script.model, seeing([]), output=Found)
        assert await value_of(worker, "go") == Found(page="about", words=3)
        assert [each.name for each in script.told[0].function_tools] == ["look", "final_result"]

    async def test_step_5(self) -> None:
        """Tool calls inside the agent loop flow back through `ctx.call(...)`, preserving policies and errors."""

        class Refuse(CallLayer):
            def __call__(self, inner: CallService, /) -> CallService:
                async def refuse(call: Call, /) -> Reply:
                    if call.callee.name == "look":
                        raise ConflictError("not today")
                    return await inner(call)

                return refuse

        def said(messages: list[ModelMessage]) -> ModelResponse:
            return ModelResponse([TextPart(read_of(messages)[0])])

        worker = worker_of(Script([call("look")], said).model, seeing([]))
        result = await runtime_of(worker, layers=Stack(Refuse())).call(worker, superuser(), "go")
        assert json.loads(result.value())["error"] == "not today"


async def runtime_value(callee: Callee[..., Any], *others: Callee[..., Any]) -> Any:
    """What a callee gives in an application that has others too."""
    return (await runtime_of(callee, *others).call(callee, superuser())).value()
