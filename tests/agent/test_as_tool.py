"""An agent among another's tools: called with a prompt, it answers with text, in the same run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from remit import Agent, App, Context, Effect, LeafContext, Risk, Runtime, tool
from remit.agent.limits import AgentLimits
from remit.journal.codec import build_chat_history
from remit.journal.ports import Store
from remit.layers import Budget, Call, CallService, Reply, layer_fn
from remit.models import Model
from remit.record.items import Message, ToolOutput
from remit.runtime import LEASE_SECONDS
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from remit.testing.history_check import history_errors
from tests.runtime.kit import Clock, Crash, Mortal, World, find_superuser, items_of, tool_messages


@tool(effect=Effect.PURE)
async def look() -> str:
    """Look at the page."""
    return "a page"


@tool(effect=Effect.KEYED, risk=Risk.HIGH)
async def erase(_ctx: LeafContext, page: str) -> str:
    """Erase a page."""
    return f"erased {page}"


ASK_WRITER = calls(("writer", {"prompt": "write"}))


def team(lines: Sequence[Any], **known: Any) -> tuple[Agent, Scripted]:
    """A lead with a writer among its tools; the writer's own model and its script."""
    model = Scripted(lines)
    writer = Agent("writer", instructions="You write.", model=model, **known)
    return Agent("lead", instructions="You lead.", tools=[writer]), model


def runtime_of(
    model: Model, agent: Agent, store: Store | None = None, budget: Budget | None = None, **known: Any
) -> Runtime:
    app = App(name="test", agents=(agent,), budget=budget)
    return Runtime(app, model=model, store=store, directory=find_superuser, **known)


async def test_it_is_asked_with_a_prompt_and_the_caller_s_model_reads_what_it_said_last() -> None:
    lead, inner = team([calls(("look", {})), "a text"], tools=[look])
    model = Scripted([ASK_WRITER, "done"])
    runtime = runtime_of(model, lead)
    result = await runtime.run("go", by=superuser())
    assert (result.value(), await tool_messages(runtime, result.run)) == ("done", ["a text"])
    first = [json.loads(text) for text in inner.requests[0].history]
    assert [(each["role"], each["content"]) for each in first] == [("system", "You write."), ("user", "write")]
    assert model.requests[0].tools.names == ("writer",)
    assert (await runtime.replay(result.run)).difference == ""


async def test_its_own_conversation_is_valid_and_filed_under_its_call() -> None:
    lead, _ = team([calls(("look", {})), "a text"], tools=[look])
    runtime = runtime_of(Scripted([ASK_WRITER, "done"]), lead)
    result = await runtime.run("go", by=superuser(), conversation="c")
    items = await items_of(runtime.store, result.run)
    (call,) = [item.call for item in items if isinstance(item, ToolOutput) and item.callee == "writer"]
    texts = build_chat_history(items, call)
    assert history_errors(texts) == []
    assert [json.loads(text)["role"] for text in texts] == ["system", "user", "assistant", "tool", "assistant"]


async def test_one_without_a_model_that_only_another_lists_takes_the_runtime_s() -> None:
    deepest = Agent("deepest", instructions="Deep.")
    writer = Agent("writer", instructions="You write.", tools=[deepest])
    lead = Agent("lead", instructions="You lead.", tools=[writer])

    def answer(request: Any) -> Any:
        system = json.loads(request.history[0])["content"]
        asks = {"You lead.": ASK_WRITER, "You write.": calls(("deepest", {"prompt": "dive"})), "Deep.": "found"}
        return asks[system]

    runtime = runtime_of(Scripted([answer, "up"]), lead)
    result = await runtime.run("go", by=superuser())
    assert result.value() == "up"
    assert await tool_messages(runtime, result.run) == ["up"]
    messages = [item for item in await items_of(runtime.store, result.run) if isinstance(item, Message)]
    assert "found" in [json.loads(message.text)["content"] for message in messages]


async def test_its_layers_stand_around_its_calls_and_the_caller_s_around_the_call_of_it() -> None:
    @layer_fn
    async def mark(call: Call, inner: CallService, name: str) -> Reply:
        reply = await inner(call)
        return reply.map(f"{name}: {reply.content}")

    inner = Scripted([calls(("look", {})), "a text"])
    writer = Agent("writer", instructions="You write.", model=inner, tools=[look]).layer(mark("W"))
    lead = Agent("lead", instructions="You lead.", tools=[writer]).layer(mark("L"))
    runtime = runtime_of(Scripted([ASK_WRITER, "done"]), lead)
    result = await runtime.run("go", by=superuser())
    assert json.loads(inner.requests[1].history[-1])["content"] == "W: a page"
    assert await tool_messages(runtime, result.run) == ["L: a text"]


async def test_its_calls_are_paid_from_the_budget_of_the_run() -> None:
    lead, inner = team([calls(("look", {}), ("look", {})), calls(("look", {})), "enough"], tools=[look])
    runtime = runtime_of(Scripted([ASK_WRITER, "done"]), lead, budget=Budget(calls=2))
    assert (await runtime.run("go", by=superuser())).value() == "done"
    assert json.loads(json.loads(inner.requests[-1].history[-1])["content"])["errorCode"] == "BUDGET_EXCEEDED"


