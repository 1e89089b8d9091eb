"""A call runs only where every actor above lets it: however it is made, and whichever layers are attached."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import replace
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit import Agent, App, Context, Effect, Principal, Runtime, Stack, Tool, tool
from remit.call.callee import Frame
from remit.dispatch.context import CallContext
from remit.dispatch.registry import AnyCallee
from remit.dispatch.tool_scope import ToolScope
from remit.errors import BudgetError, DeniedError, UnknownToolError
from remit.layers import Authorize, Call, CallLayer, CallService, Reply, layer_fn
from remit.record.items import ToolOutput
from remit.testing import Scripted, call_through, calls, make_call, superuser
from remit.tools import Limits
from tests.dispatch.actors import Actor

Way = Callable[[Context, AnyCallee], Awaitable[object]]


def leaf(name: str, ran: list[str]) -> Tool[[], str]:
    @tool(effect=Effect.PURE, name=name)
    async def work() -> str:
        """Work."""
        ran.append(name)
        return name

    return work


async def by_model(ctx: Context, callee: AnyCallee) -> object:
    """As a model calls: only an actor can, so a tool calls by name."""
    if not isinstance(ctx, CallContext):
        return await ctx.call(callee.name)
    reply = await ctx.prepare(callee.name, "{}", "wire").make()
    return reply if reply.outcome == "ok" else reply.raise_error()


WAYS: dict[str, Way] = {
    "ctx.tools": lambda ctx, callee: getattr(ctx.tools, callee.name)(),
    "by name": lambda ctx, callee: ctx.call(callee.name),
    "by object": lambda ctx, callee: ctx.call(callee),
    "by a model": by_model,
}


def runtime_of(*tools: AnyCallee, layers: Stack[CallLayer] | None = None, limits: Limits | None = None) -> Runtime:
    app = App(name="test", tools=tools)
    return Runtime(app, layers=Stack() if layers is None else layers, make_run_id=lambda: "run", limits=limits)


async def ends(runtime: Runtime) -> dict[str, tuple[str, str]]:
    """How each callee's last call came out, and what was written."""
    items = [position.item for position in await runtime.store.read("run")]
    return {item.callee: (item.outcome, item.text) for item in items if isinstance(item, ToolOutput)}


@pytest.mark.parametrize("layers", [Stack[CallLayer](), None], ids=["bare", "preset"])
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
async def test_what_is_out_of_reach_is_denied_and_recorded_however_it_is_called(
    way: Way, layers: Stack[CallLayer] | None
) -> None:
    ran = list[str]()
    pay, look = leaf("pay", ran), leaf("look", ran)
    clerk = Actor("clerk", lambda ctx: way(ctx, pay), tools=[look], tool_scope=["look"])
    runtime = Runtime(App(name="test", tools=(clerk, pay)), layers=layers, make_run_id=lambda: "run")
    with pytest.raises(DeniedError, match="clerk does not let its calls reach pay; add pay to its tool_scope"):
        (await runtime.call(clerk, superuser())).value()
    assert ran == []
    outcome, text = (await ends(runtime))["pay"]
    assert outcome == "denied"
    assert "PERMISSION_DENIED" in text


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
async def test_what_is_within_reach_runs_however_it_is_called(way: Way) -> None:
    ran = list[str]()
    look = leaf("look", ran)
    clerk = Actor("clerk", lambda ctx: way(ctx, look), tools=[look], tool_scope=["look"])
    assert (await runtime_of(clerk).call(clerk, superuser())).status == "done"
    assert ran == ["look"]


async def test_a_composed_tool_below_an_actor_reaches_no_further_than_the_actor() -> None:
    ran = list[str]()
    pay = leaf("pay", ran)

    @tool(effect=Effect.COMPOSED)
    async def errand(ctx: Context) -> str:
        """Do an errand."""
        return await ctx.call(pay)

    clerk = Actor("clerk", lambda ctx: ctx.call(errand), tools=[errand], tool_scope=["errand"])
    runtime = runtime_of(clerk, errand, pay)
    with pytest.raises(DeniedError, match="clerk does not let its calls reach pay"):
        (await runtime.call(clerk, superuser())).value()
    assert (await ends(runtime))["errand"][0] == "denied"
    assert (await runtime_of(errand, pay).call(errand, superuser())).value() == "pay", "with no actor above it runs"


