"""The door composes each onion once, refuses a wrong order, and draws what it has built."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from remit import Agent, App, Effect, Retry, Runtime, Stack, Timeout, Tool, tool
from remit.app import Env
from remit.dispatch.dispatcher import Dispatcher
from remit.dispatch.registry import MissingCallee, Registry
from remit.errors import LayerOrderError, SetupError
from remit.layers import Approve, Authorize, CallLayer, CallService, Place, Validate
from remit.pipeline import Given, Pipeline, Step
from remit.record.principal import Caller
from remit.testing import Scripted, calls, make_call, superuser
from remit.tools import Limits


class Wraps(CallLayer):
    """Counts how often it is asked to wrap a service."""

    def __init__(self, name: str = "wraps", place: Place = Place.OWN) -> None:
        self.count = 0
        self.place = place
        self._name = name

    def __call__(self, inner: CallService, /) -> CallService:
        self.count += 1
        return inner

    def __repr__(self) -> str:
        return self._name


def make(name: str) -> Tool[[], str]:
    @tool(effect=Effect.PURE, name=name)
    async def work() -> str:
        """Work."""
        return name

    return work


async def test_each_onion_is_composed_once_when_the_runtime_is_built() -> None:
    run, agent_layer, tool_layer = Wraps(), Wraps(), Wraps()
    work, rest = make("work").layer(tool_layer), make("rest")
    agent = Agent("agent", instructions="Work.", tools=[work, rest]).layer(agent_layer)
    model = Scripted([calls(("work", {}), ("work", {}), ("rest", {})), calls(("rest", {})), "done"])
    runtime = Runtime(App(name="test", agents=(agent,)), model=model, layers=Stack[CallLayer](run))
    built = (run.count, agent_layer.count, tool_layer.count)
    assert built == (4, 3, 1), "the agent as the root; as the agent: the agent itself and two tools"
    for _ in range(3):
        await runtime.run("go", by=superuser())
        await runtime.call(work, superuser())
    assert (run.count, agent_layer.count, tool_layer.count) == built


def test_a_tool_of_two_agents_is_composed_once_for_each() -> None:
    run, agent_layer, tool_layer = Wraps(), Wraps(), Wraps()
    work = make("work").layer(tool_layer)
    one = Agent("one", instructions="Work.", tools=[work]).layer(agent_layer)
    two = Agent("two", instructions="Work.", tools=[work])
    runtime = Runtime(App(name="test", agents=(one, two)), model=Scripted(["done"]), layers=Stack[CallLayer](run))
    assert tool_layer.count == 2
    assert runtime.dispatcher.service("one", work) is runtime.dispatcher.service("one", work)
    assert runtime.dispatcher.service("one", work) is not runtime.dispatcher.service("two", work)
    assert tool_layer.count == 2


def test_names_that_nobody_has_are_not_kept() -> None:
    door = Dispatcher(Stack(), Registry(), Limits())
    missing = MissingCallee("nothing", ())
    assert door.service("", missing) is not door.service("", missing)


WRONG: dict[str, tuple[Stack[CallLayer], Stack[CallLayer], Stack[CallLayer], str]] = {
    "run outside tool": (
        Stack[CallLayer](Validate(), Timeout(1).calls),
        Stack(),
        Stack[CallLayer](Approve(Env())),
        r"Approve\(.*\) of the tool must stand outside Timeout\(seconds=1\) of the run: the wait for approval",
    ),
    "within the tool": (
        Stack(),
        Stack(),
        Stack[CallLayer](Timeout(1).calls, Retry()),
        r"Retry\(.*\) of the tool must stand outside Timeout\(seconds=1\) of the tool: a timeout is for one attempt",
    ),
    "run outside agent": (
        Stack[CallLayer](Validate(), Approve(Env())),
        Stack[CallLayer](Authorize()),
        Stack(),
        r"Authorize\(\) of the agent must stand outside Approve\(.*\) of the run: a call that is not permitted",
    ),
    "agent outside tool": (
        Stack[CallLayer](Validate()),
        Stack[CallLayer](Wraps("breaker", Place.BREAKER)),
        Stack[CallLayer](Approve(Env())),
        r"Approve\(.*\) of the tool must stand outside breaker of the agent: a probe runs at once",
    ),
    "needed by the tool": (
        Stack(),
        Stack(),
        Stack[CallLayer](Approve(Env())),
        r"Approve\(.*\) of the tool needs a layer at the place 'validate' outside it: the approver",
    ),
    "inside the door": (
        Stack[CallLayer](Wraps("another trace", Place.TRACE)),
        Stack(),
        Stack(),
        r"another trace of the run must stand outside Record\(\) of the entry: a span covers a whole call",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_layers_of_three_scopes_in_a_wrong_order_are_refused_when_the_door_is_built(name: str) -> None:
    run, of_agent, of_tool, why = WRONG[name]
    work = make("work").layer(of_tool)
    agent = Agent("agent", instructions="Work.", tools=[work], agent_layers=of_agent)
    with pytest.raises(LayerOrderError, match=why):
        Dispatcher(run, Registry([agent, work]), Limits())


def test_each_of_three_scopes_may_stand_right_by_what_another_brings() -> None:
    work = make("work").layer(Timeout(1)).layer(Retry())
    agent = Agent("agent", instructions="Work.", tools=[work]).layer(Approve(Env()))
    runtime = Runtime(
        App(name="test", agents=(agent,)), model=Scripted([]), layers=Stack[CallLayer](Authorize(), Validate())
    )
    assert runtime.dispatcher.service("agent", work) is not None


def test_a_wrong_order_is_refused_when_the_runtime_is_built_also_where_there_is_no_agent() -> None:
    wrong = make("work").layer(Approve(Env()))
    with pytest.raises(LayerOrderError):
        Runtime(App(name="test", tools=(wrong,)), layers=Stack())


def test_a_wrong_order_is_refused_when_the_runtime_is_built_also_where_there_is_no_tool() -> None:
    with pytest.raises(LayerOrderError):
        Runtime(App(name="test"), layers=Stack[CallLayer](Approve(Env())))


def test_a_wrong_order_around_a_tool_that_is_derived_later_is_refused_when_it_is_called() -> None:
    work = make("work")
    door = Dispatcher(Stack(), Registry([work]), Limits())
    with pytest.raises(LayerOrderError, match="of the tool needs a layer at the place 'validate' outside it"):
        door.service("", work.layer(Approve(Env())))


def test_the_onion_is_drawn_by_scope_outermost_first() -> None:
    work = make("work").layer(Timeout(2)).layer(Wraps("retry"))
    agent = Agent("agent", instructions="Work.", tools=[work]).layer(Wraps("inner")).layer(Wraps("outer"))
    runtime = Runtime(App(name="test", agents=(agent,)), model=Scripted([]))
    assert runtime.dispatcher.draw_layers("agent", work) == (
        "ENTRY  Trace(provider=None) · Record() · ToolScope()\n"
        "RUN    Authorize() · Validate(strict=True) · Budget(calls=256, tokens=None, depth=8)"
        " · Approve(policy=Policy(high risk, egress, undeclared), max_questions=20)\n"
        "AGENT  outer · inner\n"
        "TOOL   retry · Timeout(seconds=2)\n"
        "BASE   seal · effect · work · check · end"
    )


def test_a_scope_without_layers_is_drawn_empty() -> None:
    door = Dispatcher(Stack(), Registry(), Limits())
    assert door.draw_layers("nobody", make("work")) == (
        "ENTRY  Trace(provider=None) · Record() · ToolScope()\n"
        "RUN    -\n"
        "AGENT  -\n"
        "TOOL   -\n"
        "BASE   seal · effect · work · check · end"
    )


def two_agents() -> tuple[Dispatcher, Agent, Tool[[], str], Tool[[], str]]:
    private, common = make("private"), make("common")
    agent = Agent("agent", instructions="Work.", tools=[private])
    return Dispatcher(Stack(), Registry([agent, private, common]), Limits()), agent, private, common


def calling(agent: str, *path: str, reach: frozenset[str] | None = None) -> Caller:
    return Caller("run", agent, "call", 1, superuser(), path=path, tool_scope=reach)


def test_a_model_names_the_tools_of_its_agent_and_no_others() -> None:
    door, _, private, _ = two_agents()
    assert door.resolve_for_model(calling("agent", "agent"), "private") is private
    assert isinstance(door.resolve_for_model(calling("agent", "agent"), "common"), MissingCallee)


def test_code_below_an_agent_names_its_tools_and_code_that_a_person_calls_everything() -> None:
    door, _, private, common = two_agents()
    assert door.resolve_for_code(calling("agent", "agent"), "private") is private
    assert isinstance(door.resolve_for_code(calling("agent", "agent"), "common"), MissingCallee)
    assert door.resolve_for_code(calling("agent"), "common") is common
    assert door.resolve_for_code(calling(""), "private") is private
    assert isinstance(door.resolve_for_code(calling(""), "nothing"), MissingCallee)


async def test_an_agent_acts_as_itself_and_everybody_else_as_whoever_called() -> None:
    door, agent, private, _ = two_agents()
    call = (await make_call(private)).replace(caller=calling("editor"))
    below = door.caller_below(agent, call)
    assert (below.agent, below.path, below.call, below.depth) == ("agent", ("agent",), "call", 2)
    assert (door.caller_below(private, call).agent, door.caller_below(private, call).path) == ("editor", ())


def test_a_pipeline_whose_step_is_not_listed_is_refused_when_the_door_is_built() -> None:
    @tool(effect=Effect.PURE)
    async def count(words: str) -> int:
        """Count words."""
        return len(words.split())

    class Text(BaseModel):
        words: str

    step = Step(name="count", callee=count, takes={"words": Given("words")})
    measure = Pipeline("measure", Text, [step], description="Measure.")
    Dispatcher(Stack(), Registry([measure, count]), Limits())
    with pytest.raises(SetupError, match=r"measure calls .*count.* is not listed"):
        Dispatcher(Stack(), Registry([measure]), Limits())
