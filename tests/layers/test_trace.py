"""Trace gives a span to each call and model request, where somebody listens."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from remit import Agent, Effect, Risk, tool
from remit.chat.chat import completion_from_message
from remit.errors import ModelError, NotFoundError, Suspended
from remit.layers import Call, Place, Reply
from remit.layers.trace import Trace, TraceModel
from remit.messages import ChatRequest, Completion
from remit.record.items import Message, ToolOutput
from remit.testing import call_through, make_call
from tests.call.steps import chat_request
from tests.layers.inner import Inner, stopped_within
from tests.layers.measures import Measures


@tool(effect=Effect.PURE, risk=Risk.HIGH)
async def find() -> str:
    """Find pages."""
    return "found"


@tool(effect=Effect.COMPOSED)
async def pipeline() -> str:
    """Call others."""
    return "called"


editor = Agent("editor", instructions="Edit.")


class Listening:
    """A tracer provider and what it was told."""

    def __init__(self) -> None:
        self._exporter = InMemorySpanExporter()
        self.provider = TracerProvider()
        self.provider.add_span_processor(SimpleSpanProcessor(self._exporter))

    @property
    def spans(self) -> tuple[ReadableSpan, ...]:
        return self._exporter.get_finished_spans()

    def only(self) -> tuple[str, Mapping[str, Any]]:
        (span,) = self.spans
        return span.name, dict(span.attributes or {})


@pytest.fixture
def listening() -> Listening:
    return Listening()


async def test_a_call_passes_through_untouched(listening: Listening) -> None:
    inner = Inner(reply := Reply.from_value("inner"))
    call = await make_call(find)
    assert await call_through(Trace(provider=listening.provider), call, inner) is reply
    assert inner.calls == [call]


async def test_a_call_is_the_execution_of_a_tool(listening: Listening) -> None:
    await call_through(Trace(provider=listening.provider), await make_call(find, wire="w1", conversation="c1"))
    assert listening.only() == (
        "execute_tool find",
        {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "find",
            "gen_ai.tool.call.id": "w1",
            "gen_ai.tool.type": "function",
            "gen_ai.conversation.id": "c1",
            "remit.run": "run",
            "remit.call": "call",
            "remit.risk": "high",
            "remit.outcome": "ok",
        },
    )


async def test_an_agents_call_is_its_invocation_and_says_nothing_of_a_tool(listening: Listening) -> None:
    await call_through(Trace(provider=listening.provider), await make_call(editor, wire="w1", conversation="c1"))
    assert listening.only() == (
        "invoke_agent editor",
        {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": "editor",
            "gen_ai.conversation.id": "c1",
            "remit.run": "run",
            "remit.call": "call",
            "remit.risk": "safe",
            "remit.outcome": "ok",
        },
    )


async def test_a_tool_that_calls_others_is_no_agent(listening: Listening) -> None:
    await call_through(Trace(provider=listening.provider), await make_call(pipeline))
    name, attributes = listening.only()
    assert name == "execute_tool pipeline"
    assert attributes["gen_ai.tool.type"] == "function"
    assert "gen_ai.agent.name" not in attributes


async def test_what_happens_here_is_internal_and_a_request_to_a_model_is_a_clients(listening: Listening) -> None:
    for callee in (find, editor):
        await call_through(Trace(provider=listening.provider), await make_call(callee))
    await TraceModel(provider=listening.provider)(answered)(await chat_request())
    assert [span.kind for span in listening.spans] == [SpanKind.INTERNAL, SpanKind.INTERNAL, SpanKind.CLIENT]


async def test_a_call_that_no_model_named_goes_by_its_own_id_and_what_is_empty_is_not_said(
    listening: Listening,
) -> None:
    await call_through(Trace(provider=listening.provider), await make_call(find))
    _, attributes = listening.only()
    assert attributes["gen_ai.tool.call.id"] == "call"
    assert "gen_ai.conversation.id" not in attributes


async def test_a_bad_reply_is_told_by_its_code(listening: Listening) -> None:
    bad = Reply.from_error(NotFoundError("no page"))
    await call_through(Trace(provider=listening.provider), await make_call(find), Inner(bad))
    _, attributes = listening.only()
    assert (attributes["remit.outcome"], attributes["error.type"]) == ("error", "NOT_FOUND")


async def test_the_span_of_a_bad_reply_is_an_error(listening: Listening) -> None:
    bad = Reply.from_error(NotFoundError("no page"))
    await call_through(Trace(provider=listening.provider), await make_call(find), Inner(bad))
    assert listening.spans[0].status.status_code is StatusCode.ERROR


async def test_an_error_of_inner_passes_through_and_is_the_status_of_the_span(listening: Listening) -> None:
    error = NotFoundError("no page")
    with pytest.raises(NotFoundError) as caught:
        await call_through(Trace(provider=listening.provider), await make_call(find), Inner(error))
    assert caught.value is error
    assert listening.spans[0].status.status_code is StatusCode.ERROR
    assert listening.only()[1]["error.type"] == "NOT_FOUND"


async def test_waiting_for_a_person_ends_the_span_and_is_no_error(listening: Listening) -> None:
    with pytest.raises(Suspended):
        await call_through(Trace(provider=listening.provider), await make_call(find), Inner(Suspended("q1")))
    assert listening.spans[0].status.status_code is not StatusCode.ERROR


async def test_a_call_within_a_call_is_a_span_within_its_span(listening: Listening) -> None:
    trace = Trace(provider=listening.provider)

    async def body(_call: Call, /) -> Reply:
        return await call_through(trace, await make_call(find))

    await call_through(trace, await make_call(editor), body)
    child, parent = listening.spans
    assert (child.name, parent.name) == ("execute_tool find", "invoke_agent editor")
    assert child.parent is not None
    assert parent.context is not None
    assert child.parent.span_id == parent.context.span_id


async def test_cancellation_reaches_inner_and_ends_the_span(listening: Listening) -> None:
    assert await stopped_within(Trace(provider=listening.provider), await make_call(find)) == ["call"]
    assert len(listening.spans) == 1


async def test_two_of_it_share_no_state(listening: Listening) -> None:
    other = Listening()
    await call_through(Trace(provider=listening.provider), await make_call(find))
    await call_through(Trace(provider=other.provider), await make_call(editor))
    assert (listening.only()[0], other.only()[0]) == ("execute_tool find", "invoke_agent editor")


async def answered(_request: ChatRequest, /) -> Completion:
    message = '{"role":"assistant","content":"hi"}'
    return completion_from_message(message, model="small", finish_reason="length", prompt_tokens=7, completion_tokens=3)


async def test_a_model_request_is_a_chat_with_its_model_and_tokens(listening: Listening) -> None:
    request = await chat_request()
    trace = TraceModel(provider=listening.provider, model="little", vendor="openai")
    completion = await trace(answered)(request)
    assert completion.content == "hi"
    assert listening.only() == (
        "chat little",
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "openai",
            "gen_ai.request.model": "little",
            "remit.run": "run",
            "remit.call": "a:1",
            "gen_ai.response.model": "small",
            "gen_ai.response.finish_reasons": ("length",),
            "gen_ai.usage.input_tokens": 7,
            "gen_ai.usage.output_tokens": 3,
            "gen_ai.usage.cache_read.input_tokens": 0,
        },
    )


async def test_a_model_that_does_not_say_its_name_is_a_chat_with_nobody(listening: Listening) -> None:
    async def nameless(_request: ChatRequest, /) -> Completion:
        return completion_from_message('{"role":"assistant","content":"hi"}')

    await TraceModel(provider=listening.provider)(nameless)(await chat_request())
    name, attributes = listening.only()
    assert (name, attributes["gen_ai.provider.name"]) == ("chat", "unknown")
    assert not {"gen_ai.request.model", "gen_ai.response.model"} & set(attributes)


@pytest.mark.parametrize(
    ("error", "kind"), [(ModelError("refused"), "MODEL_ERROR"), (ZeroDivisionError(), "ZeroDivisionError")], ids=repr
)
async def test_an_error_of_the_model_is_the_status_of_the_span(
    listening: Listening, error: Exception, kind: str
) -> None:
    async def broken(_request: ChatRequest, /) -> Completion:
        raise error

    with pytest.raises(type(error)):
        await TraceModel(provider=listening.provider)(broken)(await chat_request())
    name, attributes = listening.only()
    assert (name, attributes["error.type"]) == ("chat", kind)
    assert listening.spans[0].status.status_code is StatusCode.ERROR


async def test_what_the_journal_answers_is_neither_a_call_nor_a_request(listening: Listening) -> None:
    output = ToolOutput(call="call", parent="", callee="find", wire="", text='"found"', outcome="ok")
    await call_through(Trace(provider=listening.provider), await make_call(find, recorded_items=[output]))
    answer = Message(call="a:1", agent="a", text="{}")
    measures = Measures()
    layer = TraceModel(provider=listening.provider, meters=measures.provider)
    request = await chat_request()
    request.ledger.add(answer)
    assert (await layer(answered)(request)).content == "hi"
    assert (listening.spans, measures.found()) == ((), {})


WHOLE = """
import asyncio
from opentelemetry import trace
from remit import Agent, App, Runtime
from remit.testing import Scripted, superuser, calls
from tests.layers.test_trace import Listening, pipeline

