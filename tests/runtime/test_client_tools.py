"""A client lists the tools that its principal may call, and no others."""

from __future__ import annotations

import pytest

from remit import Agent, App, Principal, Risk, Runtime, tool
from remit.call.contract import definition_digest
from remit.errors import BlockedError, RequestError
from remit.inventory import EnabledGate
from remit.testing import Scripted, superuser


@tool(permissions=["pages:write"], risk=Risk.HIGH)
async def publish(page: str, now: bool = True) -> bool:
    """Publish a page."""
    return now and bool(page)


@tool(effect="pure")
async def read(page: str) -> str:
    """Read a page."""
    return page


@tool(effect="pure", visibility="experimental")
async def dream() -> str:
    """Dream."""
    return "dreamed"


@tool(effect="pure", visibility="internal")
async def sweep() -> str:
    """Sweep."""
    return "swept"


ADA = Principal("ada", permissions=frozenset({"pages:write@bakery/*"}))
TESTER = Principal("tess", permissions=frozenset({"tools:experiment"}))


def runtime() -> Runtime:
    helper = Agent("helper", instructions="Help.", tools=[read])
    agent = Agent("editor", instructions="Edit.", tools=[publish, sweep, helper], handoffs=["helper"], tool_search=1)
    return Runtime(App(name="site", agents=[agent, helper], tools=[dream]), model=Scripted([]))


async def names(principal: Principal, target: str = "") -> list[str]:
    return [each.name for each in await runtime().client(principal).tools(target=target)]


async def test_a_client_lists_what_its_principal_may_call_for_the_target_and_no_agents() -> None:
    assert await names(ADA) == ["read"]
    assert await names(ADA, "bakery/main") == ["publish", "read"]
    assert await names(ADA, "shop/main") == ["read"]
    assert await names(superuser()) == ["dream", "publish", "read"]


async def test_a_tool_that_is_hidden_from_a_principal_is_not_listed_and_its_call_is_refused() -> None:
    assert await names(TESTER) == ["dream", "read"]
    for principal, hidden in ((ADA, "dream"), (TESTER, "sweep"), (superuser(), "sweep")):
        assert hidden not in await names(principal)
        with pytest.raises(BlockedError):
            (await runtime().client(principal).call(hidden, {})).value()


async def test_a_tool_that_is_disabled_is_not_listed_and_its_call_is_refused() -> None:
    closed = read.layer(EnabledGate(enabled=False))
    client = Runtime(App(name="site", tools=[closed, publish])).client(superuser())
    assert [each.name for each in await client.tools()] == ["publish"]
    with pytest.raises(BlockedError, match="read is disabled"):
        (await client.call("read", {"page": "a"})).value()


async def test_a_listed_tool_has_the_schemas_facts_and_digest_of_its_definition() -> None:
    (found,) = [each for each in await runtime().client(superuser()).tools() if each.name == "publish"]
    assert (found.description, found.facts) == ("Publish a page.", publish.facts)
    assert (found.parameters, found.result) == (publish.schema_in.json_schema, publish.schema_out.json_schema)
    assert (found.parameters["required"], found.result["type"]) == (["page"], "boolean")
    assert found.digest == definition_digest(publish)


async def test_a_target_that_no_run_could_have_is_refused() -> None:
    with pytest.raises(RequestError, match="target is 'a b'; give words joined by /"):
        await runtime().client(ADA).tools(target="a b")
