"""Any model that PydanticAI knows, asked once at a time: Anthropic, Google, Bedrock, Mistral and the rest.

Raw chat messages become PydanticAI's, its response becomes one message whose wire text is written here, once. Nothing
else of PydanticAI is used: the loop, the tools, approvals and the journal are those of Remit.

What a history cannot hold is lost to later requests. The journal keeps the whole response beside the message.

| the response has | the history keeps |
| --- | --- |
| text in several parts | one text: parts side by side are joined, others parted by an empty line |
| thinking, and the signatures of it | nothing: switch off what a provider wants sent back, like extended thinking |
| calls and results of the provider's own tools | nothing |
| files, images, speech, citations, compactions | the transcript of speech, nothing of the others |
| arguments as a dictionary, not as text | the same values, written compactly |

| a request has | the provider is sent |
| --- | --- |
| a user's name, how closely to look at an image | nothing of either |
| spaces and escapes of the wire texts | the same values, written by the provider's client |
| arguments that are no JSON | an object that holds them as `INVALID_JSON` |
| a tool's schema | the same, which some providers rewrite; it is never made strict |
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NoReturn, Self

from pydantic import TypeAdapter
from pydantic_ai import exceptions as foreign
from pydantic_ai.direct import model_request
from pydantic_ai.messages import (
    BinaryContent,
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters, infer_model
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from remit.contracts.chat import (
    AssistantMessage,
    ChatRequest,
    Completion,
    ToolTexts,
    UserMessage,
    completion_of,
    read,
    text_of,
    write,
)
from remit.errors import CompletionError, ModelBusyError, ModelError, ModelRefusedError, SetupError
from remit.schemas.jsontext import compact

_SHOWN: Final = 200
_PATIENCE: Final = frozenset({408, 409, 425, 429})
_RESPONSE: Final = TypeAdapter(ModelResponse)
_FINISH: Final = {"tool_call": "tool_calls"}
"""The words of chat completions for why a model stopped, where PydanticAI has others."""


class PydanticAIModel:
    """One of PydanticAI's models, or the name by which PydanticAI finds it, like ``anthropic:claude-sonnet-4-5``.

    A provider's client may try again by itself; give a model whose client does not where retry is to be a layer.

    Raises:
        SetupError: there is no such model, its provider's package or key is missing.
    """

    def __init__(self, model: Model | str) -> None:
        self._model = _found(model) if isinstance(model, str) else model
        self.model = self._model.model_name
        self.vendor = self._model.system

    async def __call__(self, request: ChatRequest, /) -> Completion:
        """Ask once.

        Raises:
            ModelError: the provider cannot be reached, is busy, or refuses.
            CompletionError: what it answered is no completion.
        """
        try:
            response = await model_request(
                self._model,
                messages_from(request.history),
                model_settings=_knobs(request),
                model_request_parameters=ModelRequestParameters(function_tools=_tools(request.tools)),
            )
        except Exception as error:  # noqa: BLE001 - each is raised again as one of ours
            self._explain(error)
        return completion_from(response)

    async def __aenter__(self) -> Self:
        await self._model.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._model.__aexit__(None, None, None)

    def _explain(self, error: Exception) -> NoReturn:
        """Raise the error of ours that a foreign one stands for."""
        kind = kind_of(error)
        said = f"{self.model} of {self.vendor}: {type(error).__name__}: {_short(str(error))}"
        raise kind(f"{said}; try again later" if kind is ModelBusyError else said) from error

    def __repr__(self) -> str:
        return f"PydanticAIModel({self.vendor}:{self.model})"


def _found(name: str) -> Model:
    """The model of that name.

    Raises:
        SetupError: saying what is missing.
    """
    try:
        return infer_model(name)
    except (foreign.UserError, ImportError, ValueError) as error:
        raise SetupError(f"the model {name!r} cannot be had from PydanticAI: {_short(str(error))}") from error


_REFUSED: Final = (foreign.ModelRequestRejectedError, foreign.ModelQuotaExceededError, foreign.UserError)
_BUSY: Final = (foreign.ModelRateLimitError, foreign.ModelUnavailableError, foreign.ConcurrencyLimitExceeded)


def kind_of(error: Exception) -> type[ModelError]:
    """Refused and busy as PydanticAI tells them, else by the status; what is unknown may be worth another try."""
    if isinstance(error, foreign.UnexpectedModelBehavior):
        return CompletionError
    if isinstance(error, _REFUSED):
        return ModelRefusedError
    if isinstance(error, _BUSY):
        return ModelBusyError
    if isinstance(error, foreign.ModelHTTPError) and error.status_code < 500:
        return ModelBusyError if error.status_code in _PATIENCE else ModelRefusedError
    return ModelError


def _knobs(request: ChatRequest) -> ModelSettings:
    """Only the knobs that are set."""
    knobs = ModelSettings()
    if request.temperature is not None:
        knobs["temperature"] = request.temperature
    if request.max_tokens is not None:
        knobs["max_tokens"] = request.max_tokens
    return knobs


def _tools(tools: ToolTexts) -> list[ToolDefinition]:
    """The tools as they were written; PydanticAI checks no arguments, the door does."""
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


def messages_from(texts: Iterable[str]) -> list[ModelMessage]:
    """PydanticAI's messages for wire texts. What stands between two answers of the model is one request."""
    messages: list[ModelMessage] = []
    parts: list[ModelRequestPart] = []
    names: dict[str, str] = {}
    for text in texts:
        message = read(text)
        if message["role"] == "assistant":
            if parts:
                messages.append(ModelRequest(parts=parts))
            messages.append(ModelResponse(parts=_said(message)))
            names.update((call["id"], call["function"]["name"]) for call in message.get("tool_calls") or ())
            parts = []
        elif message["role"] == "tool":
            wire = message["tool_call_id"]
            parts.append(ToolReturnPart(names.get(wire, "unnamed"), text_of(message), wire))
        elif message["role"] == "system":
            parts.append(SystemPromptPart(text_of(message)))
        else:
            parts.append(UserPromptPart(_asked(message)))
    return [*messages, ModelRequest(parts=parts)] if parts else messages


