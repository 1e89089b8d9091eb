"""Chat completions that endpoints stream: server-sent events, joined to the body of the same answer in one piece.

The body contains the pieces of choices other than the answer as received.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, cast

from remit.chat.finish import NO_FINISH, Ending, read_finish
from remit.chat.streaming import Delta
from remit.chat.wire import has_surrogates, refusal_of_message, text_of_message
from remit.models.call_pieces import find_call, with_whole_name
from remit.models.choices import FIRST, index_of
from remit.models.whole_messages import WholeMessages
from remit.schemas.jsontext import ascii_json, compact_json
from remit.schemas.raw_json import as_object, limit_depth, load_json

STREAM_FIELDS: Final = '"stream":true,"stream_options":{"include_usage":true}'
"""The members of a request for a stream."""

_REFUSED_STATUSES: Final = frozenset({400, 404, 405, 422, 501})
_STREAM: Final = re.compile(r"(?<!up)stream", re.IGNORECASE)


def refuses_streams(status: int, text: str) -> bool:
    """Whether a response says that its endpoint does not stream. Errors from upstream services do not count."""
    return status in _REFUSED_STATUSES and _STREAM.search(text) is not None


MAX_CHARS: Final = 32_000_000
"""The most characters of an answer that are joined."""

_MAX_EVENT: Final = 4_000_000
_PART_COST: Final = 100
_SEARCH_COST: Final = 64
"""The cost, per existing part, of finding the part of a list to which a piece belongs."""

_BOM: Final = b"\xef\xbb\xbf"
_DONE: Final = b"[DONE]"
_NAMES: Final = frozenset({"id", "type", "role", "name", "format", "finish_reason", "index"})
"""Fields whose pieces repeat or replace one another; pieces of other texts are joined."""
_ARGUMENTS: Final = frozenset({"arguments", "input"})
_SAID: Final = _ARGUMENTS | {"content", "refusal", "tool_calls", "function"}
"""Fields whose pieces must not be lost."""
_HALF: Final = re.compile("[\ud800-\udbff]$")


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
        self._others: list[Mapping[str, Any]] = []
        self._has_answer = False
        self._whole = WholeMessages(self._count)
        self._has_text = False
        self._halves: dict[int | None, str] = {}
        self._joined: list[tuple[dict[str, Any], Mapping[str, Any]]] = []
        self._has_ended = self._has_failed = False
        self._length = 0

    def add_bytes(self, data: bytes) -> None:
        """Read the next bytes.

        Raises:
            ValueError: an event is not JSON. TypeError: it is not a chunk of a completion, or the answer is too long.
        """
        if data and (self._after_return or b"\r" in data):
            data = self._with_newlines(data)
        begin, *more = data.split(b"\n")
        self._line.append(begin)
        self._line_bytes += len(begin)
        for line in more:
            self._feed_line(b"".join(self._line))
            self._line, self._line_bytes = [line], len(line)
        self._check_event(self._line_bytes)

    def _with_newlines(self, data: bytes) -> bytes:
        """Replace each line ending by a newline: a carriage return, a newline, or both together.

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
        """The body of the whole answer. An answer without a finish reason or an error gets `NO_FINISH`.

        Raises:
            StreamCutError: the endpoint did not finish the answer. TypeError: it is not one chat message.
        """
        with contextlib.suppress(ValueError):  # the last event was cut
            self.add_bytes(b"\n\n")
        self._choose_answer()
        message, finish = self._join_message(), self._choice.get("finish_reason")
        if self._has_failed:
            finish = None  # an end after an error makes no answer whole
        elif not ((self._has_ended and message) or finish or self._body.get("error")):
            raise StreamCutError("the answer was cut off")
        calls: object = message.get("tool_calls") or []
        if not isinstance(calls, list):
            raise TypeError("its tool calls are not a list")
        for call in cast("list[object]", calls):
            if isinstance(call, dict):
                cast("dict[str, Any]", call).pop("index", None)  # only pieces are numbered
        if not finish and not self._body.get("error"):  # which says how it ended
            finish = NO_FINISH
        choice = {**_join_texts(self._choice), "message": message, "finish_reason": finish}
        body = {**self._body, "object": "chat.completion", "choices": [choice, *self._others]}
        text = compact_json(body)
        return ascii_json(body) if has_surrogates(text) else text  # two halves of a pair become one character

    def _join_message(self) -> dict[str, Any]:
        """The message of all pieces and of whole messages, which some endpoints add.

        Raises:
            TypeError: the text is not a message, or is in whole messages that differ.
        """
        message: dict[str, Any] = _join_texts(self._choice["message"])
        if self._whole.differ and not text_of_message(message):
            raise TypeError("two whole messages in the stream have different texts")
        if self._choice.get("text") and not message and not self._whole:
            raise TypeError("it has a text, but no chat message")
        return self._whole.join(message)

    def _feed_line(self, line: bytes) -> None:
        line = line.removeprefix(_BOM)
        if line.startswith(b"data:"):
            self._data.append(line[5:].removeprefix(b" "))
            self._event_bytes += len(line)
            self._check_event(self._event_bytes)
        elif line.startswith(b"event:"):
            self._event = line[6:].strip()
        elif line.startswith(b"{"):  # an error of a gateway without the usual fields
            self._check_event(len(line))
            self._read_event(line)
        elif not line:
            lines, self._data, self._event_bytes = self._data, [], 0
            for data in lines if all(map(_is_whole, lines)) else (b"\n".join(lines),):
                self._read_event(data)
            self._event = b""

    def _read_event(self, data: bytes) -> None:
        if data.strip() == _DONE:
            self._has_ended = True
        elif data.strip() and not self._has_ended and (value := load_json(limit_depth(data.decode()))) is not None:
            chunk = as_object(value)
            is_error = self._event == b"error" or chunk.get("object") == "error"
            self._add_chunk({"error": chunk} if is_error and not chunk.get("error") else chunk, len(data))

    def _add_chunk(self, chunk: Mapping[str, Any], size: int) -> None:
        for name, value in chunk.items():
            if name != "choices" and (value is not None or name not in self._body):
                self._body[name] = value
        choices = [as_object(each) for each in _list_given(chunk.get("choices") or ())]
        if chunk.get("error") and not any(each.get("finish_reason") for each in choices):
            self._has_failed = True  # beside an end, an error may be a warning
        for choice in choices:
            if index_of(choice) in (None, FIRST):
                self._has_answer = True
                self._add_choice(choice)
            else:
                self._count(_PART_COST + size)
                self._others.append(choice)

    def _choose_answer(self) -> None:
        """At the end, read the first choice as the answer if no choice has the answer's number."""
        others = self._others
        if not self._has_answer and others:
            first = index_of(others[0])
            self._others = [each for each in others if index_of(each) != first]
            for choice in others:
                if index_of(choice) == first:
                    self._add_choice(choice)

    def _add_choice(self, choice: Mapping[str, Any]) -> None:
        """Add a piece of the choice that is the answer."""
        delta = as_object(choice.get("delta") or {})
        rest = {name: value for name, value in choice.items() if name not in ("delta", "index", "message")}
        if read_finish(str(self._choice.get("finish_reason"))) is Ending.FILTERED:
            rest.pop("finish_reason", None)  # a later event takes nothing back
        self._merge(self._choice, rest)
        self._whole.add(as_object(choice.get("message") or {}))
        self._joined = []
        self._merge(self._choice["message"], delta)
        self._report(delta)

    def _report(self, delta: Mapping[str, Any]) -> None:
        text, refusal = text_of_message(delta), refusal_of_message(delta)
        self._has_text |= text != refusal
        if (text != refusal or not self._has_text) and (text := self._complete(text)):
            self._on_delta(Delta(text))
        for whole, call in self._joined:
            calls = self._choice["message"]["tool_calls"]
            text = as_object(call.get("function") or {}).get("arguments")
            number = next(number for number, each in enumerate(calls) if each is whole)
            if isinstance(text, str) and (shown := self._complete(text, number)):
                name = str(whole["function"].get("name") or "")
                self._on_delta(Delta(shown, "arguments", number, name))

    def _complete(self, text: str, number: int | None = None) -> str:
        """The text of a piece, with a split character completed at its start and withheld at its end."""
        text = self._halves.pop(number, "") + text
        if has_surrogates(text):
            if _HALF.search(text):
                self._halves[number], text = text[-1], text[:-1]
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return text

    def _merge(self, target: dict[str, Any], piece: Mapping[str, Any]) -> None:
        """Add the fields of a piece: texts and lists are joined, parts of lists by their ``index``.

        Empty values replace nothing. Arguments that are not text are complete and may be repeated.

        Raises:
            TypeError: a value that would be lost differs in type from the earlier ones, or complete arguments differ.
        """
        for name, value in piece.items():
            known = target.get(name)
            if name == "content":
                known, value = _as_one_kind(known, value)  # noqa: PLW2901
            if name in _SAID and not (_is_empty(known) or _is_empty(value) or _kind_of(known) is _kind_of(value)):
                raise TypeError(f"the pieces of {name} have different types")
            if name == "function_call" and isinstance(value, dict):
                value = with_whole_name({"function": known}, {"function": value})["function"]  # noqa: PLW2901
            if _is_empty(value) and not _is_empty(known):
                continue
            if name in _ARGUMENTS and isinstance(value, dict | list):
                if not _is_empty(known) and known != value:
                    raise TypeError(f"the {name} of a call differs between pieces")
                target[name] = value
            elif isinstance(value, str) and name not in _NAMES:
                self._count(len(value))
                target[name] = known if isinstance(known, _Text) else _Text()
                target[name].append(value)
            elif isinstance(value, dict):
                target[name] = cast("dict[str, Any]", known) if isinstance(known, dict) else {}
                self._merge(target[name], cast("dict[str, Any]", value))
            elif isinstance(value, list):
                target[name] = cast("list[Any]", known) if type(known) is list else []
                join = self._join_calls if name == "tool_calls" else self._join_list
                join(target[name], cast("list[Any]", value))
            else:
                target[name] = value

    def _join_calls(self, known: list[Any], added: list[Any]) -> None:
        for piece in map(as_object, _list_given(added)):
            self._count(_PART_COST + _SEARCH_COST * len(known))
            whole = find_call(known, piece, self._read_arguments)
            if whole is None:
                known.append(whole := {})
            self._merge(whole, with_whole_name(whole, piece))
            self._joined.append((whole, piece))

    def _read_arguments(self, arguments: object) -> str:
        """The arguments of a call so far. Reading them is counted as work."""
        if arguments is None:
            return ""
        text = "".join(arguments) if isinstance(arguments, _Text) else compact_json(arguments)
        self._count(len(text))
        return text

    def _join_list(self, known: list[Any], added: list[Any]) -> None:
        for part in added:
            self._count(_PART_COST if not _is_numbered(part) else _PART_COST + _SEARCH_COST * len(known))
            same = _find_part(known, part)
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


