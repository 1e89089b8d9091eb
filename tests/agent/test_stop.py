"""Stop policies end an agent after a turn, with both drivers, and resume and replay stop where the run did."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from remit import Agent, App, Effect, Principal, Runtime, tool
from remit.agent import (
    AgentDriver,
    AgentLimits,
    AllOf,
    AnyOf,
    CalledTool,
    CostUsed,
    HasText,
    NoCalls,
    SecondsUsed,
    StopPolicy,
    TokensUsed,
    Turn,
    TurnCall,
    TurnsUsed,
)
from remit.errors import InternalError, InvalidOutputError, MaxTurnsError, NoModelError, SetupError
from remit.messages import ChatRequest, Completion
from remit.models import Price
from remit.record.items import TurnEnded
from remit.testing import Scripted, calls, superuser
from remit.testing.history_check import history_errors
from tests.agent.both import BOTH, DRIVERS, Found, look, messages_of, runtime_of
from tests.runtime.kit import Clock, Crash, Mortal, find_superuser, items_of

LOOK = [calls(("look", {"page": str(page)})) for page in range(9)]
GO_ON = "You are not done yet; go on. To finish, "


@tool(effect=Effect.PURE, permissions={"pages:lock"})
async def lock() -> str:
    """Lock the page."""
    return "locked"


def agent_of(driver: AgentDriver, stop: StopPolicy | None, lines: Any, **known: Any) -> Agent:
    return Agent("agent", instructions="Work.", tools=[look], driver=driver, stop=stop, model=Scripted(lines), **known)


@pytest.mark.parametrize(
    ("policy", "turn", "is_met"),
    [
        (NoCalls(), Turn(number=1, text="x"), True),
        (NoCalls(), Turn(number=1, text="x", calls=(TurnCall("look", "ok"),)), False),
        (CalledTool("look"), Turn(number=1, text="", calls=(TurnCall("look", "ok"),)), True),
        (CalledTool("look"), Turn(number=1, text="", calls=(TurnCall("look", "error"),)), False),
        (HasText("END"), Turn(number=1, text="the END"), True),
        (HasText("END"), Turn(number=1, text="the end"), False),
        (TurnsUsed(2), Turn(number=2, text=""), True),
        (TurnsUsed(2), Turn(number=1, text=""), False),
        (TokensUsed(9), Turn(number=1, text="", tokens=9), True),
        (TokensUsed(9), Turn(number=1, text="", tokens=8), False),
        (CostUsed(0.5), Turn(number=1, text="", cost=0.5), True),
        (CostUsed(0.5), Turn(number=1, text="", cost=None), True),
        (CostUsed(0.5), Turn(number=1, text="", cost=0.4), False),
        (SecondsUsed(3), Turn(number=1, text="", seconds=3.0), True),
        (SecondsUsed(3), Turn(number=1, text="", seconds=2.9), False),
        (NoCalls() | TurnsUsed(3), Turn(number=1, text=""), True),
        (NoCalls() & TurnsUsed(3), Turn(number=1, text=""), False),
        (NoCalls() & (TurnsUsed(3) | HasText("END")), Turn(number=1, text="END"), True),
    ],
)
def test_a_policy_depends_on_the_turn(policy: StopPolicy, turn: Turn, *, is_met: bool) -> None:
    assert policy.is_met(turn) is is_met


def test_composed_policies_are_values() -> None:
    one = NoCalls() | TurnsUsed(3) | HasText("END")
    assert one == AnyOf((NoCalls(), TurnsUsed(3), HasText("END")))
    assert one != AllOf((NoCalls(), TurnsUsed(3), HasText("END")))
    assert len({one, NoCalls() | TurnsUsed(3) | HasText("END")}) == 1
    assert (
        repr(NoCalls() & (TurnsUsed(3) | CalledTool("a"))) == "NoCalls() & (TurnsUsed(count=3) | CalledTool(name='a'))"
    )
    assert one.instruction == "answer without calling a tool or write END in your answer"


@pytest.mark.parametrize(
    "make",
    [
        lambda: TurnsUsed(0),
        lambda: TokensUsed(True),
        lambda: CostUsed(float("inf")),
        lambda: SecondsUsed("1"),  # pyright: ignore[reportArgumentType]
        lambda: HasText(""),
        lambda: CalledTool(3),  # pyright: ignore[reportArgumentType]
        lambda: NoCalls().__or__("text"),  # pyright: ignore[reportArgumentType]
        lambda: Agent("a", instructions="x", stop=3),  # pyright: ignore[reportArgumentType]
    ],
    ids=["turns", "tokens", "cost", "seconds", "text", "tool", "composed", "agent"],
)
def test_a_wrong_policy_is_refused(make: Any) -> None:
    with pytest.raises(SetupError):
        make()


@BOTH
@pytest.mark.parametrize(
    ("stop", "lines", "text", "turns"),
    [
        (NoCalls(), [LOOK[0], "done"], "done", 2),
        (TurnsUsed(2), LOOK, "saw 1", 2),
        (CalledTool("look"), ["Hm.", LOOK[1], "done"], "saw 1", 2),
        (HasText("END"), ["Hm.", LOOK[1], "So: END"], "So: END", 3),
        (NoCalls() & TurnsUsed(2), ["one", "two", "three"], "two", 2),
        (
            TokensUsed(20),
            [{**line, "usage": {"prompt_tokens": 9, "completion_tokens": 1}} for line in LOOK],
            "saw 1",
            2,
        ),
    ],
    ids=["no calls", "turns", "tool", "text", "both", "tokens"],
)
async def test_an_agent_ends_when_its_policy_says_so(
    driver: AgentDriver, stop: StopPolicy, lines: Any, text: str, turns: int
) -> None:
    agent = agent_of(driver, stop, lines)
    runtime = runtime_of(agent)
    result = await runtime.run("go", by=superuser())
    assert result.value() == text
    assert isinstance(agent.model, Scripted)
    assert len(agent.model.requests) == turns
    asked = [item.stopped for item in await items_of(runtime.store, result.run) if isinstance(item, TurnEnded)]
    assert asked == [False] * (turns - 1) + [True]
    assert (await runtime.replay(result.run)).difference == ""
    assert history_errors(await runtime.history(result.run)) == []


async def test_both_drivers_tell_the_model_alike_that_it_is_not_done() -> None:
    histories: list[list[str]] = []
    for driver in DRIVERS.values():
        agent = agent_of(driver, HasText("END"), ["Hm.", LOOK[1], "END"])
        runtime = runtime_of(agent)
        result = await runtime.run("go", by=superuser())
        histories.append(await runtime.history(result.run))
        assert isinstance(agent.model, Scripted)
        assert messages_of(agent.model)[2:4] == [("assistant", "Hm."), ("user", GO_ON + "write END in your answer.")]
    assert histories[0] == histories[1]


@BOTH
async def test_money_and_time_stop_an_agent(driver: AgentDriver) -> None:
    clock = Clock()

    def late(_request: Any) -> Any:
        clock.now += 4
        return {
            **calls(("look", {"page": str(clock.now)})),
            "usage": {"prompt_tokens": 100_000, "completion_tokens": 0},
        }

    for stop, turns in ((CostUsed(0.25), 3), (SecondsUsed(7), 2), (SecondsUsed(7) & CostUsed(0.25), 3)):
        model = Scripted([late] * 9)
        agent = Agent("agent", instructions="x", tools=[look], driver=driver, stop=stop, model=model)
        app = App(name="test", agents=(agent,))
        runtime = Runtime(app, clock=clock, prices={model.model: Price(1.0, 1.0)}, directory=find_superuser)
        result = await runtime.run("go", by=superuser())
        assert (result.status, len(model.requests)) == ("done", turns)
        assert (await runtime.replay(result.run)).difference == ""


@BOTH
async def test_a_typed_agent_ends_with_its_result_or_fails(driver: AgentDriver) -> None:
    final = calls(("final_result", {"page": "a", "words": 3}))
    good = agent_of(driver, TurnsUsed(3), [LOOK[0], final], output=Found)
    assert (await runtime_of(good).run("go", by=superuser())).value() == Found(page="a", words=3)
    for lines in ([LOOK[0], LOOK[1], final], [LOOK[0], "a text", final]):
        stopped = agent_of(driver, TurnsUsed(2), lines, output=Found)
        with pytest.raises(InvalidOutputError, match=r"was stopped by TurnsUsed\(count=2\) before it gave a result"):
            (await runtime_of(stopped).run("go", by=superuser())).value()


@BOTH
async def test_an_agent_that_is_stopped_after_a_denied_call_has_no_answer(driver: AgentDriver) -> None:
    for lines, told in (([calls(("lock", {}))], ""), ([calls(("lock", {}), content="I try.")], "I try.")):
        agent = Agent("agent", instructions="Work.", tools=[lock], driver=driver, stop=TurnsUsed(1))
        runtime = runtime_of(agent, model=Scripted(lines))
        result = await runtime.run("go", by=Principal("ann"))
        if told:
            assert result.value() == told
        else:
            with pytest.raises(
                InvalidOutputError, match=r"was stopped by TurnsUsed\(count=1\) before it gave an answer"
            ):
                result.value()
        assert (await runtime.replay(result.run)).difference == ""


@BOTH
async def test_the_limit_on_turns_holds_beside_a_policy(driver: AgentDriver) -> None:
    agent = agent_of(driver, HasText("END"), ["Hm."] * 9, limits=AgentLimits(turns=3))
    with pytest.raises(MaxTurnsError):
        (await runtime_of(agent).run("go", by=superuser())).value()


@BOTH
async def test_a_resumed_run_stops_where_the_journal_says_it_did(driver: AgentDriver) -> None:
    """The process dies at each append; a policy of time then sees another clock, and still stops as recorded."""
    for append in range(1, 12):
        clock = Clock()
        store = Mortal(clock)

        def line(_request: Any, clock: Clock = clock) -> Any:
            clock.now += 2
            return calls(("look", {"page": str(len(_request.history))}))

        agent = agent_of(driver, SecondsUsed(5), [line] * 9)
        runtime = Runtime(App(name="test", agents=(agent,)), store=store, clock=clock, directory=find_superuser)
        store.die_at(append, after=True)
        with contextlib.suppress(Crash):
            await runtime.run("go", by=superuser(), idempotency_key="k")
        store.revive()
        clock.now += 60
        run = (await runtime.run("go", by=superuser(), idempotency_key="k")).run
        stops = [item.stopped for item in await items_of(store, run) if isinstance(item, TurnEnded)]
        assert stops.count(True) == 1
        assert stops[-1]
        assert (await runtime.replay(run)).difference == ""


async def test_a_changed_policy_is_named_by_a_replay() -> None:
    store = Mortal(Clock())
    runtimes = [
        Runtime(
            App(name="test", agents=(agent_of(DRIVERS["native"], stop, LOOK),)), store=store, directory=find_superuser
        )
        for stop in (TurnsUsed(2), TurnsUsed(1))
    ]
    run = (await runtimes[0].run("go", by=superuser())).run
    assert (await runtimes[0].replay(run)).difference == ""
    assert '"stopped":true' in (await runtimes[1].replay(run)).difference


class Truthy(StopPolicy):
    """A policy of an application that returns no boolean."""

    def is_met(self, turn: Turn, /) -> bool:
        return turn.number  # pyright: ignore[reportReturnType]


@BOTH
async def test_a_policy_must_return_a_boolean(driver: AgentDriver) -> None:
    with pytest.raises(InternalError, match="returned 1; return True or False"):
        (await runtime_of(agent_of(driver, Truthy(), LOOK)).run("go", by=superuser())).value()


def test_a_policy_names_a_tool_that_the_agent_has() -> None:
    agent = Agent("agent", instructions="x", tools=[look], stop=NoCalls() | CalledTool("lok"))
    with pytest.raises(SetupError, match="names none of its tools; did you mean look"):
        runtime_of(agent)


async def test_a_policy_of_cost_needs_prices() -> None:
    async def ask(_request: ChatRequest, /) -> Completion:
        raise AssertionError

    agent = Agent("agent", instructions="x", stop=NoCalls() | CostUsed(1.0), model=ask)
    with pytest.raises(NoModelError, match="its cost is limited, but the price of a model without a name is unknown"):
        await runtime_of(agent).run("go", by=superuser())


@BOTH
@pytest.mark.parametrize(
    ("fields", "note"),
    [
        ({"finish_reason": "content_filter"}, "a filter held back the rest of the answer"),
        ({"refusal": "I cannot"}, "the model refused the rest: I cannot"),
    ],
)
async def test_a_result_says_that_the_answer_it_is_from_was_held_back(
    driver: AgentDriver, fields: dict[str, str], note: str
) -> None:
    held = {**calls(("look", {"page": "a"})), "content": "half", **fields}
    runtime = runtime_of(agent_of(driver, TurnsUsed(1), [held]))
    result = await runtime.run("go", by=superuser())
    assert result.value() == f"half\n\n({note})"
