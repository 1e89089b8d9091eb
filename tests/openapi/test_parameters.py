"""The styles of parameters, by the table of the OpenAPI specification."""

from __future__ import annotations

from typing import Any

import pytest

from remit.openapi.parameters import Parameter, write_form

LIST = ["blue", "black"]
FIELDS = {"R": 100, "G": 200}


def made(place: str, style: str, *, explode: bool) -> Parameter:
    return Parameter.of("color", place, {"style": style, "explode": explode, "schema": {}}, "x")


@pytest.mark.parametrize(
    ("style", "explode", "value", "expected"),
    [
        ("simple", False, "a b", "a%20b"),
        ("simple", False, LIST, "blue,black"),
        ("simple", False, FIELDS, "R,100,G,200"),
        ("simple", True, FIELDS, "R=100,G=200"),
        ("label", False, LIST, ".blue,black"),
        ("label", True, LIST, ".blue.black"),
        ("label", True, FIELDS, ".R=100.G=200"),
        ("matrix", False, "blue", ";color=blue"),
        ("matrix", False, LIST, ";color=blue,black"),
        ("matrix", True, LIST, ";color=blue;color=black"),
        ("matrix", True, FIELDS, ";R=100;G=200"),
    ],
)
def test_a_path_is_written_in_its_style(style: str, explode: bool, value: Any, expected: str) -> None:
    assert made("path", style, explode=explode).write_path(value) == expected


@pytest.mark.parametrize(
    ("style", "explode", "value", "expected"),
    [
        ("form", True, "a&b", "color=a%26b"),
        ("form", True, True, "color=true"),
        ("form", True, LIST, "color=blue&color=black"),
        ("form", False, LIST, "color=blue,black"),
        ("form", True, FIELDS, "R=100&G=200"),
        ("form", False, FIELDS, "color=R,100,G,200"),
        ("form", True, None, ""),
        ("spaceDelimited", False, LIST, "color=blue%20black"),
        ("pipeDelimited", False, LIST, "color=blue%7Cblack"),
        ("deepObject", True, FIELDS, "color[R]=100&color[G]=200"),
    ],
)
def test_a_query_is_written_in_its_style(style: str, explode: bool, value: Any, expected: str) -> None:
    pairs = made("query", style, explode=explode).write_query(value)
    assert "&".join(f"{name}={text}" for name, text in pairs) == expected


def test_the_default_styles_are_those_of_the_specification() -> None:
    found = {place: Parameter.of("a", place, {"schema": {}}, "x") for place in ("path", "query", "header", "cookie")}
    assert {place: (each.style, each.is_exploded) for place, each in found.items()} == {
        "path": ("simple", False),
        "query": ("form", True),
        "header": ("simple", False),
        "cookie": ("form", True),
    }


def test_a_parameter_with_a_media_type_is_json() -> None:
    written = Parameter.of("a", "query", {"content": {"application/json": {"schema": {}}}}, "x")
    assert written.write_query({"b": [1]}) == [("a", "%7B%22b%22%3A%5B1%5D%7D")]


def test_a_form_repeats_the_keys_of_lists() -> None:
    assert write_form({"a": [1, "x y"], "b": {"c": None}, "d": True}) == b"a=1&a=x%20y&b=%7B%22c%22%3Anull%7D&d=true"
