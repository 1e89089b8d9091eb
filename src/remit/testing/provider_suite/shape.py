"""The answers of an endpoint, and the expected result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, cast

from msgspec import Struct

from remit.chat.wire import has_surrogates
from remit.schemas.jsontext import ascii_json, compact_json

DONE: Final = "[DONE]"
"""The last event of a stream of chat completions."""

EVENT_STREAM: Final = "text/event-stream"


class HttpAnswer(Struct, frozen=True):
    """One answer of an endpoint."""

    body: str
    status: int = 200
    media_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()


class Shape(Struct, frozen=True, kw_only=True):
    """The answers of an endpoint in turn, the last one repeated, and the required result of a run.

    Args:
        answers: each answer, from the first request on.
        calls: the calls that must be made, like ``look(a)``, each once.
        text: what the result contains.
        rests: whether the run rests as stalled until the endpoint is healed.
        requests: how many requests are sent until then; 0 for any number.
    """

    answers: tuple[HttpAnswer, ...]
    calls: tuple[str, ...] = ()
    text: str = "all done"
    rests: bool = False
    requests: int = 0

    def list_expectations(self) -> Iterator[str]:
        """The expected result of a run with a model at the endpoint, in words."""
        count = f", after {self.requests} {'request' if self.requests == 1 else 'requests'}" if self.requests else ""
        if self.rests:
            yield f"the run rests as stalled{count}, because the model raises a ModelUnavailableError"
            yield f"it ends as done with {self.text!r} in its result when the endpoint is well and it is resumed"
        else:
            yield f"the run ends as done{count}, with {self.text!r} in its result"
        yield f"these calls are made: {', '.join(self.calls)}" if self.calls else "no call is made"
        yield "the next message of the conversation is answered"


def completion(message: Mapping[str, Any], finish: object = "stop", **fields: Any) -> dict[str, Any]:
    """The body of a chat completion. ``fields`` replace the default fields."""
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    return {"id": "c-1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]} | {
        "usage": usage,
        **fields,
    }


def tool_call(written: object = '{"what":"a"}', name: object = "look", **fields: Any) -> dict[str, Any]:
    """One tool call of a message, with its arguments as they are written; a field of None is omitted."""
    call = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": written}, **fields}
    return {key: value for key, value in call.items() if value is not None}


def add_choice(body: Mapping[str, Any], index: object, message: Mapping[str, Any]) -> dict[str, Any]:
    """The body of a completion with an extra choice before the answer."""
    other = {"index": index, "message": {"role": "assistant", **message}, "finish_reason": "stop"}
    return {**body, "choices": [other, *body["choices"]]}


def make_calls(*calls: Mapping[str, Any], finish: str = "tool_calls", **fields: Any) -> dict[str, Any]:
    """The body of a completion that makes calls; ``fields`` belong to its message."""
    return completion({"content": None, "tool_calls": list(calls), **fields}, finish)


def whole(body: object, status: int = 200, **headers: str) -> HttpAnswer:
    """An answer in one piece: JSON, or a text unchanged."""
    text = body if isinstance(body, str) else _json(body)
    return HttpAnswer(text, status, headers=tuple((key.replace("_", "-"), value) for key, value in headers.items()))


def chunk(delta: object, finish: str | None = None, **fields: Any) -> dict[str, Any]:
    """One event of a stream."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice], **fields}


def piece(index: int | str | None = 0, arguments: object = None, **fields: Any) -> dict[str, Any]:
    """An event with a piece of one call: ``id``, ``name``, and more fields of the call."""
    function = {key: value for key, value in (("name", fields.pop("name", None)), ("arguments", arguments)) if value}
    call = {"index": index, "function": function, **fields}
    return chunk({"tool_calls": [{key: value for key, value in call.items() if value is not None}]})


def as_events(*events: object) -> HttpAnswer:
    """A stream of events. A plain text is written unchanged."""
    lines = [each if isinstance(each, str) and each != DONE else f"data: {_event(each)}\n\n" for each in events]
    return HttpAnswer("".join(lines), media_type=EVENT_STREAM)


def nest(depth: int) -> object:
    """A text inside nested lists."""
    value: object = "x"
    for _ in range(depth):
        value = [value]
    return value


def _event(event: object) -> str:
    return event if isinstance(event, str) else _json(event)


def _json(value: object) -> str:
    """The JSON of a value; a lone surrogate is an escape in it."""
    text = compact_json(value)
    return ascii_json(value) if has_surrogates(text) else text


def as_stream(answer: HttpAnswer, body: object) -> HttpAnswer:
    """The stream with the same contents as the body of a completion; other answers are unchanged."""
    fields = cast("dict[str, Any]", body) if isinstance(body, dict) else {}
    choices: object = fields.get("choices")
    if answer.status != 200 or not isinstance(choices, list) or not choices:
        return answer
    if not all(isinstance(each, dict) for each in cast("list[object]", choices)):
        return answer
    events: list[object] = []
    for choice in cast("list[dict[str, Any]]", choices):
        message: dict[str, Any] = dict(choice.get("message") or {})
        calls: object = message.get("tool_calls")
        if isinstance(calls, list):
            message["tool_calls"] = [
                {**cast("dict[str, Any]", call), "index": number} if isinstance(call, dict) else call
                for number, call in enumerate(cast("list[object]", calls))
            ]
        piece = {**{key: value for key, value in choice.items() if key != "message"}, "delta": message}
        events.append({**fields, "object": "chat.completion.chunk", "choices": [piece]})
    return as_events(*events, DONE)


GOOD: Final = whole(completion({"content": "all done"}))
"""The answer of a working endpoint."""


def describe_faults(name: str, shape: Shape, faults: Iterable[str]) -> str:
    """A message of several lines: the endpoint's answers, the expected result and the actual result."""
    answers = [f"{answer.status}, {answer.media_type}: {_shorten(answer.body)}" for answer in shape.answers]
    parts = {"the endpoint answers": answers, "expected": shape.list_expectations(), "what came": faults}
    lines = [line for title, items in parts.items() for line in (f"{title}:", *(f"  - {item}" for item in items))]
    return "\n".join((f"the model does not cope with the shape {name!r}", *lines))


def _shorten(body: str) -> str:
    line = " ".join(body.split()) or "(nothing)"
    return line if len(line) <= _MAX_CHARS else f"{line[:_MAX_CHARS]}…"


_MAX_CHARS: Final = 400
