"""PydanticAI's models of OpenAI's APIs, which send messages and tool schemas as Remit keeps them.

PydanticAI reads the fields of a message that it knows and drops the others. Here an answer keeps its message as
received in ``provider_details``, and later requests to the same model carry that text. Answers that PydanticAI cannot
read, such as one whose arguments are an object, are rewritten only for PydanticAI. Tools are sent with the schemas that
they declare.
"""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from functools import cache
from typing import Any, Final, TypeVar, cast

import httpx2
from openai import AsyncOpenAI
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from remit.chat.streaming import CURRENT_CHAT, AnswerSink, CurrentChat
from remit.chat.wire import (
    kept_details,
    read_tool_calls,
    received_message,
    rename_tool_calls,
    to_request_text,
    without_surrogates,
)
from remit.errors import ModelError
from remit.models.answer_stream import STREAM_FIELDS, AnswerStream, StreamCutError, refuses_streams
from remit.models.bounded_http import ask_uncompressed, is_event_stream, read_answer
from remit.models.chat_completion import CONTENT_FILTER, UNREADABLE
from remit.models.chat_response import read_response
from remit.models.model_origin import model_origin
from remit.models.readable_body import FILTERED, write_readable
from remit.models.reported_error import find_reported_error
from remit.schemas.jsontext import compact_json
from remit.schemas.raw_json import join_items, join_members, raw_items, raw_members

M = TypeVar("M", bound=Model)


@cache
def keeping_class(kind: type[M]) -> type[M]:
    """The class of a model of OpenAI's APIs that keeps messages and schemas."""
    base = _KeepingChat if issubclass(kind, OpenAIChatModel) else _DeclaredTools
    return cast("type[M]", type(f"Keeping{kind.__name__}", (base, kind), {}))


def keep_as_received(model: M) -> M:
    """A copy of a model of OpenAI's APIs that keeps messages and schemas; any other model unchanged."""
    if not isinstance(model, (OpenAIChatModel, OpenAIResponsesModel)) or isinstance(model, _DeclaredTools):
        return model
    kept = copy.copy(model)
    object.__setattr__(kept, "__class__", keeping_class(type(model)))
    return kept


class _DeclaredTools(Model[Any]):
    """Sends tools with their declared schemas, without ``properties`` for free-form objects.

    Answers are read within a limit; see `read_answer`.
    """

    @property
    def client(self) -> AsyncOpenAI:
        client: AsyncOpenAI = cast("Any", super()).client  # both APIs have one
        known: tuple[AsyncOpenAI, AsyncOpenAI] | None = getattr(self, "_keeping_client", None)
        if known is None or known[0] is not client:
            http = _KeepingHttp(client._client)  # pyright: ignore[reportPrivateUsage] - no public name
            known = self._keeping_client = (client, client.with_options(http_client=http))
        return known[1]

    def customize_request_parameters(self, model_request_parameters: ModelRequestParameters) -> ModelRequestParameters:
        changed = super().customize_request_parameters(model_request_parameters)
        declared = {each.name: each for each in model_request_parameters.function_tools if each.strict is False}
        return replace(changed, function_tools=[declared.get(each.name, each) for each in changed.function_tools])


class _Exchange:
    """One request and its answer in transit between PydanticAI and the endpoint."""

    def __init__(self) -> None:
        self.sent: list[tuple[dict[str, Any], str]] = []
        self.received = ""
        self.filtered: object = None

    def restore_messages(self, body: bytes) -> bytes:
        """The body with the messages as received, instead of those that PydanticAI's client wrote from them."""
        members, remaining = raw_members(body.decode()), list(self.sent)
        texts: list[str] = []
        for text in raw_items(members["messages"]):
            message: dict[str, Any] = json.loads(text)
            found = next((index for index, (parsed, _) in enumerate(remaining) if _is_same(parsed, message)), None)
            texts.append(text if found is None else remaining.pop(found)[1])
        return join_members({**members, "messages": join_items(texts)}).encode()

    def read(self, answer: bytes) -> bytes | None:
        """Keep the message of an answer. Returns the answer as PydanticAI reads it; None if a filter blocked it.

        Raises:
            ModelError: it is not a chat completion, or reports an error.
        """
        completion = read_response(answer, source="the endpoint")
        if completion.finish_reason == CONTENT_FILTER and find_reported_error(answer) is not None:
            return None
        self.received = completion.message
        body, self.filtered = write_readable(completion)
        return body


def _is_same(parsed: dict[str, Any], written: dict[str, Any]) -> bool:
    """Whether PydanticAI's text of a message equals the message, apart from added empty fields."""
    return parsed == {key: value for key, value in written.items() if value != "" or key in parsed}


class _KeepingRequest(CurrentChat, frozen=True, kw_only=True):
    """How a request is sent whose messages are kept."""

    exchange: _Exchange


def _current_exchange() -> _Exchange | None:
    chat = CURRENT_CHAT.get()
    return chat.exchange if isinstance(chat, _KeepingRequest) else None


