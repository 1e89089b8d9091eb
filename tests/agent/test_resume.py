"""An agent that is driven again keeps what was recorded, and says where today's code would have asked otherwise."""

from __future__ import annotations

import json
from typing import Any

import pytest

from remit import Agent, App, Effect, LeafContext, Principal, Risk, Runtime, Tool, tool
from remit.models import ModelSettings
from remit.record.items import Message, Mismatch
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser


@tool(effect=Effect.KEYED, risk=Risk.HIGH)
async def erase(_ctx: LeafContext, page: str) -> str:
    """Erase a page."""
    return f"erased {page}"


SCRIPT = [calls(("erase", {"page": "about"})), "done"]


def ada(_name: str, _tenant: str) -> Principal:
    """Everybody is Ada, who may do everything."""
    return superuser()


def runtime_of(
    store: InMemoryStore, instructions: str, *tools: Tool[..., Any], **knobs: Any
) -> tuple[Runtime, Scripted]:
    model = Scripted(SCRIPT)
    agent = Agent("agent", instructions=instructions, tools=tools, **knobs)
    runtime = Runtime(App(name="test", agents=(agent,)), model=model, store=store, directory=ada)
    return runtime, model


async def waiting() -> tuple[InMemoryStore, str, str]:
    """A run that waits for a decision: its store, its id, its question."""
    store = InMemoryStore()
    runtime, _ = runtime_of(store, "Work.", erase)
    result = await runtime.run("go", by=superuser())
    assert result.status == "waiting"
    return store, result.run, result.questions[0]


async def mismatches(store: InMemoryStore, run: str) -> list[Mismatch]:
    return [position.item for position in await store.read(run) if isinstance(position.item, Mismatch)]


async def test_nothing_is_a_mismatch_where_nothing_has_changed() -> None:
    store, run, question = await waiting()
    runtime, model = runtime_of(store, "Work.", erase)
    await runtime.decide(question, approved=True, by=superuser())
    assert (await runtime.resume(run)).value() == "done"
    assert await mismatches(store, run) == []
    assert len(model.requests) == 1, "the first turn is answered from the journal"


async def test_changed_instructions_keep_the_recorded_text_and_are_journaled_once() -> None:
    store, run, question = await waiting()
    for _ in range(2):
        runtime, _ = runtime_of(store, "Work harder.", erase)
        assert (await runtime.resume(run)).status == "waiting"
    runtime, model = runtime_of(store, "Work harder.", erase)
    await runtime.decide(question, approved=True, by=superuser())
    assert (await runtime.resume(run)).value() == "done"
    assert json.loads(model.requests[-1].history[0])["content"] == "Work.", "the model is told what it was told"
    (mismatch,) = await mismatches(store, run)
    assert mismatch.what == "system message"
    assert json.loads(mismatch.recorded)["content"] == "Work."
    assert json.loads(mismatch.today)["content"] == "Work harder."
    systems = [p.item.text for p in await store.read(run) if isinstance(p.item, Message) and "system" in p.item.text]
    assert systems == ['{"role":"system","content":"Work."}'], "there is one system message"


async def test_instructions_that_changed_twice_are_two_mismatches() -> None:
    store, run, _ = await waiting()
    for instructions in ("Work harder.", "Work faster.", "Work harder."):
        runtime, _ = runtime_of(store, instructions, erase)
        await runtime.resume(run)
    assert [json.loads(each.today)["content"] for each in await mismatches(store, run)] == [
        "Work harder.",
        "Work faster.",
    ]


async def test_a_changed_tool_or_knob_keeps_the_recorded_answer_and_is_journaled() -> None:
    store, run, question = await waiting()
    extra = tool(effect=Effect.PURE, name="extra", description="One more.")(_nothing)
    runtime, model = runtime_of(store, "Work.", erase, extra, settings=ModelSettings(temperature=0.5))
    await runtime.decide(question, approved=True, by=superuser())
    assert (await runtime.resume(run)).value() == "done"
    (mismatch,) = await mismatches(store, run)
    assert mismatch.what == "request of turn 1"
    assert model.requests[-1].tools.names == ("erase", "extra")


async def test_a_crash_between_the_messages_and_the_first_answer_writes_them_once() -> None:
    class Died(BaseException):
        pass

    store = InMemoryStore()
    model = Scripted([Died(), "done"])
    agent = Agent("agent", instructions="Work.")
    runtime = Runtime(App(name="test", agents=(agent,)), model=model, store=store)
    with pytest.raises(Died):
        await runtime.run("go", by=superuser())
    (row,) = await store.list_runs()
    again = Runtime(App(name="test", agents=(agent,)), model=Scripted(["done"]), store=store, directory=ada)
    assert (await again.resume(row.run)).value() == "done"
    texts = [p.item.text for p in await store.read(row.run) if isinstance(p.item, Message)]
    assert [json.loads(text)["role"] for text in texts] == ["system", "user", "assistant"]


async def _nothing() -> str:
    return ""