def _list_given(items: Iterable[object]) -> list[object]:
    """The items that are not null."""
    return [each for each in items if each is not None]


def _join_texts(value: Any) -> Any:
    """The value with its pieces of text joined."""
    if isinstance(value, _Text):
        return "".join(value)
    if isinstance(value, dict):
        return {name: _join_texts(each) for name, each in cast("dict[str, Any]", value).items()}
    return [_join_texts(each) for each in cast("list[Any]", value)] if isinstance(value, list) else value


def _is_whole(line: bytes) -> bool:
    """Whether one line holds the whole data of an event: the lines of one JSON object never all pass."""
    line = line.strip()
    return line == _DONE or (line.startswith(b"{") and line.endswith(b"}"))


def _is_empty(value: object) -> bool:
    return not any(value) if isinstance(value, _Text) else value in (None, "", {}, [])


def _kind_of(value: object) -> type:
    return str if isinstance(value, _Text) else type(value)


def _as_one_kind(known: Any, value: Any) -> tuple[Any, Any]:
    """A content and its next piece, both as lists of parts if either is a list."""
    if isinstance(value, str) and type(known) is list:
        return cast("Any", known), _as_parts(value)
    if isinstance(value, list) and isinstance(known, _Text):
        return _as_parts(known), cast("Any", value)
    return known, cast("Any", value)


def _as_parts(text: str | _Text) -> list[dict[str, Any]]:
    return [] if _is_empty(text) else [{"type": "text", "text": text}]


def _find_part(parts: list[Any], piece: Any) -> dict[str, Any] | None:
    """The part of a list to which a piece belongs: the one with its index and type, or the last if both are texts."""
    if not _is_numbered(piece):
        return parts[-1] if parts and _is_text(parts[-1]) and _is_text(piece) else None
    found = (each for each in reversed(parts) if _is_numbered(each) and index_of(each) == index_of(piece))
    return next((each for each in found if piece.get("type") in (None, each.get("type"))), None)


def _is_numbered(part: Any) -> bool:
    return isinstance(part, dict) and index_of(cast("dict[str, Any]", part)) is not None


def _is_text(part: Any) -> bool:
    values = cast("dict[str, Any]", part) if isinstance(part, dict) else dict[str, Any]()
    return values.keys() == {"type", "text"} and values["type"] == "text"
