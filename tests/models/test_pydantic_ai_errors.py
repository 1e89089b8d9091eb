"""Every way in which PydanticAI can fail is one `ModelError`, in one line."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from typing import Any, cast

import pytest
from pydantic_ai import exceptions as foreign
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    ToolReturnPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from remit.contracts.chat import ChatRequest, Completion, History, encode_message
from remit.errors import (
    ContextLengthError,
    ModelAccessError,
    ModelBusyError,
    ModelError,
    ModelRefusedError,
    ModelUnavailableError,
)
from remit.models.pydantic_ai import PydanticAIModel
from remit.testing import read_only_ledger
from tests.loopback import Endpoint, answering

USER = encode_message({"role": "user", "content": "go"})


def request(*texts: str, **knobs: Any) -> ChatRequest:
    return ChatRequest(
        agent_call_id="agent", turn=1, ledger=read_only_ledger(()), history=History(texts or (USER,)), **knobs
    )


async def failing(error: Exception) -> Completion:
    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        raise error

    return await PydanticAIModel(FunctionModel(answer))(request())


def every_kind(root: type[Exception] = Exception) -> list[type[Exception]]:
    """Every exception of the installed PydanticAI, the private ones too."""
    kinds = [kind for _, kind in inspect.getmembers(foreign, inspect.isclass) if issubclass(kind, root)]
    return [kind for kind in kinds if kind.__module__ == foreign.__name__ and not issubclass(kind, Warning)]


KINDS: dict[type[Exception], type[ModelError]] = {
    foreign.ModelRateLimitError: ModelBusyError,
    foreign.ModelUnavailableError: ModelBusyError,
    foreign.ModelOverloadedError: ModelBusyError,
    foreign.ConcurrencyLimitExceeded: ModelBusyError,
    foreign.ModelServerError: ModelUnavailableError,
    foreign.ModelConnectionError: ModelUnavailableError,
    foreign.ModelQuotaExceededError: ModelAccessError,
    foreign.ModelRequestRejectedError: ModelRefusedError,
    foreign.ModelAuthenticationError: ModelAccessError,
    foreign.ModelNotFoundError: ModelAccessError,
    foreign.ModelContextWindowExceededError: ContextLengthError,
    foreign.UserError: ModelRefusedError,
    foreign.UndrainedPendingMessagesError: ModelRefusedError,
    foreign.UnexpectedModelBehavior: ModelUnavailableError,
    foreign.OutputTokenLimitExceeded: ModelUnavailableError,
    foreign.IncompleteToolCall: ModelUnavailableError,
}


def made(kind: type[Exception]) -> Exception:
    """One error of that class, with whatever its constructor takes."""
    make = cast("Callable[..., Exception]", kind)
    values: dict[str, Any] = {
        "message": "no",
        "model_name": "m",
        "status_code": 503,
        "timeout": 1.0,
        "response": ModelResponse(parts=[]),
        "validated_args": {},
        "result": None,
        "tool_retry": ToolReturnPart("f", "no", "a"),
        "tool_failed": ToolReturnPart("f", "no", "a"),
        "exceptions": [ValueError("no")],
    }
    if issubclass(kind, ExceptionGroup):
        return make("no", [ValueError("no")])
    needed = [
        name
        for name, parameter in inspect.signature(make).parameters.items()
        if parameter.default is inspect.Parameter.empty and parameter.kind is not inspect.Parameter.VAR_POSITIONAL
    ]
    return make(**{name: values[name] for name in needed if name in values})


UNFILTERED = [kind for kind in every_kind() if kind is not foreign.ContentFilterError]


async def test_a_request_that_a_filter_holds_back_is_answered_with_what_the_filter_said() -> None:
    answer = await failing(foreign.ContentFilterError("filtered", '{"violence": {"filtered": true}}'))
    assert (answer.content, answer.finish_reason) == (None, "content_filter")
    assert json.loads(answer.response) == {"violence": {"filtered": True}}


@pytest.mark.parametrize("kind", UNFILTERED, ids=lambda kind: "-".join(each.__name__ for each in kind.__mro__[:2]))
async def test_every_error_of_pydantic_ai_but_of_a_filter_is_one_of_ours(kind: type[Exception]) -> None:
    error = made(kind)
    with pytest.raises(ModelError, match=r"^function:") as raised:
        await failing(error)
    assert raised.value.__cause__ is error
    assert "\n" not in raised.value.message
    public = next(each for each in kind.__mro__ if each in KINDS or each is Exception)
    passes = issubclass(kind, (foreign.ModelHTTPError, TimeoutError))
    other = ModelUnavailableError if passes else ModelError
    assert type(raised.value) is KINDS.get(public, other)


def test_the_walk_finds_the_classes_that_matter() -> None:
    assert set(KINDS) | {foreign.ModelHTTPError, foreign.ModelTimeoutError} <= set(every_kind())


@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, ModelRefusedError), (413, ModelRefusedError)]
    + [(status, ModelAccessError) for status in (401, 402, 403, 404)]
    + [(status, ModelBusyError) for status in (408, 409, 425, 429)]
    + [(500, ModelUnavailableError), (502, ModelUnavailableError)],
)
async def test_a_status_is_busy_refused_or_failing(status: int, kind: type[ModelError]) -> None:
    with pytest.raises(ModelError) as raised:
        await failing(foreign.ModelHTTPError(status, "m", {"message": "x" * 5_000}))
    assert type(raised.value) is kind
    assert len(raised.value.message) < 500


async def test_a_provider_s_own_status_is_told_by_its_client() -> None:
    async with Endpoint(answering(401, '{"error":{"message":"bad key"}}')) as endpoint:
        provider = OpenAIProvider(base_url=endpoint.url, api_key="canary")
        async with PydanticAIModel(OpenAIChatModel("m", provider=provider)) as model:
            with pytest.raises(ModelAccessError, match=r"m of openai: .*401.*bad key") as raised:
                await model(request())
    assert "canary" not in raised.value.message


async def test_a_redirect_is_told_and_not_followed() -> None:
    async with Endpoint(answering(302, "")) as endpoint:
        provider = OpenAIProvider(base_url=endpoint.url, api_key="k")
        async with PydanticAIModel(OpenAIChatModel("m", provider=provider)) as model:
            with pytest.raises(ModelAccessError, match=r"m of openai: .*302, a redirect, which is not followed"):
                await model(request())
    assert len(endpoint.received) == 1


async def test_an_unexpected_error_is_a_model_error_and_not_retried() -> None:
    with pytest.raises(ModelError, match="ZeroDivisionError: division by zero") as raised:
        await failing(ZeroDivisionError("division by zero"))
    assert not raised.value.retryable


@pytest.mark.parametrize("error", [ConnectionResetError("cut"), TimeoutError()], ids=repr)
async def test_an_error_of_the_connection_says_that_the_model_is_unavailable(error: Exception) -> None:
    with pytest.raises(ModelUnavailableError):
        await failing(error)


async def test_the_time_that_a_provider_asks_to_wait_is_kept() -> None:
    with pytest.raises(ModelBusyError) as raised:
        await failing(foreign.ModelHTTPError(429, "m", None, headers={"Retry-After": "7"}))
    assert raised.value.retry_after == 7.0
