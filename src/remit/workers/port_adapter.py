"""Adapts a model of Remit's port to PydanticAI, so that local and scripted models work with its driver."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from pydantic_ai.messages import (
    BinaryContent,
    FinishReason,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponsePart,
    RetryFeedbackPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.usage import RequestUsage

from remit.agent.model import Model as Port
from remit.agent.model import NamedModel
from remit.contracts.callee import Frame
from remit.contracts.chat import ChatRequest, Completion, History, ToolDefinitions, encode_message
from remit.errors import InvalidArgumentsError
from remit.workers.toolset import get_arguments_text

_FINISH_REASONS: Final[dict[str, FinishReason]] = {
    "stop": "stop",
    "length": "length",
    "content_filter": "content_filter",
    "tool_calls": "tool_call",
}


class ModelPortAdapter(Model):
    """A model for one task of an agent. Sends each request to ``port``, with the frame of the task."""

    def __init__(self, port: Port, frame: Frame, first_turn: int = 1) -> None:
        super().__init__(settings=ModelSettings(framing_announcement="never"))
        self.port = port
        self._frame = frame
        self._turn = first_turn - 1

    @property
    def model_name(self) -> str:
        """The name of the port's model, if it has one."""
        return self.port.model if isinstance(self.port, NamedModel) else type(self.port).__name__

    @property
    def system(self) -> str:
        """The provider of the port's model, if it names one."""
        return self.port.vendor if isinstance(self.port, NamedModel) else "remit"

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Send one request.

        Raises:
            CallError: the port raised it.
        """
        self._turn += 1
        settings, parameters = self.prepare_request(model_settings, model_request_parameters)
        knobs: dict[str, Any] = {**(settings or {})}
        completion = await self.port(
            ChatRequest(
                agent_call_id=self._frame.id,
                turn=self._turn,
                ledger=self._frame.ledger,
                history=History(_messages_to_wire(messages, parameters)),
                tools=ToolDefinitions(map(_tool_to_wire, (*parameters.function_tools, *parameters.output_tools))),
                temperature=knobs.get("temperature"),
                max_tokens=knobs.get("max_tokens"),
            )
        )
        return _completion_to_response(completion)


def _tool_to_wire(tool: ToolDefinition) -> dict[str, Any]:
    function = {
        "name": tool.name,
        "description": tool.description or "",
        "parameters": tool.parameters_json_schema,
    }
    return {"type": "function", "function": function}


def _messages_to_wire(messages: Sequence[ModelMessage], parameters: ModelRequestParameters) -> Iterator[str]:
    """Convert messages to wire texts. All system instructions become one message, which comes first."""
    system = [part.content for part in parameters.instruction_parts or ()]
    parts = [part for message in messages if isinstance(message, ModelRequest) for part in message.parts]
    system += [part.content for part in parts if isinstance(part, SystemPromptPart)]
    if system:
        yield encode_message({"role": "system", "content": "\n\n".join(system)})
    for message in messages:
        yield from _request_to_wire(message) if isinstance(message, ModelRequest) else [_response_to_wire(message)]


def _request_to_wire(request: ModelRequest) -> Iterator[str]:
    for part in request.parts:
        match part:
            case SystemPromptPart():
                pass
            case UserPromptPart():
                yield encode_message({"role": "user", "content": _content_to_wire(part.content)})
            case ToolReturnPart():
                content = part.model_response_str()
                yield encode_message({"role": "tool", "tool_call_id": part.tool_call_id, "content": content})
            case RetryFeedbackPart():
                yield encode_message({"role": "user", "content": part.model_response()})
            case _:
                raise InvalidArgumentsError(f"this model cannot be told of a {part.part_kind!r}; use one of a provider")


def _content_to_wire(content: str | Sequence[UserContent]) -> str | list[dict[str, Any]]:
    return content if isinstance(content, str) else [_content_part_to_wire(each) for each in content]


def _content_part_to_wire(content: UserContent) -> dict[str, Any]:
    if isinstance(content, (str, TextContent)):
        return {"type": "text", "text": content if isinstance(content, str) else content.content}
    if isinstance(content, BinaryContent) and content.is_image:
        return {"type": "image_url", "image_url": {"url": content.data_uri}}
    if isinstance(content, BinaryContent) and content.media_type.startswith("text/"):
        return {"type": "text", "text": content.data.decode(errors="replace")}
    raise InvalidArgumentsError("this model reads texts and images, no other attachments; use one of a provider")


def _response_to_wire(response: ModelResponse) -> str:
    text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
    calls = [
        {
            "id": part.tool_call_id,
            "type": "function",
            "function": {"name": part.tool_name, "arguments": get_arguments_text(part)},
        }
        for part in response.parts
        if isinstance(part, ToolCallPart)
    ]
    return encode_message(
        {"role": "assistant", "content": text or (None if calls else "")} | ({"tool_calls": calls} if calls else {})
    )


def _completion_to_response(completion: Completion) -> ModelResponse:
    parts: list[ModelResponsePart] = [TextPart(completion.content)] if completion.content else []
    parts += [ToolCallPart(wanted.name, wanted.arguments, wanted.id) for wanted in completion.tool_calls]
    return ModelResponse(
        parts=parts,
        usage=RequestUsage(input_tokens=completion.prompt_tokens, output_tokens=completion.completion_tokens),
        model_name=completion.model,
        finish_reason=_FINISH_REASONS.get(completion.finish_reason),
    )