async def test_a_nested_actor_reaches_what_all_above_it_let_it_and_the_outermost_that_does_not_is_named() -> None:
    ran = list[str]()
    pay, look = leaf("pay", ran), leaf("look", ran)

    async def both(ctx: Frame) -> list[str]:
        seen = [await ctx.call(look)]
        with pytest.raises(DeniedError) as denied:
            await ctx.call(pay)
        return [*seen, denied.value.message]

    inner = Actor("inner", both, tools=[look, pay], tool_scope=["look", "pay"])
    outer = Actor("outer", lambda ctx: ctx.call(inner), tools=[inner], tool_scope=["inner", "look"])
    said = (await runtime_of(outer).call(outer, superuser())).value()
    assert said == [
        "look",
        "outer does not let its calls reach pay (called by outer > inner); add pay to its tool_scope",
    ]


async def test_an_actor_that_may_reach_everything_widens_nothing() -> None:
    ran = list[str]()
    pay = leaf("pay", ran)
    agent = Agent("agent", instructions="Pay.", tools=[pay], model=Scripted([calls(("pay", {})), "I could not."]))
    clerk = Actor("clerk", lambda ctx: ctx.call(agent, "pay"), tools=[agent], tool_scope=["agent"])
    runtime = runtime_of(clerk)
    assert (await runtime.call(clerk, superuser())).value() == "I could not."
    assert ran == []
    assert "clerk does not let its calls reach pay" in (await ends(runtime))["pay"][1]


async def test_a_model_may_not_name_what_its_actor_only_delegates() -> None:
    ran = list[str]()
    pay = leaf("pay", ran)
    clerk = Actor("clerk", lambda ctx: by_model(ctx, pay), tools=[], tool_scope=["pay"])
    with pytest.raises(UnknownToolError, match="there is no tool 'pay'"):
        (await runtime_of(clerk, pay).call(clerk, superuser())).value()


async def test_code_below_an_actor_may_name_what_the_actor_delegates() -> None:
    ran = list[str]()
    pay = leaf("pay", ran)

    @tool(effect=Effect.COMPOSED)
    async def errand(ctx: Context) -> str:
        """Do an errand."""
        said: str = await ctx.tools.pay()
        return said

    clerk = Actor("clerk", lambda ctx: ctx.call(errand), tools=[errand], tool_scope=["errand", "pay"])
    assert (await runtime_of(clerk, pay).call(clerk, superuser())).value() == "pay"


async def test_a_name_that_nobody_has_is_unknown_also_below_an_actor() -> None:
    clerk = Actor("clerk", lambda ctx: ctx.call("loook"), tools=[leaf("look", [])], tool_scope=["look"])
    with pytest.raises(UnknownToolError, match="there is no tool 'loook'; similar: look"):
        (await runtime_of(clerk).call(clerk, superuser())).value()


async def test_permissions_are_narrowed_for_everything_below() -> None:
    seen = list[frozenset[str]]()

    @tool(effect=Effect.PURE, permissions=["cms:write"])
    async def write() -> str:
        """Write."""
        return "written"

    @layer_fn
    async def note(call: Call, inner: CallService) -> Reply:
        seen.append(call.caller.principal.permissions)
        return await inner(call)

    clerk = Actor("clerk", lambda ctx: ctx.call(write), tools=[write], permissions=["cms:read", "mail:*"])
    ada = Principal("ada", permissions=frozenset({"cms:*"}))
    runtime = runtime_of(clerk, layers=Stack[CallLayer](note(), Authorize()))
    with pytest.raises(DeniedError, match="ada may not call write: missing permission cms:write"):
        (await runtime.call(clerk, ada)).value()
    assert seen == [{"cms:*"}, {"cms:read"}]


