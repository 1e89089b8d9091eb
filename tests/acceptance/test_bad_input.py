"""Whatever a model or the world throws at a run: one clear error, and a history that stays valid."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import pytest

from remit import Agent, App, Effect, LeafContext, Runtime, tool
from remit.errors import ModelError
from remit.models.openai import OpenAI
from remit.record.items import ModelUsage, RunFinished, ToolOutput
from remit.runtime import RunResult
from remit.testing import Scripted, calls, superuser
from remit.testing.history_check import history_errors
from tests.loopback import Endpoint, answering


@tool(effect=Effect.PURE)
async def double(number: int) -> int:
    """Double a number."""
    return number * 2


@tool(effect=Effect.PURE)
async def explode() -> str:
    """Explode."""
    raise ZeroDivisionError("the world ended")


@tool(effect=Effect.PURE)
async def unwritable() -> Any:
    """Return what JSON cannot hold."""
    return object()


@tool(effect=Effect.PURE)
async def wrong() -> int:
    """Return something else than promised."""
    return "seven"  # type: ignore[return-value]


@tool(effect=Effect.PURE)
async def anything(number: int = 7) -> int:
    """Take anything, or nothing."""
    return number


@tool(effect=Effect.PURE)
async def leave() -> str:
    """Leave the program."""
    sys.exit("good bye")


@tool(effect=Effect.PURE)
async def interrupt() -> str:
    """Interrupt the program."""
    raise KeyboardInterrupt("it was me")


TOOLS = (double, explode, unwritable, wrong, anything, leave, interrupt)


def deep(levels: int) -> str:
    return '{"number":' + "[" * levels + "]" * levels + "}"


BAD_CALLS = {
    "malformed": ("double", '{"number": 1', "VALIDATION_ERROR", "not JSON"),
    "not an object": ("double", "[1]", "VALIDATION_ERROR", "must be a JSON object, not an array"),
    "duplicate key": ("double", '{"number":1,"number":2}', "VALIDATION_ERROR", "'number' occurs twice"),
    "nan": ("double", '{"number":NaN}', "VALIDATION_ERROR", "NaN is not a JSON number"),
    "huge number": ("double", '{"number":9223372036854775808}', "VALIDATION_ERROR", "too large"),
    "infinite number": ("double", '{"number":1e400}', "VALIDATION_ERROR", "number"),
    "1.5 MB": ("double", '{"number":"' + "x" * 1_500_000 + '"}', "VALIDATION_ERROR", "1,500,013 bytes long"),
    "100 deep": ("double", deep(100), "VALIDATION_ERROR", "nested too deep"),
    "100,000 deep": ("double", deep(100_000), "VALIDATION_ERROR", "nested too deep"),
    "no arguments": ("double", "", "VALIDATION_ERROR", "number: Field required"),
    "half a surrogate pair": ("double", '{"number":"\\ud800"}', "VALIDATION_ERROR", "contain lone surrogates"),
    "unknown tool": ("duoble", "{}", "UNKNOWN_TOOL", "there is no tool 'duoble'; similar: double"),
    "raises": ("explode", "{}", "INTERNAL_ERROR", "ZeroDivisionError: the world ended"),
    "leaves": ("leave", "{}", "INTERNAL_ERROR", "leave failed: SystemExit: good bye"),
    "interrupts": ("interrupt", "{}", "INTERNAL_ERROR", "interrupt failed: KeyboardInterrupt: it was me"),
    "unwritable": ("unwritable", "{}", "INVALID_OUTPUT", "JSON cannot hold the result"),
    "wrong type": ("wrong", "{}", "INVALID_OUTPUT", "does not match the contract"),
}


def choice(message: dict[str, Any], finish: str = "stop") -> str:
    """The body of an answer."""
    return json.dumps({"choices": [{"message": {"role": "assistant", **message}, "finish_reason": finish}]})


async def ask(model: Any, parallel: int = 8) -> tuple[Runtime, RunResult[str]]:
    agent = Agent("agent", instructions="Work.", tools=TOOLS, parallel=parallel)
    runtime = Runtime(App(name="test", agents=(agent,)), model=model)
    return runtime, await runtime.run("go", by=superuser())


@pytest.mark.parametrize("name", BAD_CALLS)
async def test_a_bad_call_is_one_clear_reply_and_the_run_goes_on(name: str) -> None:
    callee, arguments, code, said = BAD_CALLS[name]
    runtime, result = await ask(Scripted([calls(("double", {"number": 4}), (callee, arguments)), "done"]))
    history = await runtime.history(result.run)
    good, bad = (json.loads(text)["content"] for text in history if '"role":"tool"' in text)
    assert result.value() == "done"
    assert good == "8", "the sibling is unharmed"
    assert json.loads(bad)["errorCode"] == code
    assert said in json.loads(bad)["error"]
    assert len(json.loads(bad)["error"]) < 1_200
    assert history_errors(history) == []
    assert (await runtime.replay(result.run)).is_identical


@pytest.mark.parametrize(
    ("status", "body", "code", "said", "requests"),
    [
        (200, "<html>Bad gateway</html>", "MODEL_GARBAGE", "is not a chat completion; it begins: <html>", 3),
        (200, '{"choices":[]}', "MODEL_GARBAGE", "is not a chat completion", 3),
        (200, '{"choices":[{"message":{"content":5}}]}', "MODEL_GARBAGE", "is not a chat completion", 3),
        (200, "", "MODEL_GARBAGE", "is not a chat completion", 3),
        (200, choice({"role": "user", "content": "x"}), "MODEL_GARBAGE", "with a message of role 'user'", 3),
        (401, '{"error":{"message":"bad key"}}', "MODEL_ACCESS", "answered 401: bad key", 1),
        (402, '{"error":{"message":"no credit"}}', "MODEL_ACCESS", "answered 402: no credit", 1),
    ],
)
async def test_an_endpoint_that_answers_badly_stalls_the_run_with_one_clear_reason(
    status: int, body: str, code: str, said: str, requests: int
) -> None:
    async with Endpoint(answering(status, body)) as endpoint, OpenAI("m", base_url=endpoint.url, api_key="k") as model:
        runtime, result = await ask(model)
    assert result.status == "stalled"
    assert result.reason.startswith(f"{code}: m at ")
    assert said in result.reason
    assert "\n" not in result.reason
    assert history_errors(await runtime.history(result.run)) == []
    assert (await runtime.replay(result.run)).difference == ""
    assert len(endpoint.received) == requests


@pytest.mark.parametrize(
    ("body", "said", "requests"),
    [
        (choice({"content": "The answer"}, "length"), "was cut at the limit of its endpoint", 1),
        (choice({"content": None}, "content_filter"), "held back the answer", 1),
        (choice({"content": ""}), "returned no answer", 3),
    ],
)
async def test_an_answer_that_is_not_whole_is_the_result_with_a_note(body: str, said: str, requests: int) -> None:
    async with Endpoint(answering(200, body)) as endpoint, OpenAI("m", base_url=endpoint.url, api_key="k") as model:
        runtime, result = await ask(model)
    assert said in result.value()
    assert history_errors(await runtime.history(result.run)) == []
    assert (await runtime.replay(result.run)).is_identical
    assert len(endpoint.received) == requests


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (429, '{"error":{"message":"slow down"}}', "MODEL_BUSY"),
        (500, '{"error":{"message":"oops"}}', "MODEL_UNAVAILABLE"),
    ],
)
async def test_an_endpoint_that_is_busy_or_down_stalls_the_run_with_one_clear_reason(
    status: int, body: str, code: str
) -> None:
    async with Endpoint(answering(status, body)) as endpoint, OpenAI("m", base_url=endpoint.url, api_key="k") as model:
        runtime, result = await ask(model)
    assert result.status == "stalled"
    assert result.reason.startswith(f"{code}: m at ")
    assert f"answered {status}" in result.reason
    assert "\n" not in result.reason
    assert history_errors(await runtime.history(result.run)) == []
    assert (await runtime.replay(result.run)).difference == ""
    assert len(endpoint.received) == 3


async def test_a_refusal_is_the_answer_and_the_journal_keeps_what_was_sent() -> None:
    body = choice({"content": None, "refusal": "I cannot help with that."})
    async with Endpoint(answering(200, body)) as endpoint, OpenAI("m", base_url=endpoint.url, api_key="k") as model:
        runtime, result = await ask(model)
    assert (result.status, result.value()) == ("done", "I cannot help with that.")
    items = [position.item for position in await runtime.store.read(result.run)]
    assert [item.response for item in items if isinstance(item, ModelUsage)] == [body]
    assert history_errors(await runtime.history(result.run)) == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [("", "the arguments have not arrived"), ('{"number": 1', "the arguments are not JSON")],
    ids=["before the arguments", "within them"],
)
async def test_a_call_that_was_cut_by_the_limit_is_an_error_reply_and_the_run_goes_on(
    arguments: str, told: str
) -> None:
    function = {"name": "anything", "arguments": arguments}
    cut = choice({"content": None, "tool_calls": [{"id": "a", "type": "function", "function": function}]}, "length")
    script = [cut, choice({"content": "done"})]
    async with (
        Endpoint(lambda _: (200, script[len(endpoint.received) - 1])) as endpoint,
        OpenAI("m", base_url=endpoint.url, api_key="k") as model,
    ):
        runtime, result = await ask(model)
    history = await runtime.history(result.run)
    (reply,) = (json.loads(json.loads(text)["content"]) for text in history if '"role":"tool"' in text)
    assert (result.value(), reply["errorCode"]) == ("done", "VALIDATION_ERROR")
    assert told in reply["error"]
    assert history_errors(history) == []
    assert (await runtime.replay(result.run)).difference == ""


async def test_an_answer_that_was_cut_leaves_a_valid_history_to_go_on_from() -> None:
    script = [choice({"content": "The ans"}, "length"), choice({"content": "well again"})]
    async with (
        Endpoint(lambda _: (200, script[len(endpoint.received) - 1])) as endpoint,
        OpenAI("m", base_url=endpoint.url, api_key="k") as model,
    ):
        agent = Agent("agent", instructions="Work.", tools=TOOLS, model=model)
        runtime = Runtime(App(name="test", agents=(agent,)))
        cut = await runtime.run("go", by=superuser(), conversation="c")
        again = await runtime.run("again", by=superuser(), conversation="c")
    assert (cut.status, again.value()) == ("done", "well again")
    assert history_errors(json.dumps(each) for each in json.loads(endpoint.received[-1])["messages"]) == []


async def test_a_refused_connection_stalls_the_run_with_one_clear_reason() -> None:
    async with Endpoint(answering(200, "{}")) as endpoint:
        url = endpoint.url
    async with OpenAI("m", base_url=url, api_key="k") as model:
        runtime, result = await ask(model)
    assert result.status == "stalled"
    assert result.reason.startswith("MODEL_UNAVAILABLE: m at ")
    assert "cannot be reached" in result.reason
    assert history_errors(await runtime.history(result.run)) == []


async def test_a_model_that_fails_in_the_middle_leaves_a_valid_history_to_go_on_from() -> None:
    model = Scripted([calls(("double", {"number": 1})), ModelError("refused"), "well again"])
    agent = Agent("agent", instructions="Work.", tools=TOOLS)
    runtime = Runtime(App(name="test", agents=(agent,)), model=model)
    failed = await runtime.run("go", by=superuser(), conversation="c")
    assert failed.status == "failed"
    model = Scripted([calls(("double", {"number": 1})), "well again"])
    runtime = Runtime(App(name="test", agents=(agent,)), model=model, store=runtime.store)
    assert (await runtime.run("again", by=superuser(), conversation="c")).value() == "well again"
    assert history_errors(model.requests[-1].history) == []


@pytest.mark.parametrize("parallel", [1, 8], ids=["sequential", "parallel"])
async def test_a_cancelled_run_is_over_and_its_history_valid(parallel: int) -> None:
    begun, stopped = asyncio.Event(), list[str]()

    @tool(effect=Effect.KEYED)
    async def wait(ctx: LeafContext, number: int) -> str:
        """Wait for ever."""
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.append(ctx.key)
        return str(number)

    agent = Agent("agent", instructions="Work.", tools=[wait, double], parallel=parallel)
    script = Scripted([calls(("double", {"number": 2}), ("wait", {"number": 1}), ("wait", {"number": 2})), "never"])
    runtime = Runtime(App(name="test", agents=(agent,)), model=script)
    running = asyncio.create_task(runtime.run("go", by=superuser()))
    await begun.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    (row,) = await runtime.store.list_runs()
    items = [position.item for position in await runtime.store.read(row.run)]
    ends = [item.call for item in items if isinstance(item, ToolOutput)]
    assert row.status == "cancelled"
    assert isinstance(items[-1], RunFinished)
    assert len(ends) == len(set(ends)), "one end for each call"
    assert len(stopped) == (2 if parallel > 1 else 1), "every body that ran was stopped"
    history = await runtime.history(row.run)
    assert history_errors(history) == []
    assert next(json.loads(text)["content"] for text in history if '"role":"tool"' in text) == "4"
    assert (await runtime.resume(row.run)).status == "cancelled", "a cancelled run stays so"