listening = Listening()
trace.set_tracer_provider(listening.provider)
agent = Agent("editor", instructions="Edit.", tools=[pipeline])
runtime = Runtime(App(name="test", agents=(agent,)), model=Scripted([calls(("pipeline", {})), "done"]))
asyncio.run(runtime.run("go", by=superuser()))
print([span.name for span in listening.spans])
print({span.attributes["gen_ai.provider.name"] for span in listening.spans if span.name.startswith("chat")})
"""

DEFAULT = """
import asyncio, sys
from remit.layers.trace import Trace, TraceModel
from remit.testing import make_call, call_through
from tests.layers.test_trace import answered, find, Listening
from tests.call.steps import chat_request
from opentelemetry import trace

listening = Listening()
trace.set_tracer_provider(listening.provider)

async def main():
    await call_through(Trace(), await make_call(find))
    await TraceModel()(answered)(await chat_request())

asyncio.run(main())
print([span.name for span in listening.spans])
"""

SPANS = [
    "chat scripted (no model)",
    "execute_tool pipeline",
    "chat scripted (no model)",
    "invoke_agent editor",
]

UNSET = """
import asyncio, sys
from remit.layers.trace import Trace, TraceModel
from remit.testing import make_call, call_through
from tests.call.steps import chat_request
from tests.layers.inner import Inner
from remit.chat.chat import completion_from_message
from remit import tool

