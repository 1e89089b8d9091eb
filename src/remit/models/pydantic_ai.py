"""Single requests to any model that PydanticAI supports: Anthropic, Google, Bedrock, Mistral and others.

Raw chat messages are converted to PydanticAI's; its response becomes one message, whose wire text is written here once.
Nothing else of PydanticAI is used: loop, tools, approvals and journal are Remit's.

A message keeps what a chat message cannot hold (thinking and its signatures, the provider's own tools, files) in a
field ``pydantic_ai``, which is sent back only to the same model. Models of OpenAI's chat completions keep their
messages as received.

| a request has | the provider is sent |
| --- | --- |
| a user's name | the name before the text, with a colon |
| the detail level of an image | nothing of it |
| spaces and escapes of the wire texts | the same values, written by the provider's client |
| a tool's schema | the same schema, never made strict; some providers rewrite it, OpenAI's models do not |
"""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any, Final, Self, cast

from pydantic import ValidationError

from remit.core.call_checks import check_arguments
from remit.lazy_exports import require_extra

with require_extra(__name__, "pydantic-ai"):
    from pydantic_ai import BinaryContent, ImageUrl
    from pydantic_ai.messages import (
        ModelMessage,
        ModelRequest,
        ModelRequestPart,
        ModelResponse,
        SystemPromptPart,
        TextPart,
        ToolCallPart,
        ToolReturnPart,
        UserContent,
        UserPromptPart,
    )
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.models.fallback import FallbackModel
    from pydantic_ai.models.wrapper import WrapperModel
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

from remit.chat.chat import (
    ChatRequest,
    Completion,
    ToolCallRequest,
    ToolDefinitions,
    UserMessage,
    completion_from_message,
    decode_message,
    message_text,
)
from remit.chat.provider_tool import ProviderTool
from remit.chat.settings import ModelSettings
from remit.chat.wire import (
    RESPONSE_KEY,
    escape_surrogates,
    kept_details,
    origin_of_text,
    read_tool_calls,
    replace_surrogates,
    response_to_text,
)
from remit.errors import ModelAccessError, RemitError
from remit.models.model_origin import (
    count_reasoning_tokens,
    drop_impossible_usage,
    mark_response,
    model_origin,
    reads_of,
)
from remit.models.provider_tools import find_unsupported, make_native_tool
from remit.models.pydantic_answer import RESPONSES, write_response
from remit.models.pydantic_errors import find_filtered, to_model_error
from remit.models.pydantic_names import infer_named_model
from remit.models.pydantic_settings import schema_of, to_pydantic_settings, unsupported_settings, without_schema
from remit.models.pydantic_stream import ask_until_complete
from remit.schemas.jsontext import compact_json

_FINISH_REASONS: Final = {"tool_call": "tool_calls"}
"""The finish reasons of chat completions that have another name in PydanticAI."""


@check_arguments()
class PydanticAIModel:
    """A model of PydanticAI, given as an object or by name, like ``anthropic:claude-sonnet-5-5``.

    Retries of a provider's client are off where PydanticAI can switch them off: a layer retries.

    Args:
        model: the model, or its name.
        context_tokens: the most tokens of a request and its answer; None if an agent must learn it from refusals.

    Raises:
        SetupError: the model does not exist, or its provider's package or key is missing.
    """

    def __init__(self, model: Model | str, *, context_tokens: int | None = None) -> None:
        self.context_tokens = context_tokens
        self._model = keep_as_received(infer_named_model(model) if isinstance(model, str) else model)
        self.model = self._model.model_name
        self.vendor = self._model.system
        self.reads_images, self.reads_pdfs, self.reads_others = reads_of(self._model)

    async def __call__(self, request: ChatRequest, /) -> Completion:
        """Ask once.

        Raises:
            ModelError: the provider is unreachable or busy, or refuses the request.
            CompletionError: the answer is not a completion.
        """
        try:
            response = await ask_until_complete(
                self._model,
                to_model_messages(request.history),
                await to_pydantic_settings(without_schema(request.settings), self._model),
                _make_parameters(request),
            )
            return to_completion(mark_response(drop_impossible_usage(response), self._model))
        except RemitError:
            raise
        except Exception as error:  # each is raised again as an error of Remit
            filtered = find_filtered(error)
            if filtered is not None:
                return filtered
            raise to_model_error(error, self.model, self.vendor) from error

    @property
    def origin(self) -> str:
        """The model and the host of its endpoint; see `remit.agent.model.HasOrigin`."""
        return model_origin(self._model)

    def unsupported_tools(self, tools: Sequence[ProviderTool], /) -> Mapping[str, str]:
        """The provider's tools that the API does not support, at all or with their options, and the reasons."""
        return dict(find_unsupported(self._model, tools))

    def list_unsupported(self, settings: ModelSettings, /) -> list[str]:
        """The names of the settings that the model cannot take."""
        return unsupported_settings(self._model, settings)

    async def __aenter__(self) -> Self:
        await self._model.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._model.__aexit__(None, None, None)

    def __repr__(self) -> str:
        return f"PydanticAIModel({self.vendor}:{self.model})"


