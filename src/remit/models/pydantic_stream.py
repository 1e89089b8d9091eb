"""Requests to PydanticAI's models, which stream if the answer is followed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, Literal

from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.settings import ModelSettings

from remit.chat.streaming import CURRENT_CHAT, AnswerSink, Delta
from remit.models.answer_stream import StreamCutError
from remit.models.raw_chat import streams_itself
from remit.schemas.jsontext import compact_json


async def ask_pydantic_model(
    model: Model,
    messages: Sequence[ModelMessage],
    settings: ModelSettings | None,
    parameters: ModelRequestParameters,
    *,
    instrument: Literal[False] | None = False,
) -> ModelResponse:
    """Send one request. The model streams if it can and if the answer is followed."""
    sink = CURRENT_CHAT.get().sink
    options: dict[str, Any] = {
        "model_settings": settings,
        "model_request_parameters": parameters,
        "instrument": instrument,
    }
    if sink is None or streams_itself(model) or not _can_stream(model):
        return await model_request(model, messages, **options)
    async with model_request_stream(model, messages, **options) as stream:
        await _report(stream, sink)
        response = stream.get()
    is_whole = response.finish_reason or "finish_reason" in (response.provider_details or {})
    if not is_whole and not isinstance(model, (FunctionModel, TestModel)):
        raise StreamCutError("the answer was cut off")
    return response


async def ask_until_complete(
    model: Model,
    messages: Sequence[ModelMessage],
    settings: ModelSettings | None,
    parameters: ModelRequestParameters,
) -> ModelResponse:
    """Send requests until the provider no longer pauses its answer. Returns the whole answer with its total usage."""
    response = await ask_pydantic_model(model, messages, settings, parameters, instrument=None)
    for _ in range(_MAX_PAUSES):
        if (response.provider_details or {}).get("finish_reason") != "pause_turn":
            break
        more = await ask_pydantic_model(model, [*messages, response], settings, parameters, instrument=None)
        response = replace(more, parts=[*response.parts, *more.parts], usage=response.usage + more.usage)
    return response


_MAX_PAUSES: Final = 16
"""How many times a provider may pause one answer."""


def _can_stream(model: Model) -> bool:
    if isinstance(model, FunctionModel):
        return model.stream_function is not None
    return type(model).request_stream is not Model.request_stream


async def _report(stream: StreamedResponse, sink: AnswerSink) -> None:
    """Report the text and the arguments of calls in a stream."""
    calls: dict[int, tuple[int, str]] = {}
    async for event in stream:
        if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
            sink(Delta(event.part.content))
        elif isinstance(event, PartStartEvent) and isinstance(event.part, ToolCallPart):
            calls[event.index] = (len(calls), event.part.tool_name)
            sink(_arguments(event.part.args, calls[event.index]))
        elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
            sink(Delta(event.delta.content_delta))
        elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, ToolCallPartDelta):
            sink(_arguments(event.delta.args_delta, calls.get(event.index, (0, ""))))


def _arguments(value: object, call: tuple[int, str]) -> Delta:
    text = value if isinstance(value, str) else compact_json(value) if value else ""
    return Delta(text, "arguments", *call)
