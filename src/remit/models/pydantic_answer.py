"""Converts answers of PydanticAI's models to the types that PydanticAI declares, whatever an endpoint sends.

PydanticAI does not check the values from providers' clients. A value of the wrong type would break parsing of the
answer or of every later request of its conversation.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, cast

from pydantic import TypeAdapter
from pydantic_ai.messages import ModelResponse, ModelResponsePart, TextPart, ThinkingPart, ToolCallPart
from pydantic_core import PydanticSerializationError

from remit.chat.wire import escape_surrogates, has_surrogates, without_surrogates
from remit.errors import CompletionError
from remit.schemas.jsontext import compact_json

RESPONSES: Final = TypeAdapter(ModelResponse)
"""Reads and writes responses as JSON."""


def write_response(response: ModelResponse) -> tuple[ModelResponse, str]:
    """The response with the declared types, and its JSON. Lone surrogates become U+FFFD, or escapes in arguments.

    Raises:
        CompletionError: JSON cannot hold the answer.
    """
    response = replace(response, parts=[_read_part(part) for part in response.parts])
    try:
        return response, RESPONSES.dump_json(response).decode()
    except PydanticSerializationError:
        values = without_surrogates(RESPONSES.dump_python(response, mode="json"))
    try:
        response = RESPONSES.validate_python(values)
        return response, RESPONSES.dump_json(response).decode()
    except (PydanticSerializationError, ValueError) as error:
        raise CompletionError(f"JSON cannot hold the model's answer: {error}") from error


def _read_part(part: ModelResponsePart) -> ModelResponsePart:
    """Convert the values of a part to texts: an empty text for None, and JSON for all other values."""
    if isinstance(part, (TextPart, ThinkingPart)):
        return replace(part, content=_as_text(part.content))
    if not isinstance(part, ToolCallPart):
        return part
    arguments = cast("Any", part.args)
    if arguments is not None and not isinstance(arguments, (str, dict)):
        arguments = compact_json(arguments)
    if has_surrogates(text := _as_text(cast("object", arguments))):
        arguments = escape_surrogates(text)
    return replace(part, tool_name=_as_text(part.tool_name), tool_call_id=_as_text(part.tool_call_id), args=arguments)


def _as_text(value: object) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else compact_json(cast("Any", value))
