"""Rules that an author writes into a JSON schema are told from words that demand nothing."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, WithJsonSchema
from pydantic.dataclasses import dataclass

from remit.schemas.added_rules import has_added_rules
from remit.schemas.core_nodes import iter_nodes


class Told(BaseModel):
    """Has words alone."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"a": 1}], "x-order": 1})

    a: Annotated[int, Field(description="d", examples=[1], json_schema_extra={"deprecated": True})]


class Ruled(BaseModel):
    """Has a rule."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    a: int = 1


@dataclass(config=ConfigDict(json_schema_extra={"minProperties": 1}))
class RuledPoint:
    """Has a rule."""

    x: int = 1


def trim(schema: dict[str, Any], kind: type) -> None:
    """Drop what tells nothing."""
    assert kind is Trimmed
    schema.pop("title", None)


class Trimmed(BaseModel):
    """Its schema has less."""

    model_config = ConfigDict(json_schema_extra=trim)

    a: int = 1


Parsed = Annotated[dict[str, Any], BeforeValidator(str), WithJsonSchema({"type": "object"})]
Described = Annotated[int, Field(json_schema_extra=lambda schema: schema.update(description="d"))]


@pytest.mark.parametrize(
    "kind",
    [int, Told, list[Told], dict[str, int], Trimmed, Parsed, Described],
    ids=["int", "Told", "list", "dict", "Trimmed", "Parsed", "Described"],  # the text of the last one has an address
)
def test_words_demand_nothing(kind: Any) -> None:
    assert not has_added_rules(iter_nodes(TypeAdapter(kind).core_schema))


@pytest.mark.parametrize(
    "kind",
    [
        Ruled,
        list[Ruled],
        RuledPoint,
        Annotated[int, WithJsonSchema({"type": "integer"})],
        Annotated[int, Field(json_schema_extra=lambda schema: schema.update(minimum=1))],
        Annotated[int, Field(json_schema_extra=lambda schema: schema.update({"maximum": schema["missing"]}))],
        Annotated[int, Field(json_schema_extra={"multipleOf": 2})],
    ],
    ids=["model", "in list", "dataclass", "whole", "function", "unknown", "field"],
)
def test_rules_are_found_wherever_they_are(kind: Any) -> None:
    assert has_added_rules(iter_nodes(TypeAdapter(kind).core_schema))
