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
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from remit.chat.chat import ChatRequest, Completion, History, encode_message
from remit.errors import (
    CompletionError,
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
    foreign.ModelAPIError: ModelUnavailableError,
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
    expected = KINDS.get(public, ModelUnavailableError if passes else ModelError)
    if issubclass(kind, foreign.ModelHTTPError) and expected not in (ModelAccessError, ContextLengthError):
        expected = ModelUnavailableError  # by its status, which is 503
    assert type(raised.value) is expected


def test_the_walk_finds_the_classes_that_matter() -> None:
    assert set(KINDS) | {foreign.ModelHTTPError, foreign.ModelTimeoutError} <= set(every_kind())


@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, ModelRefusedError), (413, ContextLengthError), (424, ModelUnavailableError)]
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


HELLO = {"role": "assistant", "content": "hello"}
USAGE = {
    "prompt_tokens": 9.0,
    "completion_tokens": 8.0,
    "prompt_tokens_details": {"cached_tokens": 7.0},
    "completion_tokens_details": {"reasoning_tokens": 6.0},
}


async def ask_chat(status: int, body: object) -> Completion:
    text = body if isinstance(body, str) else json.dumps(body)
    async with Endpoint(answering(status, text)) as endpoint:
        provider = OpenAIProvider(base_url=endpoint.url, api_key="k")
        async with PydanticAIModel(OpenAIChatModel("m", provider=provider)) as model:
            return await model(request())


@pytest.mark.parametrize(
    ("status", "body", "kind", "said"),
    [
        (
            200,
            {"choices": None},
            CompletionError,
            "the endpoint: the model's answer is not a chat completion; it begins",
        ),
        (
            200,
            "<html>",
            CompletionError,
            "the endpoint: the model's answer is not a chat completion; it begins: <html>",
        ),
        (200, {"error": "boom"}, ModelUnavailableError, "the endpoint answered 200 with an error: boom"),
        (200, {"error": {"code": 402, "message": "pay"}}, ModelAccessError, "answered 200 with error 402: pay"),
        (400, "<html>", CompletionError, "ModelRequestRejectedError: status_code: 400"),
        (400, {"error": {"message": "API key not valid"}}, ModelAccessError, "API key not valid"),
        (400, {"error": {"message": "no", "code": "rate_limit_exceeded"}}, ModelBusyError, "try again later"),
        (403, {"error": {"message": "no"}}, ModelAccessError, "403"),
        (413, "<html>", ContextLengthError, "413"),
        (500, {"error": {"message": "context shift is disabled"}}, ContextLengthError, "context shift"),
    ],
)
async def test_an_error_is_what_the_model_of_remit_makes_of_it(
    status: int, body: object, kind: type[ModelError], said: str
) -> None:
    with pytest.raises(ModelError, match=f"^m of openai: .*{said}") as raised:
        await ask_chat(status, body)
    assert type(raised.value) is kind
    assert "NoneType" not in raised.value.message


@pytest.mark.parametrize("status", [200, 400])
async def test_a_filter_is_known_in_a_success_too(status: int) -> None:
    answer = await ask_chat(status, {"error": {"message": "held back", "code": "data_inspection_failed"}})
    assert (answer.content, answer.finish_reason) == (None, "content_filter")
    assert "held back" in answer.response


async def test_a_field_that_is_nested_too_deeply_is_read_as_null() -> None:
    nested = json.loads("[" * 600 + "]" * 600)
    message = {**HELLO, "extra": {"deep": nested, "flat": [1]}}
    read = await ask_chat(200, {"choices": [{"message": message, "finish_reason": "stop"}], "usage": USAGE})
    assert read.content == "hello"
    assert '"flat": [1]' in read.message
    assert read.message.count("[") < 100


