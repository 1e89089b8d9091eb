"""Executions of one run belong together: the first traced one is on record, and later ones link to it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF
from opentelemetry.trace import NoOpTracerProvider, TraceFlags, format_span_id, format_trace_id

from remit.items import Item, TraceStarted
from remit.layers import Call
from remit.layers.trace import Trace
from remit.testing import call_through, make_call
from tests.layers.test_trace import Listening, find

RECORDED = TraceStarted(call="run", traceparent=f"00-{'ab' * 16}-{'cd' * 8}-01")


async def root_call(recorded_items: Iterable[Item] = ()) -> Call:
    call = await make_call(find, recorded_items=recorded_items)
    return call.replace(caller=replace(call.caller, call=""))


def traces_of(call: Call) -> list[str]:
    return [item.traceparent for item in call.ledger.items_for("run") if isinstance(item, TraceStarted)]


async def test_the_first_traced_execution_of_a_run_is_on_record() -> None:
    listening, call = Listening(), await root_call()
    await call_through(Trace(provider=listening.provider), call)
    (span,) = listening.spans
    assert span.context is not None
    trace, name, flags = span.context.trace_id, span.context.span_id, span.context.trace_flags
    assert traces_of(call) == [f"00-{format_trace_id(trace)}-{format_span_id(name)}-{flags:02x}"]
    assert flags.sampled
    assert span.links == ()


async def test_a_later_execution_links_to_the_first_one_and_records_nothing() -> None:
    listening, call = Listening(), await root_call([RECORDED])
    await call_through(Trace(provider=listening.provider), call)
    (link,) = listening.spans[0].links
    assert (link.context.trace_id, link.context.span_id) == (int("ab" * 16, 16), int("cd" * 8, 16))
    assert (link.context.is_remote, link.context.trace_flags) == (True, 1)
    assert traces_of(call) == [RECORDED.traceparent]


async def test_a_call_within_a_run_neither_links_nor_records() -> None:
    listening, call = Listening(), await make_call(find, recorded_items=[RECORDED])
    await call_through(Trace(provider=listening.provider), call)
    assert (listening.spans[0].links, traces_of(call)) == ((), [RECORDED.traceparent])


async def test_a_trace_that_is_not_sampled_is_on_record_with_that_flag() -> None:
    call = await root_call()
    await call_through(Trace(provider=TracerProvider(sampler=ALWAYS_OFF)), call)
    (traceparent,) = traces_of(call)
    assert not int(traceparent[-2:], 16) & TraceFlags.SAMPLED


async def test_a_provider_that_traces_nothing_leaves_no_record() -> None:
    call = await root_call()
    await call_through(Trace(provider=NoOpTracerProvider()), call)
    assert traces_of(call) == []


RUN = """
import asyncio
from opentelemetry import trace
from remit import Agent, App, Risk, Runtime, tool
from remit.stores import InMemoryStore
from remit.testing import Scripted, superuser, calls
from tests.layers.test_trace import Listening

listening = Listening()
trace.set_tracer_provider(listening.provider)

@tool(risk=Risk.HIGH)
async def erase() -> str:
    "Erase."
    return "erased"

agent = Agent("editor", instructions="Edit.", tools=[erase], model=Scripted([calls(("erase", {})), "done"]))
store = InMemoryStore()

def process():
    runtime = Runtime(App(name="test", agents=(agent,)), store=store)
    runtime.add_principals(superuser())
    return runtime

async def main():
    first = await process().run("go", by=superuser())
    await process().decide(first.questions[0], approved=True, by=superuser())
    second = await process().resume(first.run)
    replay = await process().replay(first.run)
    print(first.status, second.status, replay.is_identical)

asyncio.run(main())
first, second = (span for span in listening.spans if span.name == "invoke_agent editor")
print([link.context.trace_id == first.context.trace_id for link in second.links], first.links)
print(second.context.trace_id != first.context.trace_id)
"""


@pytest.mark.process
def test_a_resumed_run_links_to_its_first_trace_and_replays() -> None:
    done = subprocess.run(
        [sys.executable, "-c", RUN], cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True
    )
    assert done.stdout.split("\n")[:3] == ["waiting done True", "[True] ()", "True"]