def _make_parameters(request: ChatRequest) -> ModelRequestParameters:
    """The tools of a request, and the JSON schema of its answer."""
    parameters = ModelRequestParameters(
        function_tools=to_tool_definitions(request.tools),
        native_tools=[make_native_tool(tool) for tool in request.provider_tools],
    )
    schema = schema_of(request.settings)
    if schema is None:
        return parameters
    made = OutputObjectDefinition(json_schema=schema["schema"], name=schema["name"])
    return replace(parameters, output_mode="native", output_object=made)


def keep_as_received(model: Model) -> Model:
    """Make the model keep answers as received.

    A model of OpenAI's APIs sends them back unchanged, and a model of Anthropic's API accepts blocks in undocumented
    forms.
    """
    if isinstance(model, WrapperModel):
        model = copy.copy(model)
        model.wrapped = keep_as_received(model.wrapped)
    elif isinstance(model, FallbackModel):
        model = copy.copy(model)
        model.models = [keep_as_received(each) for each in model.models]
    for vendor, module in _KEEPERS.items():
        if f"pydantic_ai.models.{vendor}" in sys.modules:  # otherwise it is none of them
            model = import_module(module).keep_as_received(model)
    return model


_KEEPERS: Final = {"openai": "remit.models.raw_chat", "anthropic": "remit.models.stated_blocks"}
"""The modules that know the models of a vendor, and import its client."""


def to_tool_definitions(tools: ToolDefinitions) -> list[ToolDefinition]:
    """The tools with their schemas unchanged. The dispatcher checks arguments, not PydanticAI."""
    functions: Iterable[Mapping[str, Any]] = (each["function"] for each in json.loads(tools.text))
    return [
        ToolDefinition(
            name=function["name"],
            description=function["description"],
            parameters_json_schema=function["parameters"],
            strict=False,
        )
        for function in functions
    ]


def to_model_messages(texts: Iterable[str]) -> list[ModelMessage]:
    """Convert wire texts to PydanticAI's messages. All messages between two answers become one request."""
    messages: list[ModelMessage] = []
    parts: list[ModelRequestPart] = []
    names: dict[str, str] = {}
    for text in texts:
        message = decode_message(text)
        if message["role"] == "assistant":
            if parts:
                messages.append(ModelRequest(parts=parts))
            messages.append(to_response(text))
            names.update((call.id, call.name) for call in read_tool_calls(message))
            parts = []
        elif message["role"] == "tool":
            wire = message["tool_call_id"]
            parts.append(ToolReturnPart(names.get(wire, "unnamed"), message_text(message), wire))
        elif message["role"] == "system":
            parts.append(SystemPromptPart(message_text(message)))
        else:
            parts.append(UserPromptPart(_make_user_content(message)))
    return [*messages, ModelRequest(parts=parts)] if parts else messages


