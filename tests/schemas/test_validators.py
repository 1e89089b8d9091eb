"""The functions of a model that its JSON schema does not show are described by name and source."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import pytest
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    PlainSerializer,
    TypeAdapter,
    field_validator,
    model_validator,
)

from remit.schemas.validators import describe_functions


def describe(kind: Any) -> list[str]:
    return describe_functions(TypeAdapter[Any](kind))


def at_most(limit: int) -> Callable[[int], int]:
    def check(value: int) -> int:
        assert value <= limit
        return value

    return check


def add(value: int, *, more: int = 0) -> int:
    return value + more


class Strict:
    """A validator that is an object."""

    def __call__(self, value: int) -> int:
        return value


class Inner(BaseModel):
    tags: list[str] = Field(default_factory=list[str], max_length=3)

    @field_validator("tags")
    @classmethod
    def check_tags(cls, tags: list[str]) -> list[str]:
        return tags


class Outer(BaseModel):
    inner: Inner
    count: Annotated[int, AfterValidator(add)] = Field(default_factory=lambda: 3)

    @model_validator(mode="after")
    def check_all(self) -> Outer:
        return self


def test_validators_and_factories_of_all_parts_are_named() -> None:
    names = [" ".join(each.split(" ")[:2]) for each in describe(Outer)]
    assert names == [
        "factory Inner.tags",
        "factory Outer.count",
        "validator Inner.check_tags",
        "validator Outer.check_all",
        "validator add",
    ]


def test_a_model_without_functions_of_its_own_has_none() -> None:
    class Plain(BaseModel):
        names: frozenset[str] = Field(frozenset(), max_length=3)
        count: int = Field(0, ge=1)

    assert describe(Plain) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (AfterValidator(at_most(3)), AfterValidator(at_most(4))),
        (AfterValidator(partial(add, more=1)), AfterValidator(partial(add, more=2))),
        (
            AfterValidator(lambda value: value),
            AfterValidator(lambda value: value + 1),
        ),
        (BeforeValidator(add), BeforeValidator(at_most(3))),
    ],
    ids=["closure", "partial", "lambda", "another function"],
)
def test_what_a_validator_does_is_in_its_digest(one: object, other: object) -> None:
    assert describe(Annotated[int, one]) == describe(Annotated[int, one])
    assert describe(Annotated[int, one]) != describe(Annotated[int, other])


LAMBDAS = {
    "one": AfterValidator(lambda value: value),
    "other": AfterValidator(lambda value: -value),
}


def test_a_lambda_whose_line_is_a_part_of_a_statement_has_its_text() -> None:
    assert describe(Annotated[int, LAMBDAS["one"]]) != describe(Annotated[int, LAMBDAS["other"]])


def test_validators_of_pydantic_are_left_out_because_the_schema_shows_them() -> None:
    kind = Annotated[list[str], AfterValidator(add), Field(max_length=3)]
    assert [each.split(" ")[1] for each in describe(kind)] == ["add"]


def test_a_serializer_is_no_validator() -> None:
    assert describe(Annotated[int, PlainSerializer(add)]) == []


def test_an_object_and_a_function_without_source_are_described_by_name() -> None:
    found: dict[str, Callable[[int], int]] = {}
    exec("def check(value): return value", found)  # noqa: S102 - a function without source
    assert describe(Annotated[int, AfterValidator(Strict())]) == ["validator Strict"]
    (described,) = describe(Annotated[int, AfterValidator(found["check"])])
    assert described.startswith("validator check ")
