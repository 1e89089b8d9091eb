"""Checks of users' arguments. Each error is one line with the argument, its value, and what to pass instead."""

from __future__ import annotations

import enum
import math
import numbers
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import UnionType
from typing import Any, Final, TypeVar, cast

from remit.errors import RemitError, SetupError
from remit.shown import show_value

E = TypeVar("E", bound=enum.Enum)


_LARGEST_COUNT: Final = 2**63 - 1


def check_numbers(owner: str, **values: object) -> None:
    """Refuse values that are not finite numbers, or integers that no float can hold.

    Infinity is refused because JSON cannot hold it. To set no limit, omit the argument.

    Raises:
        SetupError: names the argument.
    """
    for name, value in values.items():
        check_number(f"{owner}: {name}", value)


def check_number(what: str, value: object) -> None:
    """Refuse a value that is not a finite number; see `check_numbers`.

    Raises:
        SetupError: names the argument.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise SetupError(f"{what} is {show_value(value)}; give a number{_of_int(value)}")
    if isinstance(value, float) and not math.isfinite(value):
        raise SetupError(f"{what} is {show_value(value)}; give a finite number")
    if abs(value) > sys.float_info.max:
        raise SetupError(f"{what} is larger than any float; give a smaller number")


def check_positive(owner: str, **values: object) -> None:
    """Refuse values that are not positive numbers.

    Raises:
        SetupError: names the argument.
    """
    check_numbers(owner, **values)
    for name, value in values.items():
        if not cast("float", value) > 0:
            raise SetupError(f"{owner}: {name} is {show_value(value)}; give a positive number")


def check_counts(owner: str, **values: object) -> None:
    """Refuse values that are not signed 64-bit integers.

    Raises:
        SetupError: names the argument.
    """
    for name, value in values.items():
        check_count(f"{owner}: {name}", value)


def check_count(what: str, value: object) -> None:
    """Refuse a value that is not a signed 64-bit integer.

    Raises:
        SetupError: names the argument.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise SetupError(f"{what} is {show_value(value)}; give a whole number{_of_int(value)}")
    if abs(value) > _LARGEST_COUNT:
        raise SetupError(f"{what} has {value.bit_length()} bits; give a whole number of at most 63")


def _of_int(value: object) -> str:
    """The class that the integer of another library, such as numpy's, must be converted to."""
    return ", as int(…)" if isinstance(value, numbers.Integral) and not isinstance(cast("object", value), bool) else ""


def check_texts(owner: str, **values: object) -> None:
    """Refuse values that are not strings.

    Raises:
        SetupError: names the argument.
    """
    for name, value in values.items():
        check_text(f"{owner}: {name}", value)


def check_functions(owner: str, **values: object) -> None:
    """Refuse values that cannot be called.

    Raises:
        SetupError: names the argument.
    """
    for name, value in values.items():
        if not callable(value):
            raise SetupError(f"{owner}: {name} is {show_value(value)}; give a function")


def check_instances(owner: str, **values: tuple[object, type | UnionType]) -> None:
    """Refuse values of the wrong type. Each argument is paired with its type, such as ``Limits | None``.

    Raises:
        SetupError: names the argument and its type.
    """
    for name, (value, kind) in values.items():
        if not isinstance(value, kind):
            kinds = kind.__args__ if isinstance(kind, UnionType) else (kind,)
            remedy = " or ".join(f"{each.__name__}(…)" for each in kinds if each is not type(None))
            raise wrong_value(f"{owner}: {name}", value, f"give {remedy}")


def check_text(what: str, value: object, error: type[RemitError] = SetupError) -> None:
    """Refuse a value that is not a string or contains a character that cannot be stored; see `find_unstorable`.

    Raises:
        SetupError: or ``error``; names the argument.
    """
    if not isinstance(value, str):
        raise error(f"{what} is {show_value(value)}; give a string")
    if unstorable := find_unstorable(value):
        raise error(f"{what} is {show_value(value)}; give a string without {unstorable}")


_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def find_unstorable(text: str) -> str:
    """Describe the characters of a text that UTF-8 or a database cannot hold: lone surrogates and NUL."""
    found = None if text.isascii() and "\0" not in text else _UNSTORABLE.search(text)
    return "" if found is None else "the character NUL" if found[0] == "\0" else "lone surrogates"


def check_name(what: str, value: object, error: type[RemitError] = SetupError, remedy: str = "give a name") -> None:
    """Refuse a value that is not a string, or is empty or blank.

    Raises:
        SetupError: or ``error``; names the argument.
    """
    check_text(what, value, error)
    if not cast("str", value).strip():
        raise error(f"{what} is empty; {remedy}")


_PERMISSION: Final = re.compile(r"\*|([a-z][a-z0-9_-]*:)+([a-z][a-z0-9_-]*|\*)")
"""The permissions that a tool can require, and the wildcards that cover them. Other texts would never match."""


def check_permission(what: str, value: object, error: type[SetupError] = SetupError) -> None:
    """Refuse a value that is not ``area:verb`` or a wildcard, or that includes a target (``@``).

    Raises:
        SetupError: or ``error``; names the argument.
    """
    check_text(what, value, error)
    text = cast("str", value)
    if "@" in text:
        mend = "only a permission that is granted names a target; leave out the @ and what follows"
        raise error(f"{what} is {show_value(text)}; {mend}")
    if not _PERMISSION.fullmatch(text):
        raise error(f"{what} is {show_value(text)}; give a permission, like cms:write, or a wildcard, like cms:*")


