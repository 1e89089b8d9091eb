"""The type of a parameter implies its check: a value that does not fit is refused in one line with what to give."""

from __future__ import annotations

import enum
import math
import numbers
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol, TypedDict, TypeVar, cast

import pytest
from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt, TypeAdapter

import remit
from remit.core.argument_types import UNCHECKED, Converted, FilledText, Name, Permission, derive_check
from remit.core.call_checks import ArgumentTypes, callback, check_arguments
from remit.errors import ContractError, SetupError

T = TypeVar("T")


def untyped(value: object) -> Any:
    """Hide the type of a value from the type checker, which would refuse it."""
    return value


class Color(enum.Enum):
    """A choice."""

    RED = "red"
    BLUE = "blue"


class Lamp:
    """A class."""


class Bright(Lamp):
    """A class derived from it."""


class Lit(Protocol):
    """A protocol, which is not checked."""

    def switch(self) -> None:
        """Switch it."""


class Options(TypedDict):
    """A mapping with known keys, which is not checked."""

    size: int


def double(what: str, value: Any) -> Any:
    """Convert a number, or refuse it."""
    if value == 0:
        raise SetupError(f"{what} is nothing; give more")
    return value * 2


class Grid:
    """Compares and is shown as an array of numpy, whose comparison is no truth and whose ``repr`` has several lines."""

    def __eq__(self, other: object) -> Any:
        return self

    def __bool__(self) -> bool:
        raise ValueError("the truth of a grid is ambiguous")

    def __repr__(self) -> str:
        return "grid 1 2\n     3 4"

    __hash__ = None  # type: ignore[assignment]


@numbers.Integral.register
class Whole:
    """An integer of another library."""

    def __index__(self) -> int:
        return 3