class _KeepingChat(_DeclaredTools, OpenAIChatModel):
    """Keeps the messages of answers as received, and sends them back unchanged."""

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        exchange = _Exchange()
        token = CURRENT_CHAT.set(_KeepingRequest(sink=CURRENT_CHAT.get().sink, exchange=exchange))
        try:
            response = await super().request(messages, model_settings, model_request_parameters)
        finally:
            CURRENT_CHAT.reset(token)
        if exchange.filtered:
            details = {**(response.provider_details or {}), FILTERED: exchange.filtered}
            response = replace(response, provider_details=details)
        text = exchange.received
        ids = [part.tool_call_id for part in response.parts if isinstance(part, ToolCallPart)]
        if not text or (not ids and text == compact_json(super()._map_model_response(response))):
            return response  # PydanticAI returns it unchanged; with calls, it may add an empty `reasoning_content`
        message: dict[str, Any] = json.loads(text)
        if ids != [call.id for call in read_tool_calls(message)]:
            text = rename_tool_calls(text, iter(ids))
        details = {**(response.provider_details or {}), **kept_details(text, model_origin(self))}
        return replace(response, provider_details=details)

    def _map_model_response(self, message: ModelResponse) -> Any:
        text, origin = received_message(message.provider_details)
        exchange = _current_exchange()
        if not text or exchange is None:
            return super()._map_model_response(message)
        if origin != model_origin(self):
            return super()._map_model_response(_without_vendor(message))
        text = to_request_text(text)
        mapped = without_surrogates(json.loads(text))
        exchange.sent.append((mapped, text))
        return copy.deepcopy(mapped)


class _KeepingHttp(httpx2.AsyncClient):
    """Sends requests with the connections of another client, and keeps messages in both directions."""

    def __init__(self, inner: httpx2.AsyncClient) -> None:
        super().__init__(transport=httpx2.MockTransport(_refuse), trust_env=False, timeout=inner.timeout)
        self._inner = inner

    async def send(self, request: httpx2.Request, *, stream: bool = False, **options: Any) -> httpx2.Response:
        exchange = _current_exchange()
        if exchange is None or stream or not request.url.path.endswith("/chat/completions"):
            return await self._send(request, stream=stream, **options)
        if exchange.sent:
            headers = [(key, value) for key, value in request.headers.raw if key.lower() != b"content-length"]
            body = exchange.restore_messages(request.content)
            request = httpx2.Request(
                request.method, request.url, headers=headers, content=body, extensions=request.extensions
            )
        sink = CURRENT_CHAT.get().sink
        response = None if sink is None else await self._stream(sink, request, options)
        if response is None:
            response = await self._send(request, **options)
        if not response.is_success:
            return response
        headers = [(key, value) for key, value in response.headers.raw if key.lower() not in _REPLACED_HEADERS]
        headers.append((b"content-type", b"application/json"))
        try:
            content = exchange.read(response.content)
        except ModelError as error:  # `_find_own` finds it below the clients' errors; clients know this class
            raise httpx2.RemoteProtocolError(error.message, request=request) from error
        if content is None:  # PydanticAI treats it as a refusal
            return httpx2.Response(400, headers=headers, content=response.content, request=request)
        return httpx2.Response(response.status_code, headers=headers, content=content, request=request)

    async def _send(self, request: httpx2.Request, *, stream: bool = False, **options: Any) -> httpx2.Response:
        """Send a request with the other client; its answer is bounded, and no redirect is followed."""
        ask_uncompressed(request)
        options["follow_redirects"] = False
        return await read_answer(await self._inner.send(request, stream=True, **options), stream=stream)

    async def _stream(
        self, sink: AnswerSink, request: httpx2.Request, options: dict[str, Any]
    ) -> httpx2.Response | None:
        """Request a stream and join its events to one answer; None if the endpoint cannot stream."""
        sink.restart()  # the provider's client asks again after some failures
        body = b"%b,%b}" % (request.content.rstrip().removesuffix(b"}"), STREAM_FIELDS.encode())
        headers = [(key, value) for key, value in request.headers.raw if key.lower() != b"content-length"]
        streamed = httpx2.Request(
            request.method, request.url, headers=headers, content=body, extensions=request.extensions
        )
        response = await self._send(streamed, stream=True, **options)
        try:
            if not response.is_success or not is_event_stream(response):
                text = (await response.aread()).decode(errors="replace")
                return None if refuses_streams(response.status_code, text) else response
            answer = AnswerStream(sink)
            async for data in response.aiter_bytes():
                answer.add_bytes(data)
            joined = answer.body().encode(errors="surrogatepass")
        except (*UNREADABLE, StreamCutError) as error:
            raise httpx2.RemoteProtocolError(f"the stream is incomplete: {error}", request=request) from error
        finally:
            await response.aclose()
        kept = [(key, value) for key, value in response.headers.raw if key.lower() != b"content-type"]
        headers = [*kept, (b"content-type", b"application/json")]
        return httpx2.Response(response.status_code, headers=headers, content=joined, request=request)


def streams_itself(model: Model) -> bool:
    """Whether requests to a model stream if they are followed: `keep_as_received` made it send chat completions."""
    if isinstance(model, WrapperModel):
        return streams_itself(model.wrapped)
    return isinstance(model, (_KeepingChat, FallbackModel))


_REPLACED_HEADERS: Final = (b"content-length", b"content-type")


def _refuse(_request: httpx2.Request) -> httpx2.Response:
    raise AssertionError("requests go through the other client")


def _without_vendor(response: ModelResponse) -> ModelResponse:
    """The parts of another model's answer that every model knows."""
    parts = [
        replace(part, provider_name=None, provider_details=None)
        for part in response.parts
        if isinstance(part, (TextPart, ToolCallPart))
    ]
    return replace(response, parts=parts, provider_details=None)
