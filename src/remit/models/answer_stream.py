"""Chat completions that endpoints stream: server-sent events, joined to the body that the same answer has in one."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from remit.contracts.streaming import Delta
from remit.models.call_pieces import find_call
from remit.schemas.jsontext import compact_json
from remit.schemas.raw_json import as_object, load_json

STREAM_FIELDS: Final = '"stream":true,"stream_options":{"include_usage":true}'
"""The members of a request for a stream."""

REFUSED_STATUSES: Final = frozenset({400, 404, 405, 422, 501})
"""The statuses of endpoints that do not stream."""

MAX_CHARS: Final = 32_000_000
"""The most characters of an answer that are joined."""

_MAX_EVENT: Final = 4_000_000
_PART_COST: Final = 100
_SEARCH_COST: Final = 64
"""What it counts to look for the part of a list that a piece belongs to, for each part that there is."""

_NAMES: Final = frozenset({"id", "type", "role", "name", "format", "finish_reason"})
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
        self._event_bytes = 0
        self._body: dict[str, Any] = {}
        self._choice: dict[str, Any] = {"index": 0, "message": {}}
        self._joined: list[tuple[dict[str, Any], Mapping[str, Any]]] = []
        self._has_ended = False
        self._length = 0

    def add_bytes(self, data: bytes) -> None:
        """Read the next bytes.

        Raises:
            ValueError: an event is not JSON. TypeError: it is not a chunk of a completion, or the answer is too long.
        """
        begin, *more = data.split(b"\n")
        self._line.append(begin)
        self._line_bytes += len(begin)
        for line in more:
            self._feed_line(b"".join(self._line).rstrip(b"\r"))
            self._line, self._line_bytes = [line], len(line)
        self._check_event(self._line_bytes)

    @staticmethod
    def _check_event(size: int) -> None:
        if size > _MAX_EVENT:
            raise TypeError(f"an event is longer than {_MAX_EVENT:,} bytes")

    def body(self) -> str:
        """The body of the whole answer.

        Raises:
            StreamCutError: the endpoint did not finish it.
        """
        with contextlib.suppress(ValueError):  # the last event was cut
            self.add_bytes(b"\n\n")
        is_begun = bool(self._choice["message"] or self._choice.get("finish_reason"))
        if not ((self._has_ended and is_begun) or self._choice.get("finish_reason") or self._body.get("error")):
            raise StreamCutError("the answer was cut off")
        message = _join_texts(self._choice["message"])
        for call in message.get("tool_calls") or ():
            call.pop("index", None)  # only pieces are numbered
        choice = {**_join_texts(self._choice), "message": message}
        return compact_json({**self._body, "object": "chat.completion", "choices": [choice]})

    def _feed_line(self, line: bytes) -> None:
        if line.startswith(b"data:"):
            self._data.append(line[5:].removeprefix(b" "))
            self._event_bytes += len(line)
            self._check_event(self._event_bytes)
        elif not line and self._data:
            data, self._data, self._event_bytes = b"\n".join(self._data), [], 0
            if data.strip() == b"[DONE]":
                self._has_ended = True
            elif data.strip():
                self._add_chunk(as_object(load_json(data.decode())))

    def _add_chunk(self, chunk: Mapping[str, Any]) -> None:
        for name, value in chunk.items():
            if name != "choices" and (value is not None or name not in self._body):
                self._body[name] = value
        for choice in map(as_object, chunk.get("choices") or ()):
            if choice.get("index") in (None, 0):
                delta = as_object(choice.get("delta") or {})
                rest = {name: value for name, value in choice.items() if name not in ("delta", "index")}
                self._merge(self._choice, rest)
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
            self._merge(whole, piece)
            self._joined.append((whole, piece))

    def _read_arguments(self, arguments: object) -> str:
        """The arguments of a call so far, whose reading counts."""
        text = "".join(arguments) if isinstance(arguments, _Text) else compact_json(arguments or "")
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
