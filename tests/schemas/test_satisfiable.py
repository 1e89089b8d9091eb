"""A schema that no arguments fit is refused when it is loaded, and no other one is."""

from __future__ import annotations

from typing import Any

import pytest

from remit.contracts.json_contract import JsonInput
from remit.errors import ContractError
from remit.schemas.closed_schema import close_schema
from remit.schemas.satisfiable import find_contradiction
from remit.schemas.schema_document import read_schema
from tests.strangers.schemas import CONTRADICTORY, SATISFIABLE


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
