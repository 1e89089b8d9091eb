"""Messages that layers around steps add are on record; those on record do not change."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
from msgspec.structs import replace

from remit import Agent, Risk, Runtime
from remit.agent import Done, StepOutcome, StepRequest, StepUsage
from remit.call.call import StepService
from remit.chat.chat import encode_message
from remit.errors import InvalidOutputError, SealError
from remit.layers import StepLayer, layer_fn
from remit.record.items import Message, ModelExchange
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from remit.testing.history_check import history_errors
from tests.agent.both import look, messages_of, runtime_of
from tests.runtime.kit import World, items_of


def message(text: str, role: str = "user", **fields: Any) -> str:
    return encode_message({"role": role, "content": text, **fields})


@layer_fn
async def remind(request: StepRequest, inner: StepService, text: str) -> StepOutcome:
    outcome = await inner(request)
    return outcome if isinstance(outcome, Done) else replace(outcome, messages=(*outcome.messages, text))


@layer_fn
async def cut(request: StepRequest, inner: StepService) -> StepOutcome:
    outcome = await inner(request)
    return replace(outcome, messages=outcome.messages[:-1])


@layer_fn
async def close(request: StepRequest, inner: StepService) -> StepOutcome:
    return Done(messages=(message("Closed.", "assistant"),), usage=StepUsage())


@layer_fn
async def begin_anew(request: StepRequest, inner: StepService) -> StepOutcome:
    return await inner(StepRequest(chat=request.chat, calls=request.calls))


def agent_of(layer: StepLayer) -> Agent:
    return Agent("agent", instructions="Work.", tools=[look]).layer(layer)


async def test_a_message_that_a_step_layer_adds_is_on_record_and_goes_on_with_the_conversation() -> None:
    model = Scripted([calls(("look", {"page": "a"})), "done", "bye"])
    runtime = runtime_of(agent_of(remind(message("Go on."))), model=model)
    result = await runtime.run("go", by=superuser(), conversation="c")
    history = await runtime.history(result.run)
    assert [json.loads(text)["role"] for text in history] == ["user", "assistant", "tool", "user", "assistant"]
    assert history_errors(history) == []
    assert (await runtime.replay(result.run)).difference == ""
    await runtime.run("on", by=superuser(), conversation="c")
    assert ("user", "Go on.") in messages_of(model)
    changed = runtime_of(agent_of(remind(message("Stop."))), model=model, store=runtime.store)
    assert "Stop." in (await changed.replay(result.run)).difference


async def test_an_agent_that_a_step_layer_ends_is_on_record() -> None:
    model = Scripted([])
    runtime = runtime_of(agent_of(close()), model=model)
    result = await runtime.run("go", by=superuser())
    assert (result.value(), model.requests) == ("Closed.", [])
    assert json.loads((await runtime.history(result.run))[-1])["content"] == "Closed."
    assert (await runtime.replay(result.run)).difference == ""


CALL = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
WRONG = {
    "a message on record is missing": (cut(), "changed recorded messages"),
    "a call": (remind(message("", "assistant", tool_calls=[CALL])), "added a call or a reply to one"),
    "a reply": (remind(message("saw a", "tool", tool_call_id="c")), "added a call or a reply to one"),
}


@pytest.mark.parametrize(("layer", "error"), WRONG.values(), ids=WRONG)
async def test_a_step_layer_cannot_put_the_history_in_doubt(layer: StepLayer, error: str) -> None:
    runtime = runtime_of(agent_of(layer), model=Scripted([calls(("look", {"page": "a"})), "done"]))
    result: Any = await runtime.run("go", by=superuser())
    assert type(result.reply.error) is InvalidOutputError
    assert error in result.reply.error.message
    assert history_errors(await runtime.history(result.run)) == []
    assert (await runtime.replay(result.run)).difference == ""


async def test_a_step_layer_passes_on_the_request_that_it_is_given_and_not_one_of_its_own() -> None:
    runtime = runtime_of(agent_of(begin_anew()), model=Scripted(["done"]))
    result: Any = await runtime.run("go", by=superuser())
    assert type(result.reply.error) is SealError
    assert "the layer begin_anew made a request for a step of its own; change the one" in result.reply.error.message
    assert (await runtime.replay(result.run)).difference == ""


async def test_a_message_that_a_step_layer_adds_is_recorded_once_over_a_resume() -> None:
    store, world = InMemoryStore(), World()

    def process() -> Runtime:
        tools = [look, world.write("danger", risk=Risk.HIGH)]
        agent = Agent("agent", instructions="Work.", tools=tools).layer(remind(message("Go on.")))
        script = [calls(("look", {"page": "a"})), calls(("danger", {"text": "a"})), "done"]
        return runtime_of(agent, model=Scripted(script), store=store)

    result = await process().run("go", by=superuser())
    await process().decide(result.questions[0], approved=True, by=superuser())
    assert (await process().resume(result.run)).value() == "done"
    added = [each for each in await items_of(store, result.run) if isinstance(each, Message) and "Go on." in each.text]
    assert len(added) == 2
    assert (await process().replay(result.run)).difference == ""


@layer_fn
async def whisper(request: StepRequest, inner: StepService, text: str) -> StepOutcome:
    chat = dataclasses.replace(request.chat, history=request.chat.history.with_messages(text))
    return await inner(replace(request, chat=chat))


async def test_a_message_that_a_step_layer_adds_to_a_request_is_on_record() -> None:
    store, world = InMemoryStore(), World()

    def process(text: str) -> Runtime:
        tools = [look, world.write("danger", risk=Risk.HIGH)]
        agent = Agent("agent", instructions="Work.", tools=tools).layer(whisper(message(text)))
        return runtime_of(agent, model=Scripted([calls(("danger", {"text": "a"})), "done"]), store=store)

    result = await process("Psst.").run("go", by=superuser())
    await process("Psst.").decide(result.questions[0], approved=True, by=superuser())
    assert (await process("Psst.").resume(result.run)).value() == "done"
    added = [each.added for each in await items_of(store, result.run) if isinstance(each, ModelExchange)]
    assert added == [(message("Psst."),)] * 2
    assert "Psst." not in " ".join(await process("Psst.").history(result.run))
    assert (await process("Psst.").replay(result.run)).difference == ""
    assert "Hey." in (await process("Hey.").replay(result.run)).difference