async def test_around_the_calls_of_a_nested_actor_stand_run_layers_then_its_own_then_the_tools() -> None:
    log = list[str]()

    @layer_fn
    async def named(call: Call, inner: CallService, name: str) -> Reply:
        log.append(f"{name}:{call.callee.name}")
        return await inner(call)

    look = leaf("look", []).layer(named("tool"))
    inner = Actor("inner", lambda ctx: ctx.call(look), tools=[look], call_layers=Stack[CallLayer](named("inner")))
    outer = Actor("outer", lambda ctx: ctx.call(inner), tools=[inner], call_layers=Stack[CallLayer](named("outer")))
    runtime = runtime_of(outer, layers=Stack[CallLayer](named("run")))
    await runtime.call(outer, superuser())
    assert log == ["run:outer", "run:inner", "outer:inner", "run:look", "inner:look", "tool:look"]


async def test_an_agent_that_is_only_a_tool_of_another_takes_the_model_of_the_runtime_and_acts_as_itself() -> None:
    log = list[str]()

    @layer_fn
    async def named(call: Call, inner: CallService) -> Reply:
        log.append(call.callee.name)
        return await inner(call)

    helper = Agent("helper", instructions="Help.", tools=[leaf("look", [])]).layer(named())
    agent = Agent("agent", instructions="Work.", tools=[helper])
    helping, asking = calls(("look", {})), calls(("helper", {"prompt": "look"}))
    model = Scripted([lambda request: helping if "Help." in request.history[0] else asking, "done"])
    result = await Runtime(App(name="test", agents=(agent,)), model=model, layers=Stack()).run("go", by=superuser())
    assert result.value() == "done"
    assert log == ["look"]


def _calling(name: str, callee: Actor) -> Actor:
    return Actor(name, lambda ctx: ctx.call(callee), tools=[callee])


async def _nothing(_ctx: Frame) -> None:
    return None


async def test_actors_are_nested_five_deep_at_most_and_the_error_tells_the_path() -> None:
    last = Actor("a6", _nothing)
    first = last
    for level in range(5, 0, -1):
        first = _calling(f"a{level}", first)
    runtime = runtime_of(first)
    with pytest.raises(BudgetError) as refused:
        (await runtime.call(first, superuser())).value()
    assert refused.value.message == "agents are nested 6 deep (a1 > a2 > a3 > a4 > a5 > a6); at most 5 may be"
    second = runtime_of(first.tools[0])
    assert (await second.call(first.tools[0], superuser())).status == "done"


async def test_how_deep_actors_may_be_nested_is_a_setting_and_tools_between_them_do_not_count() -> None:
    inner = Actor("inner", _nothing)

    @tool(effect=Effect.COMPOSED)
    async def between(ctx: Context) -> None:
        """Stand between."""
        await ctx.call(inner)

    outer = Actor("outer", lambda ctx: ctx.call(between), tools=[between, inner])
    assert (await runtime_of(outer, limits=Limits(agent_depth=2)).call(outer, superuser())).status == "done"
    with pytest.raises(BudgetError, match=r"outer > inner\); at most 1 may be"):
        (await runtime_of(outer, limits=Limits(agent_depth=1)).call(outer, superuser())).value()


async def test_actors_that_may_call_each_other_are_found_once_and_end_at_the_depth() -> None:
    pong = Actor("pong", lambda ctx: ctx.call("ping"))
    ping = _calling("ping", pong)
    pong.tools.append(ping)
    runtime = runtime_of(ping)
    assert list(runtime.dispatcher.agent_names) == ["ping", "pong"]
    with pytest.raises(BudgetError, match="ping > pong > ping > pong > ping > pong"):
        (await runtime.call(ping, superuser())).value()


def test_the_onion_shows_that_reach_is_part_of_the_door() -> None:
    look = leaf("look", [])
    clerk = Actor("clerk", _nothing, tools=[look])
    door = runtime_of(clerk).dispatcher
    assert "ENTRY  Trace(provider=None) · Record() · ToolScope()\n" in door.draw_layers("clerk", look)
    assert "ENTRY  Trace(provider=None) · Record() · ToolScope(max_agent_depth=5)\n" in door.draw_layers("", clerk)


class Node(NamedTuple):
    """A callee of a tree: an actor or a composed tool, and the calls it makes of others further on."""

    acts: bool
    reach: frozenset[str] | None
    calls: list[tuple[int, str]]


