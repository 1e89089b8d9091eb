"""The checks that the type of a parameter implies, so that a type stands once, where it is declared.

Each check takes the place that an error names, like ``Timeout: seconds``, and a value. It returns the value or what the
type makes of it: of an iterable, a tuple or a frozenset; of a text, the member of an enum.
"""

from __future__ import annotations

import enum
import math
import numbers
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, is_typeddict

from remit.core.checks import (
    as_items,
    as_member,
    as_path,
    as_text_tuple,
    as_texts,
    as_tuple,
    check_count,
    check_flag,
    check_name,
    check_number,
    check_permission,
    check_text,
    place_item,
    wrong_value,
)
from remit.errors import SetupError
from remit.shown import show_value

_SMALL: Final = 2**62
"""Smaller integers can be stored: they need no closer look."""

Check = Callable[[str, Any], Any]
"""Refuses or converts a value, given its place in an error.

Raises:
    SetupError: names the place, the value, and what to give.
"""


@dataclass(frozen=True, slots=True)
class Checked:
    """In ``Annotated``: a check of more than the type says. It also runs where pydantic reads."""

    check: Callable[[str, Any], object]

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:
        """Check the field of a dataclass that pydantic reads, which does not call its constructor."""

        def check(value: Any, info: Any) -> Any:
            self.check(info.field_name, value)
            return value

        return {
            "type": "function-after",
            "function": {"type": "with-info", "function": check},
            "schema": handler(source),
        }


@dataclass(frozen=True, slots=True)
class Converted:
    """In ``Annotated``: what checks and converts a value, in place of the check of the type."""

    convert: Check


def _keep(_what: str, value: Any) -> Any:
    return value


UNCHECKED: Final = Converted(_keep)
"""In ``Annotated``: the constructor itself checks the value, for example because no error may show it."""
Name = Annotated[str, Checked(check_name)]
"""A text that is not blank."""
FilledText = Annotated[str, Checked(partial(check_name, remedy="give a text"))]
"""A text that is not blank, and not a name."""
Permission = Annotated[str, Checked(check_permission)]
"""The text ``area:verb``, or a wildcard."""


def derive_check(hint: Any) -> Check | None:
    """The check that a type implies. None if it implies none, as ``Any``, protocols and type variables do."""
    marks: tuple[Any, ...] = ()
    if get_origin(hint) is Annotated:
        hint, *extras = get_args(hint)
        marks = tuple(mark for each in extras for mark in getattr(each, "metadata", None) or [each])
    check = next((each.convert for each in marks if isinstance(each, Converted)), None) or _derive(hint)
    bounds = {name: getattr(each, name) for name in ("gt", "ge", "le") for each in marks if hasattr(each, name)}
    if bounds:
        check = _then(check, _derive_bounds(**bounds, is_whole=hint is int))
    for mark in marks:
        check = _then(check, mark.check) if isinstance(mark, Checked) else check
    return check


def _then(check: Check | None, check_more: Callable[[str, Any], object]) -> Check:
    def check_both(what: str, value: Any) -> Any:
        kept = value if check is None else check(what, value)
        check_more(what, kept)
        return kept

    return check_both


def _derive(hint: Any) -> Check | None:
    origin = get_origin(hint) or hint
    if origin in _SIMPLE:
        return _SIMPLE[origin]
    if origin in _GENERIC:
        return _GENERIC[origin](get_args(hint))
    if not _is_plain(origin):
        return None
    if issubclass(origin, enum.Enum):
        return partial(_as_member, origin)
    return partial(_check_instance, origin, _name_remedy(origin))


def _is_plain(kind: Any) -> bool:
    """Whether ``isinstance`` can check for a class, and says something."""
    if not isinstance(kind, type) or kind in (object, Any):
        return False
    return not is_typeddict(kind) and not getattr(kind, "_is_protocol", False)


def _name_remedy(*kinds: type) -> str:
    named = dict.fromkeys(_NOUNS.get(each) or f"{each.__name__}(…)" for each in kinds)
    return f"give {' or '.join(named)}"


def _derive_union(parts: Sequence[Any]) -> Check | None:
    """A check of alternatives. The value is also checked by the alternative that is its class."""
    others = [each for each in parts if each is not NoneType]
    if all(get_origin(each) is Literal for each in others):
        check = partial(_check_choice, [choice for each in others for choice in get_args(each)])
        return check if len(others) == len(parts) else partial(_check_unless_none, check)
    checks = [derive_check(each) for each in others]
    if len(others) == 1 and (check := checks[0]) is not None:
        return partial(_check_unless_none, check)
    kinds = [get_origin(each) or each for each in map(_strip, others)]
    if not all(map(_is_plain, kinds)):
        return None
    checks_by_kind, allowed, remedy = dict(zip(kinds, checks, strict=True)), tuple(kinds), _name_remedy(*kinds)

    def check_any(what: str, value: Any) -> Any:
        if value is None and NoneType in parts:
            return None
        if not isinstance(value, allowed):
            raise wrong_value(what, value, remedy)
        own = checks_by_kind.get(type(value))
        return value if own is None else own(what, value)

    return check_any


def _strip(hint: Any) -> Any:
    """The type in an ``Annotated``."""
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def _check_unless_none(check: Check, what: str, value: Any) -> Any:
    if isinstance(value, float) and value == math.inf:
        raise SetupError(f"{what} is inf; leave it out for no limit, or give a finite number")
    return None if value is None else check(what, value)


def _check_instance(kind: type, remedy: str, what: str, value: Any) -> Any:
    if not isinstance(value, kind):
        raise wrong_value(what, value, remedy)
    return value


