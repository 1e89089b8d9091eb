"""What leaves the layers around the model is on record: in the journal, the history, the next run and a replay."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from remit import Agent, App, Risk, Runtime
from remit.agent import AgentDriver
from remit.chat.chat import encode_message
from remit.errors import ModelBusyError, ModelError
from remit.layers import AddMessage, Fallback, Guardrail, ModelLayer, ModelService, RetryModel, layer_fn
from remit.messages import ChatRequest, Completion, completion_from_message
from remit.record.items import Mismatch, ModelExchange, ModelFailure, ModelUsage
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from remit.testing.history_check import history_errors
from tests.agent.both import BOTH, look, messages_of, runtime_of
from tests.runtime.kit import Clock, Crash, Mortal, World, find_superuser, items_of

SECRET = "hunter2"


@layer_fn
async def redact(request: ChatRequest, inner: ModelService) -> Completion:
    completion = await inner(request)
    return completion.with_text((completion.content or "").replace(SECRET, "[x]"))


@layer_fn
async def answer(request: ChatRequest, inner: ModelService, message: dict[str, Any], turn: int = 1) -> Completion:
    """Answer one turn without the model."""
    if request.turn != turn:
        return await inner(request)
    return completion_from_message(encode_message({"role": "assistant", "content": None} | message))


class Counted:
    """A model whose answers take 5 tokens and 2."""

    def __init__(self, *answers: Any) -> None:
        self.script = Scripted(answers)

    async def __call__(self, request: ChatRequest, /) -> Completion:
        completion = await self.script(request)
        body = f'{{"said": "{completion.content}"}}'
        return replace(completion, model="counted", prompt_tokens=5, completion_tokens=2, response=body)


def agent_of(driver: AgentDriver, *layers: ModelLayer, **known: Any) -> Agent:
    given: dict[str, Any] = {"tools": [look], **known}
    agent = Agent("agent", instructions="Work.", driver=driver, **given)
    for layer in layers:
        agent = agent.layer(layer)
    return agent


async def run_once(agent: Agent, model: Any, **known: Any) -> tuple[Runtime, Any]:
    runtime = runtime_of(agent, model=model)
    return runtime, await runtime.run("go", by=superuser(), **known)


async def of_kind(runtime: Runtime, run: str, kind: type[Any]) -> list[Any]:
    return [each for each in await items_of(runtime.store, run) if isinstance(each, kind)]


@BOTH
async def test_a_redacted_answer_is_nowhere_on_record(driver: AgentDriver) -> None:
    model = Counted(f"The word is {SECRET}.", "Bye.")
    runtime, result = await run_once(agent_of(driver, redact()), model, conversation="c")
    assert result.value() == "The word is [x]."
    assert SECRET not in " ".join(position.body for position in await runtime.store.read(result.run))
    assert json.loads((await runtime.history(result.run))[-1])["content"] == "The word is [x]."
    (usage,) = await of_kind(runtime, result.run, ModelUsage)
    assert (usage.model, usage.prompt_tokens, usage.completion_tokens, usage.response) == ("counted", 5, 2, "")
    (exchange,) = await of_kind(runtime, result.run, ModelExchange)
    assert (len(exchange.requests), exchange.added, len(exchange.answer), exchange.changed) == (1, (), 64, True)
    assert (await runtime.replay(result.run)).difference == ""
    await runtime.run("on", by=superuser(), conversation="c")
    assert ("assistant", "The word is [x].") in messages_of(model.script)


@BOTH
async def test_an_unchanged_answer_keeps_its_raw_response(driver: AgentDriver) -> None:
    runtime, result = await run_once(agent_of(driver, Guardrail(lambda _: True)), Counted("Hello."))
    (exchange,) = await of_kind(runtime, result.run, ModelExchange)
    (usage,) = await of_kind(runtime, result.run, ModelUsage)
    assert (exchange.changed, usage.prompt_tokens) == (False, 5)
    assert (await runtime.replay(result.run)).difference == ""
    changed = runtime_of(agent_of(driver, redact(), answer({"content": "Hi."})), store=runtime.store)
    assert "make an answer that differs from the recorded one" in (await changed.replay(result.run)).difference


@BOTH
async def test_an_answer_without_a_model_is_on_record(driver: AgentDriver) -> None:
    model = Counted()
    runtime, result = await run_once(agent_of(driver, answer({"content": "Canned."})), model)
    assert json.loads((await runtime.history(result.run))[-1])["content"] == "Canned."
    (exchange,) = await of_kind(runtime, result.run, ModelExchange)
    assert (exchange.requests, exchange.answer, exchange.changed) == ((), "", True)
    (usage,) = await of_kind(runtime, result.run, ModelUsage)
    assert (usage.prompt_tokens, usage.completion_tokens) == (0, 0)
    assert (await runtime.replay(result.run)).difference == ""
    for layers in ([answer({"content": "Other."})], [], [redact()]):
        changed = runtime_of(agent_of(driver, *layers), model=Counted("x"), store=runtime.store)
        assert "the layers around the model make a" in (await changed.replay(result.run)).difference


@BOTH
async def test_a_message_that_a_layer_adds_is_on_record(driver: AgentDriver) -> None:
    model = Counted(calls(("look", {"page": "a"})), "done")
    runtime, result = await run_once(agent_of(driver, AddMessage("Be brief.")), model)
    assert messages_of(model.script)[-1] == ("system", "Be brief.")
    exchanges = await of_kind(runtime, result.run, ModelExchange)
    added = encode_message({"role": "system", "content": "Be brief."})
    assert [each.added for each in exchanges] == [(added,), (added,)]
    assert [json.loads(text)["role"] for text in await runtime.history(result.run)][-1] == "assistant"
    assert (await runtime.replay(result.run)).difference == ""
    for layers in ([AddMessage("Be long.")], []):
        changed = runtime_of(agent_of(driver, *layers), model=model, store=runtime.store)
        difference = (await changed.replay(result.run)).difference
        assert "the layers around the model make a request that differs from the recorded one" in difference


@BOTH
async def test_a_call_that_a_layer_adds_is_on_record(driver: AgentDriver) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": '{"page":"b"}'}}
    model = Counted(calls(("look", {"page": "a"})), "done")
    layers = [answer({"tool_calls": [call]}), answer({"tool_calls": [call]}, turn=2)]
    runtime, result = await run_once(agent_of(driver, *layers), Counted("-", "-", "done"))
    assert result.value() == "done"
    history = await runtime.history(result.run)
    assert history_errors(history) == []
    replies = [json.loads(text) for text in history if '"tool_call_id"' in text]
    assert [each["content"] for each in replies] == ["saw b", "saw b"]
    assert len({each["tool_call_id"] for each in replies}) == 2
    assert (await runtime.replay(result.run)).difference == ""
    assert model.script.requests == []


@BOTH
async def test_a_resume_does_not_run_the_layers_of_recorded_answers(driver: AgentDriver) -> None:
    turns, store, world = list[int](), InMemoryStore(), World()

    @layer_fn
    async def count(request: ChatRequest, inner: ModelService) -> Completion:
        turns.append(request.turn)
        return (await inner(request)).with_text("[x]")

    def process() -> Runtime:
        agent = agent_of(driver, count(), tools=[world.write("danger", risk=Risk.HIGH)])
        return runtime_of(agent, model=Scripted([calls(("danger", {"text": "a"})), "done"]), store=store)

    result = await process().run("go", by=superuser())
    await process().decide(result.questions[0], approved=True, by=superuser())
    resumed = await process().resume(result.run)
    assert (resumed.value(), world.texts, turns) == ("[x]", ["a"], [1, 2])
    assert await of_kind(process(), result.run, Mismatch) == []
    assert (await process().replay(result.run)).difference == ""


@BOTH
@pytest.mark.parametrize("after", [False, True], ids=["before it is stored", "after it is stored"])
async def test_a_run_killed_at_any_append_goes_on_from_the_answers_on_record(driver: AgentDriver, after: bool) -> None:
    for append in range(1, 100):
        clock, world = Clock(), World()
        store = Mortal(clock)
        runtime = layered_process(driver, store, clock, world)
        store.die_at(append, after=after)
        died = False
        try:
            run = (await runtime.run("go", by=superuser())).run
        except Crash:
            died = True
            clock.now += 1_000
            store.revive()
            rows = await store.list_runs()
            if not rows:
                continue
            run = rows[0].run
            runtime = layered_process(driver, store, clock, world)
            assert (await runtime.resume(run)).value() == "The word is [x]."
        bodies = " ".join(position.body for position in await store.read(run))
        assert (world.texts, SECRET in bodies) == (["a"], False)
        assert (await runtime.replay(run)).difference == ""
        if not died:
            assert append > 3, "it died at every append that there is"
            return
    pytest.fail("it never came to its end")


def layered_process(driver: AgentDriver, store: Mortal, clock: Clock, world: World) -> Runtime:
    """A process whose agent asks another model, with a message, and redacts the answer."""
    other = Scripted([calls(("write", {"text": "a"})), f"The word is {SECRET}."])
    agent = agent_of(
        driver, RetryModel(attempts=1), AddMessage("Be brief."), Fallback(other), redact(), tools=[world.write()]
    )
    app = App(name="test", agents=(agent,))
    return Runtime(app, model=Broken(), store=store, clock=clock, directory=find_superuser)


class Broken:
    """A model that is always busy."""

    async def __call__(self, _request: ChatRequest, /) -> Completion:
        raise ModelBusyError("come back later")


@BOTH
async def test_a_fallback_and_what_failed_before_it_are_on_record(driver: AgentDriver) -> None:
    other = Counted("From the other.")
    runtime, result = await run_once(agent_of(driver, RetryModel(attempts=1), Fallback(Broken(), other)), Broken())
    assert result.value() == "From the other."
    (exchange,) = await of_kind(runtime, result.run, ModelExchange)
    failures = await of_kind(runtime, result.run, ModelFailure)
    assert [json.loads(each.content)["errorCode"] for each in failures] == ["MODEL_BUSY", "MODEL_BUSY"]
    assert exchange.failures == ()
    assert (len(exchange.requests), exchange.changed) == (3, False)
    (usage,) = await of_kind(runtime, result.run, ModelUsage)
    assert (usage.model, usage.prompt_tokens) == ("counted", 5)
    asked = len(other.script.requests)
    assert (await runtime.replay(result.run)).difference == ""
    assert len(other.script.requests) == asked


@BOTH
async def test_an_error_of_all_models_is_on_record(driver: AgentDriver) -> None:
    runtime, result = await run_once(agent_of(driver, RetryModel(attempts=1), Fallback(Broken())), Broken())
    assert (result.status, result.reason) == ("stalled", "MODEL_BUSY: come back later")
    assert (await runtime.replay(result.run)).difference == ""


@BOTH
async def test_a_rejected_answer_counts_and_is_not_kept(driver: AgentDriver) -> None:
    model = Counted(calls(("look", {"page": SECRET})))
    guardrail = Guardrail(lambda completion: not completion.tool_calls, "I may not look.")
    runtime, result = await run_once(agent_of(driver, guardrail), model)
    assert result.value() == "I may not look."
    assert SECRET not in " ".join(position.body for position in await runtime.store.read(result.run))
    (usage,) = await of_kind(runtime, result.run, ModelUsage)
    assert (usage.prompt_tokens, usage.completion_tokens) == (5, 2)
    assert (await runtime.replay(result.run)).difference == ""


@BOTH
async def test_the_tokens_of_each_request_of_a_layer_count(driver: AgentDriver) -> None:
    @layer_fn
    async def twice(request: ChatRequest, inner: ModelService) -> Completion:
        draft = await inner(request)
        return await inner(replace(request, history=request.history.with_messages(draft.message)))

    runtime, result = await run_once(agent_of(driver, twice()), Counted("Draft.", "Final."))
    assert result.value() == "Final."
    usages = await of_kind(runtime, result.run, ModelUsage)
    assert [(each.prompt_tokens, each.completion_tokens) for each in usages] == [(5, 2), (5, 2)]
    assert (await runtime.replay(result.run)).difference == ""


@BOTH
async def test_an_answer_whose_message_does_not_say_what_its_fields_say_is_refused(driver: AgentDriver) -> None:
    @layer_fn
    async def half(request: ChatRequest, inner: ModelService) -> Completion:
        return replace(await inner(request), content="[x]")

    runtime, result = await run_once(agent_of(driver, half()), Scripted([SECRET]))
    assert type(result.reply.error) is ModelError
    assert "change it with completion.with_text" in result.reply.error.message
    assert (await runtime.replay(result.run)).difference == ""


@BOTH
async def test_layers_that_joined_an_agent_later_leave_its_recorded_answers_and_a_replay_names_them(
    driver: AgentDriver,
) -> None:
    store, world = InMemoryStore(), World()

    def process(*layers: ModelLayer) -> Runtime:
        agent = agent_of(driver, *layers, tools=[world.write("danger", risk=Risk.HIGH)])
        return runtime_of(agent, model=Scripted([calls(("danger", {"text": "a"})), "done"]), store=store)

    result = await process().run("go", by=superuser())
    await process().decide(result.questions[0], approved=True, by=superuser())
    runtime = process(AddMessage("Be brief."))
    assert (await runtime.resume(result.run)).value() == "done"
    assert await of_kind(runtime, result.run, Mismatch) == []
    report = await runtime.replay(result.run)
    assert "the layers around the model make a request" in report.difference
    assert len(await of_kind(runtime, result.run, ModelExchange)) == 1
