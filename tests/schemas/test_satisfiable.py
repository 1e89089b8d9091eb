"""A schema that no arguments fit is refused when it is loaded, and no other one is."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Annotated, Any

import pytest
from annotated_types import Ge, Le

from remit import Effect, Tool, tool
from remit.call.json_contract import JsonInput, JsonOutput
from remit.errors import ContractError
from remit.schemas.closed_schema import close_schema
from remit.schemas.satisfiable import find_contradiction
from remit.schemas.schema_document import read_schema
from tests.strangers.schemas import CONTRADICTORY, SATISFIABLE
from tests.strangers.types import IMPOSSIBLE, POSSIBLE


@pytest.mark.parametrize("name", CONTRADICTORY)
def test_a_schema_that_contradicts_itself_is_refused_with_its_place(name: str) -> None:
    schema, reason = CONTRADICTORY[name]
    with pytest.raises(ContractError) as caught:
        JsonInput(schema)
    assert caught.value.message.startswith(f"no arguments fit its JSON schema: {reason}")


@pytest.mark.parametrize("name", SATISFIABLE)
def test_a_schema_that_arguments_fit_is_accepted(name: str) -> None:
    assert JsonInput(SATISFIABLE[name]).model is not None


def test_a_schema_of_very_many_parts_is_searched_up_to_a_limit() -> None:
    definitions: dict[str, Any] = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(16)}
    document = read_schema({"type": "object", "$ref": "#/$defs/d0", "$defs": definitions | {"d16": {"not": {}}}})
    assert find_contradiction(close_schema(document)) == "#/$defs/d16 excludes everything"
    document["$defs"]["d16"] = {}
    assert find_contradiction(close_schema(document)) == ""


def test_of_very_many_words_their_types_decide() -> None:
    words: dict[str, Any] = {"enum": [f"w{number}" for number in range(200)]}
    assert find_contradiction({**words, "type": "integer"}) == "no value listed at # fits the rest of it"
    assert find_contradiction({**words, "minLength": 9}) == ""
    assert find_contradiction({"enum": words["enum"][:9], "minLength": 9}) == "no value listed at # fits the rest of it"


def take(kind: object) -> Tool[..., Any]:
    """A tool with one parameter of a type."""

    async def book(value: Any) -> str:
        """Book."""
        return str(value)

    book.__annotations__["value"] = kind
    return tool(effect=Effect.PURE)(book)


def give(kind: object) -> Tool[..., Any]:
    """A tool whose result has a type."""

    async def find() -> Any:
        """Find."""

    find.__annotations__["return"] = kind
    return tool(effect=Effect.PURE)(find)


@pytest.mark.parametrize("make", [take, give])
@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_a_typed_tool_is_refused_if_no_value_has_one_of_its_types(
    name: str, make: Callable[[object], Tool[..., Any]]
) -> None:
    with pytest.raises(ContractError, match=r"^(book|find): [^\n]+$"):
        make(IMPOSSIBLE[name])


@pytest.mark.parametrize("make", [take, give])
@pytest.mark.parametrize("name", POSSIBLE)
def test_a_typed_tool_is_accepted_if_a_value_has_each_type(name: str, make: Callable[[object], Tool[..., Any]]) -> None:
    assert make(POSSIBLE[name]).name in ("book", "find")


def test_an_optional_parameter_may_have_a_type_without_values_and_says_so() -> None:
    async def book(day: Annotated[date, Ge(date(2026, 3, 9)), Le(date(2026, 3, 8))] | None = None) -> str:
        """Book."""
        return str(day)

    shown = tool(effect=Effect.PURE)(book).schema_in.json_schema["properties"]["day"]
    assert shown["anyOf"] == [{"not": {}}, {"type": "null"}]


@pytest.mark.parametrize("schema", [{"type": "integer", "minimum": 5, "maximum": 1}, {"enum": []}])
def test_a_schema_that_no_results_fit_is_refused_too(schema: dict[str, Any]) -> None:
    with pytest.raises(ContractError, match=r"^no results fit its JSON schema: "):
        JsonOutput(schema)