NAMES = [f"n{index}" for index in range(6)]
NODES = st.builds(
    Node,
    st.booleans(),
    st.none() | st.frozensets(st.sampled_from(NAMES), min_size=2),
    st.lists(st.tuples(st.integers(1, 5), st.sampled_from(list(WAYS))), max_size=3),
)
ABOVE: ContextVar[tuple[frozenset[str] | None, ...]] = ContextVar("above", default=())
"""What the actors above let through, kept apart from what is tested."""


class Tree:
    """Callees that call others by every way, and note each call that came out otherwise than it should."""

    def __init__(self, nodes: list[Node]) -> None:
        self.nodes = nodes
        self.wrong = list[str]()
        self.outcomes = list[bool]()
        self.made = list[AnyCallee]()
        for index in reversed(range(len(nodes))):
            self.made.insert(0, self._make(index))

    def _make(self, index: int) -> AnyCallee:
        node, name, later = self.nodes[index], NAMES[index], list(self.made)

        async def body(ctx: Context) -> None:
            if not self._allowed(name):
                self.wrong.append(f"{name} ran")
            above = ABOVE.set((*ABOVE.get(), node.reach) if node.acts else ABOVE.get())
            for step, way in node.calls:
                if index + step < len(self.nodes):
                    await self._call(ctx, self.made[index + step], way)
            ABOVE.reset(above)

        if node.acts:
            return Actor(name, body, tools=later, tool_scope=node.reach)

        @tool(effect=Effect.COMPOSED, name=name)
        async def composed(ctx: Context) -> None:
            """Call others."""
            await body(ctx)

        return composed

    async def _call(self, ctx: Context, callee: AnyCallee, way: str) -> None:
        try:
            await WAYS[way](ctx, callee)
            ran = True
        except DeniedError:
            ran = False
        self.outcomes.append(ran)
        if ran is not self._allowed(callee.name):
            self.wrong.append(f"{callee.name} {way} {ran}")

    def _allowed(self, name: str) -> bool:
        return all(reach is None or name in reach for reach in ABOVE.get())


async def outcomes(nodes: list[Node]) -> list[bool]:
    """Whether each call of the tree ran, after checking that it did exactly where every actor above let it."""
    tree = Tree(nodes)
    runtime = runtime_of(*tree.made, limits=Limits(agent_depth=50))
    assert (await runtime.call(tree.made[0], superuser())).status == "done"
    assert tree.wrong == []
    return tree.outcomes


@given(st.lists(NODES, min_size=2, max_size=6))
async def test_a_call_runs_exactly_where_every_actor_above_lets_it(nodes: list[Node]) -> None:
    await outcomes(nodes)


async def test_the_trees_have_calls_of_both_kinds() -> None:
    nodes = [
        Node(acts=True, reach=frozenset({"n1", "n2"}), calls=[(1, "by object"), (2, "ctx.tools"), (3, "by name")]),
        Node(acts=False, reach=None, calls=[(1, "by a model"), (2, "by name")]),
        Node(acts=True, reach=frozenset({"n3"}), calls=[(1, "by object")]),
        Node(acts=False, reach=None, calls=[]),
    ]
    assert sorted(set(await outcomes(nodes))) == [False, True]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (("gone", "boss", "open", "clerk"), r"^clerk does not let its calls reach work \(called by gone > boss > open"),
        (("gone", "boss", "open"), "^the call that started this run could not reach work, so its runs cannot either$"),
    ],
    ids=["an agent above", "none of the agents above"],
)
async def test_a_refusal_names_the_first_agent_that_does_not_let_it(path: tuple[str, ...], said: str) -> None:
    scopes = {"boss": None, "open": frozenset({"work"}), "clerk": frozenset({"look"})}
    agents = {name: Agent(name, instructions="Work.", tool_scope=scope) for name, scope in scopes.items()}
    call = await make_call(leaf("work", []))
    caller = replace(call.caller, path=path, tool_scope=frozenset({"look"}))
    with pytest.raises(DeniedError, match=said):
        await call_through(Stack[CallLayer](ToolScope(name="work", find_agent=agents.get)), call.replace(caller=caller))
