"""`layer_fn` is sugar: one async function becomes a layer like any other, of the kind its first parameter says."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from remit import tool
from remit.call.call import ModelService, StepService
from remit.call.step import Done, Next, StepOutcome, StepRequest, StepUsage
from remit.chat.chat import ChatRequest, Completion, completion_from_message, encode_message
from remit.errors import SetupError
from remit.layers import Call, CallLayer, CallService, ModelLayer, Place, Reply, StepLayer, layer_fn
from remit.testing import call_through, make_call
from tests.call.steps import chat_request, step_request


@tool
async def find(query: str = "") -> str:
    """Find pages."""
    return query


@layer_fn
async def marked(call: Call, inner: CallService, before: str, *, after: str = "") -> Reply:
    """Mark what a call gives."""
    reply = await inner(call)
    return Reply.from_value(f"{before}{reply.value}{after}")


@layer_fn
async def shouted(request: ChatRequest, inner: ModelService) -> Completion:
    completion = await inner(request)
    return completion_from_message(encode_message({"role": "assistant", "content": (completion.content or "").upper()}))


@layer_fn
async def stopped(request: StepRequest, inner: StepService, turns: int) -> StepOutcome:
    outcome = await inner(request)
    return Done(messages=outcome.messages, usage=outcome.usage) if request.chat.turn >= turns else outcome


async def test_a_function_around_calls_is_a_call_layer() -> None:
    layer = marked("<", after=">")
    assert isinstance(layer, CallLayer)
    assert (await call_through(layer, await make_call(find))).value == "<inner>"


async def test_a_function_around_model_requests_is_a_model_layer() -> None:
    async def model(request: ChatRequest, /) -> Completion:
        return completion_from_message(encode_message({"role": "assistant", "content": "hi"}))

    layer = shouted()
    assert isinstance(layer, ModelLayer)
    assert (await layer(model)(await chat_request())).content == "HI"


async def test_a_function_around_steps_is_a_step_layer() -> None:
    async def step(request: StepRequest, /) -> StepOutcome:
        return Next(messages=("m",), usage=StepUsage())

    layer = stopped(turns=1)
    assert isinstance(layer, StepLayer)
    assert await layer(step)(await step_request()) == Done(messages=("m",), usage=StepUsage())


def test_it_stands_anywhere() -> None:
    assert {layer.place for layer in (marked("x"), shouted(), stopped(1))} == {Place.OWN}


def test_it_prints_its_name_and_configuration() -> None:
    assert repr(marked("<", after=">")) == "marked('<', after='>')"
    assert repr(shouted()) == "shouted()"


def test_it_keeps_the_name_and_docstring_of_the_function() -> None:
    assert (marked.__name__, marked.__doc__) == ("marked", "Mark what a call gives.")


async def test_two_configurations_share_nothing() -> None:
    one, other = marked("1"), marked("2")
    assert (await call_through(one, await make_call(find))).value == "1inner"
    assert (await call_through(other, await make_call(find))).value == "2inner"
    assert (await call_through(one, await make_call(find))).value == "1inner"


async def test_cancellation_reaches_inner() -> None:
    begun, seen = asyncio.Event(), list[str]()

    async def waits(call: Call, /) -> Reply:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            seen.append(call.id)
            raise
        return Reply.from_value("never")

    running = asyncio.create_task(call_through(marked(""), await make_call(find), waits))
    await begun.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert seen == ["call"]


async def untyped(call, inner):  # type: ignore[no-untyped-def]
    return Reply.from_value("")


async def of_text(call: str, inner: CallService) -> Reply:
    return Reply.from_value(call)


async def of_nothing() -> Reply:
    return Reply.from_value("")


REFUSED: list[Any] = [untyped, of_text, of_nothing]


@pytest.mark.parametrize("function", REFUSED)
def test_a_function_of_something_else_is_refused_by_name(function: Any) -> None:
    with pytest.raises(SetupError) as caught:
        layer_fn(function)
    assert (
        caught.value.message == f"{function.__name__}: annotate the first parameter as Call, ChatRequest or StepRequest"
    )


@pytest.mark.parametrize("wrong", [(), ("a", "b", "c")], ids=["too few", "too many"])
def test_a_wrong_configuration_is_refused_when_it_is_made(wrong: tuple[str, ...]) -> None:
    with pytest.raises((SetupError, TypeError)):
        marked(*wrong)
