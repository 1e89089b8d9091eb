"""The model boundary of the PydanticAI driver: requests and responses, recorded as ``model_reply``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from pydantic import TypeAdapter
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ThinkingPart, ToolCallPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.settings import ModelSettings as PydanticSettings
from pydantic_core import PydanticSerializationError

from remit.agent.chat_recorder import arguments_without_secrets
from remit.contracts.items import Message, ModelReply, ModelUsage
from remit.contracts.ledger import Ledger
from remit.contracts.secret import KNOWN_SECRETS, redact_secrets_in_content
from remit.contracts.settings import ModelSettings
from remit.contracts.wire import (
    UNNAMED,
    ToolCallRequest,
    change_arguments,
    kept_details,
    received_message,
    rename_tool_calls,
)
from remit.errors import CallError, CompletionError, DivergedError
from remit.journal.codec import message_text
from remit.layers.retry_model import is_incomplete
from remit.models.model_origin import count_reasoning_tokens
from remit.models.pydantic_ai import get_finish_reason
from remit.workers.errors import to_model_error
from remit.workers.request_digest import RequestDigester
from remit.workers.toolset import get_arguments_text

_RESPONSE_ADAPTER: Final = TypeAdapter(ModelResponse)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRequest:
    """One request of PydanticAI, with the properties that the recorder needs."""

    agent_call_id: str
    turn: int
    ledger: Ledger
    messages: Sequence[ModelMessage]
    base_settings: PydanticSettings | None
    settings: ModelSettings
    parameters: ModelRequestParameters
    used_call_ids: set[str]
    digester: RequestDigester = field(repr=False)

    @property
    def call_id(self) -> str:
        """The id under which the journal files the answer."""
        return f"{self.agent_call_id}:{self.turn}"

    @property
    def max_tokens(self) -> int | None:
        """The most tokens that the answer may have."""
        return self.chat_settings.output_limit

    @property
    def chat_settings(self) -> ModelSettings:
        """The settings of the agent, with those of PydanticAI's model where the agent has none."""
        base: dict[str, Any] = {**(self.base_settings or {})}
        known = {name: base[name] for name in ("temperature", "max_tokens") if base.get(name) is not None}
        if self.settings.output_limit is not None:
            known.pop("max_tokens", None)
        missing = {name: value for name, value in known.items() if name not in self.settings.values}
        return self.settings.update(**missing) if missing else self.settings

    def digest(self) -> str:
        """sha256 (hex) over messages, settings and parameters."""
        return self.digester.compute_digest(
            self.messages, {**(self.base_settings or {}), **self.settings.values}, self.parameters
        )

    def texts(self) -> Iterable[str]:
        """Its messages and parameters as JSON."""
        return self.digester.texts(self.messages, self.parameters)


class ResponseCodec:
    """Responses of PydanticAI as items ``model_reply`` and ``usage``.

    A response holds more than a chat message: thinking and its signatures, tools of the provider, files.
    """

    def list_calls(self, answer: ModelResponse, /) -> Sequence[tuple[str, str]]:
        """The id and the name of each tool call."""
        return [(part.tool_call_id, part.tool_name) for part in select_tool_calls(answer)]

    def rename_calls(self, answer: ModelResponse, ids: Iterator[str], /) -> ModelResponse:
        """The response with other ids, and a name for each call that has none."""
        new = [next(ids) for _ in select_tool_calls(answer)]
        unused, details = iter(new), answer.provider_details
        parts = [
            replace(part, tool_call_id=next(unused), tool_name=part.tool_name or UNNAMED)
            if isinstance(part, ToolCallPart)
            else part
            for part in answer.parts
        ]
        message, origin = received_message(details)
        if message:
            details = {**(details or {}), **kept_details(rename_tool_calls(message, iter(new)), origin)}
        return replace(answer, parts=parts, provider_details=details)

    def is_incomplete(self, answer: ModelResponse, /) -> bool:
        """Whether a response has no calls and was cut, or is empty."""
        has_calls = bool(select_tool_calls(answer))
        return is_incomplete(get_finish_reason(answer), has_calls=has_calls, has_content=has_content(answer))

    def encode(
        self, request: RecordedRequest, answer: ModelResponse, digest: str, /
    ) -> tuple[ModelReply, ModelUsage, ModelResponse]:
        """Encode a response as items. Returns them and the response decoded again, as a later replay gets it.

        Raises:
            CompletionError: the response is paused, or holds values that JSON or UTF-8 cannot represent.
        """
        if answer.state != "complete":
            raise CompletionError(f"the model paused its answer ({answer.state}); switch off its background mode")
        try:
            text = redact_secrets_in_content(_RESPONSE_ADAPTER.dump_json(_refuse_secrets(answer)).decode())
        except PydanticSerializationError as error:
            raise CompletionError(f"JSON cannot hold the model's answer: {error}") from error
        reply = ModelReply(call=request.call_id, agent=request.agent_call_id, request=digest, response=text)
        return reply, make_usage(request.call_id, answer), _RESPONSE_ADAPTER.validate_json(text)

    def decode(self, recorded: Message | ModelReply, _usage: ModelUsage | None, /) -> ModelResponse:
        """Decode a recorded response."""
        if isinstance(recorded, Message):
            raise DivergedError("another driver recorded the answer; run the agent with the driver that it had")
        return _RESPONSE_ADAPTER.validate_json(recorded.response)

    def to_call_error(self, error: BaseException, /) -> CallError:
        """The model error for an exception of PydanticAI or a provider."""
        return to_model_error(error)


def _refuse_secrets(answer: ModelResponse) -> ModelResponse:
    """The response in which each call whose arguments contain the value of a secret is refused."""
    if not KNOWN_SECRETS.replacements:
        return answer
    parts = [_refuse_secrets_of_part(part) if isinstance(part, ToolCallPart) else part for part in answer.parts]
    message, origin = received_message(answer.provider_details)
    if not message:
        return replace(answer, parts=parts)
    kept = kept_details(change_arguments(message, arguments_without_secrets), origin)
    return replace(answer, parts=parts, provider_details={**(answer.provider_details or {}), **kept})


def _refuse_secrets_of_part(part: ToolCallPart) -> ToolCallPart:
    arguments = get_arguments_text(part)
    allowed = arguments_without_secrets(ToolCallRequest(part.tool_call_id, part.tool_name, arguments))
    return part if allowed == arguments else replace(part, args=allowed)


def make_usage(call_id: str, response: ModelResponse) -> ModelUsage:
    """The tokens and the model of a response, as the journal keeps them."""
    return ModelUsage(
        call=call_id,
        model=response.model_name or "",
        finish=get_finish_reason(response),
        prompt_tokens=response.usage.input_tokens,
        completion_tokens=response.usage.output_tokens,
        response="",
        cached_tokens=response.usage.cache_read_tokens,
        reasoning_tokens=count_reasoning_tokens(response),
    )


def has_content(response: ModelResponse) -> bool:
    """Whether a response has text, a file or a provider tool."""
    return any(
        bool(part.content.strip()) if isinstance(part, TextPart) else not isinstance(part, ThinkingPart)
        for part in response.parts
    )


def select_tool_calls(response: ModelResponse) -> list[ToolCallPart]:
    """The tool calls of a response, in order."""
    return [part for part in response.parts if isinstance(part, ToolCallPart)]


def to_wire_text(response: ModelResponse) -> str:
    """The chat message of a response, as the journal gives it to later runs."""
    return message_text(
        ModelReply(call="", agent="", request="", response=_RESPONSE_ADAPTER.dump_json(response).decode())
    )
