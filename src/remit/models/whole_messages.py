"""The whole messages that some endpoints add to the events of a stream: the message so far, or the next calls of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

from remit.chat.wire import text_of_message
from remit.models.call_pieces import function_of
from remit.models.choices import index_of
from remit.record.arguments import is_blank
from remit.schemas.jsontext import compact_json
from remit.schemas.raw_json import as_object

_SEARCH_COST: Final = 64
"""The cost of comparing two calls."""


class _Call(NamedTuple):
    """A call with its arguments as received, and as they are compared: written in one way if they are complete."""

    values: dict[str, Any]
    arguments: str
    compared: str


class WholeMessages:
    """The whole messages of one stream, joined. A later one replaces only what it repeats.

    ``count`` is told the work of joining.
    """

    def __init__(self, count: Callable[[int], None]) -> None:
        self._count = count
        self._fields: dict[str, Any] = {}
        self._texts: dict[str, str] = {}
        self._calls: list[_Call] = []
        self.differ = False
        """Whether a text does not begin with the text of an earlier message."""

    def add(self, message: Mapping[str, Any]) -> None:
        """Add a message. Empty fields replace nothing.

        Raises:
            TypeError: a call is not an object, or the older ``function_call`` is another than before.
        """
        for name, value in message.items():
            if value in (None, "", [], {}):
                self._fields.setdefault(name, value)
                continue
            if name == "tool_calls":
                self._add_calls(self._calls, value)
                continue
            if name == "function_call":
                value = _join_function(self._fields.get(name), value)  # noqa: PLW2901
            text = text_of_message({name: value})
            self.differ |= not text.startswith(self._texts.get(name, ""))
            self._texts[name], self._fields[name] = text, value

    def join(self, streamed: Mapping[str, Any]) -> dict[str, Any]:
        """The message of all events: what was streamed in pieces, and what only the whole messages have."""
        joined = {**streamed, **self._fields, **{name: value for name, value in streamed.items() if value}}
        if self._calls:
            calls = [_read_call(each) for each in map(as_object, _items(joined.get("tool_calls") or []))]
            self._add_calls(calls, [each.values for each in self._calls])
            joined["tool_calls"] = [each.values for each in calls]
        return joined

    def __bool__(self) -> bool:
        return bool(self._fields or self._calls)

    def _add_calls(self, known: list[_Call], added: object) -> None:
        """Add calls to those that are known. A call that repeats a known one completes it."""
        left = list(range(len(known)))
        for call in map(_read_call, map(as_object, _items(added))):
            same = self._find(known, left, call)
            if same is None:
                self._count(_SEARCH_COST + len(call.arguments))
                known.append(call)
            else:
                left.remove(same)
                known[same] = _complete(known[same], call)

    def _find(self, known: Sequence[_Call], left: Iterable[int], call: _Call) -> int | None:
        """The number of the known call that a call repeats: the one with its id, or its index, or the first."""
        found: list[tuple[int, int]] = []
        for number in left:
            self._count(_SEARCH_COST)
            each = known[number]
            if _repeats(each, call):
                if _is_same(each.values.get("id"), call.values.get("id")):
                    return number
                found.append((not _is_same(index_of(each.values), index_of(call.values)), number))
        return min(found)[1] if found else None


def _items(calls: object) -> list[object]:
    if not isinstance(calls, list):
        raise TypeError("its tool calls are not a list")
    return [each for each in cast("list[object]", calls) if each is not None]


def _read_call(call: Mapping[str, Any]) -> _Call:
    function = function_of(call)
    arguments = function.get("arguments", function.get("input"))
    text = arguments if isinstance(arguments, str) else "" if arguments is None else compact_json(arguments)
    try:
        return _Call(dict(call), text, compact_json(json.loads(text)))
    except (ValueError, RecursionError):
        return _Call(dict(call), text, text)


def _join_function(known: object, added: object) -> object:
    """The older ``function_call`` of two messages, which give the same one."""
    one, other = (_read_call({"function": each}) for each in (known, added))
    if not _repeats(one, other):
        raise TypeError("two whole messages in the stream have different calls")
    return _complete(one, other).values["function"]


def _repeats(known: _Call, call: _Call) -> bool:
    """Whether a call is a known one again, perhaps with more or less of its arguments."""
    names = [function_of(each.values).get("name") for each in (known, call)]
    indexes = [index_of(each.values) for each in (known, call)]
    if all(names) and names[0] != names[1]:
        return False
    if known.compared == call.compared:
        return _is_same(*indexes) or None in indexes or _is_same(known.values.get("id"), call.values.get("id"))
    if _differ(known.values.get("id"), call.values.get("id")) or _differ(*indexes):
        return False
    if is_blank(known.arguments) or is_blank(call.arguments):
        return True
    return known.arguments.startswith(call.arguments) or call.arguments.startswith(known.arguments)


def _is_same(one: object, other: object) -> bool:
    return bool(one) and one == other


def _differ(one: object, other: object) -> bool:
    return bool(one) and bool(other) and one != other


def _complete(known: _Call, call: _Call) -> _Call:
    """A known call with the fields of its repetition, and the arguments of the one that has more of them."""
    has_more = is_blank(known.arguments) or (
        not is_blank(call.arguments) and len(call.arguments) > len(known.arguments)
    )
    more, less = (call, known) if has_more else (known, call)
    values = {**less.values, **_given_fields(more.values)}
    for key in ("function", "custom"):
        if isinstance(less.values.get(key), dict) and isinstance(more.values.get(key), dict):
            values[key] = {**less.values[key], **_given_fields(more.values[key])}
    return more._replace(values=values)


def _given_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value not in (None, "")}