def to_response(text: str) -> ModelResponse:
    """Convert the wire text of a model's message to PydanticAI's response, with everything that the text keeps."""
    message = cast("dict[str, Any]", decode_message(text))
    calls, content = read_tool_calls(message), replace_surrogates(message_text(message))
    origin = origin_of_text(text)
    response = _read_kept(message.get(RESPONSE_KEY))
    if response is not None and _says(response, content, calls):
        ids = iter(calls)
        parts = [
            replace(part, tool_call_id=next(ids).id) if isinstance(part, ToolCallPart) else part
            for part in response.parts
        ]
        details = {**(response.provider_details or {}), **kept_details("", origin)}
        return replace(response, parts=parts, provider_details=details)
    asked = [ToolCallPart(call.name, escape_surrogates(call.arguments), call.id) for call in calls]
    response = ModelResponse(parts=[TextPart(content), *asked] if content else [*asked])
    is_kept = origin or text != compact_json(response_message(response))
    return replace(response, provider_details=kept_details(str(text), origin)) if is_kept else response


def _read_kept(kept: object) -> ModelResponse | None:
    """The response that a text keeps next to its message; None if it keeps none, or one that PydanticAI cannot read.

    PydanticAI writes values that it cannot read, such as an endpoint's null instead of a text. The message then has the
    rest.
    """
    try:
        return RESPONSES.validate_python(kept) if kept else None
    except ValidationError:
        return None


def _says(response: ModelResponse, content: str, calls: Sequence[ToolCallRequest]) -> bool:
    """Whether a response matches its message, which a layer may have changed."""
    said = [(part.tool_name, _get_arguments_text(part)) for part in response.parts if isinstance(part, ToolCallPart)]
    return response.text in (content, content or None) and said == [(call.name, call.arguments) for call in calls]


def _make_user_content(message: UserMessage) -> str | Sequence[UserContent]:
    content, name = message["content"], message.get("name")
    said_by = f"{name}: " if name else ""
    if isinstance(content, str):
        return said_by + content
    named = [said_by] if said_by else []
    return named + [
        part["text"]
        if part["type"] == "text"
        else _make_file_content(part["image_url"]["url"] if part["type"] == "image_url" else part["file"]["file_data"])
        for part in content
    ]


def _make_file_content(url: str) -> UserContent:
    return BinaryContent.from_data_uri(url) if url.startswith("data:") else ImageUrl(url)


def to_completion(response: ModelResponse) -> Completion:
    """Convert a response to a completion; the journal keeps the whole response as JSON.

    Raises:
        ModelAccessError: the provider has not finished its answer and expects another request. CompletionError: JSON
            cannot hold the answer.
    """
    if response.state != "complete":
        raise ModelAccessError(f"the model paused its answer ({response.state}); disable its background mode")
    response, body = write_response(response)
    return completion_from_message(
        response_text(response),
        finish_reason=get_finish_reason(response),
        model=response.model_name or "",
        prompt_tokens=response.usage.input_tokens,
        completion_tokens=response.usage.output_tokens,
        cached_tokens=response.usage.cache_read_tokens,
        reasoning_tokens=count_reasoning_tokens(response),
        response=body,
    )


def get_finish_reason(response: ModelResponse) -> str:
    """The finish reason in the terms of chat completions, inferred if the provider gives none."""
    told = response.finish_reason or (response.provider_details or {}).get("finish_reason")
    if isinstance(told, str) and told:
        return _FINISH_REASONS.get(told, told)
    return "tool_calls" if any(isinstance(part, ToolCallPart) for part in response.parts) else "stop"


def response_text(response: ModelResponse) -> str:
    """The wire text of a response: as received, or with the parts that a chat message cannot hold."""
    return response_to_text(RESPONSES.dump_python(response, mode="json"), response_message(response))


def response_message(response: ModelResponse) -> dict[str, Any]:
    """The message with the fields that a request may contain: role, content, refusal, tool calls."""
    calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
    refusal = (response.provider_details or {}).get("refusal")
    absent = None if calls or refusal else ""
    kept: dict[str, Any] = {"role": "assistant", "content": response.text or absent}
    if isinstance(refusal, str):
        kept["refusal"] = refusal
    if calls:
        kept["tool_calls"] = [
            {
                "id": call.tool_call_id,
                "type": "function",
                "function": {"name": call.tool_name, "arguments": _get_arguments_text(call)},
            }
            for call in calls
        ]
    return kept


def _get_arguments_text(call: ToolCallPart) -> str:
    """The arguments as the model wrote them, if the provider passes the text on."""
    if isinstance(call.args, str):
        return call.args
    return compact_json(call.args or {})