async def test_its_question_is_the_run_s_and_the_answer_goes_on_inside_it() -> None:
    script = [calls(("erase", {"page": "about"})), "erased it"]
    lead, _ = team(script, tools=[erase])
    first = runtime_of(Scripted([ASK_WRITER, "done"]), lead)
    result = await first.run("go", by=superuser())
    assert (result.status, len(result.questions)) == ("waiting", 1)
    lead, inner = team(script, tools=[erase])
    model = Scripted([ASK_WRITER, "done"])
    again = runtime_of(model, lead, first.store)
    await again.decide(result.questions[0], approved=True, by=superuser())
    assert (await again.resume(result.run)).value() == "done"
    assert (len(inner.requests), len(model.requests)) == (1, 1), "what was answered is not asked again"
    assert await tool_messages(again, result.run) == ["erased it"]
    assert (await again.replay(result.run)).difference == ""


async def test_two_that_wait_at_once_are_both_asked_about() -> None:
    lead, _ = team([calls(("erase", {"page": "a"})), "erased it"], tools=[erase])
    both = calls(("writer", {"prompt": "one"}), ("writer", {"prompt": "two"}))
    runtime = runtime_of(Scripted([both, "done"]), lead)
    result = await runtime.run("go", by=superuser())
    assert len(result.questions) == 2
    for question in result.questions:
        await runtime.decide(question, approved=True, by=superuser())
    assert (await runtime.resume(result.run)).value() == "done"
    assert (await runtime.replay(result.run)).difference == ""


async def test_a_crash_anywhere_inside_it_is_resumed_without_doing_anything_twice() -> None:
    died = 0
    for append in range(1, 40):
        world, clock = World(), Clock()
        store = Mortal(clock)
        lead, _ = team([calls(("write", {"text": "a"})), "a text"], tools=[world.write()])
        runtime = runtime_of(Scripted([ASK_WRITER, "done"]), lead, store, clock=clock)
        store.die_at(append, after=True)
        try:
            result = await runtime.run("go", by=superuser())
        except Crash:
            died += 1
        else:
            assert result.value() == "done"
            break
        store.revive()
        clock.now += LEASE_SECONDS
        (row,) = await store.list_runs()
        assert (await runtime.resume(row.run)).value() == "done"
        assert world.texts == ["a"]
        assert (await runtime.replay(row.run)).difference == ""
    assert died > 4


async def test_what_goes_wrong_inside_it_is_an_error_reply_to_its_caller() -> None:
    lead, _ = team([calls(("look", {}))] * 9, tools=[look], limits=AgentLimits(turns=2))
    runtime = runtime_of(Scripted([ASK_WRITER, "I manage"]), lead, InMemoryStore())
    result = await runtime.run("go", by=superuser())
    (content,) = await tool_messages(runtime, result.run)
    assert (json.loads(content)["errorCode"], result.value()) == ("MAX_TURNS", "I manage")


@tool(effect=Effect.PURE)
async def stop() -> Any:
    """End the run."""
    return Reply.final("over")


async def test_a_final_reply_inside_it_ends_the_run_for_all_above_once_the_siblings_have_ended() -> None:
    world = World()
    writer = Agent("writer", instructions="Write.", tools=[stop], model=Scripted([calls(("stop", {})), "not asked"]))
    lead = Agent("lead", instructions="Lead.", tools=[writer, world.write()])
    model = Scripted([calls(("writer", {"prompt": "go"}), ("write", {"text": "a"})), "not asked"])
    runtime = runtime_of(model, lead)
    result = await runtime.run("go", by=superuser())
    assert (result.status, result.value(), len(model.requests), world.texts) == ("done", "over", 1, ["a"])
    outputs = [item for item in await items_of(runtime.store, result.run) if isinstance(item, ToolOutput)]
    assert {item.callee for item in outputs if item.final} == {"stop", "writer", "lead"}
    assert (await runtime.resume(result.run)).value() == "over"
    assert (await runtime.replay(result.run)).is_identical


async def test_a_tool_that_calls_it_takes_a_final_reply_for_its_result_and_goes_on() -> None:
    writer = Agent("writer", instructions="Write.", tools=[stop], model=Scripted([calls(("stop", {}))]))

    @tool(effect=Effect.COMPOSED)
    async def asking(ctx: Context) -> str:
        """Ask the writer."""
        return f"it said {await ctx.call(writer, 'go')}"

    model = Scripted([calls(("asking", {})), "done"])
    lead = Agent("lead", instructions="Lead.", tools=[asking])
    runtime = Runtime(App(name="test", agents=(lead, writer)), model=model)
    result = await runtime.run("go", by=superuser())
    assert (result.value(), len(model.requests)) == ("done", 2)
    assert json.loads(model.requests[1].history[-1])["content"] == "it said over"
