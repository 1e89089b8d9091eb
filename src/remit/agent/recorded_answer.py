"""A model's answer as the journal stores it: checked, without secrets, in an item ``message``, with its usage."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Final, cast

from remit.call.schema import shorten_text
from remit.chat.call_ids import is_kept_id, new_ids
from remit.chat.chat import ChatRequest, Completion, completion_from_message, drop_empty_calls
from remit.chat.finish import Ending, read_finish
from remit.chat.wire import (
    UNNAMED,
    ModelText,
    ToolCallRequest,
    change_arguments,
    has_surrogates,
    keep_tool_calls,
    mark_origin,
    origin_of_text,
    refusal_of_text,
    rename_tool_calls,
)
from remit.errors import CompletionError, ModelError
from remit.journal.codec import RESULT_TOOL, message_text
from remit.record.arguments import is_blank, refuse_secrets, refused_arguments
from remit.record.current_run import CURRENT_RUN
from remit.record.items import Message, ModelUsage
from remit.record.ledger import Ledger
from remit.record.meter import Reservation
from remit.record.secret import KNOWN_SECRETS, redact_secrets_in_content

_ASSISTANT_PREFIX: Final = '{"role":"assistant"'


def check_answer(answer: object) -> Completion:
    """Refuse an answer that is not a completion with an assistant's message: models and layers are third-party code.

    Raises:
        ModelError: it is not a completion, but only its text, for example. CompletionError: the message is not from an
            assistant.
    """
    if not isinstance(answer, Completion):
        raise ModelError(
            f"the model returned {type(answer).__name__}, not a Completion; make one with "
            "remit.messages.completion_from_message"
        )
    if answer.message.startswith(_ASSISTANT_PREFIX):
        return answer
    try:
        message: object = json.loads(answer.message)
    except (ValueError, RecursionError):
        message = None
    role: object = cast("dict[str, Any]", message).get("role") if isinstance(message, dict) else None
    if role is None:
        raise CompletionError("the model's message is not a JSON object")
    if role != "assistant":  # the history would attribute it to another author
        raise CompletionError(f"the model answered with a message of role {role!r}, not 'assistant'")
    return answer


def to_legal_answer(answer: Completion, request: ChatRequest) -> Completion:
    """Make an answer valid for a history: a bounded number of tool calls, each with a unique id and a name.

    Some endpoints give no id, an overlong or malformed id, or the same id each turn, and some models name no tool. An
    id that contains a secret is replaced, because endpoints refuse its redacted form. At most `Limits.answer_calls`
    calls of one answer are made. One more is kept, which `AgentTurns` refuses.
    """
    used, calls, secrets = request.used_call_ids, answer.tool_calls, KNOWN_SECRETS.spellings
    if not calls:
        return answer
    first = calls[0]
    if (
        not calls[1:]
        and first.name
        and first.name.isascii()
        and first.id not in used
        and is_kept_id(first.id)
        and not (secrets.replacements and secrets.is_in(first.id))
    ):
        return answer
    answer = drop_empty_calls(answer)
    most = CURRENT_RUN.get().limits.answer_calls + 1
    if len(answer.tool_calls) > most:
        answer = _with_message(answer, keep_tool_calls(answer.message, most))
    named = [call for call in answer.tool_calls if call.name and not has_surrogates(call.name)]
    ids = [call.id for call in named if is_kept_id(call.id) and not secrets.is_in(call.id)]
    if len(set(ids)) == len(answer.tool_calls) and used.isdisjoint(ids):
        return answer
    return _with_message(answer, rename_tool_calls(answer.message, new_ids(used, len(used))))


def _with_message(answer: Completion, changed: str) -> Completion:
    text = mark_origin(changed, origin_of_text(answer.message))
    return replace(answer, message=text, tool_calls=completion_from_message(text).tool_calls)


def encode_answer(request: ChatRequest, answer: Completion, digest: str) -> Message:
    """The item for an answer without secrets, with the digest of its request."""
    return Message(
        call=request.call_id,
        agent=request.agent_call_id,
        text=str(answer.message),
        request=digest,
        origin=answer.message.origin if isinstance(answer.message, ModelText) else "",
    )


def decode_answer(recorded: Message, usage: ModelUsage | None) -> Completion:
    """The recorded answer. Its usage may have been lost in a crash."""
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


def without_secrets(answer: Completion) -> Completion:
    """The answer with references instead of the values of secrets, for the journal and later requests.

    A call whose arguments contain a value is refused.
    """
    if not KNOWN_SECRETS.spellings.replacements:
        return answer
    message = redact_secrets_in_content(change_arguments(answer.message, _arguments_without_secrets))
    response = redact_secrets_in_content(answer.response)
    if message == answer.message:
        return answer if response == answer.response else replace(answer, response=response)
    marked = mark_origin(message, origin_of_text(answer.message))
    parsed = completion_from_message(marked)
    return replace(answer, message=marked, content=parsed.content, tool_calls=parsed.tool_calls, response=response)


def _arguments_without_secrets(call: ToolCallRequest) -> str:
    """The arguments of a model's call as recorded: a call that contains the value of a secret is refused.

    A typed result is redacted like a text.
    """
    return call.arguments if call.name == RESULT_TOOL else refuse_secrets(call.arguments)


def requested_calls(completion: Completion) -> tuple[ToolCallRequest, ...]:
    """The calls of an answer. A call that must not be made has the reason for its refusal in place of its arguments.

    No call is made if a filter or the model itself withheld part of the answer, because the missing part may be the
    reason not to make it. Absent arguments count as empty only if the answer's calls are complete: the endpoint says
    that the model ended the answer, and every call has a name. A call without a name may hold the arguments of another
    call.
    """
    calls = completion.tool_calls
    if is_held_back(completion):
        return tuple(each._replace(arguments=_HELD_BACK) for each in calls)
    if read_finish(completion.finish_reason) is Ending.WHOLE and all(each.name != UNNAMED for each in calls):
        return calls
    return tuple(map(_with_known_arguments, calls))


def is_held_back(completion: Completion) -> bool:
    """Whether a filter or the model itself withheld a part of an answer."""
    return read_finish(completion.finish_reason) is Ending.FILTERED or bool(refusal_of_text(completion.message))


def _with_known_arguments(call: ToolCallRequest) -> ToolCallRequest:
    if not is_blank(call.arguments) or call.name == UNNAMED:  # the refusal of the other call says that it has no name
        return call
    return call._replace(arguments=_MISSING_ARGUMENTS)


HELD_BACK: Final = "a part of your answer was held back: by a filter, or because you refuse the request"
"""The reason why such an answer has no effect, for the model."""
_HELD_BACK: Final = refused_arguments(
    f"this call was not made, because {HELD_BACK}; make the call again if it is still needed"
)
_MISSING_ARGUMENTS: Final = refused_arguments("the arguments have not arrived; make the call again, with all of them")


def add_usage(ledger: Ledger, call: str, answer: Completion, reservation: Reservation) -> None:
    """Record the usage of an answer to the request ``call``, and the model that was asked.

    The reservation counts as the usage if none was reported.
    """
    prompt_tokens, completion_tokens = answer.prompt_tokens, answer.completion_tokens
    estimated = bool(reservation.prompt_tokens) and not prompt_tokens + completion_tokens
    if estimated:
        prompt_tokens, completion_tokens = reservation.prompt_tokens, reservation.completion_tokens
    ledger.add(
        ModelUsage(
            call=call,
            model=answer.model,
            finish=answer.finish_reason,
            prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens,
            response=answer.response and shorten_text(answer.response, CURRENT_RUN.get().limits.reply_bytes),
            estimated=estimated,
            within=ledger.meter.calls_around(call.partition(":")[0]),
            cached_tokens=answer.cached_tokens,
            reasoning_tokens=answer.reasoning_tokens,
            requested=reservation.model,
        )
    )
