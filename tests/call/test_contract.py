"""A contract has a name that providers take, a definition for models, and a digest that approvals are bound to."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from remit import Effect, Risk, Tool, tool
from remit.call.contract import check_name, definition_digest, tool_definition
from remit.errors import ContractError


async def look(query: str) -> str:
    """Look."""
    return query


async def look_elsewhere(query: str, where: str = "here") -> str:
    """Look."""
    return query + where


LOOK: Tool[..., Any] = tool(look)


def test_a_definition_is_what_a_chat_request_carries() -> None:
    assert tool_definition(LOOK) == {
        "type": "function",
        "function": {
            "name": "look",
            "description": "Look.",
            "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
        },
    }


@pytest.mark.parametrize(
    "changed",
    [
        tool(name="look")(look_elsewhere),
        tool(description="Look well.")(look),
        tool(name="see")(look),
        tool(effect=Effect.PURE)(look),
        tool(risk=Risk.HIGH)(look),
        tool(permissions=["cms:read"])(look),
        tool(egress=True)(look),
    ],
    ids=["parameters", "description", "name", "effect", "risk", "permissions", "egress"],
)
def test_the_digest_changes_with_whatever_an_approval_is_bound_to(changed: Tool[..., Any]) -> None:
    assert definition_digest(changed) != definition_digest(LOOK)


@pytest.mark.parametrize("same", [tool(look), tool(timeout=5)(look), tool(tags=["x"])(look), tool(trusted=True)(look)])
def test_the_digest_stays_where_nothing_of_that_changes(same: Tool[..., Any]) -> None:
    assert definition_digest(same) == definition_digest(LOOK)


def test_the_order_of_permissions_is_not_in_the_digest() -> None:
    names = [f"cms:verb{number}" for number in range(20)]
    forth, back = tool(permissions=names)(look), tool(permissions=reversed(names))(look)
    assert definition_digest(forth) == definition_digest(back)


async def count(number: Annotated[int, Field(le=2**63 - 1)]) -> int:
    """Count."""
    return number


def test_a_bound_beyond_2_to_the_53_can_be_digested() -> None:
    assert definition_digest(tool(count)) != definition_digest(LOOK)


@given(st.from_regex(r"[A-Za-z0-9_-]{1,64}", fullmatch=True))
def test_a_name_of_letters_digits_and_dashes_is_a_name(name: str) -> None:
    assert check_name(name) == name


@pytest.mark.parametrize("name", ["", "a" * 65, "a b", "a.b", "a\n", "é", "a/b"])
def test_any_other_name_is_refused(name: str) -> None:
    with pytest.raises(ContractError) as caught:
        check_name(name)
    assert caught.value.message == f"{name!r} is not a tool name: use 1 to 64 letters, digits, '_' or '-'"
