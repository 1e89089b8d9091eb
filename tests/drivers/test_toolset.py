"""What a worker's model asks for goes through the one door, and what comes of it is always a text that it can read."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from pydantic_ai.messages import ModelResponse, ToolCallPart

from remit import Effect, Risk, tool
from remit.call.call import Call
from remit.errors import ConflictError, JournalError, SetupError
from remit.layers import CallLayer, CallService, Reply
from remit.record.items import AttemptEnded, ToolOutput
from remit.testing import Scripted, calls, superuser
from tests.runtime.kit import World
from tests.runtime.kit import runtime_of as runtime_of_agent
from tests.workers.kit import Found, Script, call, filed, found, read_of, runtime_of, worker_of


@tool(effect=Effect.PURE)
async def fail(code: int) -> str:
    """Fail."""
    raise ConflictError(f"conflict {code}")


@tool(effect=Effect.PURE)
async def burst() -> str:
    """Fail in a way of its own."""
    raise RuntimeError("a bug")


@tool(effect=Effect.PURE)
async def numbers() -> dict[str, float]:
    """Give what JSON cannot hold."""
    return {"ratio": float("nan")}


@tool(effect=Effect.PURE)
async def flood() -> str:
    """Give too much."""
    return "x" * 400_000


async def test_errors_are_read_as_results_and_harm_no_sibling() -> None:
    world = World()
    write = world.write()
    script = Script([call("fail", '{"code":1}'), call("burst"), call("write", '{"text":"a"}')], "done")
    worker = worker_of(script.model, fail, burst, write)
    runtime = runtime_of(worker)
    result = await runtime.call(worker, superuser(), "go")
    first, second, third = read_of(script.requests[-1])
    assert json.loads(first) == {"success": False, "error": "conflict 1", "errorCode": "CONFLICT"}
    assert json.loads(second)["error"] == "burst failed: RuntimeError: a bug"
    assert (third, result.value(), world.texts) == ("wrote a", "done", ["a"])
    outcomes = [item.outcome for item in await filed(runtime.store, result.run, ToolOutput)]
    assert outcomes == ["error", "error", "ok", "ok"]


WANTED = [
    ("write", '{"text":"a"}'),
    ("write", '{"text": 1}'),
    ("write", "[1]"),
    ("write", "null"),
    ("write", '{"text":"a","text":"b"}'),
    ("write", '{"text'),
    ("write", ""),
    ("fail", '{"code": 7}'),
    ("burst", "{}"),
    ("numbers", "{}"),
    ("flood", "{}"),
    ("wrote", '{"text":"a"}'),
]


async def test_a_model_reads_what_the_model_of_a_built_in_agent_would_read() -> None:
    tools = [World().write(), fail, burst, numbers, flood]
    model = Scripted([calls(*WANTED), "done"])
    await runtime_of_agent(model, *tools).run("go", by=superuser())
    texts = [json.loads(text) for text in model.requests[-1].history]
    expected = [message["content"] for message in texts if message["role"] == "tool"]
    script = Script([call(name, arguments, f"call_{i}") for i, (name, arguments) in enumerate(WANTED)], "done")
    await runtime_of(worker := worker_of(script.model, *tools)).call(worker, superuser(), "go")
    assert read_of(script.requests[-1]) == expected


async def test_arguments_reach_the_door_as_the_model_wrote_them() -> None:
    seen: list[str] = []

    class See(CallLayer):
        def __call__(self, inner: CallService, /) -> CallService:
            async def see(call: Call, /) -> Reply:
                seen.append(call.arguments.raw)
                return await inner(call)

            return see

    write = World().write()
    script = Script([call("write", '{ "text" : "caf\\u00e9" }'), call("write", {"text": "é"}, "two")], "done")
    worker = worker_of(script.model, write.layer(See()))
    await runtime_of(worker).call(worker, superuser(), "go")
    assert seen == ['{ "text" : "caf\\u00e9" }', '{"text":"é"}']


async def test_calls_without_an_id_or_with_the_same_one_get_ids_of_their_own() -> None:
    world = World()
    script = Script(
        [ToolCallPart("write", '{"text":"a"}', "same"), ToolCallPart("write", '{"text":"b"}', "same")],
        [ToolCallPart("write", '{"text":"c"}', "call_0_1")],
        [ToolCallPart("write", '{"text":"d"}', "")],
        "done",
    )
    worker = worker_of(script.model, world.write())
    runtime = runtime_of(worker)
    result = await runtime.call(worker, superuser(), "go")
    assert world.texts == ["a", "b", "c", "d"]
    wires = [item.wire for item in await filed(runtime.store, result.run, ToolOutput) if item.wire]
    assert len(set(wires)) == 4
    assert read_of(script.requests[-1]) == ["wrote a", "wrote b", "wrote c", "wrote d"]


async def test_a_tool_that_there_is_not_is_an_error_that_names_near_ones_however_often_it_is_called() -> None:
    script = Script(*[[call("wrote", '{"text":"a"}', f"id{n}"), call("", "{}", f"no{n}")] for n in range(4)], "done")
    worker = worker_of(script.model, World().write())
    result = await runtime_of(worker).call(worker, superuser(), "go")
    assert result.value() == "done"
    first, second, *_ = read_of(script.requests[-1])
    assert "there is no tool 'wrote'; similar: write" in json.loads(first)["error"]
    assert "there is no tool 'unnamed'" in json.loads(second)["error"]
    said = [part for message in script.requests[-1] if isinstance(message, ModelResponse) for part in message.parts]
    assert [part.tool_name for part in said if isinstance(part, ToolCallPart)] == ["wrote", "unnamed"] * 4
    assert [tool.name for tool in script.told[0].function_tools] == ["write"], "it is told of no other"


async def test_calls_of_one_reply_run_in_parallel_with_a_bound() -> None:
    running = most = 0
    free = asyncio.Event()

    @tool(effect=Effect.PURE)
    async def wait(number: int) -> str:
        """Wait for two to run."""
        nonlocal running, most
        running += 1
        most = max(most, running)
        if running == 2:
            free.set()
        await free.wait()
        await asyncio.sleep(0)
        running -= 1
        return str(number)

    script = Script([call("wait", {"number": n}, f"w{n}") for n in range(6)], "done")
    worker = worker_of(script.model, wait, parallel=2)
    await runtime_of(worker).call(worker, superuser(), "go")
    assert (most, read_of(script.requests[-1])) == (2, list("012345"))


class Ends(CallLayer):
    """Makes the reply of a tool final."""

    def __call__(self, inner: CallService, /) -> CallService:
        async def ends(call: Call, /) -> Reply:
            return Reply.final((await inner(call)).content)

        return ends


@pytest.mark.parametrize("beside", [[], found()], ids=["alone", "beside a result"])
async def test_a_final_reply_ends_the_worker_once_the_siblings_have_ended(beside: list[Any]) -> None:
    world = World()
    first, last = world.write("first").layer(Ends()), world.write("last").layer(Ends())
    write = world.write()
    wanted = [call(name, {"text": name}) for name in ("write", "first", "last")]
    script = Script([*wanted, *beside])
    worker = worker_of(script.model, first, last, write)
    runtime = runtime_of(worker)
    result = await runtime.call(worker, superuser(), "go")
    assert (result.value(), len(script.requests)) == ("wrote first", 1)
    assert sorted(world.texts) == ["first", "last", "write"]
    assert (await runtime.replay(result.run)).is_identical


async def test_a_result_beside_a_call_that_waits_does_not_end_the_worker() -> None:
    world = World()
    danger = world.write("danger", risk=Risk.HIGH)
    script = Script([call("danger", '{"text":"a"}'), *found()])
    worker = worker_of(script.model, danger, output=Found)
    runtime = runtime_of(worker)
    result = await runtime.call(worker, superuser(), "go")
    assert (result.status, world.ran) == ("waiting", [])
    await runtime.decide(result.questions[0], approved=True, by=superuser())
    assert (await runtime.resume(result.run)).value() == Found(page="about", words=3)
    assert world.texts == ["a"]


async def test_a_call_whose_arguments_were_cut_off_before_they_began_is_no_call_without_arguments() -> None:
    script = Script(ModelResponse([call("burst", "")], finish_reason="length"), "done")
    worker = worker_of(script.model, burst)
    await runtime_of(worker).call(worker, superuser(), "go")
    assert json.loads(read_of(script.requests[-1])[0])["errorCode"] == "VALIDATION_ERROR"


async def test_a_tool_may_not_have_the_name_by_which_results_are_given() -> None:
    with pytest.raises(SetupError, match="agent worker cannot call 'final_result'"):
        runtime_of(worker_of(None, World().write("final_result")))


async def test_a_journal_that_refuses_stops_the_worker_once_begun_calls_have_ended_and_no_further_call_begins() -> None:
    world = World()

    @tool(effect=Effect.COMPOSED)
    async def refused() -> str:
        """Meet a journal that refuses."""
        raise JournalError("the journal refused")

    wanted = [call("write", '{"text":"a"}'), call("refused"), call("write", '{"text":"b"}')]
    script = Script(wanted, "done")
    worker = worker_of(script.model, refused, world.write())
    runtime = runtime_of(worker)
    with pytest.raises(JournalError, match="the journal refused"):
        await runtime.call(worker, superuser(), "go")
    (row,) = await runtime.store.list_runs()
    assert [item.content for item in await filed(runtime.store, row.run, AttemptEnded)] == ["wrote a"]
    assert (world.texts, len(script.requests)) == (["a"], 1)
