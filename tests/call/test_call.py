"""A call is a value that layers copy, and a layer that knows nothing of what it wraps is seen through views."""

from __future__ import annotations

from typing import Any, TypeVar

import pytest

from remit import Stack, Timeout, tool
from remit.call.call import (
    AgentLayer,
    ModelLayer,
    ModelService,
    StepLayer,
    StepService,
    to_agent_layers,
    to_call_layers,
)
from remit.call.step import Done, StepOutcome, StepRequest, StepUsage
from remit.chat.chat import ChatRequest, Completion, encode_message
from remit.core import Service
from remit.errors import InvalidArgumentsError, SetupError
from remit.layers import AnyLayer, CallLayer, CallService, Place, Reply
from remit.testing import call_through, make_call
from tests.call.steps import chat_request, step_request

Q = TypeVar("Q")
R = TypeVar("R")


@tool
async def find(query: str, limit: int = 10) -> str:
    """Find pages."""
    return query * limit


class Seen(AnyLayer):
    """Notes the kind of each request."""

    place = Place.LIMIT

    def __init__(self) -> None:
        self.kinds: list[str] = []

    def __call__(self, inner: Service[Q, R], /) -> Service[Q, R]:
        async def seen(request: Q, /) -> R:
            self.kinds.append(type(request).__name__)
            return await inner(request)

        return seen

    def __repr__(self) -> str:
        return "Seen()"


class Around(CallLayer):
    def __call__(self, inner: CallService, /) -> CallService:
        return inner


async def test_a_bound_call_has_its_payload_and_the_canonical_form_of_it() -> None:
    call = await make_call(find, '{"query": "a"}')
    bound = call.with_payload(find.schema_in.bind(call.arguments))
    assert bound.payload == find.schema_in.model(query="a")
    assert bound.canonical_arguments == '{"limit":10,"query":"a"}'
    assert bound.replace(payload=None, canonical_arguments="") == call


async def test_a_payload_without_a_canonical_form_binds_no_call() -> None:
    call = await make_call(find, '{"query":"a","limit":9223372036854775808}')
    with pytest.raises(InvalidArgumentsError, match="too large"):
        call.with_payload(find.schema_in.bind(call.arguments))


async def test_a_call_is_neither_bound_nor_tried_again_at_first() -> None:
    call = await make_call(find)
    assert (call.payload, call.canonical_arguments, call.attempt, call.deadline, call.wire_id) == (
        None,
        "",
        1,
        None,
        "",
    )


async def test_a_copy_with_one_field_changed_loses_no_other() -> None:
    call = await make_call(find, wire="w1")
    changed = call.replace(attempt=2)
    assert changed.replace(attempt=1) == call
    assert (changed.attempt, changed.wire_id) == (2, "w1")


async def test_one_layer_stands_around_calls_requests_and_steps_by_its_views() -> None:
    layer = Seen()
    completion = Completion(message=encode_message({"role": "assistant", "content": "x"}), content="x")

    async def model(request: ChatRequest, /) -> Completion:
        return completion

    async def step(request: StepRequest, /) -> StepOutcome:
        return Done(messages=(), usage=StepUsage())

    models: ModelService = layer.models(model)
    steps: StepService = layer.steps(step)
    assert (await call_through(layer.calls, await make_call(find))).value == "inner"
    assert await models(await chat_request()) is completion
    assert isinstance(await steps(await step_request()), Done)
    assert layer.kinds == ["Call", "ChatRequest", "StepRequest"]


def test_a_view_around_calls_stands_where_its_layer_stands_and_each_prints_as_it_is_written() -> None:
    layer = Seen()
    views = (layer.calls, layer.models, layer.steps)
    assert [view.place for view in views] == [Place.LIMIT, Place.OWN, Place.OWN]
    assert [repr(view) for view in views] == ["Seen()", "Seen().models", "Seen().steps"]
    assert [type(view).__mro__[2] for view in views] == [CallLayer, ModelLayer, StepLayer]


def test_a_layer_of_your_own_stands_anywhere_unless_it_says_where() -> None:
    assert Around().place is Place.OWN


def test_a_tool_attaches_call_layers_as_they_are_and_others_by_their_view_of_calls() -> None:
    around, timeout = Around(), Timeout(5)
    attached = list(to_call_layers(Stack[CallLayer | AnyLayer](around, timeout)))
    assert attached[0] is around
    assert isinstance(attached[1], CallLayer)
    assert repr(attached[1]) == "Timeout(seconds=5)"
    assert list(to_call_layers(around)) == [around]


@pytest.mark.parametrize("kind", [CallLayer, ModelLayer, StepLayer, AnyLayer])
def test_a_layer_without_a_service_cannot_be_made(kind: type) -> None:
    unfinished = type("Unfinished", (kind,), {})
    with pytest.raises(TypeError, match="abstract method"):
        unfinished()


async def test_the_reply_of_inner_passes_a_layer_that_adds_nothing() -> None:
    assert await call_through(Around(), await make_call(find)) == Reply.from_value("inner")


class OnlyPlaced:
    """A place, and nothing else of a layer."""

    place = Place.OWN


def test_what_stands_around_no_calls_is_refused_with_what_to_write() -> None:
    placed: Any = OnlyPlaced()
    with pytest.raises(SetupError, match=r"is not a layer around calls; derive it from CallLayer, or use @layer_fn$"):
        to_call_layers(placed)
    around_steps: Any = Seen().steps
    with pytest.raises(SetupError, match=r"attach it to an agent: agent\.layer\(Seen\(\)\.steps\)$"):
        to_call_layers(around_steps)
    with pytest.raises(
        SetupError, match=r"agent a cannot attach .*; derive it from CallLayer, ModelLayer or StepLayer"
    ):
        to_agent_layers("a", placed)
    attached = to_agent_layers("a", Stack[AgentLayer](Seen(), Seen().steps))
    assert [repr(each) for each in attached] == ["Seen()", "Seen().steps"]


def test_a_condition_limits_cost_where_its_layer_does() -> None:
    class Dollars(CallLayer):
        """Limits cost."""

        @property
        def limits_cost(self) -> bool:
            return True

        def __call__(self, inner: CallService, /) -> CallService:
            return inner

    class Plain(Dollars):
        """Does not."""

        @property
        def limits_cost(self) -> bool:
            return False

    assert Dollars().where(tools={"a"}).where(agents={"b"}).limits_cost
    assert not Plain().where(tools={"a"}).limits_cost