def _said(message: AssistantMessage) -> list[ModelResponsePart]:
    text = text_of(message)
    calls = message.get("tool_calls") or ()
    asked = [ToolCallPart(call["function"]["name"], call["function"]["arguments"], call["id"]) for call in calls]
    return [TextPart(text), *asked] if text else [*asked]


def _asked(message: UserMessage) -> str | Sequence[UserContent]:
    content = message["content"]
    if isinstance(content, str):
        return content
    return [part["text"] if part["type"] == "text" else _image(part["image_url"]["url"]) for part in content]


def _image(url: str) -> UserContent:
    return BinaryContent.from_data_uri(url) if url.startswith("data:") else ImageUrl(url)


def completion_from(response: ModelResponse) -> Completion:
    """The completion in a response; the journal keeps the whole response as JSON.

    Raises:
        CompletionError: the provider wants to be asked again before it has answered.
    """
    if response.state != "complete":
        raise CompletionError(
            f"the model paused its answer ({response.state}); switch off the background mode it is in"
        )
    calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
    return completion_of(
        write(_legal(response, calls)),
        finish=finish_of(response),
        model=response.model_name or "",
        prompt_tokens=response.usage.input_tokens,
        completion_tokens=response.usage.output_tokens,
        response=_RESPONSE.dump_json(response).decode(),
    )


def finish_of(response: ModelResponse) -> str:
    """Why the model stopped, in the words of chat completions, also where its provider does not tell."""
    called = any(isinstance(part, ToolCallPart) for part in response.parts)
    finish = response.finish_reason or ("tool_call" if called else "stop")
    return _FINISH.get(finish, finish)


def _legal(response: ModelResponse, calls: Sequence[ToolCallPart]) -> dict[str, Any]:
    """The message as a request may carry it: role, content, refusal, tool calls."""
    refusal = (response.provider_details or {}).get("refusal")
    absent = None if calls or refusal else ""
    kept: dict[str, Any] = {"role": "assistant", "content": response.text or absent}
    if isinstance(refusal, str):
        kept["refusal"] = refusal
    if calls:
        kept["tool_calls"] = [
            {"id": call.tool_call_id, "type": "function", "function": {"name": call.tool_name, "arguments": _raw(call)}}
            for call in calls
        ]
    return kept


def _raw(call: ToolCallPart) -> str:
    """The arguments as the model wrote them, where the provider tells."""
    if isinstance(call.args, str):
        return call.args
    return compact(call.args or {})


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
