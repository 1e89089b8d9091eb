"""The cost of rendering a prompt. Every operation is counted before it produces a value."""

from __future__ import annotations

import re
from collections.abc import Callable, ItemsView, Iterable, KeysView, Mapping, Sequence, ValuesView
from typing import Any, Final, cast

from jinja2.exceptions import SecurityError
from jinja2.utils import Namespace

MAX_COST: Final = 4_000_000
"""The most that one rendering may cost: the characters and parts of all values that operations take and make."""
MAX_BITS: Final = 4096
"""The most bits of a whole number."""

_OPERATION: Final = 16
_PART: Final = 16
_NUMBER: Final = re.compile(r"[0-9]+")
VIEWS: Final = (KeysView, ValuesView, ItemsView)
"""Views of the items of a dictionary."""


class RenderCost:
    """The remaining cost limit of one rendering."""

    def __init__(self) -> None:
        self._left = MAX_COST

    def add(self, cost: int) -> None:
        """Count what an operation costs.

        Raises:
            SecurityError: the rendering costs too much.
        """
        self._left -= _OPERATION + cost
        if self._left < 0:
            raise SecurityError(f"it takes more than {MAX_COST:,} steps")

    def add_values(self, values: Iterable[object]) -> None:
        """Count the characters and parts of values, including nested ones."""
        self.add(_measure(values))

    def add_call(self, name: str, values: Sequence[Any], options: Mapping[str, Any]) -> None:
        """Count the arguments of a filter or method, and the largest result that it may make."""
        given = (*values, *options.values())
        self.add_values(given)
        self.add(sum(abs(each) for each in given[1:] if isinstance(each, int)))  # such as a width
        if name in _ESTIMATES:
            self.add(_ESTIMATES[name](given))

    def add_operation(self, operator: str, left: Any, right: Any) -> None:
        """Count the operands of an operator, and the largest result that it may make."""
        if isinstance(left, int) and isinstance(right, int):
            bits = left.bit_length() * right if operator == "**" else left.bit_length() + right.bit_length()
            if bits > MAX_BITS:
                raise SecurityError(f"a number of more than {MAX_BITS:,} bits")
            return
        self.add_values((left, right))
        if operator == "*":
            for many, times in ((left, right), (right, left)):
                if isinstance(many, (str, list, tuple)) and isinstance(times, int):
                    self.add(max(times, 0) * _measure((cast("object", many),)))
        if operator == "%" and isinstance(left, str):
            values = cast("tuple[Any, ...]", right) if isinstance(right, tuple) else (right,)
            self.add(_estimate_format((left, *values)))


def _measure(values: Iterable[object]) -> int:
    """The characters and parts of values, including nested ones; counting stops soon after the limit."""
    pending, cost = list(values), 0
    while pending and cost <= MAX_COST:
        value = pending.pop()
        cost += len(value) if isinstance(value, str) else _PART
        pending += _parts(value)
    return cost


def _parts(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        pairs = cast("dict[object, object]", value).items()
        return (part for pair in pairs for part in pair)
    if isinstance(value, Namespace):
        return cast("dict[str, object]", object.__getattribute__(value, "_Namespace__attrs")).values()
    return cast("Iterable[object]", value) if isinstance(value, (list, tuple, set, frozenset, *VIEWS)) else ()


def _estimate_format(given: Sequence[Any]) -> int:
    """Add the widths in a format, the numbers that may be widths, and the values once per field."""
    text = str(given[0])
    fields = text.count("{") + text.count("%")
    widths = [int(each[:10]) for each in _NUMBER.findall(text)]
    widths += [abs(each) for each in given[1:] if isinstance(each, int) and ("*" in text or "{" in text)]
    return sum(widths) + fields * _measure(given[1:])


def _estimate_join(given: Sequence[Any]) -> int:
    """Multiply the sizes of list and separator, which the filter and the method take in opposite order."""
    sizes = [len(cast("str", each)) for each in given[:2] if isinstance(each, (str, list, tuple, dict))]
    return sizes[0] * sizes[1] if len(sizes) == 2 else 0


def _estimate_replace(given: Sequence[Any]) -> int:
    text, old, new = (str(each) for each in (*given[:3], "", "")[:3])
    return text.count(old) * len(new)


def _estimate_lines(given: Sequence[Any]) -> int:
    """Multiply a width by the number of lines and tabs."""
    text, width = str(given[0]), 4 if len(given) < 2 else given[1]
    return (text.count("\n") + text.count("\t") + 1) * (abs(width) if isinstance(width, int) else len(str(width)))


def _estimate_translate(given: Sequence[Any]) -> int:
    table = cast("dict[object, object]", given[1]) if len(given) > 1 and isinstance(given[1], dict) else {}
    return len(given[0]) * max((len(str(each)) for each in table.values()), default=0)


_ESTIMATES: Final[Mapping[str, Callable[[Sequence[Any]], int]]] = {
    "expandtabs": _estimate_lines,
    "format": _estimate_format,
    "format_map": _estimate_format,
    "indent": _estimate_lines,
    "join": _estimate_join,
    "replace": _estimate_replace,
    "translate": _estimate_translate,
}
"""Filters and methods whose result may be longer than all their arguments."""
