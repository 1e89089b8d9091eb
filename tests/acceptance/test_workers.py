"""The design of workers, sentence by sentence: how they are executed, what governs their calls, how they fail."""

from __future__ import annotations

import json

import pytest
from pydantic import BaseModel
from pydantic_ai.exceptions import ModelRetry, UnexpectedModelBehavior
from pydantic_ai.messages import NativeToolCallPart, NativeToolReturnPart, TextPart

from remit import Agent, Context, Effect, LeafContext, Retry, Risk, tool
from remit.errors import ConflictError, ContractError, ExternalError, InvalidOutputError, NameTakenError
from remit.layers import Budget, Call, CallLayer, CallService, Reply
from remit.record.items import AttemptStarted, Message, ToolOutput
from remit.testing import superuser
from remit.workers import Attachment, AttachmentPolicy, PromptWithAttachments
from tests.workers.kit import (
    Calls,
    Found,
    Line,
    Script,
    call,
    filed,
    found,
    instructions_of,
    read_of,
    runtime_of,
    seeing,
    value_of,
    worker_of,
)


class TestExecution:
    """PydanticAI worker execution."""

    async def test_configuration(self) -> None:
        """Worker entries carry configuration (prompt, model, tool allowlist, schemas, attachment policy)."""
        script = Script(found())
        policy = AttachmentPolicy(suffixes=(".txt",))
        look = seeing([])
        worker = worker_of(
            script.model, look, prompt="Find.", input=PromptWithAttachments, output=Found, attachments=policy
        )
        assert (worker.tools, worker.input, worker.output) == ((look,), PromptWithAttachments, Found)
        assert (worker.attachments, worker.model) == (policy, script.model)
        text = Attachment(name="a.txt", media_type="text/plain", data="aGk=")
        assert await value_of(worker, prompt="go", attachments=[text]) == Found(page="about", words=3)

    async def test_an_agent_is_built(self) -> None:
        """Worker `call()` builds a PydanticAI agent using the worker config."""
        script = Script(found())
        await value_of(worker_of(script.model, output=Found, prompt="Find."), "go")
        (result_tool,) = script.told[0].function_tools
        assert instructions_of(script.requests[0]) == "Find."
        assert (result_tool.name, result_tool.parameters_json_schema["required"]) == ("final_result", ["page", "words"])

    async def test_the_agent_has_the_allowed_tools(self) -> None:
        """The agent registers tool wrappers derived from the registry and allowlist."""
        script = Script("done")
        allowed, other = seeing([]), seeing([], "other")
        await runtime_of(worker := worker_of(script.model, allowed), other).call(worker, superuser(), "go")
        (sent,) = script.told[0].function_tools
        assert (sent.name, sent.description) == ("look", "Look.")
        assert sent.parameters_json_schema == allowed.schema_in.json_schema

    async def test_wrappers_call_back_into_ctx(self) -> None:
        """`ctx` is passed as agent dependencies so tool wrappers can call back into `ctx`."""
        seen: Calls = []
        worker = worker_of(Script([call("look")], "done").model, seeing(seen))
        runtime = runtime_of(worker)
        result = await runtime.call(worker, superuser(), "go")
        root = (await filed(runtime.store, result.run, ToolOutput))[-1].call
        assert seen == [("worker", root, 1, ("worker",))]

    async def test_pydantic_ai_verifies_output(self) -> None:
        """Output verification for workers is owned by PydanticAI via `output_type` (response schema)."""
        script = Script([call("final_result", '{"page":1}')], found())
        assert await value_of(worker_of(script.model, output=Found), "go") == Found(page="about", words=3)
        assert "Field required" in read_of(script.requests[1])[0], "it asks the model to mend what is not valid"

    async def test_output_is_taken_as_validated(self) -> None:
        """`ctx` should pass the resolved `output_model` into the agent and treat `run_result.output` as validated."""
        validated: list[str] = []

        class Once(BaseModel):
            """Counts how often it is validated."""

            page: str

            def model_post_init(self, _context: object) -> None:
                validated.append(self.page)

        worker = worker_of(Script([call("final_result", '{"page":"about"}')]).model, output=Once)
        assert type(await value_of(worker, "go")) is Once
        assert validated == ["about"]

    async def test_a_validation_error_propagates(self) -> None:
        """If output validation fails, PydanticAI raises a validation error that propagates through `ctx.call(...)`."""
        wrong: Line = [call("final_result", "{}")]
        worker = worker_of(Script(wrong, wrong).model, output=Found)

        @tool(effect=Effect.COMPOSED)
        async def asks(ctx: Context) -> str:
            """Call a worker."""
            with pytest.raises(InvalidOutputError) as caught:
                await ctx.call(worker, "go")
            original = caught.value.__cause__
            assert isinstance(original, UnexpectedModelBehavior)
            return type(original.__cause__).__name__

        assert await value_of(asks, beside=(worker,)) == ModelRetry.__name__  # Remit reads it, and asks for another

    async def test_policy_after_completion(self) -> None:
        """`ctx` can still apply policy checks or normalization after agent completion, but should not re-validate."""

        class Normalise(CallLayer):
            def __call__(self, inner: CallService, /) -> CallService:
                async def normalise(call: Call, /) -> Reply:
                    reply = await inner(call)
                    assert isinstance(reply.value, Found)
                    if reply.value.words > 9:
                        raise InvalidOutputError("too many words")
                    return Reply.from_value(reply.value.model_copy(update={"page": "ABOUT"}))

                return normalise

        def normalised(words: int) -> Agent:
            return worker_of(Script(found(words=words)).model, output=Found).layer_around(Normalise())

        assert await value_of(normalised(3), "go") == Found(page="ABOUT", words=3)
        with pytest.raises(InvalidOutputError, match="too many words"):
            await value_of(normalised(10), "go")

    async def test_provider_tools_are_configuration(self) -> None:
        """Provider tools are worker configuration (`builtin_tools`), not registry entries."""
        script = Script("done")
        worker = worker_of(script.model, builtin_tools=("web_search",))
        runtime = runtime_of(worker)
        await runtime.call(worker, superuser(), "go")
        assert [each.kind for each in script.told[0].model_request_parameters.native_tools] == ["web_search"]
        assert script.told[0].function_tools == []
        assert "web_search" not in {each.name for each in worker.tools}
        with pytest.raises(ContractError, match="no provider has the tool 'web_serch'"):
            worker_of(script.model, builtin_tools=("web_serch",))

    async def test_provider_tools_bypass_ctx(self) -> None:
        """They bypass `ctx` approvals and tool wrappers because execution is provider-controlled."""
        searched = NativeToolCallPart("web_search", {"query": "bread"}, "s")
        gave = NativeToolReturnPart("web_search", {"found": 1}, "s")
        worker = worker_of(Script([searched, gave, TextPart("done")]).model, builtin_tools=("web_search",))
        runtime = runtime_of(worker)
        result = await runtime.call(worker, superuser(), "go")
        assert result.value() == "done"
        assert [item.callee for item in await filed(runtime.store, result.run, ToolOutput)] == ["worker"]
        assert "ungoverned web_search" in repr(worker), "and that is said"

    def test_collisions(self) -> None:
        """Provider tools and registry tools share the same tool namespace passed to the LLM."""
        with pytest.raises(NameTakenError, match="'web_search' names both a provider tool of"):
            runtime_of(worker_of(None, builtin_tools=("web_search",)), seeing([], "web_search"))