LAMP = Lamp()
LARGE = 2**63
ACCEPTED: list[tuple[Any, Any, Any]] = [
    (str, "é", "é"),
    (bool, True, True),
    (int, 3, 3),
    (int, LARGE - 1, LARGE - 1),
    (int, Whole(), 3),
    (float, Whole(), 3),
    (Annotated[int, Field(ge=0, le=10)], Whole(), 3),
    (float, 3, 3),
    (float | None, None, None),
    (Annotated[int, Field(ge=0, le=10)], 10, 10),
    (untyped(PositiveFloat) | None, 0.5, 0.5),
    (untyped(PositiveFloat) | None, None, None),
    (Path, "a/b", Path("a/b")),
    (Path | str, "a/b", "a/b"),
    (Color, "red", Color.RED),
    (Color, Color.BLUE, Color.BLUE),
    (Literal["on", "off"], "on", "on"),
    (Lamp, LAMP, LAMP),
    (Lamp | None, None, None),
    (Lamp | str | None, None, None),
    (Lamp | str | None, LAMP, LAMP),
    (type[Lamp], Bright, Bright),
    (type[Lamp | Color], Color, Color),
    (untyped(type)[T], int, int),
    (type, int, int),
    (Callable[[], int], print, print),
    (tuple[str, ...], ["a"], ("a",)),
    (tuple[str, ...], "a", ("a",)),
    (Sequence[Lamp], [LAMP], (LAMP,)),
    (Sequence[Any], [1], (1,)),
    (Iterable[Color], ["red"], (Color.RED,)),
    (tuple[int, Any], [1, 2], (1, 2)),
    (tuple, (1,), (1,)),
    (frozenset[str], ["a", "b"], frozenset({"a", "b"})),
    (AbstractSet[Color], ["red"], frozenset({Color.RED})),
    (Mapping[str, int], {"a": 1}, {"a": 1}),
    (Mapping[str, Sequence[str]], {"a": ["b"]}, {"a": ("b",)}),
    (dict, {1: 2}, {1: 2}),
    (Name, "ada", "ada"),
    (Permission, "cms:write", "cms:write"),
    (Annotated[int, Converted(double)], "ab", "abab"),
    (Annotated[int, UNCHECKED], "ab", "ab"),
    (Annotated[Callable[[], object], callback(is_async=False)], dict, dict),
]
REFUSED: list[tuple[Any, Any, str]] = [
    (str, 3, "Box: size is 3; give a string"),
    (str, "a\0", r"Box: size is 'a\x00'; give a string without the character NUL"),
    (bool, 1, "Box: size is 1; give True or False"),
    (int, True, "Box: size is True; give a whole number"),
    (int, LARGE, "Box: size has 64 bits; give a whole number of at most 63"),
    (float, "3", "Box: size is '3'; give a number"),
    (float, math.inf, "Box: size is inf; give a finite number"),
    (float | None, math.inf, "Box: size is inf; leave it out for no limit, or give a finite number"),
    (PositiveInt, 0, "Box: size is 0; give a whole number of at least 1"),
    (untyped(PositiveInt) | None, 0, "Box: size is 0; give a whole number of at least 1"),
    (NonNegativeInt, -1, "Box: size is -1; give a whole number of at least 0"),
    (PositiveFloat, 0, "Box: size is 0; give a positive number"),
    (NonNegativeFloat, -0.5, "Box: size is -0.5; give a number of at least 0"),
    (Annotated[float, Field(gt=2)], 2, "Box: size is 2; give a number above 2"),
    (Annotated[int, Field(ge=0, le=10)], 11, "Box: size is 11; give a whole number from 0 to 10"),
    (Path, 3, "Box: size is 3; give a path"),
    (Color, "green", "Box: size is 'green'; use 'red', 'blue'"),
    (Literal["on", "off"], "of", "Box: size is 'of'; give one of 'on', 'off'"),
    (Literal["on", "off"], Grid(), "Box: size is grid 1 2 3 4; give one of 'on', 'off'"),
    (Literal[True], 1, "Box: size is 1; give one of True"),
    (Color, Grid(), "Box: size is grid 1 2 3 4; use 'red', 'blue'"),
    (str, 10**5_000, "Box: size is an object of int; give a string"),
    (Lamp, 3, "Box: size is 3; give Lamp(…)"),
    (Lamp, Lamp, "Box: size is the class Lamp; give Lamp(…)"),
    (Lamp | None, 3, "Box: size is 3; give Lamp(…)"),
    (Lamp | str, 3, "Box: size is 3; give Lamp(…) or a string"),
    (Lamp | str, "\ud800", r"Box: size is '\ud800'; give a string without lone surrogates"),
    (bytes, "a", "Box: size is 'a'; give bytes"),
    (type[Lamp], Color, "Box: size is the class Color; give a class derived from Lamp"),
    (type[Lamp | Color], 3, "Box: size is 3; give a class derived from Lamp or Color"),
    (untyped(type)[T], 3, "Box: size is 3; give a class"),
    (Callable[[], int], 3, "Box: size is 3; give a function"),
    (
        Annotated[Callable[[int], int], callback("number", is_async=False)],
        3,
        "Box: size is 3; give a function that is not async, such as `def size(number)`",
    ),
    (tuple[str, ...], 3, "Box: size is 3; give a list"),
    (tuple[str, ...], [3], "Box: an item of size is 3; give a string"),
    (Sequence[Lamp], [3], "Box: an item of size is 3; give Lamp(…)"),
    (tuple[int, int], [1], "Box: size is [1]; give 2 values"),
    (tuple[int, Any], ["a", "b"], "Box: size is 'a'; give a whole number"),
    (frozenset[Color], {"green"}, "Box: an item of size is 'green'; use 'red', 'blue'"),
    (Mapping[str, int], [1], "Box: size is [1]; give a mapping"),
    (Mapping[str, int], {"a": "b"}, "Box: size['a'] is 'b'; give a whole number"),
    (Name, " ", "Box: size is empty; give a name"),
    (FilledText, "", "Box: size is empty; give a text"),
    (Permission, "write", "Box: size is 'write'; give a permission, like cms:write, or a wildcard, like cms:*"),
    (Annotated[int, Converted(double)], 0, "Box: size is nothing; give more"),
]


@pytest.mark.parametrize(("hint", "given", "kept"), ACCEPTED, ids=range(len(ACCEPTED)))
def test_what_fits_a_type_is_kept_or_converted_to_it(hint: Any, given: Any, kept: Any) -> None:
    check = derive_check(hint)
    assert check is not None
    found = check("Box: size", given)
    assert (found, type(found)) == (kept, type(kept))


