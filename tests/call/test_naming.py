"""A function has one canonical name, and some names nobody can have."""

from __future__ import annotations

from typing import Any

import pytest

from remit import Effect, tool
from remit.call.naming import (
    CONTEXT_MEMBERS,
    canonical_name,
    check_not_reserved,
    decorated_name,
    python_alias,
    tool_name,
)
from remit.errors import ContractError


@tool_name("get-page")
async def get_page() -> str:
    """Get a page."""
    return "page"


class Pages:
    @tool_name("list-pages")
    async def pages(self) -> str:
        """List pages."""
        return "pages"


async def plain() -> str:
    """Say it plainly."""
    return "plain"


def test_the_name_of_a_decorated_function_is_that_of_the_decorator() -> None:
    assert (tool(effect=Effect.PURE)(get_page).name, tool(get_page).name) == ("get-page", "get-page")
    assert tool(Pages().pages).name == "list-pages"


def test_the_name_of_another_function_is_its_own() -> None:
    assert (tool(plain).name, decorated_name(plain)) == ("plain", None)
    assert tool(plain, name="other").name == "other"


async def test_a_decorated_function_is_the_same_function() -> None:
    assert await get_page() == "page"


def test_a_function_that_is_named_twice_and_differently_is_refused() -> None:
    assert canonical_name(get_page, "get-page") == "get-page"
    with pytest.raises(ContractError, match="get_page is named 'get-page' by @tool_name and 'page' here; keep one"):
        tool(get_page, name="page")


@pytest.mark.parametrize("name", ["", "a b", "cms.page", "x" * 65])
def test_a_name_that_a_model_may_not_see_is_refused_where_it_is_given(name: str) -> None:
    with pytest.raises(ContractError, match="is not a tool name"):
        tool_name(name)


def test_only_a_function_is_named() -> None:
    made: Any = tool(plain)
    with pytest.raises(ContractError, match="write it below @tool, next to the `async def`"):
        tool_name("other")(made)


@pytest.mark.parametrize(
    ("name", "alias"), [("get-page", "get_page"), ("cms_getPage", "cms_getPage"), ("a-b-c", "a_b_c")]
)
def test_an_alias_has_an_underscore_for_each_dash(name: str, alias: str) -> None:
    assert python_alias(name) == alias


@pytest.mark.parametrize("name", sorted(CONTEXT_MEMBERS))
def test_the_members_of_a_context_are_no_names_of_tools(name: str) -> None:
    with pytest.raises(ContractError, match=f"'{name}' is reserved: ctx.{name} is a member of the context"):
        check_not_reserved(name)


@pytest.mark.parametrize("name", ["class", "import", "None"])
def test_keywords_of_python_are_no_names_of_tools(name: str) -> None:
    with pytest.raises(
        ContractError, match=f"'{name}' is a keyword, so ctx.tools.{name} is not valid Python; choose another"
    ):
        check_not_reserved(name)


@pytest.mark.parametrize("name", ["__init__", "--x", "_-x"])
def test_names_that_python_keeps_are_no_names_of_tools(name: str) -> None:
    with pytest.raises(ContractError, match="Python reserves names that begin with two underscores"):
        check_not_reserved(name)


@pytest.mark.parametrize("name", ["runs", "get-page", "match", "3d-view", "_x"])
def test_every_other_name_is_free(name: str) -> None:
    check_not_reserved(name)
