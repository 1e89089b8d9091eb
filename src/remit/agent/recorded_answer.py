"""A model's answer as the journal keeps it: checked, without secrets, as the item ``message``, and its usage."""

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
    """The answer, if it is a completion whose message is one of an assistant. Models and layers are code of others.

    Raises:
        ModelError: it is something else, such as the text alone. CompletionError: the message is not from an assistant.
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
    """The answer as a history may have it: with few tool calls, and an id of its own and a name for every one.

    Some endpoints give no id, a very long or odd one or the same id each turn, and some models name no tool; a history
    allows none of this. Of the calls of one answer, `Limits.answer_calls` are made. One more is kept, which
    `AgentTurns` refuses.
    """
    used, calls = request.used_call_ids, answer.tool_calls
    if not calls:
        return answer
    first = calls[0]
    if not calls[1:] and first.name and first.id not in used and is_kept_id(first.id):
        return answer
    answer = drop_empty_calls(answer)
    most = CURRENT_RUN.get().limits.answer_calls + 1
    if len(answer.tool_calls) > most:
        answer = _with_message(answer, keep_tool_calls(answer.message, most))
    ids = [call.id for call in answer.tool_calls if call.name and is_kept_id(call.id)]
    if len(set(ids)) == len(answer.tool_calls) and used.isdisjoint(ids):
        return answer
    return _with_message(answer, rename_tool_calls(answer.message, new_ids(used, len(used))))


def _with_message(answer: Completion, changed: str) -> Completion:
    text = mark_origin(changed, origin_of_text(answer.message))
    return replace(answer, message=text, tool_calls=completion_from_message(text).tool_calls)


def encode_answer(request: ChatRequest, answer: Completion, digest: str) -> Message:
    """The item of an answer without secrets to the request with that digest."""
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
    """The answer with references instead of the values of secrets, as the journal and later requests have it.

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

    A typed result is redacted, as a text is.
    """
    return call.arguments if call.name == RESULT_TOOL else refuse_secrets(call.arguments)


def requested_calls(completion: Completion) -> tuple[ToolCallRequest, ...]:
    """The calls of an answer. In place of arguments stands the reason for refusing the call where it must not be made.

    None is made of an answer that a filter or the model itself held back in part: what is missing may be the reason not
    to make it. No arguments are none only where the answer ended its calls whole: its endpoint says that the model
    ended it, and no call is without a name. Such a call holds arguments that may be those of another.
    """
    calls, ending = completion.tool_calls, read_finish(completion.finish_reason)
    if ending is Ending.FILTERED or refusal_of_text(completion.message):
        return tuple(each._replace(arguments=_HELD_BACK) for each in calls)
    if ending is Ending.WHOLE and all(each.name != UNNAMED for each in calls):
        return calls
    return tuple(map(_with_known_arguments, calls))


def _with_known_arguments(call: ToolCallRequest) -> ToolCallRequest:
    if not is_blank(call.arguments) or call.name == UNNAMED:  # that it has no name is said of the other
        return call
    return call._replace(arguments=_MISSING_ARGUMENTS)


_HELD_BACK: Final = refused_arguments(
    "this call was not made, because a part of your answer was held back: by a filter, or because you refuse the "
    "request; make the call again if it is still needed"
)
_MISSING_ARGUMENTS: Final = refused_arguments("the arguments have not arrived; make the call again, with all of them")


def add_usage(ledger: Ledger, call: str, answer: Completion, reservation: Reservation) -> None:
    """Record the usage of an answer to the request ``call``, and the model that was asked.

    What was reserved represents unreported usage.
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
