"""What a worker may: see, call, use, be given, and whom it asks."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic_ai.messages import (
    BinaryImage,
    ModelMessage,
    ModelResponse,
)
from pydantic_ai.usage import RequestUsage

from remit import Agent, App, Effect, Principal, Runtime, Stack, tool
from remit.agent.prompt import Prompt
from remit.call.callee import UNKNOWN, AgentLike, HasSource
from remit.errors import (
    InvalidArgumentsError,
    NoModelError,
    SetupError,
)
from remit.layers import Authorize, Budget
from remit.messages import ChatRequest
from remit.testing import Scripted, calls, make_call, superuser
from remit.workers import (
    Attachment,
    AttachmentPolicy,
    PromptWithAttachments,
    PydanticAIDriver,
    WorkerDefinition,
    build_agent,
)
from tests.runtime.kit import World
from tests.workers.kit import Line, Script, call, outcome_of, prompts_of, read_of, runtime_of, worker_of


async def test_its_model_sees_what_it_declares_and_what_it_delegates_is_for_those_below() -> None:
    world = World()
    write, hidden = world.write(), world.write("hidden")
    below = Script([call("write", '{"text":"a"}'), call("hidden", '{"text":"b"}')], "done below")
    inner = worker_of(below.model, write, hidden, name="inner")
    above = Script([call("write", '{"text":"c"}'), call("inner", '{"prompt":"go"}')], "done")
    outer = worker_of(above.model, name="outer", workers=[inner], delegates=("write",))
    runtime = runtime_of(outer)
    result = await runtime.call(outer, superuser(), "go")
    assert [each.name for each in above.told[0].function_tools] == ["inner"]
    assert (result.value(), world.texts) == ("done", ["a"])
    wrote, barred = read_of(below.requests[-1])
    assert wrote == "wrote a"
    assert json.loads(barred)["errorCode"] == "PERMISSION_DENIED"
    assert "outer does not let its calls reach hidden" in json.loads(barred)["error"]
    assert json.loads(read_of(above.requests[-1])[0])["errorCode"] == "UNKNOWN_TOOL"


async def test_it_calls_itself_only_where_it_lists_itself_and_no_deeper_than_is_allowed() -> None:
    def again(messages: list[ModelMessage]) -> Line:
        return [call("worker", '{"prompt":"again"}')]

    script = Script(again, lambda messages: read_of(messages)[0])
    worker = worker_of(script.model, workers=(), name="worker")
    assert "worker does not let its calls reach worker" in (await outcome_of(worker, "go")).content
    listed = build_agent(WorkerDefinition(name="worker", prompt="Go.", workers=("worker",)), model=script.model)
    assert listed.tools == (listed,)
    reply = await outcome_of(listed, "go")
    assert "agents are nested 6 deep (worker > worker > worker > worker > worker > worker)" in reply.content


async def test_its_calls_hold_no_more_permissions_than_it_says() -> None:
    @tool(effect=Effect.PURE, permissions={"cms:read"})
    async def look() -> str:
        """Look."""
        return "seen"

    @tool(effect=Effect.PURE, permissions={"cms:write"})
    async def change() -> str:
        """Change."""
        return "changed"

    script = Script([call("look"), call("change")], "done")
    worker = worker_of(script.model, look, change, permissions=frozenset({"cms:read"}))
    runtime = runtime_of(worker, layers=Stack(Authorize()))
    result = await runtime.call(worker, Principal("ada", permissions=frozenset({"cms:*"})), "go")
    assert result.value() == "done"
    seen, denied = read_of(script.requests[-1])
    assert (seen, json.loads(denied)["errorCode"]) == ("seen", "PERMISSION_DENIED")


async def test_the_budget_of_a_run_is_shared_by_the_workers_in_it() -> None:
    world = World()
    write = world.write()
    below = Script([call("write", '{"text":"a"}'), call("write", '{"text":"b"}', "b")], "done below")
    inner = worker_of(below.model, write, name="inner")
    above = Script([call("write", '{"text":"c"}')], [call("inner", '{"prompt":"go"}')], "done")
    outer = worker_of(above.model, write, name="outer", workers=[inner])
    result = await runtime_of(outer, layers=Stack(Budget(calls=3))).call(outer, superuser(), "go")
    assert (result.value(), world.texts) == ("done", ["c", "a"])
    assert json.loads(read_of(below.requests[-1])[1])["errorCode"] == "BUDGET_EXCEEDED"
    used = ModelResponse([call("inner", '{"prompt":"go"}')], usage=RequestUsage(input_tokens=900, output_tokens=100))
    spent = Script(used, "done")
    outer = worker_of(spent.model, name="outer", workers=[inner])
    result = await runtime_of(outer, layers=Stack(Budget(tokens=1_000))).call(outer, superuser(), "go")
    assert result.reply is not None
    assert result.reply.error is not None
    assert "the run has used 1,000 of its 1,000 tokens" in result.reply.error.message
    assert len(spent.requests) == 1


PICTURE = Attachment(name="a.png", media_type="image/png", data="iVBORw==")
TEXT = Attachment(name="a.txt", media_type="text/plain", data="aGk=")


async def test_attachments_are_sent_beside_the_message_once_the_policy_takes_them() -> None:
    script = Script("done")
    policy = AttachmentPolicy(suffixes=(".png", ".txt"), max_count=2, max_bytes=4)
    worker = worker_of(script.model, input=PromptWithAttachments, attachments=policy)
    assert (await outcome_of(worker, prompt="go", attachments=[PICTURE, TEXT])).content == "done"
    (content,) = prompts_of(script.requests[0])
    assert content == ["go", BinaryImage(b"\x89PNG", media_type="image/png"), "hi"]
    for refused in ([PICTURE] * 3, [PICTURE.model_copy(update={"name": "a.exe"})]):
        error = (await outcome_of(worker, prompt="go", attachments=refused)).error
        assert type(error) is InvalidArgumentsError
    assert len(script.requests) == 1, "nothing was sent"


async def test_the_model_of_the_call_is_asked_before_that_of_the_file_and_that_of_the_runtime(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    models = {"a:file": Script("the file's").model, "an:environment": Script("the environment's").model}
    named = WorkerDefinition(name="named", prompt="Go.", model="a:file")
    nameless = WorkerDefinition(name="nameless", prompt="Go.")
    file, none = (build_agent(each, driver=PydanticAIDriver(models.__getitem__)) for each in (named, nameless))
    runtime = Runtime(App(name="test", tools=(file, none)), model=Scripted(["the runtime's"]))
    said = [(await runtime.call(each, superuser(), "go")).value() for each in (file, none)]
    assert said == ["the file's", "the runtime's"]
    assert (await outcome_of(file.with_model(Script("the call's").model), "go")).content == "the call's"
    monkeypatch.setenv("REMIT_MODEL", "an:environment")
    assert (await outcome_of(none, "go")).content == "the environment's"
    monkeypatch.delenv("REMIT_MODEL")
    with pytest.raises(NoModelError, match="agent nameless names no model; give it one, or set REMIT_MODEL"):
        await outcome_of(none, "go")


async def test_a_worker_that_is_only_a_tool_of_an_agent_takes_the_model_of_the_runtime_too() -> None:
    worker = worker_of(None)
    agent = Agent("agent", instructions="Work.", tools=[worker])
    model = Scripted([calls(("worker", {"prompt": "help"})), "done"])
    asked: list[str] = []

    async def either(request: Any) -> Any:
        asked.append(request.history[0])
        return await (model if "Work." in request.history[0] else Scripted(["helped"]))(request)

    result = await Runtime(App(name="test", agents=(agent,)), model=either).run("go", by=superuser())
    assert (result.value(), len(asked)) == ("done", 3)
    assert "helped" in model.requests[-1].history[-1]


async def test_a_model_that_it_is_not_made_for_is_not_asked() -> None:
    definition = WorkerDefinition(name="worker", prompt="Go.", compatible_models=("scripted:*", "function:*"))
    worker = build_agent(definition)
    for fitting in (Scripted(["done"]), Script("done").model):
        assert (await outcome_of(worker.with_model(fitting), "go")).content == "done"
    unnamed: list[ChatRequest] = []

    async def ask(request: ChatRequest) -> Any:
        unnamed.append(request)

    for name, other in (("openai:gpt-4o", "openai:gpt-4o"), ("function", ask)):
        with pytest.raises(NoModelError, match=f"agent worker does not support the model '{name}', only scripted:"):
            await outcome_of(worker.with_model(other), "go")
    assert unnamed == []


def test_it_is_an_actor_and_says_where_it_is_written() -> None:
    write = World().write()
    worker = worker_of(None, write, builtin_tools=("web_search",), delegates=("more",))
    assert isinstance(worker, AgentLike)
    assert isinstance(worker, HasSource)
    assert (worker.where, worker.tools, worker.provider_tools) == ("", (write,), ("web_search",))
    assert (worker.tool_scope, worker.permissions) == ({"write", "more"}, None)
    assert repr(worker) == "Agent worker (1 tool, and ungoverned web_search)"


def test_it_is_the_same_worker_with_another_model_and_another_with_a_layer() -> None:
    worker = worker_of(None)
    assert worker.with_model("test") == worker
    assert hash(worker.with_model("test")) == hash(worker)
    assert worker.layer(Budget()) != worker
    assert worker != worker_of(None)


def test_a_tool_that_it_names_and_was_not_given_is_refused() -> None:
    definition = WorkerDefinition(name="worker", prompt="Go.", tools=("write",))
    with pytest.raises(SetupError, match="worker worker lists 'write' in its tools, but it does not exist"):
        runtime_of(build_agent(definition))
    with pytest.raises(SetupError, match="parallel is 0; give a whole number of at least 1"):
        build_agent(definition, parallel=0)


async def test_there_is_nothing_to_reconcile() -> None:
    worker = worker_of(None)
    made = await make_call(worker, '{"prompt":"go"}')
    assert made.payload is None
    assert await worker.reconcile(Prompt(prompt="go"), made) is UNKNOWN  # pyright: ignore[reportArgumentType] - unread
