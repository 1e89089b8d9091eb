"""Tools of providers: their names, their options, and lists of them."""

from __future__ import annotations

from typing import Any

import pytest

from remit.chat.provider_tool import ProviderTool, as_provider_tools
from remit.errors import SetupError


def test_a_name_stands_for_a_tool_without_options() -> None:
    search = ProviderTool(name="web_search", max_uses=2, allowed_domains=["example.com"])
    assert as_provider_tools("tools", "web_fetch") == (ProviderTool(name="web_fetch"),)
    assert as_provider_tools("tools", [search, "x_search"]) == (search, ProviderTool(name="x_search"))
    assert str(search) == 'web_search {"allowed_domains":["example.com"],"max_uses":2}'
    assert str(ProviderTool(name="x_search")) == "x_search"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"name": "web_search", "allowed_domains": []}, "is empty; name a domain"),
        ({"name": "x_search", "max_uses": 1}, "x_search has no max_uses"),
        (
            {"name": "web_fetch", "allowed_domains": ["a.example"], "blocked_domains": ["b.example"]},
            "has allowed_domains and blocked_domains",
        ),
    ],
)
def test_options_that_no_provider_takes_are_refused(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(SetupError, match=problem):
        ProviderTool(**options)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ([7], "an item of tools is 7"),
        (["web_serch"], "no provider has the tool 'web_serch'"),
        (["web_search", ProviderTool(name="web_search", max_uses=1)], "tools has 'web_search' twice"),
    ],
)
def test_a_list_of_other_things_is_refused(given: Any, problem: str) -> None:
    with pytest.raises(SetupError, match=problem):
        as_provider_tools("tools", given)
