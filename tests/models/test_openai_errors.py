"""Every way in which the official client can fail is one `ModelError`, in one line."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, cast

import httpx2
import openai
import pytest
from openai.types.chat import ChatCompletion
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from remit.chat.chat import ChatRequest, Completion, History
from remit.errors import (
    CompletionError,
    ContextLengthError,
    ModelAccessError,
    ModelBusyError,
    ModelError,
    ModelRefusedError,
    ModelUnavailableError,
    SetupError,
)
from remit.models import PydanticAIModel
from remit.models.openai import OpenAI
from remit.testing import read_only_ledger
from tests.loopback import Endpoint, answering, serve

REQUEST = ChatRequest(
    agent_call_id="agent", turn=1, ledger=read_only_ledger(()), history=History(['{"role":"user","content":"go"}'])
)
HELLO = '{"choices":[{"message":{"role":"assistant","content":"hello"}}]}'

STATUS: dict[int, type[ModelError]] = {
    302: ModelAccessError,
    400: ModelRefusedError,
    401: ModelAccessError,
    402: ModelAccessError,
    403: ModelAccessError,
    404: ModelAccessError,
    408: ModelBusyError,
    409: ModelBusyError,
    413: ContextLengthError,
    418: ModelUnavailableError,
    422: ModelRefusedError,
    425: ModelBusyError,
    429: ModelBusyError,
    500: ModelUnavailableError,
    502: ModelUnavailableError,
    503: ModelUnavailableError,
    529: ModelUnavailableError,
}


async def ask(endpoint: Endpoint) -> Completion:
    async with OpenAI("m", base_url=endpoint.url, api_key="canary") as model:
        return await model(REQUEST)


@pytest.mark.parametrize("status", STATUS)
async def test_a_status_is_busy_refused_or_failing_and_is_asked_once(status: int) -> None:
    body = json.dumps({"error": {"message": "because\nof that " + "x" * 5_000}})
    async with Endpoint(answering(status, body)) as endpoint:
        said = "a redirect, which is not followed" if status == 302 else "because"
        with pytest.raises(ModelError, match=f"m at http://127.0.0.1:.* answered {status}: .*{said}") as raised:
            await ask(endpoint)
    error = raised.value
    assert type(error) is STATUS[status]
    assert error.retryable is (type(error) not in (ContextLengthError, ModelAccessError, ModelRefusedError))
    assert "\n" not in error.message
    assert len(error.message) < 500
    assert "canary" not in error.message
    assert len(endpoint.received) == 1


@pytest.mark.parametrize("body", ['{"error":"this model does not support tools"}', "this model does not support tools"])
async def test_the_reason_of_a_refusal_is_told_however_it_is_written(body: str) -> None:
    async with Endpoint(answering(400, body)) as endpoint:
        with pytest.raises(ModelAccessError, match=r"answered 400: .*this model does not support tools"):
            await ask(endpoint)


REPORTED: dict[str, type[ModelError]] = {
    '{"error": {"code": 429, "message": "because"}, "user_id": "u"}': ModelBusyError,
    '{"error": {"code": "502", "message": "because"}}': ModelUnavailableError,
    '{"error": {"type": "overloaded_error", "message": "because"}}': ModelBusyError,
    '{"error": {"code": "server_error", "message": "because"}}': ModelUnavailableError,
    '{"error": {"code": 402, "message": "because"}, "choices": []}': ModelAccessError,
    '{"error": {"code": 7, "message": "because"}}': ModelUnavailableError,
    '{"error": {"code": 400, "message": "because"}}': ModelRefusedError,
    '{"error": "because"}': ModelUnavailableError,
    '{"choices": [{"error": {"code": 502, "message": "because"}, "finish_reason": "error",'
    ' "message": {"role": "assistant", "content": "half"}}]}': ModelUnavailableError,
}


@pytest.mark.parametrize("is_pydantic", [False, True], ids=["native", "PydanticAI"])
@pytest.mark.parametrize("body", REPORTED)
async def test_an_error_in_a_successful_response_is_the_error_that_it_says(body: str, is_pydantic: bool) -> None:
    async with (
        Endpoint(answering(200, body)) as endpoint,
        openai.AsyncOpenAI(base_url=endpoint.url, api_key="k", max_retries=0) as client,
    ):
        foreign = PydanticAIModel(OpenAIChatModel("m", provider=OpenAIProvider(openai_client=client)))
        with pytest.raises(ModelError, match="because") as raised:
            await (foreign(REQUEST) if is_pydantic else ask(endpoint))
    assert type(raised.value) is REPORTED[body]


@pytest.mark.parametrize("body", ['{"error": null, ', '{"note": "\\"error\\"", '])
async def test_an_answer_that_names_no_error_is_one(body: str) -> None:
    async with Endpoint(answering(200, body + HELLO[1:])) as endpoint:
        assert (await ask(endpoint)).content == "hello"


async def test_an_endpoint_that_is_not_running_is_named() -> None:
    async with Endpoint(answering(200, HELLO)) as endpoint:
        pass
    with pytest.raises(ModelError, match=r"cannot be reached: .*; is the endpoint running") as raised:
        await ask(endpoint)
    assert raised.value.retryable
    assert isinstance(raised.value.__cause__, openai.APIConnectionError)


async def test_an_endpoint_that_does_not_answer_in_time_is_left() -> None:
    async def silent(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async with (
        serve(silent) as port,
        OpenAI("m", base_url=f"http://127.0.0.1:{port}/v1", api_key="k", timeout=0.05) as model,
    ):
        with pytest.raises(ModelUnavailableError, match=r"did not finish its answer within 0\.05 seconds"):
            await model(REQUEST)


async def test_an_endpoint_that_hangs_up_in_the_middle_is_a_model_error() -> None:
    async def rude(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 X\r\ncontent-length: 100\r\n\r\n{")

    async with serve(rude) as port, OpenAI("m", base_url=f"http://127.0.0.1:{port}/v1", api_key="k") as model:
        with pytest.raises(ModelError):
            await model(REQUEST)


def every_kind(root: type[openai.OpenAIError] = openai.OpenAIError) -> list[type[openai.OpenAIError]]:
    """Every class of the installed client's tree, the private ones too; other packages derive classes of their own."""
    children = [each for each in root.__subclasses__() if each.__module__.startswith("openai")]
    return [root, *(kind for child in children for kind in every_kind(child))]