def _check_text(what: str, value: Any) -> Any:
    if type(value) is not str or not value.isascii() or "\0" in value:
        check_text(what, value)
    return value


def _check_flag(what: str, value: Any) -> Any:
    if value is not True and value is not False:
        check_flag(what, value)
    return value


def _check_count(what: str, value: Any) -> Any:
    if type(value) is int and -_SMALL < value < _SMALL:
        return value
    check_count(what, count := _as_int(value))
    return count


def _as_int(value: Any) -> Any:
    """An integer of another library, such as numpy's, as Python's; any other value unchanged."""
    return operator.index(value) if isinstance(value, numbers.Integral) and not isinstance(value, int) else value


def _check_number(what: str, value: Any) -> Any:
    check_number(what, number := _as_int(value))
    return number


def _check_function(what: str, value: Any) -> Any:
    if not callable(value):
        raise SetupError(f"{what} is {show_value(value)}; give a function")
    return value


def _check_choice(choices: Sequence[object], what: str, value: Any) -> Any:
    if not any(isinstance(value, type(each)) and value == each for each in choices):
        raise SetupError(f"{what} is {show_value(value)}; give one of {', '.join(map(repr, choices))}")
    return value


def _as_member(kind: type[enum.Enum], what: str, value: Any) -> Any:
    return value if type(value) is kind else as_member(kind, what, value)


def _derive_class(arguments: Sequence[Any]) -> Check:
    """A check for classes: for those derived from one of the bases, if these are plain."""
    base: Any = arguments[0] if arguments else object
    bases = tuple(get_origin(each) or each for each in (get_args(base) if isinstance(base, UnionType) else (base,)))
    are_plain = all(map(_is_plain, bases))
    derived = f" derived from {' or '.join(each.__name__ for each in bases)}" if are_plain else ""

    def check_class(what: str, value: Any) -> Any:
        if not isinstance(value, type) or (are_plain and not issubclass(value, bases)):
            raise wrong_value(what, value, f"give a class{derived}")
        return value

    return check_class


def _derive_bounds(
    gt: float | None = None, ge: float | None = None, le: float | None = None, *, is_whole: bool
) -> Callable[[str, Any], None]:
    """A check of the bounds in the marks of pydantic's types of numbers, such as ``PositiveInt``."""
    noun = "a whole number" if is_whole else "a number"
    lowest = gt + 1 if is_whole and gt is not None else ge
    if lowest is None:
        said = "a positive number" if gt == 0 else f"{noun} above {gt}"
    else:
        said = f"{noun} of at least {lowest}" if le is None else f"{noun} from {lowest} to {le}"

    def check_bounds(what: str, value: Any) -> None:
        is_low = value < lowest if lowest is not None else gt is not None and value <= gt
        if is_low or (le is not None and value > le):
            raise SetupError(f"{what} is {show_value(value)}; give {said}")

    return check_bounds


def _derive_items(convert: Callable[[str, Any], Any], of_texts: Check, arguments: Sequence[Any]) -> Check | None:
    """A check of a collection and of its items."""
    item = arguments[0] if arguments else Any
    if _strip(item) is str:
        convert = of_texts
    check = None if item is str else derive_check(item)
    if check is None:
        return convert

    def check_items(what: str, value: Any) -> Any:
        given = convert(what, value)
        place = place_item(what)
        return type(given)([check(place, each) for each in given])

    return check_items


def _derive_tuple(arguments: Sequence[Any]) -> Check | None:
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        return _derive_items(as_tuple, as_text_tuple, arguments)
    checks = [derive_check(each) for each in arguments]

    def check_tuple(what: str, value: Any) -> Any:
        given = as_tuple(what, value)
        if not checks:  # of the annotation `tuple`
            return given
        if len(given) != len(checks):
            raise wrong_value(what, value, f"give {len(checks)} values")
        return tuple(each if check is None else check(what, each) for check, each in zip(checks, given, strict=True))

    return check_tuple


def _derive_mapping(arguments: Sequence[Any]) -> Check | None:
    """A check of a mapping and of its values."""
    check = derive_check(arguments[1]) if arguments else None

    def check_mapping(what: str, value: Any) -> Any:
        _check_instance(Mapping, "give a mapping", what, value)
        if check is None:
            return value
        kept = {key: check(f"{what}[{show_value(key)}]", each) for key, each in value.items()}
        return value if all(kept[key] is each for key, each in value.items()) else kept

    return check_mapping


def _as_frozenset(what: str, value: Any) -> frozenset[Any]:
    return frozenset(as_items(what, value))


_SIMPLE: Final[Mapping[Any, Check]] = {
    str: _check_text,
    bool: _check_flag,
    int: _check_count,
    float: _check_number,
    Path: as_path,
}
_NOUNS: Final[Mapping[Any, str]] = {
    str: "a string",
    bytes: "bytes",
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    dict: "a mapping",
    Mapping: "a mapping",
    tuple: "a tuple",
    Path: "a path",
    Callable: "a function",
}
_derive_sequence: Final = partial(_derive_items, as_tuple, as_text_tuple)
_derive_set: Final = partial(_derive_items, _as_frozenset, as_texts)
_GENERIC: Final[Mapping[Any, Callable[[Sequence[Any]], Check | None]]] = {
    Union: _derive_union,
    UnionType: _derive_union,
    Literal: lambda choices: partial(_check_choice, choices),
    Callable: lambda _arguments: _check_function,
    type: _derive_class,
    tuple: _derive_tuple,
    Sequence: _derive_sequence,
    Iterable: _derive_sequence,
    frozenset: _derive_set,
    AbstractSet: _derive_set,
    Mapping: _derive_mapping,
    dict: _derive_mapping,
}
