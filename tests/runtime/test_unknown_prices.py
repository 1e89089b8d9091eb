"""A limit on cost needs prices: of the models that it binds, and only where they can be asked."""

from __future__ import annotations

from typing import Any

import pytest

from remit import Agent, App, Context, Effect, Runtime, Stack, tool
from remit.agent import AgentLimits, Compaction
from remit.errors import NoModelError
from remit.layers import Budget, ToolLayer
from remit.messages import ChatRequest, Completion
from remit.models import ModelSettings, Price
from remit.models.scripted import ScriptLine
from remit.testing import Scripted, superuser

LIMITED: dict[str, Any] = {"instructions": "Work.", "settings": ModelSettings(max_tokens=50)}


@tool(effect=Effect.PURE)
async def look(page: str) -> str:
    """Look at a page."""
    return f"saw {page}"


class UnpricedModel:
    """A model that no table of prices has, with the answers of a script."""

    model, vendor = "new", "lab"

    def __init__(self, *lines: ScriptLine) -> None:
        self._script = Scripted(lines)

    async def __call__(self, request: ChatRequest, /) -> Completion:
        return await self._script(request)


LINE = "write prices.new = {input = …, output = …}, in US dollars for a million tokens, at the top of config.toml"


def bounds() -> dict[str, tuple[Agent, list[ToolLayer]]]:
    """Agents whose cost is limited, by how, and the run layers."""
    inner = Agent("agent", model=UnpricedModel(), **LIMITED)
    conditional = Budget(cost=1.0).where(agents={"outer"}).where(tools={"agent"})
    outer = Agent("outer", tools=[inner], **LIMITED)
    return {
        "the run": (inner, [Budget(cost=1.0)]),
        "some calls": (inner, [Budget(cost=1.0).where(tools={"agent"})]),
        "some of some calls": (outer, [conditional]),
        "the agent": (Agent("agent", model=UnpricedModel(), limits=AgentLimits(cost=1.0), **LIMITED), []),
        "the agent above": (Agent("outer", tools=[inner], limits=AgentLimits(cost=1.0), **LIMITED), []),
        "the calls of an agent": (outer.layer(Budget(cost=1.0)), []),
        "the agent, as a tool": (inner.layer(Budget(cost=1.0)), []),
        "the model for summaries": (
            Agent("agent", model=Scripted(["done"]), compaction=Compaction(model=UnpricedModel()), **LIMITED),
            [Budget(cost=1.0)],
        ),
    }


@pytest.mark.parametrize("name", bounds())
async def test_a_run_is_refused_before_it_begins_where_its_cost_is_limited_and_a_price_unknown(name: str) -> None:
    agent, layers = bounds()[name]
    runtime = Runtime(App(name="test", agents=(agent,)), layers=Stack[ToolLayer](*layers), model=Scripted(["done"]))
    for start in (runtime.run, runtime.submit):
        with pytest.raises(NoModelError, match="agent agent: its cost is limited, but the price of") as refused:
            await start("go", by=superuser())
        assert LINE in refused.value.message
    assert (await runtime.client(superuser()).runs()).items == []


async def test_no_price_is_asked_for_where_no_limit_binds_a_model() -> None:
    agent = Agent("agent", tools=[look], model=UnpricedModel("done"), **LIMITED)
    other = Agent("other", tools=[agent], model=Scripted(["done"]), limits=AgentLimits(cost=1.0), **LIMITED)
    runtime = Runtime(
        App(name="test", agents=(agent, other), tools=(look,)),
        layers=Stack[ToolLayer](Budget(cost=1.0).where(agents={"other"}).where(tools={"agent"})),
    )
    assert (await runtime.call(look, superuser(), page="a")).status == "done"
    done = await runtime.run("go", by=superuser())
    assert done.status == "done"
    limited = Runtime(
        App(name="test", agents=(agent, other), tools=(look,), budget=Budget(cost=1.0)), store=runtime.store
    )
    assert (await limited.replay(done.run)).difference == ""


async def test_scripts_and_local_models_cost_nothing_unless_they_have_a_price() -> None:
    agent = Agent("agent", model=Scripted(["done"]), **LIMITED)
    runtime = Runtime(App(name="test", agents=(agent,), budget=Budget(cost=1.0)))
    assert (await runtime.run("go", by=superuser())).usage.cost == 0.0


async def test_a_run_that_asks_a_model_without_a_price_on_the_way_rests_and_goes_on_with_the_price() -> None:
    agent = Agent("agent", model=UnpricedModel("done"), **LIMITED)

    @tool(effect=Effect.COMPOSED)
    async def ask(ctx: Context) -> str:
        """Ask the agent."""
        return await ctx.call(agent, prompt="go")

    app = App(name="test", agents=(agent,), tools=(ask,), budget=Budget(cost=1.0))
    runtime = Runtime(app)
    with pytest.raises(NoModelError):
        await runtime.call(ask, superuser())
    (stalled,) = (await runtime.client(superuser()).runs()).items
    assert stalled.status == "stalled"
    priced = Runtime(app, store=runtime.store, prices={"new": Price(1.0, 1.0)})
    priced.add_principals(superuser())
    assert (await priced.resume(stalled.run)).value() == "done"