SENT = httpx2.Request("POST", "http://127.0.0.1:1/v1/chat/completions")
OTHERS: dict[str, dict[str, Any]] = {
    "SubjectTokenProviderError": {"message": "no"},
    "LengthFinishReasonError": {
        "completion": ChatCompletion(id="c", choices=[], created=0, model="m", object="chat.completion")
    },
    "WebSocketConnectionClosedError": {"message": "no", "unsent_messages": []},
    "APIRemovedInV1": {"symbol": "ChatCompletion"},
}


def made(kind: type[openai.OpenAIError]) -> openai.OpenAIError:
    """One error of that class, with whatever its constructor takes."""
    make = cast("Callable[..., openai.OpenAIError]", kind)
    if issubclass(kind, (openai.APIStatusError, openai.APIResponseValidationError)):
        status = vars(kind).get("status_code")
        response = httpx2.Response(status if isinstance(status, int) else 500, request=SENT)
        said = {} if issubclass(kind, openai.OAuthError) else {"message": "no"}
        return make(response=response, body=None, **said)
    if issubclass(kind, openai.APIConnectionError):
        return make(request=SENT)
    if issubclass(kind, openai.APIError):
        return make("no", SENT, body=None)
    return make(**OTHERS.get(kind.__name__, {}))


@pytest.mark.parametrize("kind", every_kind(), ids=lambda kind: kind.__name__)
async def test_every_error_of_the_client_is_one_of_ours(
    kind: type[openai.OpenAIError], monkeypatch: pytest.MonkeyPatch
) -> None:
    error = made(kind)

    async def failing(*_: object, **__: object) -> bytes:
        raise error

    monkeypatch.setattr(openai.AsyncOpenAI, "post", failing)
    async with OpenAI("m", base_url="http://127.0.0.1:1/v1", api_key="canary") as model:
        with pytest.raises(ModelError, match=r"m at http://127.0.0.1:1/v1/") as raised:
            await model(REQUEST)
    assert raised.value.__cause__ is error
    assert "\n" not in raised.value.message
    assert "canary" not in raised.value.message
    if isinstance(error, openai.APIStatusError):
        assert type(raised.value) is {400: CompletionError, 422: CompletionError}.get(  # it says nothing
            error.status_code, STATUS[error.status_code]
        )


def test_the_walk_finds_the_classes_that_matter() -> None:
    assert {openai.RateLimitError, openai.APITimeoutError, openai.OAuthError} <= set(every_kind())


async def test_a_key_that_no_header_can_hold_is_one_clear_error() -> None:
    async with Endpoint(answering(200, HELLO)) as endpoint:
        with pytest.raises((ModelError, SetupError)):
            async with OpenAI("m", base_url=endpoint.url, api_key="schlüssel") as model:
                await model(REQUEST)


ADDRESSES = [
    "127.0.0.1:8000/v1",
    "nowhere",
    "ftp://127.0.0.1/v1",
    "http://[::1/v1",
    "http://127.0.0.1:port/v1",
]


@pytest.mark.parametrize("url", ADDRESSES)
async def test_an_address_that_is_none_is_one_clear_error(url: str) -> None:
    with pytest.raises((ModelError, SetupError)):
        async with OpenAI("m", base_url=url, api_key="k") as model:
            await model(REQUEST)


async def test_a_request_that_is_cancelled_is_cancelled() -> None:
    asked = asyncio.Event()

    async def silent(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        asked.set()
        await reader.read()

    async with serve(silent) as port, OpenAI("m", base_url=f"http://127.0.0.1:{port}/v1", api_key="k") as model:
        asking = asyncio.create_task(model(REQUEST))
        await asked.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking


@pytest.mark.parametrize("streams", [False, True], ids=["plain", "streamed"])
@pytest.mark.parametrize("kind", [b"application/json", b"text/event-stream"])
async def test_an_answer_that_drips_ends_when_the_time_for_the_whole_request_is_over(
    streams: bool, kind: bytes
) -> None:
    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 X\r\ncontent-type: %b\r\nconnection: close\r\n\r\n" % kind)
        while True:
            writer.write(b" " if kind == b"application/json" else b": \n")
            await writer.drain()
            await asyncio.sleep(0.01)

    async with (
        serve(drip) as port,
        OpenAI("m", base_url=f"http://127.0.0.1:{port}/v1", api_key="k", timeout=0.3, trust_env=False) as model,
    ):
        with pytest.raises(ModelUnavailableError, match=r"m at http.* did not finish its answer within 0\.3 seconds"):
            await (model.stream(REQUEST, lambda _delta: None) if streams else model(REQUEST))
