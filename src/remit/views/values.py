"""Values of calls as a person reads them in a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any, Final, cast

from remit.core.names import show_hidden
from remit.record.secret import redact_secrets

MAX_VALUE: Final = 80
"""The characters of a value in a sentence."""

_MAX_LISTED: Final = 3
_MAX_FIELDS: Final = 6
_MIN_GROUPED: Final = 10_000
JOINERS: Final = "\u00a0\u200c\u200d\u202f"
"""Characters of ordinary text that do not print: no-break spaces, emoji joiners."""
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?")
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")

_REFERENT: Final = {"id", "name", "revision"}

NameOf = Callable[[str], str]
"""The name of an object by its id; empty if it is not known."""


def describe_value(value: object, name_of: NameOf = lambda _id: "") -> str:
    """A value for people, on one line; empty if there is nothing to say.

    An object is shown by its name, a time by its day, a list by its first items and the number of the others.
    Characters that hide or reverse text are escaped, and the values of secrets replaced.
    """
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return _describe_number(value)
    if isinstance(value, str):
        name = name_of(value)
        return show_line(name) if name else _describe_text(value)
    if isinstance(value, list):
        return _describe_list(cast("list[object]", value), name_of)
    return _describe_object(cast("dict[str, Any]", value), name_of) if isinstance(value, dict) else ""


def is_referent(fields: Mapping[str, Any]) -> bool:
    """Whether an object of JSON stands in place of the reference that a caller gave."""
    return {*fields} == _REFERENT


def show_line(text: str, max_length: int = MAX_VALUE) -> str:
    """A text of unknown origin on one line, so that no part of it hides or passes for something else."""
    line = show_hidden(" ".join(redact_secrets(text[: max_length * 8]).split()), JOINERS)
    return line if len(line) <= max_length else f"{line[: max_length - 1]}…"


def describe_time(text: str) -> str:
    """A day or time in ISO 8601, to the second, as people write it; empty for any other text."""
    try:
        if _DAY.fullmatch(text):
            return _describe_day(date.fromisoformat(text))
        if _MOMENT.fullmatch(text):
            moment = datetime.fromisoformat(text)
            return "" if moment.microsecond else _describe_moment(moment)
    except ValueError:
        pass
    return ""


def _describe_text(text: str) -> str:
    return describe_time(text) or show_line(text)


def _describe_day(day: date) -> str:
    return f"{day.day} {day:%B %Y}"


def _describe_moment(moment: datetime) -> str:
    zone = "" if moment.utcoffset() is None else " UTC" if not moment.utcoffset() else f" UTC{moment:%z}"
    seconds = f"{moment:%H:%M:%S}" if moment.second else f"{moment:%H:%M}"
    return f"{_describe_day(moment)}, {seconds}{zone}"


def _describe_number(number: float) -> str:
    return f"{number:,}" if abs(number) >= _MIN_GROUPED else str(number)


def _describe_list(values: list[object], name_of: NameOf) -> str:
    shown = [text for each in values[: _MAX_LISTED + 1] if (text := describe_value(each, name_of))]
    if len(values) > _MAX_LISTED + 1:
        return f"{', '.join(shown[:_MAX_LISTED])} and {len(values) - _MAX_LISTED:,} more"
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else "".join(shown)


def _describe_object(value: dict[str, Any], name_of: NameOf) -> str:
    """An object by its name; an amount by its currency; other objects by the names of their fields."""
    for field in ("name", "title", "filename", "label"):
        if isinstance(value.get(field), str) and value[field].strip():
            return show_line(value[field])
    if isinstance(value.get("currency"), str) and isinstance(value.get("amount"), (int, float, str)):
        return show_line(f"{describe_value(value['amount'])} {value['currency']}")
    if isinstance(value.get("id"), str):
        return describe_value(value["id"], name_of)
    names = [show_line(each.replace("_", " "), 30) for each in value][:_MAX_FIELDS]
    return _describe_list(list[object](names), lambda _id: "")