@tool
async def find() -> str:
    "Find."
    return ""

async def answered(request):
    return completion_from_message('{"role":"assistant","content":"hi"}')

async def main():
    await call_through(Trace(), await make_call(find), Inner())
    print((await TraceModel()(answered)(await chat_request())).content)

asyncio.run(main())
print("opentelemetry" in sys.modules)
"""

LATER = """
import asyncio
from opentelemetry import metrics, trace
from tests.layers.measures import Measures
from tests.layers.test_trace import Listening, answered, find
from remit.layers.trace import Trace, TraceModel
from remit.testing import make_call
from tests.call.steps import chat_request
from tests.layers.inner import Inner

listening, measures = Listening(), Measures()

async def main():
    call, model = Trace()(Inner()), TraceModel()(answered)
    for _ in range(2):
        await call(await make_call(find))
        await model(await chat_request())
        trace.set_tracer_provider(listening.provider)
        metrics.set_meter_provider(measures.provider)

asyncio.run(main())
print([span.name for span in listening.spans], sorted(measures.found()))
"""


@pytest.mark.process
@pytest.mark.parametrize(
    ("program", "printed"),
    [
        (DEFAULT, "['execute_tool find', 'chat']"),
        (UNSET, "hi\nFalse"),
        (
            LATER,
            (
                "['execute_tool find', 'chat'] ['gen_ai.client.operation.duration s', "
                "'gen_ai.client.token.usage {token}', 'gen_ai.execute_tool.duration s', "
                "'remit.model.cached_tokens {token}']"
            ),
        ),
        (WHOLE, f"{SPANS}\n{{'scripted'}}"),
    ],
    ids=["set", "never imported", "set later", "a whole run"],
)
def test_by_default_spans_go_where_the_program_sends_them(program: str, printed: str) -> None:
    here = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", program], cwd=here, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == printed


def test_they_stand_at_their_place_and_print_their_provider() -> None:
    assert Trace().place is TraceModel().place is Place.TRACE
    assert repr(Trace()) == "Trace(provider=None)"
    assert repr(TraceModel()) == "TraceModel(provider=None, meters=None, model='', vendor='unknown')"