async def test_tokens_that_are_written_as_fractions_are_counted() -> None:
    read = await ask_chat(200, {"choices": [{"message": HELLO, "finish_reason": "stop"}], "usage": USAGE})
    assert (read.prompt_tokens, read.completion_tokens, read.cached_tokens, read.reasoning_tokens) == (9, 8, 7, 6)


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


def anthropic_error(kind: str, said: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": said}, "request_id": "r"}


async def ask_anthropic(status: int, body: object) -> Completion:
    # The client loads 1,000 modules: not in every process that collects this test.
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    text = body if isinstance(body, str) else json.dumps(body)
    async with Endpoint(answering(status, text)) as endpoint:
        provider = AnthropicProvider(base_url=endpoint.url, api_key="k")
        async with PydanticAIModel(AnthropicModel("m", provider=provider)) as model:
            return await model(request())


ANTHROPIC: list[tuple[int, object, type[ModelError]]] = [
    (529, anthropic_error("overloaded_error", "Overloaded"), ModelBusyError),
    (500, anthropic_error("api_error", "Internal server error"), ModelUnavailableError),
    (400, anthropic_error("invalid_request_error", "Your credit balance is too low"), ModelAccessError),
    (401, anthropic_error("authentication_error", "invalid x-api-key"), ModelAccessError),
    (404, anthropic_error("not_found_error", "model: m"), ModelAccessError),
    (400, anthropic_error("invalid_request_error", "prompt is too long: 9 tokens > 8 maximum"), ContextLengthError),
    (413, anthropic_error("request_too_large", "Request exceeds the maximum size"), ContextLengthError),
    (400, anthropic_error("invalid_request_error", "messages.1: content must not be empty"), ModelRefusedError),
    (200, anthropic_error("api_error", "Internal server error"), CompletionError),
    (200, {"id": "x"}, CompletionError),
    (200, "<html>", ModelUnavailableError),
    (400, "<html>", CompletionError),
]


@pytest.mark.parametrize(("status", "body", "kind"), ANTHROPIC, ids=range(len(ANTHROPIC)))
async def test_an_error_of_anthropics_api_counts_by_the_same_table(
    status: int, body: object, kind: type[ModelError]
) -> None:
    with pytest.raises(ModelError, match=r"^m of anthropic: ") as raised:
        await ask_anthropic(status, body)
    assert type(raised.value) is kind


async def test_what_anthropics_filter_holds_back_is_answered() -> None:
    body = anthropic_error("invalid_request_error", "Output blocked by content filtering policy")
    assert (await ask_anthropic(400, body)).finish_reason == "content_filter"


@pytest.mark.parametrize(("status", "kind"), [(503, ModelUnavailableError), (422, ModelRefusedError)])
async def test_fallbacks_that_all_fail_are_told_by_the_first_error_that_ends_a_run(
    status: int, kind: type[ModelError]
) -> None:
    def fail(_messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        raise foreign.ModelHTTPError(status, "m", {"message": "no"})

    def rest(_messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        raise foreign.ModelHTTPError(503, "m", {"message": "no"})

    with pytest.raises(ModelError) as raised:
        await PydanticAIModel(FallbackModel(FunctionModel(rest), FunctionModel(fail)))(request())
    assert type(raised.value) is kind


class GatewayError(Exception):
    """An error of an HTTP client below PydanticAI."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(said)
        self.status, self.headers = status, {"retry-after": "7"}


async def test_an_error_of_another_client_counts_by_its_status_and_words() -> None:
    for status, said, kind in ((503, "no", ModelUnavailableError), (400, "prompt is too long", ContextLengthError)):
        with pytest.raises(ModelError) as raised:
            await failing(GatewayError(status, said))
        assert (type(raised.value), raised.value.retry_after) == (kind, 7.0)


async def test_the_time_that_a_provider_asks_to_wait_is_kept() -> None:
    with pytest.raises(ModelBusyError) as raised:
        await failing(foreign.ModelHTTPError(429, "m", None, headers={"Retry-After": "7"}))
    assert raised.value.retry_after == 7.0