class TestWrappersAndApprovals:
    """Tool wrappers and approvals."""

    async def test_wrappers_delegate(self) -> None:
        """PydanticAI tool wrappers delegate to `ctx.call(...)`."""
        worker = worker_of(Script([call("look"), call("look", "{}", "2")], "done").model, seeing([]))
        runtime = runtime_of(worker)
        result = await runtime.call(worker, superuser(), "go")
        ends = await filed(runtime.store, result.run, ToolOutput)
        assert [(item.callee, item.parent) for item in ends] == [("look", ends[-1].call)] * 2 + [("worker", "")]
        assert len(await filed(runtime.store, result.run, AttemptStarted)) == 2

    async def test_everything_is_enforced_on_every_path(self) -> None:
        """Approvals, depth caps, retries, and tracing are enforced in `ctx` for every call path."""
        tried: list[str] = []

        @tool(effect=Effect.KEYED)
        async def flaky(ctx: LeafContext) -> str:
            """Fail the first time."""
            tried.append(ctx.key)
            if len(tried) % 2:
                raise ExternalError("not now")
            return "at last"

        again = flaky.layer(Retry(base_delay=0.0, max_delay=0.0))

        @tool(effect=Effect.COMPOSED)
        async def by_python(ctx: Context) -> str:
            """Make the calls from Python."""
            return f"{await ctx.call(danger)} {await ctx.call(again)}"

        danger = seeing([], "danger", Risk.HIGH)
        worker = worker_of(Script([call("danger"), call("flaky")], "done").model, danger, again)
        for path, arguments in ((by_python, ()), (worker, ("go",))):
            runtime = runtime_of(path, danger, again, budget=Budget(depth=1))
            result = await runtime.call(path, superuser(), *arguments)
            assert (result.status, len(result.questions)) == ("waiting", 1)
            await runtime.decide(result.questions[0], approved=True, by=superuser())
            result = await runtime.resume(result.run)
            ends = {item.callee: item.outcome for item in await filed(runtime.store, result.run, ToolOutput)}
            assert ends == {"danger": "ok", "flaky": "ok", path.name: "ok"}
        assert len(tried) == 4
        read = Script([call("by_python")], lambda said: read_of(said)[0])
        deep = worker_of(read.model, by_python, name="deep", delegates=("danger", "flaky"))
        result = await runtime_of(deep, danger, again, budget=Budget(depth=1)).call(deep, superuser(), "go")
        assert "calls are nested 2 levels deep; the limit of this run is 1" in result.value()

    async def test_code_output_is_verified(self) -> None:
        """Output verification for code tools remains in `ctx` using `schema_out` before returning to the agent."""

        @tool(effect=Effect.PURE)
        async def wrong() -> int:
            """Give what the contract does not say."""
            return "seven"  # pyright: ignore[reportReturnType] - it is what is tested

        script = Script([call("wrong")], "done")
        await value_of(worker_of(script.model, wrong), "go")
        assert json.loads(read_of(script.requests[-1])[0])["errorCode"] == "INVALID_OUTPUT"


