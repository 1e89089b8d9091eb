"""The body of an answer in a form that PydanticAI can read: the completion, and the vendor's fields around it.

PydanticAI refuses a whole answer if one field has a type that its API does not document. Only `parse_completion` parses
answers, so both of Remit's models read them alike; this module only writes the result again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, cast

from openai.types.chat.chat_completion import ChatCompletion, Choice
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from remit.chat.chat import Completion, decode_message
from remit.chat.wire import escape_surrogates, read_tool_calls, text_of_message, without_surrogates
from remit.models.chat_completion import as_count
from remit.models.choices import find_answer
from remit.schemas.jsontext import ascii_json
from remit.schemas.raw_json import limit_depth, load_json

FILTERED: Final = "content_filter_results"
"""Azure's field with the findings of its filter."""


def write_readable(completion: Completion) -> tuple[bytes, object]:
    """The body of a completion for PydanticAI, and the findings of the provider's filter."""
    received = cast("dict[str, Any]", load_json(limit_depth(completion.response)))
    choice: dict[str, Any] = received["choices"][find_answer(received["choices"])]
    said = {
        "index": 0,
        "message": _to_readable(cast("dict[str, Any]", decode_message(completion.message))),
        "finish_reason": completion.finish_reason,
    }
    body = {"id": "", "created": 0, **_drop_others(received, _AROUND), "model": completion.model}
    body |= {"object": "chat.completion", "choices": [{**_drop_others(choice, _WITHIN), **said}]}
    body["usage"] = _to_usage(received.get("usage"), completion)
    return ascii_json(without_surrogates(body)).encode(), choice.get(FILTERED)


def _to_readable(message: dict[str, Any]) -> dict[str, Any]:
    """A message as PydanticAI reads it: text, function calls with arguments as text, and fields of the vendor."""
    dropped = ("refusal", "annotations", "audio", "function_call", "tool_calls")
    readable = {key: value for key, value in message.items() if key not in dropped}
    readable |= {"role": message.get("role") or "assistant", "content": text_of_message(message) or None}
    calls: Sequence[dict[str, Any]] = message.get("tool_calls") or ()
    if calls:
        readable["tool_calls"] = [
            {
                **{key: value for key, value in call.items() if key not in ("custom", "index")},
                "id": read.id,
                "type": "function",
                "function": {"name": read.name, "arguments": escape_surrogates(read.arguments)},
            }
            for call, read in zip(calls, read_tool_calls(message), strict=True)
        ]
    return readable


def _to_usage(received: object, completion: Completion) -> dict[str, Any] | None:
    """The usage of a completion, with the other counts that its endpoint reports; None if it is not known."""
    prompt, answer = completion.prompt_tokens, completion.completion_tokens
    if not isinstance(received, dict) or not prompt + answer:
        return None
    usage = cast("dict[str, Any]", received)
    cached, reasoning = {"cached_tokens": completion.cached_tokens}, {"reasoning_tokens": completion.reasoning_tokens}
    return {
        **{key: as_count(value) if isinstance(value, float) else value for key, value in usage.items()},
        "prompt_tokens": prompt,
        "completion_tokens": answer,
        "total_tokens": prompt + answer,
        "prompt_tokens_details": {**_list_counts(usage.get("prompt_tokens_details")), **cached},
        "completion_tokens_details": {**_list_counts(usage.get("completion_tokens_details")), **reasoning},
    }


def _list_counts(details: object) -> dict[str, int]:
    values = cast("dict[str, Any]", details) if isinstance(details, dict) else dict[str, Any]()
    counts = {key: as_count(value) for key, value in values.items()}
    return {key: value for key, value in counts.items() if type(value) is int}


def _drop_others(values: Mapping[str, Any], forms: Mapping[str, TypeAdapter[Any]]) -> dict[str, Any]:
    """Drop the values whose form differs from the one in ``forms``."""
    return {key: value for key, value in values.items() if key not in forms or _has_form(value, forms[key])}


def _has_form(value: object, form: TypeAdapter[Any]) -> bool:
    try:
        form.validate_python(value)
    except ValidationError:
        return False
    return True


def _forms_of(model: type[BaseModel], *names: str) -> dict[str, TypeAdapter[Any]]:
    fields = model.model_fields
    return {name: TypeAdapter(cast("Any", fields[name].annotation)) for name in names if name in fields}


_AROUND: Final[dict[str, TypeAdapter[Any]]] = {
    "id": TypeAdapter(str),
    "created": TypeAdapter(Annotated[int, Field(strict=True, ge=0, le=253_402_300_799)]),  # until the year 9999
    "service_tier": TypeAdapter(str | None),
    "metadata": TypeAdapter(dict[str, Any] | None),
    **_forms_of(ChatCompletion, "system_fingerprint", "moderation"),
}
"""The forms of the fields around an answer. Some endpoints leave these fields empty or fill them otherwise."""
_WITHIN: Final = _forms_of(Choice, "logprobs")
