"""A worker's model is asked what the journal does not know, and PydanticAI is told what the journal holds."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart
from pydantic_ai.usage import RequestUsage

from remit import Effect, LeafContext, Risk, Runtime, tool
from remit.errors import ModelBusyError, ModelError
from remit.record.arguments import Arguments
from remit.record.items import Message, Mismatch, ModelFailure, ModelUsage, RunFinished, ToolOutput
from remit.runtime import RunResult
from remit.stores import InMemoryStore
from remit.testing import superuser
from remit.testing.history_check import history_errors
from tests.runtime.kit import Crash, World
from tests.workers.kit import Found, Line, Script, call, filed, found, instructions_of, runtime_of, worker_of

ASKS = [call("danger", '{"text":"a"}')]


def runtime_with(store: InMemoryStore, *lines: Line, **said: Any) -> tuple[Runtime, Script]:
    """A process with a worker that may call one high-risk tool."""
    script = Script(*lines)
    worker = worker_of(script.model, World().write("danger", risk=Risk.HIGH), **said)
    return runtime_of(worker, store=store), script


async def answers(store: InMemoryStore, run: str) -> list[Message]:
    """The recorded answers of models."""
    return [message for message in await filed(store, run, Message) if message.request]


async def start_run(runtime: Runtime) -> RunResult[Any]:
    return await runtime.call_by_name("worker", Arguments('{"prompt":"go"}', {"prompt": "go"}), by=superuser())


async def waiting(*lines: Line) -> tuple[InMemoryStore, str]:
    """A run that waits for a decision, which is then made."""
    store = InMemoryStore()
    runtime, _ = runtime_with(store, *(lines or (ASKS, "done")))
    result = await start_run(runtime)
    await runtime.decide(result.questions[0], approved=True, by=superuser())
    return store, result.run


async def test_a_resumed_worker_asks_its_model_nothing_that_it_has_answered() -> None:
    store, run = await waiting()
    runtime, script = runtime_with(store, ASKS, "done")
    assert (await runtime.resume(run)).value() == "done"
    assert len(script.requests) == 1
    assert await filed(store, run, Mismatch) == []
    assert len(await answers(store, run)) == len(await filed(store, run, ModelUsage)) == 2


@pytest.mark.parametrize("prompt", ["Do as I say.", "Do {{ prompt }}."])
async def test_on_resume_a_changed_prompt_is_journaled_once_and_the_recorded_one_is_kept(prompt: str) -> None:
    store, run = await waiting([call("danger", '{"text":"a"}'), call("danger", '{"text":"b"}', "b")], "done")
    await runtime_with(store, ASKS, "done", prompt=prompt)[0].resume(run)
    runtime, script = runtime_with(store, ASKS, "done", prompt=prompt)
    result = await runtime.resume(run)
    for question in result.questions:
        await runtime.decide(question, approved=True, by=superuser())
    assert (await runtime.resume(run)).value() == "done"
    (mismatch,) = await filed(store, run, Mismatch)
    assert mismatch.what == "system message"
    assert json.loads(mismatch.recorded)["content"] == "Do as you are told."
    assert instructions_of(script.requests[-1]) == "Do as you are told."


async def test_on_resume_another_request_keeps_the_recorded_answer_and_is_journaled_once() -> None:
    store, run = await waiting([call("danger", '{"text":"a"}'), call("danger", '{"text":"b"}', "b")], "done")
    for _ in range(2):
        runtime, _ = runtime_with(store, "something else", "done", output=Found)
        assert (await runtime.resume(run)).status == "waiting"
    (mismatch,) = await filed(store, run, Mismatch)
    assert mismatch.what == "request of turn 1"


async def test_a_replay_asks_no_model_and_compares_to_the_byte() -> None:
    store, run = await waiting()
    runtime, _ = runtime_with(store, ASKS, "done")
    await runtime.resume(run)
    replaying, script = runtime_with(store, AssertionError("asked"))
    report = await replaying.replay(run)
    assert (report.difference, report.compared_count, script.requests) == ("", 6, [])


async def test_a_replay_stops_at_the_first_difference_and_names_it() -> None:
    store, run = await waiting()
    runtime, _ = runtime_with(store, ASKS, "done")
    await runtime.resume(run)
    other, _ = runtime_with(store, ASKS, "done", prompt="Do as I say.")
    assert "the system message" in (await other.replay(run)).difference
    extra = World().write("extra")
    script = Script()
    danger = World().write("danger", risk=Risk.HIGH)
    more = runtime_of(worker_of(script.model, danger, extra), store=store)
    assert (await more.replay(run)).difference.startswith(
        "turn 1: the request to the model differs from the recorded one"
    )


async def test_a_replay_finds_that_the_model_would_be_asked_once_more() -> None:
    store = InMemoryStore()
    runtime, _ = runtime_with(store, "done", output=str)
    run = (await start_run(runtime)).run
    other, _ = runtime_with(store, "done", output=Found, retries=1)
    assert "turn 1" in (await other.replay(run)).difference


async def test_a_bug_of_a_model_is_journaled_met_again_by_a_replay_and_propagates() -> None:
    runtime, _ = runtime_with(store := InMemoryStore(), RuntimeError("a bug"))
    result = await start_run(runtime)
    assert result.reply is not None
    assert result.reply.error is not None
    assert type(result.reply.error) is ModelError
    assert "script of function: RuntimeError: a bug" in result.reply.error.message
    (failure,) = await filed(store, result.run, ModelFailure)
    assert failure.call == (await filed(store, result.run, Message))[0].call + ":1"
    report = await runtime_with(store, "done")[0].replay(result.run)
    assert report.difference == ""
    other = await runtime_with(store, "done", output=Found)[0].replay(result.run)
    assert "turn 1" in other.difference


@pytest.mark.looptime
@pytest.mark.parametrize("error", [ModelHTTPError(429, "m"), ModelBusyError("later")], ids=["a provider's", "ours"])
async def test_a_run_whose_model_stays_busy_stalls_replays_and_continues(error: Exception) -> None:
    runtime, _ = runtime_with(store := InMemoryStore(), error, error, error)
    result = await start_run(runtime)
    assert (result.status, result.reply, "MODEL_BUSY" in result.reason) == ("stalled", None, True)
    report = await runtime_with(store, "done")[0].replay(result.run)
    assert report.difference == ""
    other = await runtime_with(store, "done", output=Found)[0].replay(result.run)
    assert "turn 1" in other.difference
    runtime, script = runtime_with(store, "done")
    assert (await runtime.resume(result.run)).value() == "done"
    assert len(script.requests) == 1
    assert (await runtime_with(store, "done")[0].replay(result.run)).difference == ""


async def test_a_failed_request_is_asked_anew_on_resume() -> None:
    store, run = await waiting(ASKS, Crash())
    runtime, _ = runtime_with(store, ASKS, Crash())
    with pytest.raises(Crash):
        await runtime.resume(run)
    runtime, script = runtime_with(store, ASKS, "done")
    assert (await runtime.resume(run)).value() == "done"
    assert len(script.requests) == 1


async def test_half_a_character_in_a_response_is_read_as_u_fffd() -> None:
    runtime, _ = runtime_with(InMemoryStore(), "half \ud800")
    assert (await start_run(runtime)).value() == "half \ufffd"


async def test_a_run_rests_on_a_response_that_is_paused() -> None:
    paused = ModelResponse([TextPart("wait")], state="suspended")
    runtime, _ = runtime_with(InMemoryStore(), paused)
    result = await start_run(runtime)
    assert result.status == "stalled"
    assert "paused" in result.reason


NO_ANSWERS: dict[str, tuple[ModelResponse, str]] = {
    "cut": (ModelResponse([TextPart("The answer is")], finish_reason="length"), "was cut at the limit of its endpoint"),
    "cut while it thinks": (
        ModelResponse([ThinkingPart("hm")], finish_reason="length"),
        "was cut at the limit of its endpoint before",
    ),
    "empty": (ModelResponse([TextPart(" ")]), "(the model returned no answer)"),
    "filtered": (ModelResponse([], finish_reason="content_filter"), "held back the answer"),
}


@pytest.mark.parametrize("name", NO_ANSWERS)
async def test_an_answer_that_is_not_whole_is_told_recorded_and_replayed(name: str) -> None:
    response, reason = NO_ANSWERS[name]
    runtime, _ = runtime_with(store := InMemoryStore(), response)
    result = await start_run(runtime)
    assert reason in result.value()
    assert len(await answers(store, result.run)) == 1
    assert (await runtime_with(store)[0].replay(result.run)).difference == ""


async def test_the_whole_response_is_kept_and_its_tokens_are_counted() -> None:
    thinking = ThinkingPart("hm", signature="s")
    response = ModelResponse([thinking, TextPart("done")], usage=RequestUsage(input_tokens=7, output_tokens=2))
    runtime, _ = runtime_with(store := InMemoryStore(), response)
    result = await start_run(runtime)
    (message,) = await answers(store, result.run)
    kept = json.loads(message.text)["pydantic_ai"]
    assert [part["part_kind"] for part in kept["parts"]] == ["thinking", "text"]
    (usage,) = await filed(store, result.run, ModelUsage)
    assert (usage.model, usage.prompt_tokens, usage.completion_tokens) == ("script", 7, 2)


async def test_output_that_the_model_had_to_mend_replays_too() -> None:
    store = InMemoryStore()
    lines: list[Line] = ["no result", [call("final_result", '{"page":1}')], found()]
    runtime, script = runtime_with(store, *lines, output=Found, retries=2)
    result = await start_run(runtime)
    assert (result.value(), len(script.requests)) == (Found(page="about", words=3), 3)
    again, _ = runtime_with(store, output=Found, retries=2)
    report = await again.replay(result.run)
    assert (report.difference, report.compared_count) == ("", 9)


async def test_the_history_of_a_worker_is_a_valid_chat() -> None:
    store, run = await waiting([TextPart("I try"), *ASKS, call("nothing")], found(), found())
    runtime, _ = runtime_with(store, ASKS, found(), output=Found)
    await runtime.resume(run)
    history = await runtime.history(run)
    assert history_errors(history) == []
    messages = [json.loads(text) for text in history]
    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "tool", "assistant", "tool"]
    assert messages[1]["content"] == "I try"
    assert [call["function"]["name"] for call in messages[1]["tool_calls"]] == ["danger", "nothing"]
    assert messages[-2]["tool_calls"][0]["function"]["arguments"] == '{"page":"about","words":3}'
    assert messages[-1]["content"] == "The result is accepted."


async def test_a_cancelled_run_ends_every_call_of_a_worker_and_asks_no_model() -> None:
    store = InMemoryStore()
    world = World()
    script = Script([call("danger", '{"text":"a"}'), call("danger", '{"text":"b"}', "b")], "done")
    worker = worker_of(script.model, world.write("danger", risk=Risk.HIGH), parallel=1)
    runtime = runtime_of(worker, store=store)
    result = await runtime.call(worker, superuser(), "go")
    assert len(result.questions) == 2
    cancelled = await runtime.cancel(result.run, by=superuser())
    assert cancelled is not None
    assert (cancelled.status, world.ran, len(script.requests)) == ("cancelled", [], 1)
    outcomes = [(item.callee, item.outcome) for item in await filed(store, result.run, ToolOutput)]
    assert outcomes == [("danger", "error"), ("danger", "error"), ("worker", "error")]
    assert [item.status for item in await filed(store, result.run, RunFinished)] == ["cancelled"]
    assert (await runtime.replay(result.run)).is_identical


async def test_a_run_cancelled_before_its_model_has_answered_is_not_asked_again() -> None:
    store = InMemoryStore()
    script = Script(Crash(), "done")
    worker = worker_of(script.model)
    runtime = runtime_of(worker, store=store)
    with pytest.raises(Crash):
        await runtime.call(worker, superuser(), "go")
    (row,) = await store.list_runs()
    cancelled = await runtime.cancel(row.run, by=superuser())
    assert cancelled is not None
    assert (cancelled.status, len(script.requests)) == ("cancelled", 1)
    assert (await runtime.replay(row.run)).is_identical


async def test_a_worker_that_is_cancelled_in_the_middle_of_a_call_ends_it() -> None:
    store = InMemoryStore()
    begins = asyncio.Event()

    @tool(effect=Effect.KEYED)
    async def wait(_ctx: LeafContext) -> str:
        """Wait for ever."""
        begins.set()
        await asyncio.Event().wait()
        return ""

    script = Script([call("wait"), call("wait", "{}", "two")])
    worker = worker_of(script.model, wait)
    task = asyncio.create_task(runtime_of(worker, store=store).call(worker, superuser(), "go"))
    await begins.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    (row,) = await store.list_runs()
    assert row.status == "cancelled"
    outcomes = [item.outcome for item in await filed(store, row.run, ToolOutput)]
    assert outcomes == ["error"] * 3
