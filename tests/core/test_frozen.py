"""Values of classes made by `frozen` are those of `dataclass(frozen=True, slots=True)`."""

from __future__ import annotations

import copy
import inspect
import pickle
import re
from collections.abc import Callable
from dataclasses import FrozenInstanceError, InitVar, asdict, dataclass, field, fields, is_dataclass, replace
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import pytest
from pydantic import TypeAdapter, ValidationError

from remit.core.frozen import frozen

T = TypeVar("T")


@frozen
class Page:
    """A page."""

    kind: ClassVar[str] = "page"
    _make_up: ClassVar[str] = "no field, so its name is free"
    title: str
    words: int = 0
    labels: dict[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        if self.words < 0:
            raise ValueError(self.words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    """The same, made by `dataclass`."""

    kind: ClassVar[str] = "page"
    title: str
    words: int = 0
    labels: dict[str, str] = field(default_factory=dict[str, str])


@frozen(kw_only=False)
class Pair(Generic[T]):
    """Two values, and a third that is named."""

    left: T
    right: T
    more: int = field(default=1, kw_only=True)


@frozen
class Noted:
    """A value with fields that its callers do not give, see or compare."""

    name: str
    secret: str = field(default="", repr=False)
    note: str = field(default="", compare=False)
    weight: int = field(default=0, hash=False)
    count: int = field(init=False, default=7)
    seen: list[str] = field(init=False, default_factory=list[str], repr=False, compare=False)
    length: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", len(self.name))


@frozen
class Empty:
    """A value without fields."""


@frozen
class Own:
    """A class with methods of its own where others have them written."""

    name: str

    def __init__(self, *, name: str) -> None:
        object.__setattr__(self, "name", name.upper())

    def __repr__(self) -> str:
        return f"<{self.name}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Own) and other.name[0] == self.name[0]

    def __hash__(self) -> int:
        return hash(self.name[0])


@frozen
class Comparing:  # noqa: PLW1641 - that it gets a hash is what is tested
    """A class that compares in its own way, and does not say how it is hashed."""

    name: str

    def __eq__(self, other: object) -> bool:
        return True


@frozen(kw_only=False)
class Linked:
    """A value that may hold itself."""

    next: list[Linked]


@frozen
class Extended(Page):
    """A page with an author."""

    author: str


class Loose(Page):
    """A page of a class that is not frozen, and has a place for more."""


class Opens(Protocol):
    """What `Door` does."""

    def open(self) -> str: ...


@frozen
class Door(Opens):
    """A value of a class that extends a protocol."""

    name: str

    def open(self) -> str:
        return self.name


def test_a_value_is_built_by_the_names_of_its_fields() -> None:
    page = Page(title="About", labels={"a": "b"})
    assert (page.title, page.words, page.labels, page.kind) == ("About", 0, {"a": "b"}, "page")


def test_each_value_has_a_default_of_its_own() -> None:
    assert Page(title="a").labels is not Page(title="a").labels


@pytest.mark.parametrize(
    ("made", "ordered", "named"),
    [
        (Page, (), {}),
        (Page, ("a",), {}),
        (Page, (), {"title": "a", "size": 1}),
        (Pair, (1,), {}),
        (Pair, (1, 2, 3), {}),
    ],
    ids=["missing", "positional", "unknown", "too few", "too many"],
)
def test_arguments_that_do_not_fit_are_refused(
    made: Callable[..., object], ordered: tuple[Any, ...], named: dict[str, Any]
) -> None:
    with pytest.raises(TypeError, match="__init__"):
        made(*ordered, **named)


def test_fields_can_be_positional() -> None:
    assert Pair("a", "b", more=2) == Pair(left="a", right="b", more=2)
    assert Pair.__match_args__ == ("left", "right")


def test_what_is_built_is_looked_at() -> None:
    with pytest.raises(ValueError, match="-1"):
        Page(title="a", words=-1)


def test_its_signature_is_that_of_a_dataclass() -> None:
    made, plain = inspect.signature(Page), inspect.signature(Plain)
    assert list(made.parameters) == list(plain.parameters)
    assert [(each.kind, each.annotation) for each in made.parameters.values()] == [
        (each.kind, each.annotation) for each in plain.parameters.values()
    ]
    assert made.parameters["words"].default == 0
    assert str(made) == str(plain)
    assert "labels: 'dict[str, str]' = <factory>" in str(made)
    assert made.return_annotation == plain.return_annotation
    assert Page.__init__.__qualname__ == "Page.__init__"


def test_a_class_that_says_nothing_of_itself_is_described_by_its_signature() -> None:
    def bare(make: Any) -> str | None:
        class Bare:
            title: str
            labels: list[str] = field(default_factory=list[str])

        return make(Bare).__doc__

    plain = bare(dataclass(frozen=True, slots=True, kw_only=True))
    assert plain is not None
    assert plain.startswith("Bare(*, title: 'str', labels: 'list[str]' = <factory>)")
    assert bare(frozen) == plain
    assert Page.__doc__ == "A page."


def test_it_is_written_as_a_dataclass_is() -> None:
    assert repr(Page(title="a")) == repr(Plain(title="a")).replace("Plain", "Page")
    assert repr(Noted(name="a", secret="s")) == "Noted(name='a', note='', weight=0, count=7)"


def test_a_value_that_holds_itself_is_written_once() -> None:
    value = Linked([])
    value.next.append(value)
    assert repr(value) == "Linked(next=[...])"


def test_values_of_one_class_with_equal_fields_are_equal() -> None:
    assert Page(title="a") == Page(title="a")
    assert Page(title="a") != Page(title="b")
    assert Page(title="a") != Plain(title="a")
    assert Page(title="a") != Extended(title="a", author="b")
    assert Empty() == Empty()
    assert Pair(1, 2) != (1, 2, 1)


def test_equal_values_have_one_hash() -> None:
    assert hash(Pair(1, 2)) == hash(Pair(1, 2))
    assert hash(Empty()) == hash(Empty())
    assert len({Pair(1, 2), Pair(1, 2), Pair(2, 1)}) == 2


def test_a_value_with_a_field_that_has_no_hash_has_none() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(Page(title="a"))


def test_a_field_is_left_out_of_what_it_says_it_is_not_in() -> None:
    one = Noted(name="a", note="1")
    assert one == Noted(name="a", note="2")
    assert one != Noted(name="a", weight=1)
    assert hash(one) == hash(Noted(name="a", weight=1))


def test_a_field_that_nobody_gives_has_its_default() -> None:
    value = Noted(name="abc")
    assert (value.count, value.seen, value.length) == (7, [], 3)
    assert value.seen is not Noted(name="abc").seen


@pytest.mark.parametrize("name", ["title", "other"])
def test_nothing_can_be_assigned_or_deleted(name: str) -> None:
    page = Page(title="a")
    with pytest.raises(FrozenInstanceError, match=f"cannot assign to field '{name}'"):
        setattr(page, name, "b")
    with pytest.raises(FrozenInstanceError, match=f"cannot delete field '{name}'"):
        delattr(page, name)


def test_a_class_that_extends_one_may_have_attributes_beside_its_fields() -> None:
    page = Loose(title="a")
    setattr(page, "other", 1)  # noqa: B010 - a name that the class does not declare
    assert vars(page) == {"other": 1}
    delattr(page, "other")
    assert vars(page) == {}
    with pytest.raises(FrozenInstanceError):
        setattr(page, "title", "b")  # noqa: B010 - pyright knows that it cannot
    with pytest.raises(FrozenInstanceError):
        delattr(page, "title")


def test_a_value_has_slots_and_no_dict() -> None:
    assert vars(Page)["__slots__"] == ("title", "words", "labels")
    assert not hasattr(Page(title="a"), "__dict__")


def test_dataclasses_know_it() -> None:
    page = Page(title="a")
    assert is_dataclass(Page)
    assert [each.name for each in fields(Page)] == ["title", "words", "labels"]
    assert replace(page, words=2) == Page(title="a", words=2)
    assert asdict(page) == {"title": "a", "words": 0, "labels": {}}


@pytest.mark.parametrize("value", [Page(title="a", words=1), Pair(1, 2), Empty(), Extended(title="a", author="b")])
def test_a_value_can_be_copied_and_pickled(value: object) -> None:
    assert pickle.loads(pickle.dumps(value)) == value  # noqa: S301 - made in this line
    assert copy.copy(value) == value
    assert copy.deepcopy(value) == value


def test_pydantic_reads_and_writes_it() -> None:
    adapter = TypeAdapter(Page)
    assert adapter.validate_json('{"title": "a", "words": 2}') == Page(title="a", words=2)
    assert adapter.dump_python(Page(title="a")) == {"title": "a", "words": 0, "labels": {}}
    with pytest.raises(ValidationError):
        adapter.validate_json('{"title": "a", "words": -1}')


def test_methods_that_a_class_has_stay() -> None:
    own = Own(name="ada")
    assert repr(own) == "<ADA>"
    assert own == Own(name="alan")
    assert hash(own) == hash("A")


def test_a_class_that_only_compares_in_its_own_way_is_hashed_by_its_fields() -> None:
    assert Comparing(name="a") == Comparing(name="b")
    assert hash(Comparing(name="a")) == hash(("a",))


def test_a_class_that_says_it_has_no_hash_has_none() -> None:
    @frozen
    class Unhashed:
        """A value that belongs in no set."""

        __hash__ = None  # pyright: ignore[reportAssignmentType] - the way to say it
        name: str

    with pytest.raises(TypeError, match="unhashable"):
        hash(Unhashed(name="a"))
    assert Unhashed(name="a") == Unhashed(name="a")


def _assign(self: object, name: str, value: object) -> None:
    raise AssertionError((self, name, value))


def _delete(self: object, name: str) -> None:
    raise AssertionError((self, name))


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"__annotations__": {"size": "InitVar[int]"}}, "Odd.size is an InitVar; a frozen class takes none"),
        ({"__annotations__": {"size": InitVar[int]}}, "Odd.size is an InitVar; a frozen class takes none"),
        ({"__setattr__": _assign}, "Odd has a __setattr__ of its own"),
        ({"__delattr__": _delete}, "Odd has a __delattr__ of its own"),
        ({"__annotations__": {"a": "int", "b": "int"}, "a": 1}, "Odd.b has no default and follows a, which has one"),
        ({"__annotations__": {"self": "int"}}, "Odd.self: its __init__ uses that name itself; rename the field"),
        ({"__annotations__": {"_missing": "int"}}, "Odd._missing: its __init__ uses that name"),
        ({"__annotations__": {"_set_a": "int"}}, "Odd._set_a: its __init__ uses that name"),
        ({"__annotations__": {"_default_a": "int"}}, "Odd._default_a: its __init__ uses that name"),
        ({"__annotations__": {"_make_a": "int"}}, "Odd._make_a: its __init__ uses that name"),
    ],
    ids=["InitVar as text", "InitVar", "assign", "delete", "order", "self", "missing", "set", "default", "make"],
)
def test_what_it_does_not_do_is_refused_when_the_class_is_made(body: dict[str, Any], told: str) -> None:
    odd = type("Odd", (), {"__module__": __name__, **body})
    with pytest.raises(TypeError, match=re.escape(told)):
        frozen(kw_only=False)(odd)


def test_the_order_of_fields_is_free_where_they_are_named() -> None:
    @frozen
    class Named:
        """A value whose first field has a default."""

        size: int = 1
        name: str

    assert Named(name="a").size == 1


def test_a_class_may_extend_another_and_a_protocol() -> None:
    extended = Extended(title="a", author="b")
    assert (extended.title, extended.author) == ("a", "b")
    assert repr(extended) == "Extended(title='a', words=0, labels={}, author='b')"
    with pytest.raises(FrozenInstanceError):
        setattr(extended, "author", "c")  # noqa: B010 - pyright knows that it cannot
    assert Door(name="front").open() == "front"


def test_a_dataclass_may_extend_it() -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Signed(Page):
        """A page that somebody signed."""

        by: str

    assert Signed(title="a", by="b") == replace(Signed(title="c", by="b"), title="a")


def test_init_is_written_once() -> None:
    @frozen
    class Late:
        """A class whose first value was not built yet."""

        name: str

    unwritten: Any = vars(Late)["__init__"]
    assert not inspect.isfunction(unwritten)
    assert Late(name="a").name == "a"
    assert inspect.isfunction(vars(Late)["__init__"])
    assert Late.__init__ is Late.__init__
