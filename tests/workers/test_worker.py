"""A worker is called like a tool, and works until PydanticAI takes its output for valid."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_ai.exceptions import UnexpectedModelBehavior, UserError
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    TextPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.test import TestModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage

from remit import Context, Effect, LeafContext, tool
from remit.agent import AgentLimits
from remit.agent.prompt import Prompt
from remit.errors import (
    BudgetError,
    DeadlineError,
    InvalidArgumentsError,
    InvalidOutputError,
    MaxTurnsError,
)
from remit.layers import Call, CallLayer, CallService, Reply
from remit.record.items import ToolOutput
from remit.testing import superuser
from tests.runtime.kit import World
from tests.workers.kit import (
    Found,
    Line,
    Script,
    call,
    filed,
    found,
    instructions_of,
    outcome_of,
    prompts_of,
    runtime_of,
    worker_of,
)


class NoTools(WrapperModel):
    """A model that knows no tools of providers."""

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        raise UserError("web_search is not supported")


async def error_of(*lines: Line, **said: Any) -> Any:
    """The error with which a worker ends whose model says these lines."""
    return (await outcome_of(worker_of(Script(*lines).model, World().write(), **said), "go")).error


async def test_it_gives_the_text_of_its_model_and_the_model_reads_prompt_and_message() -> None:
    script = Script("done")
    worker = worker_of(script.model, prompt="You are told: {{ prompt }}")
    assert (await outcome_of(worker, "go")).content == "done"
    (request,) = script.requests
    assert (instructions_of(request), prompts_of(request)) == ("You are told: go", ["go"])


async def test_a_worker_with_an_output_gives_a_value_that_was_validated_once() -> None:
    seen: list[str] = []

    class Once(BaseModel):
        """Counts how often it is validated."""

        page: str

        def model_post_init(self, _context: object) -> None:
            seen.append(self.page)

    worker = worker_of(Script([call("final_result", '{"page":"about"}')]).model, output=Once)
    runtime = runtime_of(worker)
    result = await runtime.call(worker, superuser(), "go")
    value = result.value()
    assert (type(value), value.page, seen) == (Once, "about", ["about"])


async def test_test_models_drive_it_too() -> None:
    world = World()
    worker = worker_of(None, world.write()).with_model(TestModel())
    assert (await outcome_of(worker, "go")).content == '{"write":"wrote a"}'
    assert world.texts == ["a"]


async def test_an_input_of_several_fields_is_read_as_canonical_json() -> None:
    class Task(BaseModel):
        """What is to be done."""

        page: str
        words: int = 7

    script = Script("done")
    worker = worker_of(script.model, input=Task, prompt="Edit {{ page }}.")
    assert (await outcome_of(worker, Task(page="about"))).content == "done"
    assert (await outcome_of(worker, page="about")).content == "done"
    first = script.requests[0]
    assert (instructions_of(first), prompts_of(first)) == ("Edit about.", ['{"page":"about","words":7}'])
    with pytest.raises(InvalidArgumentsError, match="page: Field required"):
        worker.build_arguments()
    with pytest.raises(InvalidArgumentsError, match="give a Task, not a Prompt"):
        worker.build_arguments(Prompt(prompt="go"))


async def test_output_that_never_becomes_valid_is_an_error_whose_cause_is_the_original() -> None:
    wrong = [call("final_result", '{"page":"about"}')]
    error = await error_of(wrong, wrong, output=Found, retries=1)
    assert type(error) is InvalidOutputError
    assert error.message.startswith("agent worker returned no valid result: ")
    assert "words" in error.message
    assert isinstance(error.__cause__, UnexpectedModelBehavior)


async def test_what_ends_pydantic_ai_is_an_error_of_ours() -> None:
    write = [call("write", '{"text":"a"}')]
    error = await error_of(write, write, limits=AgentLimits(turns=1))
    said = "agent worker did not finish within 1 turns; raise `limits.turns` or ask for less"
    assert (type(error), error.message) == (MaxTurnsError, said)
    error = await error_of([*write, call("write", '{"text":"b"}', "b")], limits=AgentLimits(tool_calls=1))
    assert type(error) is BudgetError
    assert error.message == "agent worker requested more than its 1 calls; raise `limits.tool_calls` or ask for less"
    large = ModelResponse(write, usage=RequestUsage(input_tokens=900, output_tokens=200))
    error = await error_of(large, limits=AgentLimits(tokens=1_000))
    said = "agent worker has used all of its 1000 tokens; raise `limits.tokens` or ask for less"
    assert (type(error), error.message) == (BudgetError, said)


async def test_a_model_that_does_not_take_the_tools_of_its_provider_lets_the_run_rest() -> None:
    worker = worker_of(NoTools(Script("done").model), builtin_tools=("web_search",))
    result = await runtime_of(worker).call(worker, superuser(), "go")
    assert (result.status, result.reply) == ("stalled", None)
    assert "MODEL_ACCESS" in result.reason


async def test_tools_of_the_provider_are_handed_on_and_no_call_of_them_comes_by() -> None:
    searched = NativeToolCallPart("web_search", {"query": "bread"}, "s1")
    gave = NativeToolReturnPart("web_search", {"found": 1}, "s1")
    script = Script([searched, gave, TextPart("done")])
    worker = worker_of(script.model, builtin_tools=("web_search",))
    runtime = runtime_of(worker)
    result = await runtime.call(worker, superuser(), "go")
    assert result.value() == "done"
    assert [each.kind for each in script.told[0].model_request_parameters.native_tools] == ["web_search"]
    assert len(await filed(runtime.store, result.run, ToolOutput)) == 1, "that of the worker"
    assert (await runtime.replay(result.run)).is_identical


async def test_what_is_larger_than_it_may_be_is_no_result() -> None:
    assert type(await error_of("x" * 20, limits=AgentLimits(output_bytes=19))) is InvalidOutputError
    assert await error_of("x" * 19, limits=AgentLimits(output_bytes=19)) is None


async def test_an_error_of_a_nested_worker_reaches_whoever_called_as_it_was_raised() -> None:
    wrong = [call("final_result", "{}")]
    inner = worker_of(Script(wrong, wrong).model, output=Found, name="inner")

    @tool(effect=Effect.COMPOSED)
    async def outer(ctx: Context) -> str:
        """Call a worker."""
        with pytest.raises(InvalidOutputError) as caught:
            await ctx.call(inner, "go")
        return f"caught {type(caught.value.__cause__).__name__}"

    result = await runtime_of(outer, inner).call(outer, superuser())
    assert result.value() == "caught UnexpectedModelBehavior"


class Shorten(CallLayer):
    """Normalises what a worker gives."""

    def __call__(self, inner: CallService, /) -> CallService:
        async def shorten(call: Call, /) -> Reply:
            reply = await inner(call)
            return Reply.from_value(str(reply.value)[:4])

        return shorten


class Veto(CallLayer):
    """Refuses what a worker gives, where a rule of its own says so."""

    def __call__(self, inner: CallService, /) -> CallService:
        async def veto(call: Call, /) -> Reply:
            reply = await inner(call)
            if isinstance(reply.value, Found) and reply.value.words > 5:
                raise InvalidOutputError(f"{call.callee.name} found too many words")
            return reply

        return veto


async def test_a_layer_may_normalise_or_veto_what_pydantic_ai_took_for_valid() -> None:
    short = worker_of(Script("a long text").model).layer_around(Shorten())
    assert (await outcome_of(short, "go")).content == "a lo"
    few, many = (worker_of(Script(found(words=n)).model, output=Found).layer_around(Veto()) for n in (5, 6))
    assert (await outcome_of(few, "go")).value == Found(page="about", words=5)
    error = (await outcome_of(many, "go")).error
    assert (type(error), error and error.message) == (InvalidOutputError, "worker found too many words")


async def test_seconds_are_a_layer_that_can_be_seen() -> None:
    worker = worker_of(Script("done").model, limits=AgentLimits(seconds=3)).layer_around(Shorten())
    assert "Timeout(seconds=3" in repr(worker)
    assert "Timeout(seconds=3" in runtime_of(worker).dispatcher.draw_layers("", worker)


@pytest.mark.looptime
async def test_time_that_is_over_ends_its_calls_and_then_the_worker() -> None:
    @tool(effect=Effect.KEYED)
    async def wait(_ctx: LeafContext) -> str:
        """Wait for ever."""
        await asyncio.Event().wait()
        return ""

    worker = worker_of(Script([call("wait")]).model, wait, limits=AgentLimits(seconds=60))
    runtime = runtime_of(worker)
    result = await runtime.call(worker, superuser(), "go")
    assert result.reply is not None
    assert type(result.reply.error) is DeadlineError
    assert [item.callee for item in await filed(runtime.store, result.run, ToolOutput)] == ["wait", "worker"]