def check_flag(what: str, value: object, error: type[SetupError] = SetupError) -> None:
    """Refuse a value that is not True or False; a truthy value is not enough.

    Raises:
        SetupError: or ``error``; names the argument.
    """
    if not isinstance(value, bool):
        raise error(f"{what} is {show_value(value)}; give True or False")


def as_texts(what: str, value: object, error: type[SetupError] = SetupError) -> frozenset[str]:
    """Convert strings to a set of them; one string is a set of one.

    Raises:
        SetupError: or ``error``; names the argument.
    """
    return frozenset(as_text_tuple(what, value, error))


def as_text_tuple(what: str, value: object, error: type[SetupError] = SetupError) -> tuple[str, ...]:
    """Convert strings to a tuple in their order; a set is sorted, and one string becomes a tuple of one.

    Raises:
        SetupError: or ``error``; names the argument.
    """
    texts = (value,) if isinstance(value, str) else as_items(what, value, error)
    for each in texts:
        check_text(place_item(what), each, error)
    return texts


def place_item(what: str) -> str:
    """The place of an item of a collection, given the collection's: ``Agent: an item of tools``."""
    owner, separator, name = what.rpartition(": ")
    return f"{owner}{separator}an item of {name}"


def as_clock(what: str, clock: Callable[[], float]) -> Callable[[], float]:
    """Wrap a clock so that it raises an error unless it returns seconds since the epoch.

    Raises:
        SetupError: the clock is not a function. The wrapped clock raises it if the value is not a time.
    """
    check_functions(what, clock=clock)
    if clock is time.time:
        return clock

    def read() -> float:
        now = cast("object", clock())
        if isinstance(now, bool) or not isinstance(now, (int, float)) or not 0 <= now < _LAST_SECOND:
            raise SetupError(
                f"{what}: the clock says {show_value(now)}; return seconds since the epoch, like time.time"
            )
        return now

    return read


_LAST_SECOND = 1e18


def as_path(what: str, value: object) -> Path:
    """Convert a string to a path; a path remains unchanged.

    Raises:
        SetupError: names the argument.
    """
    try:
        return Path(os.fsdecode(os.fsencode(cast("str", value))))
    except (TypeError, UnicodeError):
        raise wrong_value(what, value, "give a path") from None


_NO_LISTS: Final = (str, Mapping, set, frozenset)


def as_tuple(what: str, value: object, error: type[SetupError] = SetupError) -> tuple[Any, ...]:
    """Convert an ordered iterable to a tuple. Strings, mappings, sets and pydantic models are refused.

    Raises:
        SetupError: or ``error``; names the argument.
    """
    kind: type = type(value)
    if kind not in (tuple, list) and (
        isinstance(value, _NO_LISTS) or not isinstance(value, Iterable) or hasattr(kind, "model_fields")
    ):
        raise error(f"{what} is {show_value(cast('object', value))}; give a list")
    return tuple(cast("Iterable[Any]", value))


def as_items(what: str, value: object, error: type[SetupError] = SetupError) -> tuple[Any, ...]:
    """Convert like `as_tuple`, but accept sets and sort them, because their order differs between processes.

    Raises:
        SetupError: or ``error``; names the argument.
    """
    is_set = isinstance(value, (set, frozenset))
    return as_tuple(what, sorted(cast("frozenset[object]", value), key=repr) if is_set else value, error)


def as_tuple_of(kind: type | tuple[type, ...], owner: str, name: str, value: object, remedy: str) -> tuple[Any, ...]:
    """Convert any iterable to a tuple whose items are of one type.

    Raises:
        SetupError: names the argument, or the item and what to pass instead.
    """
    items = as_tuple(f"{owner}: {name}", value)
    for each in items:
        check_instance(f"{owner}: an item of {name}", each, kind, remedy)
    return items


def as_member(kind: type[E], what: str, value: E | str, error: type[SetupError] = SetupError) -> E:
    """Convert a value to the member of the enum ``kind``; a member remains unchanged.

    Raises:
        SetupError: or ``error``; lists the allowed values.
    """
    for member in kind:
        if value is member or (isinstance(value, type(member.value)) and value == member.value):
            return member
    raise error(f"{what} is {show_value(value)}; use {', '.join(repr(member.value) for member in kind)}")


def check_instance(what: str, value: object, kind: type | tuple[type, ...], remedy: str) -> None:
    """Refuse a value of another type.

    Raises:
        SetupError: names the argument and says what to pass instead.
    """
    if not isinstance(value, kind):
        raise wrong_value(what, value, remedy)


def check_method(what: str, value: object, method: str, remedy: str) -> None:
    """Refuse a class, and an object that lacks a method of the argument's protocol.

    Raises:
        SetupError: names the argument and says what to pass instead.
    """
    if isinstance(value, type) or not hasattr(value, method):
        raise wrong_value(what, value, remedy)


def check_subclass(what: str, value: object, kind: type, remedy: str) -> None:
    """Refuse a value that is not a class derived from ``kind``.

    Raises:
        SetupError: names the argument and says what to pass instead.
    """
    if not (isinstance(value, type) and issubclass(value, kind)):
        raise wrong_value(what, value, remedy)


def wrong_value(what: str, value: object, remedy: str) -> SetupError:
    """Make the error for an unusable argument: it names the argument and says what to pass instead."""
    shown = f"the class {value.__name__}" if isinstance(value, type) else show_value(value)
    return SetupError(f"{what} is {shown}; {remedy}")
