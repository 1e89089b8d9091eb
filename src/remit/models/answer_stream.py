"""Chat completions that endpoints stream: server-sent events, joined to the body that the same answer has in one."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from remit.contracts.finish import NO_FINISH
from remit.contracts.streaming import Delta
from remit.contracts.wire import has_surrogates
from remit.models.call_pieces import find_call, with_whole_name
from remit.schemas.jsontext import ascii_json, compact_json
from remit.schemas.raw_json import as_object, load_json

STREAM_FIELDS: Final = '"stream":true,"stream_options":{"include_usage":true}'
"""The members of a request for a stream."""

_REFUSED_STATUSES: Final = frozenset({400, 404, 405, 422, 501})
_STREAM: Final = re.compile(r"(?<!up)stream", re.IGNORECASE)


def refuses_streams(status: int, text: str) -> bool:
    """Whether a response says that its endpoint does not stream. An error of something upstream says nothing of it."""
    return status in _REFUSED_STATUSES and _STREAM.search(text) is not None


MAX_CHARS: Final = 32_000_000
"""The most characters of an answer that are joined."""

_MAX_EVENT: Final = 4_000_000
_PART_COST: Final = 100
_SEARCH_COST: Final = 64
"""What it counts to look for the part of a list that a piece belongs to, for each part that there is."""

_BOM: Final = b"\xef\xbb\xbf"
_NAMES: Final = frozenset({"id", "type", "role", "name", "format", "finish_reason", "index"})
"""Fields whose pieces repeat or replace one another, where other texts are joined."""


class StreamCutError(ConnectionError):
    """The stream ended before the answer was whole."""


class AnswerStream:
    """Joins the events of one answer, and reports its text and the arguments of its calls as they arrive."""

    def __init__(self, on_delta: Callable[[Delta], None]) -> None:
        self._on_delta = on_delta
        self._line: list[bytes] = []
        self._line_bytes = 0
        self._data: list[bytes] = []
        self._event = b""
        self._event_bytes = 0
        self._after_return = False
        self._body: dict[str, Any] = {}
        self._choice: dict[str, Any] = {"index": 0, "message": {}}
        self._said: Mapping[str, Any] = {}
        self._joined: list[tuple[dict[str, Any], Mapping[str, Any]]] = []
        self._has_ended = False
        self._length = 0

    def add_bytes(self, data: bytes) -> None:
        """Read the next bytes.

        Raises:
            ValueError: an event is not JSON. TypeError: it is not a chunk of a completion, or the answer is too long.
        """
        if self._after_return or b"\r" in data:
            data = self._with_newlines(data)
        begin, *more = data.split(b"\n")
        self._line.append(begin)
        self._line_bytes += len(begin)
        for line in more:
            self._feed_line(b"".join(self._line))
            self._line, self._line_bytes = [line], len(line)
        self._check_event(self._line_bytes)

    def _with_newlines(self, data: bytes) -> bytes:
        """The bytes with a newline for each end of a line, of which a carriage return is one, with a newline or alone.

        The newline may come with the next bytes.
        """
        rest = data[1:] if self._after_return and data.startswith(b"\n") else data
        self._after_return = data.endswith(b"\r")
        return rest.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    @staticmethod
    def _check_event(size: int) -> None:
        if size > _MAX_EVENT:
            raise TypeError(f"an event is longer than {_MAX_EVENT:,} bytes")

    def body(self) -> str:
        """The body of the whole answer. One without a finish reason or an error has `NO_FINISH`.

        Raises:
            StreamCutError: the endpoint did not finish it. TypeError: its tool calls are no list.
        """
        with contextlib.suppress(ValueError):  # the last event was cut
            self.add_bytes(b"\n\n")
        message, finish = self._join_message(), self._choice.get("finish_reason")
        if not ((self._has_ended and message) or finish or self._body.get("error")):
            raise StreamCutError("the answer was cut off")
        calls: object = message.get("tool_calls") or []
        if not isinstance(calls, list):
            raise TypeError("its tool calls are no list")
        for call in cast("list[object]", calls):
            if isinstance(call, dict):
                cast("dict[str, Any]", call).pop("index", None)  # only pieces are numbered
        if not finish and not self._body.get("error"):  # which says how it ended
            finish = NO_FINISH
        choice = {**_join_texts(self._choice), "message": message, "finish_reason": finish}
        body = {**self._body, "object": "chat.completion", "choices": [choice]}
        text = compact_json(body)
        return ascii_json(body) if has_surrogates(text) else text  # two halves of a pair become one character

    def _join_message(self) -> dict[str, Any]:
        """The message of all pieces. What has none is that of the last whole message, which some endpoints add."""
        message: dict[str, Any] = _join_texts(self._choice["message"])
        return {**message, **self._said, **{name: value for name, value in message.items() if value}}

    def _feed_line(self, line: bytes) -> None:
        line = line.removeprefix(_BOM)
        if line.startswith(b"data:"):
            self._data.append(line[5:].removeprefix(b" "))
            self._event_bytes += len(line)
            self._check_event(self._event_bytes)
        elif line.startswith(b"event:"):
            self._event = line[6:].strip()
        elif not line and self._data:
            data, self._data, self._event_bytes = b"\n".join(self._data), [], 0
            event, self._event = self._event, b""
            if data.strip() == b"[DONE]":
                self._has_ended = True
            elif data.strip():
                chunk = as_object(load_json(data.decode()))
                is_error = event == b"error" or chunk.get("object") == "error"
                self._add_chunk({"error": chunk} if is_error and not chunk.get("error") else chunk)

    def _add_chunk(self, chunk: Mapping[str, Any]) -> None:
        for name, value in chunk.items():
            if name != "choices" and (value is not None or name not in self._body):
                self._body[name] = value
        for choice in map(as_object, chunk.get("choices") or ()):
            if choice.get("index") in (None, 0):
                delta = as_object(choice.get("delta") or {})
                rest = {name: value for name, value in choice.items() if name not in ("delta", "index", "message")}
                self._merge(self._choice, rest)
                self._said = as_object(choice.get("message") or self._said)
                self._joined = []
                self._merge(self._choice["message"], delta)
                self._report(delta)

    def _report(self, delta: Mapping[str, Any]) -> None:
        for text in (delta.get("content"), delta.get("refusal")):
            if isinstance(text, str) and text:
                self._on_delta(Delta(text))
        for whole, call in self._joined:
            calls = self._choice["message"]["tool_calls"]
            text = as_object(call.get("function") or {}).get("arguments")
            if isinstance(text, str) and text:
                number = next(number for number, each in enumerate(calls) if each is whole)
                name = str(whole["function"].get("name") or "")
                self._on_delta(Delta(text, "arguments", number, name))

    def _merge(self, target: dict[str, Any], piece: Mapping[str, Any]) -> None:
        """Add the fields of a piece: texts and lists are joined, parts of lists by their ``index``."""
        for name, value in piece.items():
            known = target.get(name)
            if isinstance(value, str) and name not in _NAMES:
                self._count(len(value))
                target[name] = known if isinstance(known, _Text) else _Text()
                target[name].append(value)
            elif isinstance(value, dict):
                target[name] = cast("dict[str, Any]", known) if isinstance(known, dict) else {}
                self._merge(target[name], cast("dict[str, Any]", value))
            elif isinstance(value, list):
                target[name] = cast("list[Any]", known) if isinstance(known, list) else []
                join = self._join_calls if name == "tool_calls" else self._join_list
                join(target[name], cast("list[Any]", value))
            elif known is None or value not in (None, ""):
                target[name] = value

    def _join_calls(self, known: list[Any], added: list[Any]) -> None:
        for piece in map(as_object, added):
            self._count(_PART_COST + _SEARCH_COST * len(known))
            whole = find_call(known, piece, self._read_arguments)
            if whole is None:
                known.append(whole := {})
            self._merge(whole, with_whole_name(whole, piece))
            self._joined.append((whole, piece))

    def _read_arguments(self, arguments: object) -> str:
        """The arguments of a call so far, whose reading counts."""
        if arguments is None:
            return ""
        text = "".join(arguments) if isinstance(arguments, _Text) else compact_json(arguments)
        self._count(len(text))
        return text

    def _join_list(self, known: list[Any], added: list[Any]) -> None:
        for part in added:
            self._count(_PART_COST if _index_of(part) is None else _PART_COST + _SEARCH_COST * len(known))
            same = _find_indexed(known, part)
            if same is None and isinstance(part, dict):
                known.append(same := {})
            if same is None:
                known.append(part)
            else:
                self._merge(same, cast("dict[str, Any]", part))

    def _count(self, added: int) -> None:
        self._length += added
        if self._length > MAX_CHARS:
            raise TypeError(f"the answer is longer than {MAX_CHARS:,} characters")


class _Text(list[str]):
    """A text in pieces."""


def _join_texts(value: Any) -> Any:
    """The value with whole texts."""
    if isinstance(value, _Text):
        return "".join(value)
    if isinstance(value, dict):
        return {name: _join_texts(each) for name, each in cast("dict[str, Any]", value).items()}
    return [_join_texts(each) for each in cast("list[Any]", value)] if isinstance(value, list) else value


def _find_indexed(parts: list[Any], piece: Any) -> dict[str, Any] | None:
    """The part of a list that a piece belongs to."""
    if (index := _index_of(piece)) is None:
        return None
    return next((cast("dict[str, Any]", each) for each in reversed(parts) if _index_of(each) == index), None)


def _index_of(part: Any) -> object:
    return cast("dict[str, Any]", part).get("index") if isinstance(part, dict) else None