class TestErrorPropagation:
    """Error propagation."""

    async def test_tool_failures(self) -> None:
        """Tool failures raise structured errors that bubble through `ctx.call(...)` to the caller."""

        @tool(effect=Effect.PURE)
        async def fail() -> str:
            """Fail."""
            raise ConflictError("it changed")

        @tool(effect=Effect.COMPOSED)
        async def asks(ctx: Context) -> str:
            """Call it."""
            with pytest.raises(ConflictError, match="it changed"):
                await ctx.call(fail)
            return "caught"

        assert await value_of(asks, beside=(fail,)) == "caught"
        script = Script([call("fail")], "done")
        await value_of(worker_of(script.model, fail), "go")
        assert json.loads(read_of(script.requests[-1])[0]) == {
            "success": False,
            "error": "it changed",
            "errorCode": "CONFLICT",
        }

    async def test_worker_failures(self) -> None:
        """Worker failures surface as agent exceptions (or failed response validation) and take the same path."""
        failing = worker_of(Script(RuntimeError("no route")).model, name="inner")
        script = Script([call("inner", '{"prompt":"go"}')], "done")
        await value_of(worker_of(script.model, workers=[failing]), "go")
        said = json.loads(read_of(script.requests[-1])[0])
        assert (said["errorCode"], said["error"]) == ("MODEL_ERROR", "script of function: RuntimeError: no route")

    async def test_failures_are_recorded(self) -> None:
        """`ctx` records failure metadata in traces and preserves the original exception for diagnostics."""
        original = RuntimeError("no route")
        worker = worker_of(Script(original).model)
        runtime = runtime_of(worker)
        result = await runtime.call(worker, superuser(), "go")
        assert result.reply is not None
        assert result.reply.error is not None
        assert result.reply.error.__cause__ is original
        (end,) = await filed(runtime.store, result.run, ToolOutput)
        assert (end.outcome, json.loads(end.text)["errorCode"]) == ("error", "MODEL_ERROR")


class TestRecursion:
    """Recursion."""

    async def test_nested_calls_use_the_same_dispatch(self) -> None:
        """Nested worker calls happen through the same `ctx.call(...)` dispatch."""
        inner = worker_of(Script("inner done").model, name="inner")
        script = Script([call("inner", '{"prompt":"go"}')], "done")
        runtime = runtime_of(outer := worker_of(script.model, workers=[inner]))
        result = await runtime.call(outer, superuser(), "go")
        ends = await filed(runtime.store, result.run, ToolOutput)
        assert [(item.callee, item.parent) for item in ends] == [("inner", ends[1].call), ("worker", "")]
        assert read_of(script.requests[-1]) == ["inner done"]

    async def test_each_has_its_own_agent(self) -> None:
        """Each nested worker invocation builds its own PydanticAI agent with shared approval controller and depth."""
        seen: Calls = []
        danger = seeing(seen, "danger", Risk.HIGH)
        below = Script([call("danger")], "inner done")
        inner = worker_of(below.model, danger, name="inner")
        above = Script([call("inner", '{"prompt":"go"}'), call("danger")], "done")
        runtime = runtime_of(outer := worker_of(above.model, danger, workers=[inner]))
        result = await runtime.call(outer, superuser(), "go")
        assert len(result.questions) == 2, "both are asked at the root"
        for question in result.questions:
            await runtime.decide(question, approved=True, by=superuser())
        assert (await runtime.resume(result.run)).value() == "done"
        assert sorted((agent, depth, path) for agent, _, depth, path in seen) == [
            ("inner", 2, ("worker", "inner")),
            ("worker", 1, ("worker",)),
        ]
        assert above.requests[0] is not below.requests[0]
        messages = await filed(runtime.store, result.run, Message)
        assert len({message.agent for message in messages}) == 2
