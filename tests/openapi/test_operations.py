"""Operations as their document describes them, and documents that are refused by the line."""

from __future__ import annotations

from typing import Any

import pytest

from remit import Tool
from remit.errors import ContractError
from remit.openapi import OpenApi
from tests.openapi.kit import SHOP


def document(operation: dict[str, Any], version: str = "3.1.0", path: str = "/a", **parts: Any) -> OpenApi:
    """A document with one operation."""
    return OpenApi({"openapi": version, "paths": {path: {"post": {"operationId": "do", **operation}}}, **parts})


def _order(arguments: dict[str, object]) -> None:
    """Order nothing."""


def parameter(name: str, place: str = "query", **more: Any) -> dict[str, Any]:
    return {"name": name, "in": place, "schema": {"type": "string"}, **more}


def body(schema: dict[str, Any], media_type: str = "application/json", *, required: bool = True) -> dict[str, Any]:
    return {"requestBody": {"required": required, "content": {media_type: {"schema": schema}}}}


def test_schemas_of_3_0_become_2020_12() -> None:
    schema = OpenApi.load(SHOP).operations["orders_create"].schema
    assert schema["required"] == ["title"]
    assert schema["properties"]["note"] == {"type": ["string", "null"]}
    assert schema["properties"]["price"] == {"type": "number", "exclusiveMinimum": 0}
    assert schema["properties"]["gift"] == {"$ref": "#/$defs/Order"}
    assert Tool.from_schema("order", "Order.", schema, _order).build_arguments(title="dune", gift={"title": "x"})


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string", "nullable": True, "enum": ["a"]}, {"type": ["string", "null"], "enum": ["a", None]}),
        (
            {"nullable": True, "allOf": [{"type": "string"}]},
            {"anyOf": [{"allOf": [{"type": "string"}]}, {"type": "null"}]},
        ),
        ({"type": "integer", "maximum": 3, "exclusiveMaximum": False}, {"type": "integer", "maximum": 3}),
        ({"type": "string", "xml": {}, "x-order": 1, "example": "a"}, {"type": "string"}),
    ],
)
def test_each_keyword_of_3_0_is_translated_or_left_out(schema: dict[str, Any], expected: dict[str, Any]) -> None:
    api = document({"parameters": [{"name": "a", "in": "query", "schema": schema}]}, "3.0.3")
    assert api.operations["do"].schema["properties"]["a"] == expected


def test_parameters_of_one_name_in_two_places_are_refused_with_the_line() -> None:
    text = SHOP.read_text(encoding="utf-8").replace("name: X-Trace, in: header", "name: order, in: query")
    api = OpenApi(text, "shop.yaml")
    assert api.refused == {"orders_get": "shop.yaml:14: 'order' is in the query and in the path too"}
    assert "orders_delete" in api.operations


def test_a_body_with_the_name_of_a_parameter_is_one_argument() -> None:
    fields = {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}
    operation = document({"parameters": [parameter("a")], **body(fields)}).operations["do"]
    assert list(operation.schema["properties"]) == ["a", "body"]
    assert operation.schema["required"] == ["body"]
    assert operation.body is None


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": {"type": "string"}},
        {"type": "object", "properties": {"a": {}}, "additionalProperties": True},
        {"anyOf": [{"type": "object"}, {"type": "string"}]},
        {},
    ],
)
def test_a_body_that_is_no_closed_object_is_one_argument(schema: dict[str, Any]) -> None:
    assert list(document(body(schema)).operations["do"].schema["properties"]) == ["body"]


def test_an_optional_body_with_required_fields_is_one_argument_that_can_be_left_out() -> None:
    fields = {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}
    schema = document(body(fields, required=False)).operations["do"].schema
    assert "required" not in schema
    assert list(schema["properties"]) == ["body"]


@pytest.mark.parametrize(
    ("operation", "why"),
    [
        ({"parameters": [parameter("a", "body")]}, "'a' is in 'body'; parameters are in path, query, header, cookie"),
        ({"parameters": [parameter("a", style="deep")]}, "'a' has the style 'deep'"),
        ({"parameters": [{"$ref": "other.yaml#/a"}]}, "only references within the document"),
        ({"parameters": [{"$ref": "#/components/parameters/a"}]}, "which does not exist"),
        ({"parameters": [{"$ref": "#/paths/~1a/post/parameters/0"}]}, "references lead to one another"),
        (body({}, "multipart/form-data"), "its body is 'multipart/form-data'"),
        ({"parameters": [parameter("body")], **body({"type": "string"})}, "which a parameter is already"),
    ],
)
def test_an_operation_that_cannot_be_called_says_why_and_where(operation: dict[str, Any], why: str) -> None:
    api = document(operation)
    assert not api.operations
    assert api.refused["do"].startswith("openapi#/")
    assert why in api.refused["do"]


def test_a_path_needs_a_parameter_for_each_of_its_parts() -> None:
    assert "which no parameter describes" in document({}, path="/a/{b}").refused["do"]


def test_an_operation_without_an_id_is_named_by_its_method_and_path() -> None:
    api = OpenApi({"openapi": "3.1.0", "paths": {"/a/{b}": {"get": {"parameters": [parameter("b", "path")]}}}})
    assert list(api.operations) == ["get_a_b"]
    assert api.operations["get_a_b"].description == "GET /a/{b}"


def test_long_ids_stay_different() -> None:
    paths = {f"/{end}": {"get": {"operationId": "x" * 70 + end}} for end in "ab"}
    first, second = OpenApi({"openapi": "3.1.0", "paths": paths}).operations
    assert (len(first), first != second) == (64, True)


def test_the_second_operation_of_a_name_is_refused() -> None:
    paths = {f"/{end}": {"get": {"operationId": "same"}} for end in "ab"}
    api = OpenApi({"openapi": "3.1.0", "paths": paths})
    assert list(api.operations) == ["same"]
    assert "same is the name of another one, openapi#/paths/~1a/get" in api.refused["same GET /b"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("swagger: '2.0'", "no OpenAPI document of version 3.0 or 3.1"),
        ("{", "it is not JSON"),
        ('{"openapi": "3.1.0", "openapi": "3.1.0"}', "it is not JSON"),
        ("openapi: 3.1.0\npaths: &a {}", "d:2: the anchor &a"),
        ("openapi: [", "not YAML"),
        ("- 1", "d:1: no mapping"),
    ],
)
def test_what_is_no_document_is_refused_in_one_line(text: str, why: str) -> None:
    with pytest.raises(ContractError) as caught:
        OpenApi(text, "d")
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)
