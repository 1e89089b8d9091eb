"""The model boundary of the native driver: chat requests and completions, recorded as messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from msgspec import Struct

from remit.agent.layered_model import LayeredModel, LayeredRequests
from remit.agent.model_recorder import ModelRecorder
from remit.agent.usage_record import usage_of_completion
from remit.contracts.arguments import refuse_secrets
from remit.contracts.call import ModelLayer, ModelService
from remit.contracts.chat import ChatRequest, Completion, completion_from_message, decode_message
from remit.contracts.estimate import READS_IMAGES, Reads
from remit.contracts.items import Message, ModelReply, ModelUsage
from remit.contracts.secret import KNOWN_SECRETS, redact_secrets_in_content
from remit.contracts.transient import is_transient
from remit.contracts.wire import ToolCallRequest, change_arguments, mark_origin, origin_of_text, rename_tool_calls
from remit.core import Place
from remit.errors import CallError, CompletionError, DivergedError, ModelError, ModelUnavailableError
from remit.journal.codec import RESULT_TOOL, message_text
from remit.layers.retry_model import is_incomplete


class RecordModel(ModelLayer):
    """Records the answers that leave the layers around a model. The native driver attaches it."""

    place = Place.RECORD

    def __init__(
        self, layered: LayeredModel | None = None, model_name: str = "", *, reads: Reads = READS_IMAGES
    ) -> None:
        self._layered = layered or LayeredModel()
        self._model_name = model_name
        self._reads = reads

    def __call__(self, inner: ModelService, /) -> ModelService:
        """Wrap ``inner``, which is called only if the journal has no answer."""
        recorder: ModelRecorder[ChatRequest, Completion] = ModelRecorder(
            model=inner,
            codec=_CODEC,
            model_name=self._model_name,
            reads=self._reads,
            layered=LayeredRequests(self._layered, lambda request: _ChatView(request, inner)),
        )
        return recorder.__call__

    def __repr__(self) -> str:
        return "RecordModel()"


class _ChatView(Struct, frozen=True):
    """A chat request and its model, which layers see unchanged."""

    chat: ChatRequest
    ask: ModelService

    def to_answer(self, completion: Completion, /) -> Completion:
        return completion

    def to_completion(self, answer: Completion, /) -> Completion:
        return answer


class _ChatCodec:
    """Completions as items ``message`` and ``usage``."""

    def list_calls(self, answer: Completion, /) -> Sequence[tuple[str, str]]:
        _check_type(answer)
        return [(each.id, each.name) for each in answer.tool_calls]

    def rename_calls(self, answer: Completion, ids: Iterator[str], /) -> Completion:
        text = mark_origin(rename_tool_calls(answer.message, ids), origin_of_text(answer.message))
        return replace(answer, message=text, tool_calls=completion_from_message(text).tool_calls)

    def is_incomplete(self, answer: Completion, /) -> bool:
        _check_type(answer)
        return is_incomplete(answer.finish_reason, has_calls=bool(answer.tool_calls), has_content=bool(answer.content))

    def encode(
        self, request: ChatRequest, answer: Completion, digest: str, /
    ) -> tuple[Message, ModelUsage, Completion]:
        _check_role(answer)
        answer = _without_secrets(answer)
        message = Message(
            call=request.call_id,
            agent=request.agent_call_id,
            text=str(answer.message),
            request=digest,
            origin=origin_of_text(answer.message),
        )
        return message, usage_of_completion(request.call_id, answer), answer

    def decode(self, recorded: Message | ModelReply, usage: ModelUsage | None, /) -> Completion:
        if isinstance(recorded, ModelReply):
            raise DivergedError("another driver recorded the answer; run the agent with the driver that it had")
        text = message_text(recorded)
        if usage is None:
            return completion_from_message(text)
        return completion_from_message(
            text,
            finish_reason=usage.finish,
            model=usage.model,
            prompt_tokens=0 if usage.estimated else usage.prompt_tokens,
            completion_tokens=0 if usage.estimated else usage.completion_tokens,
            response=usage.response,
            cached_tokens=usage.cached_tokens,
            reasoning_tokens=usage.reasoning_tokens,
        )

    def to_call_error(self, error: BaseException, /) -> CallError:
        kind = ModelUnavailableError if is_transient(error) else ModelError
        return kind(f"the model failed: {type(error).__name__}: {error}"[:_MAX_ERROR_LENGTH])


_CODEC: Final = _ChatCodec()
_MAX_ERROR_LENGTH: Final = 1000
_ASSISTANT_PREFIX: Final = '{"role":"assistant"'


def _check_type(answer: object) -> None:
    """Refuse an answer that is not a `Completion`, such as the text alone.

    Raises:
        CompletionError: says what a model returns.
    """
    if not isinstance(answer, Completion):
        raise CompletionError(
            f"the model returned {type(answer).__name__}, not a Completion; make one with "
            "remit.messages.completion_from_message"
        )


def _without_secrets(answer: Completion) -> Completion:
    """The answer with references in place of the values of secrets, as the journal and later requests have it.

    A call whose arguments contain a value is refused.
    """
    if not KNOWN_SECRETS.replacements:
        return answer
    message = redact_secrets_in_content(change_arguments(answer.message, arguments_without_secrets))
    response = redact_secrets_in_content(answer.response)
    if message == answer.message:
        return answer if response == answer.response else replace(answer, response=response)
    marked = mark_origin(message, origin_of_text(answer.message))
    parsed = completion_from_message(marked)
    return replace(answer, message=marked, content=parsed.content, tool_calls=parsed.tool_calls, response=response)


def arguments_without_secrets(call: ToolCallRequest) -> str:
    """The arguments of a model's call as recorded: a call that contains the value of a secret is refused.

    A typed result is redacted, as a text is.
    """
    return call.arguments if call.name == RESULT_TOOL else refuse_secrets(call.arguments)


def _check_role(completion: Completion) -> None:
    """Refuse an answer whose role is not assistant: the history would attribute it to another author.

    Raises:
        CompletionError: the role is another one.
    """
    role = (
        "assistant" if completion.message.startswith(_ASSISTANT_PREFIX) else decode_message(completion.message)["role"]
    )
    if role != "assistant":
        raise CompletionError(f"the model answered with a message of role {role!r}, not 'assistant'")
