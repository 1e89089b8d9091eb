"""Messages of PydanticAI as wire texts of chat messages and back, part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

from pydantic_ai.messages import (
    BinaryContent,
    FinishReason,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    RetryFeedbackPart,
    SystemPromptPart,
    TextContent,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.usage import RequestUsage

from remit.agent.media import make_part
from remit.contracts.chat import Completion, ToolDefinitions, encode_message
from remit.contracts.estimate import PDF
from remit.contracts.settings import ModelSettings
from remit.errors import InvalidArgumentsError
from remit.journal.codec import RESULT_TOOL
from remit.models.pydantic_ai import response_text, to_model_messages, to_response

MessageUnit: TypeAlias = ModelRequestPart | ModelResponse
"""The part of PydanticAI's messages that corresponds to one chat message."""

OnUnsupported = Callable[[str], str]
"""What stands in a chat message for content that it cannot hold, given its kind; or an error."""

_FINISH_REASONS: Final[dict[str, FinishReason]] = {
    "stop": "stop",
    "length": "length",
    "content_filter": "content_filter",
    "tool_calls": "tool_call",
}


def refuse_content(kind: str) -> str:
    """Refuse content that chat messages cannot hold.

    Raises:
        InvalidArgumentsError: always.
    """
    raise InvalidArgumentsError(f"this model accepts text and images, but not {kind!r}; use a model that does")


def accept_pdfs(kind: str) -> str:
    """Have a PDF sent, and refuse other content that chat messages cannot hold.

    Raises:
        InvalidArgumentsError: it is other content.
    """
    return kind if kind == PDF else refuse_content(kind)


def system_text(messages: Sequence[ModelMessage], parameters: ModelRequestParameters) -> str:
    """All instructions and system prompts, as one text."""
    prompts = [unit.content for unit in split_messages(messages) if isinstance(unit, SystemPromptPart)]
    return "\n\n".join([*(part.content for part in parameters.instruction_parts or ()), *prompts])


def to_system_message(text: str) -> list[str]:
    """The wire text of the system message; none for an empty text."""
    return [encode_message({"role": "system", "content": text})] if text else []


def split_messages(messages: Iterable[ModelMessage]) -> Iterator[MessageUnit]:
    """The units of messages, in order."""
    for message in messages:
        yield from (message,) if isinstance(message, ModelResponse) else message.parts


def join_units(units: Iterable[MessageUnit]) -> list[ModelMessage]:
    """The messages made of units: neighbouring parts of requests form one request."""
    messages: list[ModelMessage] = []
    parts: list[ModelRequestPart] = []
    for unit in units:
        if not isinstance(unit, ModelResponse):
            parts.append(unit)
            continue
        if parts:
            messages.append(ModelRequest(parts=parts))
        messages.append(unit)
        parts = []
    return [*messages, ModelRequest(parts=parts)] if parts else messages


def messages_to_wire(
    messages: Sequence[ModelMessage], parameters: ModelRequestParameters, on_unsupported: OnUnsupported
) -> list[str]:
    """The wire texts of messages; all that is for the system stands first, as one message."""
    units = [unit for unit in split_messages(messages) if not isinstance(unit, SystemPromptPart)]
    texts = [unit_to_wire(unit, on_unsupported) for unit in units]
    return [*to_system_message(system_text(messages, parameters)), *texts]


def change_units(units: Sequence[MessageUnit], known: Sequence[str], texts: Sequence[str]) -> list[ModelMessage]:
    """The messages of changed texts. ``known`` are the texts of ``units``.

    A text that was there before, in the same order, stands for the unit that it had stood for.
    """
    changed, start = list(split_messages(to_model_messages(texts))), 0
    for index, text in enumerate(texts):
        found = next((each for each in range(start, len(known)) if known[each] == text), None)
        if found is not None:
            changed[index], start = units[found], found + 1
    return join_units(changed)


def unit_to_wire(unit: MessageUnit, on_unsupported: OnUnsupported) -> str:
    """The wire text of a unit."""
    match unit:
        case ModelResponse():
            return response_text(unit)
        case UserPromptPart():
            return encode_message({"role": "user", "content": _content_to_wire(unit.content, on_unsupported)})
        case ToolReturnPart():
            content = unit.model_response_str()
            return encode_message({"role": "tool", "tool_call_id": unit.tool_call_id, "content": content})
        case RetryFeedbackPart():
            return encode_message({"role": "user", "content": unit.model_response()})
        case _:
            return encode_message({"role": "user", "content": on_unsupported(unit.part_kind)})


def tools_to_wire(parameters: ModelRequestParameters) -> ToolDefinitions:
    """The definitions of all tools, those for results last."""
    return ToolDefinitions(map(_tool_to_wire, (*parameters.function_tools, *parameters.output_tools)))


def with_schema(settings: ModelSettings, parameters: ModelRequestParameters) -> ModelSettings:
    """The settings of a chat request with the JSON schema of its answer, if the request has one."""
    wanted = parameters.output_object
    if parameters.output_mode != "native" or wanted is None:
        return settings
    schema = {"name": wanted.name or RESULT_TOOL, "schema": wanted.json_schema}
    return settings.update(response_format={"type": "json_schema", "json_schema": schema})


def completion_to_response(completion: Completion) -> ModelResponse:
    """The response that says what a completion says."""
    return replace(
        to_response(completion.message),
        usage=RequestUsage(
            input_tokens=completion.prompt_tokens,
            output_tokens=completion.completion_tokens,
            cache_read_tokens=completion.cached_tokens,
            details={"reasoning_tokens": completion.reasoning_tokens} if completion.reasoning_tokens else {},
        ),
        model_name=completion.model,
        finish_reason=_FINISH_REASONS.get(completion.finish_reason),
    )


def _tool_to_wire(tool: ToolDefinition) -> dict[str, Any]:
    function = {
        "name": tool.name,
        "description": tool.description or "",
        "parameters": tool.parameters_json_schema,
    }
    return {"type": "function", "function": function}


def _content_to_wire(content: str | Sequence[UserContent], on_unsupported: OnUnsupported) -> str | list[dict[str, Any]]:
    return content if isinstance(content, str) else [_content_part_to_wire(each, on_unsupported) for each in content]


def _content_part_to_wire(content: UserContent, on_unsupported: OnUnsupported) -> dict[str, Any]:
    if isinstance(content, (str, TextContent)):
        return {"type": "text", "text": content if isinstance(content, str) else content.content}
    if isinstance(content, BinaryContent) and content.is_image:
        return make_part(content.media_type, content.base64)
    if isinstance(content, BinaryContent) and content.media_type == PDF:
        text = on_unsupported(PDF)
        return make_part(PDF, content.base64) if text == PDF else {"type": "text", "text": text}
    if isinstance(content, BinaryContent) and content.media_type.startswith("text/"):
        return {"type": "text", "text": content.data.decode(errors="replace")}
    return {"type": "text", "text": on_unsupported(content.kind)}
