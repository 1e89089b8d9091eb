"""A defect in a layer of your own ends one call with an error that names the layer; the run goes on or ends cleanly."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any, cast

import pytest

from remit import Agent, App, Effect, Runtime, tool
from remit.call.step import StepOutcome, StepRequest
from remit.errors import SetupError
from remit.layers import Call, CallLayer, CallService, ModelLayer, ModelService, Reply, StepLayer, StepService, layer_fn
from remit.messages import ChatRequest, Completion
from remit.runtime import RunResult
from remit.testing import Scripted, calls, superuser
from remit.testing.history_check import history_errors

RUNS: list[int] = []


@tool(effect=Effect.UNSAFE, risk="safe", tags=["test"])
async def pay(amount: int) -> int:
    """Pay an amount."""
    RUNS.append(amount)
    return amount


@layer_fn
async def forgetful(call: Call, inner: CallService) -> Reply:
    """Forget to return the reply."""
    await inner(call)
    return cast("Reply", None)


@layer_fn
async def wordy(call: Call, inner: CallService) -> Reply:
    return cast("Reply", f"{(await inner(call)).content}!")


@layer_fn
async def broken(_call: Call, _inner: CallService) -> Reply:
    raise KeyError("where")


@layer_fn
async def cancelling(_call: Call, _inner: CallService) -> Reply:
    raise asyncio.CancelledError


@layer_fn
async def generous(call: Call, inner: CallService) -> Reply:
    """Call with another payload than the one that was validated."""
    payload = call.callee.schema_in.bind_values({"amount": 9999})
    return await inner(call.with_payload(payload))


@layer_fn
async def meddling(call: Call, inner: CallService) -> Reply:
    """Change the payload in place."""
    cast("Any", call.payload).amount = 9999
    return await inner(call)


class Careless(CallLayer):
    """A layer that is a class."""

    def __call__(self, inner: CallService, /) -> CallService:
        async def service(call: Call, /) -> Reply:
            await inner(call)
            return cast("Reply", 7)

        return service


DEFECTS: list[tuple[CallLayer, str, list[int]]] = [
    (forgetful(), "the layer forgetful returned nothing; return the reply of inner", [1]),
    (wordy(), "the layer wordy returned a value of type str", [1]),
    (Careless(), "the layer Careless returned a value of type int", [1]),
    (broken(), "the layer broken failed: KeyError: 'where'", []),
    (cancelling(), "the layer cancelling raised CancelledError, but nothing was cancelled", []),
    (generous(), "the layer generous changed the payload of a call to", []),
    (meddling(), "a layer changed the arguments of pay after they were validated: meddling", []),
]
IDS = ["forgetful", "wordy", "careless", "broken", "cancelling", "generous", "meddling"]


@pytest.mark.parametrize(("layer", "error", "effects"), DEFECTS, ids=IDS)
@pytest.mark.parametrize("scope", ["tool", "agent"])
async def test_a_defective_layer_ends_one_call_and_the_run_goes_on(
    layer: CallLayer, error: str, effects: list[int], scope: str
) -> None:
    RUNS.clear()
    runtime, result = await _run_with(layer, scope)
    history = await runtime.history(result.run)
    [reply] = [json.loads(text)["content"] for text in history if '"role":"tool"' in text]
    assert error in json.loads(reply)["error"]
    assert result.value() == "done"
    assert effects == RUNS
    assert history_errors(history) == []
    assert (await runtime.replay(result.run)).is_identical


@pytest.mark.parametrize(("layer", "error", "effects"), DEFECTS[:5], ids=IDS[:5])
async def test_a_defective_layer_around_the_whole_run_ends_it_with_one_error(
    layer: CallLayer, error: str, effects: list[int]
) -> None:
    RUNS.clear()
    runtime, result = await _run_with(layer, "run")
    assert result.status == "failed"
    assert result.reply is not None
    assert result.reply.error is not None
    assert error in result.reply.error.message
    assert effects == RUNS
    assert (await runtime.replay(result.run)).is_identical


async def _run_with(layer: CallLayer, scope: str) -> tuple[Runtime, RunResult[str]]:
    payer = pay.layer(layer) if scope == "tool" else pay
    agent = Agent("payer", instructions="Pay.", tools=[payer])
    agent = agent.layer(layer) if scope == "agent" else agent
    runtime = Runtime(App(name="test", agents=[agent]), model=Scripted([calls(("pay", {"amount": 1})), "done"]))
    runtime = runtime.layer(layer) if scope == "run" else runtime
    return runtime, await runtime.run("go", by=superuser())


@layer_fn
async def patient(call: Call, inner: CallService) -> Reply:
    """Give the call another deadline, which a layer may."""
    return await inner(call.replace(deadline=1e12))


async def test_a_layer_may_change_the_deadline_of_a_call() -> None:
    RUNS.clear()
    _, result = await _run_with(patient(), "tool")
    assert (result.value(), RUNS) == ("done", [1])


@layer_fn
async def transparent(call: Call, inner: CallService) -> Reply:
    return await inner(call)


@pytest.mark.parametrize(
    "layers", [(generous(), transparent()), (transparent(), generous())], ids=["inside", "outside"]
)
async def test_the_error_names_the_defective_one_of_two_adjacent_layers(layers: tuple[CallLayer, CallLayer]) -> None:
    RUNS.clear()
    payer = pay.layer(layers[0]).layer(layers[1])
    runtime = Runtime(
        App(name="test", agents=[Agent("payer", instructions="Pay.", tools=[payer])]),
        model=Scripted([calls(("pay", {"amount": 1})), "done"]),
    )
    result = await runtime.run("go", by=superuser())
    assert "the layer generous changed the payload" in "".join(await runtime.history(result.run))
    assert RUNS == []


@layer_fn
async def impatient(call: Call, inner: CallService, entered: asyncio.Event) -> Reply:
    """Call in a task of its own, and cancel that once it waits."""
    task = asyncio.create_task(cast("Any", inner(call)))
    await entered.wait()
    task.cancel()
    await asyncio.wait([task])
    return Reply.from_value(0)


async def test_no_effect_starts_after_a_cancellation_by_one_layer_that_the_next_swallows() -> None:
    RUNS.clear()
    entered = asyncio.Event()
    payer = pay.layer(deaf(entered)).layer(impatient(entered))
    runtime = Runtime(App(name="test", tools=[payer]))
    assert (await runtime.call(payer, superuser(), amount=1)).value() == 0
    assert RUNS == []


async def swallow_cancellation(entered: asyncio.Event) -> None:
    """Wait to be cancelled, and go on as if nothing had happened."""
    entered.set()
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.Event().wait()


@layer_fn
async def deaf(call: Call, inner: CallService, entered: asyncio.Event) -> Reply:
    """Swallow a cancellation, and call on."""
    await swallow_cancellation(entered)
    return await inner(call)


@layer_fn
async def deaf_with_a_task(call: Call, inner: CallService, entered: asyncio.Event) -> Reply:
    """Swallow a cancellation, and call on in a task of its own."""
    await swallow_cancellation(entered)
    return await asyncio.create_task(cast("Any", inner(call)))


@layer_fn
async def deaf_with_a_reply(_call: Call, _inner: CallService, entered: asyncio.Event) -> Reply:
    """Swallow a cancellation, and answer."""
    await swallow_cancellation(entered)
    return Reply.from_value(7)


@pytest.mark.parametrize("make", [deaf, deaf_with_a_task, deaf_with_a_reply], ids=lambda make: make.__name__)
async def test_no_effect_starts_after_a_cancellation_that_a_layer_swallows(make: Any) -> None:
    RUNS.clear()
    entered = asyncio.Event()
    running = asyncio.create_task(_run_with(make(entered), "run"))
    await entered.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert RUNS == []


@layer_fn
async def mute_model(request: ChatRequest, inner: ModelService) -> Completion:
    await inner(request)
    return cast("Completion", None)


@layer_fn
async def mute_step(request: StepRequest, inner: StepService) -> StepOutcome:
    await inner(request)
    return cast("StepOutcome", None)


@pytest.mark.parametrize(
    ("layer", "error"),
    [
        (mute_model(), "the layer mute_model returned nothing; return the completion of inner"),
        (mute_step(), "the layer mute_step returned nothing; return the outcome of inner"),
    ],
    ids=["model", "step"],
)
async def test_a_defective_layer_around_model_or_step_ends_the_agent_with_its_name(
    layer: ModelLayer | StepLayer, error: str
) -> None:
    agent = Agent("payer", instructions="Pay.").layer(layer)
    runtime = Runtime(App(name="test", agents=[agent]), model=Scripted(["done"]))
    result = await runtime.run("go", by=superuser())
    assert result.status == "failed"
    assert result.reply is not None
    assert result.reply.error is not None
    assert error in result.reply.error.message


def test_a_layer_that_makes_no_service_is_refused() -> None:
    class Empty(CallLayer):
        def __call__(self, inner: CallService, /) -> CallService:
            return cast("CallService", None)

    with pytest.raises(SetupError, match="the layer Empty made nothing; return an async function"):
        Runtime(App(name="test", tools=[pay])).layer(Empty())