@pytest.mark.parametrize(("hint", "given", "message"), REFUSED, ids=range(len(REFUSED)))
def test_what_does_not_fit_a_type_is_refused_in_one_line(hint: Any, given: Any, message: str) -> None:
    check = derive_check(hint)
    assert check is not None
    with pytest.raises(SetupError) as refused:
        check("Box: size", given)
    assert refused.value.message == message


@pytest.mark.parametrize("hint", [Any, object, T, Lit, Options, Lit | None, Lamp | Lit, "Later", Annotated[Lit, "a"]])
def test_a_type_that_isinstance_cannot_compare_implies_no_check(hint: Any) -> None:
    assert derive_check(hint) is None


def test_an_item_of_what_has_no_owner_is_named_too() -> None:
    check: Any = derive_check(Sequence[Lamp])
    with pytest.raises(SetupError, match=r"^an item of lamps is 3; give Lamp\(…\)$"):
        check("lamps", [3])


@check_arguments()
@dataclass(frozen=True, slots=True)
class Box:
    """A value whose fields have types."""

    name: str
    colors: tuple[Color, ...] = ()
    size: PositiveInt | None = None


@check_arguments()
@dataclass(frozen=True)
class Crate:
    """A value that pydantic reads."""

    name: Name


@check_arguments(ContractError)
@dataclass(frozen=True)
class Contract:
    """A value with an error of its own."""

    name: str


@check_arguments()
class Shelf:
    """A class whose constructor has types."""

    def __init__(self, *boxes: Box, **_more: str) -> None:
        self.boxes = boxes


def test_a_constructor_checks_and_converts_what_is_given_by_position_and_by_name() -> None:
    assert Box("a", untyped(["red"])) == Box(name="a", colors=(Color.RED,))
    with pytest.raises(SetupError, match=r"^Box: name is 3; give a string$"):
        Box(untyped(3))
    with pytest.raises(SetupError, match=r"^Box: size is 0; give a whole number of at least 1$"):
        Box("a", size=0)


def test_a_constructor_checks_each_of_any_number_of_arguments() -> None:
    assert Shelf(Box("a"), Box("b"), extra="c").boxes == (Box("a"), Box("b"))
    with pytest.raises(SetupError, match=r"^Shelf: boxes is 'b'; give Box\(…\)$"):
        Shelf(Box("a"), untyped("b"))


def test_a_class_may_raise_a_narrower_error_for_a_value_of_another_type() -> None:
    assert Contract("a").name == "a"
    with pytest.raises(ContractError, match=r"^Contract: name is 3; give a string$"):
        Contract(untyped(3))


def test_a_checked_type_is_checked_by_pydantic_too() -> None:
    reader = TypeAdapter(Crate)
    assert reader.validate_json('{"name": "a"}') == Crate("a")
    with pytest.raises(SetupError, match=r"^name is empty; give a name$"):
        reader.validate_json('{"name": ""}')


def checked_constructors() -> Iterator[tuple[type, Any]]:
    """The classes of Remit whose constructors check their arguments, with the constructors."""
    source = Path(remit.__file__).parent
    files = [each for each in source.rglob("*.py") if "@check_arguments" in each.read_text(encoding="utf-8")]
    names = [".".join(["remit", *each.relative_to(source).with_suffix("").parts]) for each in files]
    for kind in {each for name in names for each in vars(import_module(name)).values() if isinstance(each, type)}:
        checking = vars(kind).get("__init__")
        if checking is not None and getattr(checking, "__code__", None) is SHELF_CODE:
            yield kind, checking.__wrapped__


SHELF_CODE = cast("Any", Shelf).__init__.__code__


@pytest.mark.process  # a library asks the system for its architecture when it is imported
def test_only_types_that_are_imported_for_type_checkers_are_not_enforced() -> None:
    unknown: list[str] = []
    for kind, initialize in checked_constructors():
        types = ArgumentTypes(initialize, kind.__name__, kind=kind)
        unknown += [
            f"{kind.__name__}.{name}" for name in initialize.__annotations__ if isinstance(types.resolve(name), str)
        ]
    assert sorted(unknown) == ["App.examples", "App.operations", "App.views", "ProviderClient.transport"]
