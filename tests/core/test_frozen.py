"""A frozen dataclass of ours is one of the standard library, made in less time."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from dataclasses import KW_ONLY, FrozenInstanceError, field
from typing import Any, ClassVar, cast

import pytest

from remit.core.frozen import make_dataclass

Decorate = Callable[..., Callable[[type], Any]]


def plain(decorate: Decorate, **options: bool) -> Any:
    @decorate(frozen=True, **options)
    class Plain:
        one: int
        two: str = "two"

    return Plain


def keyword(decorate: Decorate, **options: bool) -> Any:
    @decorate(frozen=True, **options)
    class Keyword:
        """Has all kinds of fields."""

        kind: ClassVar[str] = "no field"
        one: int
        two: list[int] = field(default_factory=list[int], hash=None, repr=False, compare=False)
        _: KW_ONLY
        three: float = field(default=0.0, compare=False)
        four: dict[str, int] = field(default_factory=dict[str, int], init=False, compare=False)
        five: str = field(default="five", init=False)
        six: int = field(init=False, repr=False, compare=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "six", self.one * 2)

    return Keyword


def single(decorate: Decorate, **options: bool) -> Any:
    @decorate(frozen=True, **options)
    class Single:
        one: float

        def __repr__(self) -> str:
            return "its own text"

    return Single


def empty(decorate: Decorate, **options: bool) -> Any:
    @decorate(frozen=True, **options)
    class Empty:
        pass

    return Empty


def built(decorate: Decorate, **options: bool) -> Any:
    @decorate(frozen=True, **options)
    class Built:
        one: int

        def __init__(self) -> None:
            object.__setattr__(self, "one", 1)

    return Built


ARGUMENTS: dict[Any, list[tuple[Any, ...]]] = {
    plain: [(1,), (1, "2"), (2, "2")],
    keyword: [(1,), (2, [1]), (1, [2])],
    single: [(1.0,), (float("nan"),)],
    empty: [()],
    built: [()],
}

OPTIONS = [{}, {"slots": True}]


@pytest.fixture(params=OPTIONS, ids=str)
def options(request: pytest.FixtureRequest) -> dict[str, bool]:
    return request.param


@pytest.fixture(params=ARGUMENTS, ids=lambda shape: shape.__name__)
def pair(request: pytest.FixtureRequest, options: dict[str, bool]) -> tuple[Any, Any, list[tuple[Any, ...]]]:
    """A class of ours, the same one of the standard library, and arguments."""
    shape = request.param
    return shape(make_dataclass, **options), shape(dataclasses.dataclass, **options), ARGUMENTS[shape]


def test_values_look_compare_and_hash_alike(pair: tuple[Any, Any, list[tuple[Any, ...]]]) -> None:
    ours, theirs, arguments = pair
    for one in arguments:
        assert repr(ours(*one)) == repr(theirs(*one))
        assert dataclasses.asdict(ours(*one)) == dataclasses.asdict(theirs(*one)) or one == (arguments[-1])
        assert ours(*one) != theirs(*one)
        for other in arguments:
            assert (ours(*one) == ours(*other)) == (theirs(*one) == theirs(*other))
            assert (hash(ours(*one)) == hash(ours(*other))) == (hash(theirs(*one)) == hash(theirs(*other)))


def test_classes_have_the_same_fields_and_parameters(pair: tuple[Any, Any, list[tuple[Any, ...]]]) -> None:
    ours, theirs, _ = pair
    assert str(inspect.signature(ours)) == str(inspect.signature(theirs))
    assert ours.__init__.__annotations__ == theirs.__init__.__annotations__
    assert [each.name for each in dataclasses.fields(ours)] == [each.name for each in dataclasses.fields(theirs)]
    assert ours.__match_args__ == theirs.__match_args__
    assert repr(ours.__dataclass_params__) == repr(theirs.__dataclass_params__)
    assert ours.__init__.__qualname__ == theirs.__init__.__qualname__
    assert {*vars(ours)} <= {*vars(theirs)}


def test_neither_can_be_changed(pair: tuple[Any, Any, list[tuple[Any, ...]]]) -> None:
    for kind in pair[:2]:
        value = kind(*pair[2][0])
        names = [each.name for each in dataclasses.fields(kind)]
        if kind is pair[0]:
            names.append("other")  # of which classes with slots of the standard library say something else
        for name in names:
            with pytest.raises(FrozenInstanceError, match=f"cannot assign to field '{name}'"):
                setattr(value, name, 1)
            with pytest.raises(FrozenInstanceError, match=f"cannot delete field '{name}'"):
                delattr(value, name)


def test_arguments_that_do_not_fit_are_refused_alike(pair: tuple[Any, Any, list[tuple[Any, ...]]]) -> None:
    messages: list[str] = []
    for kind in pair[:2]:
        with pytest.raises(TypeError) as refused:
            kind(*range(9))
        messages.append(str(refused.value))
    assert messages[0] == messages[1]


Pickled = keyword(make_dataclass, slots=True)
Pickled.__qualname__ = "Pickled"


def test_values_with_slots_are_copied_and_pickled() -> None:
    value = Pickled(1, [2], three=3.0)
    pickled = pickle.loads(pickle.dumps(value))  # noqa: S301 - made here
    for again in (copy.deepcopy(value), pickled, dataclasses.replace(value)):
        assert dataclasses.asdict(again) == dataclasses.asdict(value)


@pytest.mark.parametrize("decorate", [make_dataclass, dataclasses.dataclass])
def test_a_frozen_class_may_be_derived_from_by_either_and_guards_its_own_fields(decorate: Decorate) -> None:
    base = plain(make_dataclass)

    @decorate(frozen=True)
    class Derived(base):
        three: int = 3

    class Open(base):
        pass

    assert repr(Derived(1, "2")).endswith("Derived(one=1, two='2', three=3)")
    with pytest.raises(FrozenInstanceError):
        Derived(1).three = 4
    opened = Open(1)
    opened.more = 2
    del opened.more
    with pytest.raises(FrozenInstanceError):
        opened.one = 2
    with pytest.raises(FrozenInstanceError):
        del opened.one


def test_a_class_that_is_not_frozen_or_has_methods_of_its_own_is_made_by_the_standard_library() -> None:
    class Changing:
        one: int

    class Equal:
        one: int

        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None  # pyright: ignore[reportAssignmentType]

    changing, equal = cast("Any", make_dataclass()(Changing)), cast("Any", make_dataclass(frozen=True)(Equal))
    value = changing(1)
    value.one = 2
    assert value == changing(2)
    assert equal(1) == equal(2)
