"""The types of the console say what the description of the API says."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests.scripts.loading import load_script


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The program that makes the types."""
    return load_script("wire_types", monkeypatch)


@pytest.mark.parametrize(
    ("schema", "declared"),
    [
        ({"type": "integer"}, "number"),
        ({"type": "array", "items": {"enum": ["read", "write"]}}, '("read" | "write")[]'),
        ({"type": "array", "prefixItems": [{"type": "string"}, {"type": "boolean"}]}, "[string, boolean]"),
        ({"anyOf": [{"$ref": "#/components/schemas/Me"}, {"type": "null"}]}, "Me | null"),
        ({"type": "object", "additionalProperties": {"type": "number"}}, "Record<string, number>"),
        ({"type": "object"}, "Record<string, unknown>"),
        ({}, "unknown"),
    ],
)
def test_a_schema_becomes_the_type_that_holds_the_same_values(
    script: ModuleType, schema: dict[str, object], declared: str
) -> None:
    described = {"title": "Box", "type": "object", "properties": {"content": schema}, "required": ["content"]}
    assert script.declare("Box", described) == f"export interface Box {{\n  content: {declared};\n}}\n"


def test_a_field_that_a_request_may_lack_is_optional(script: ModuleType) -> None:
    described = {"type": "object", "properties": {"limit": {"type": "integer"}}, "description": "Which\n  ``rows``."}
    assert (
        script.declare("Query", described) == "/** Which `rows`. */\nexport interface Query {\n  limit?: number;\n}\n"
    )


def test_lists_share_one_type_and_queries_have_none(script: ModuleType) -> None:
    text = script.wire_types()
    assert text.count("export interface Listed<T> {\n  items: T[];\n  next: string;\n}") == 1
    assert "Listed_" not in text
    assert "RunsQuery" not in text
