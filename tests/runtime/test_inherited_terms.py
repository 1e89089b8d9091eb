"""What a run causes, and what a person lets it continue without, loses nothing else that the run was opened under."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from remit import (
    Agent,
    App,
    Ask,
    Block,
    Effect,
    LeafContext,
    Policy,
    Risk,
    Runtime,
    When,
    tool,
)
from remit.app import Env
from remit.dispatch.terms import RuleTerm, ScopeTerms, encode_terms, find_lost, inherit_terms, loosen_terms
from remit.engines import RunSchedules, Schedule
from remit.layers import Approve, CallLayer
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from remit.tools import Limits, parse_arguments
from tests.runtime.kit import Clock, find_superuser

ADA, BOB = superuser(name="ada"), superuser(name="bob")
NEVER = When("never", verdict=Block(reason="never"), tools=["wipe"])
SMALL = When("small", verdict=Ask(reason="small"), tools=["look"])


class Shop:
    """Processes over one journal, whose application differs."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.store = InMemoryStore(self.clock)
        self.schedules = RunSchedules()
        self.wiped: list[str] = []

        @tool(effect=Effect.IDEMPOTENT)
        async def wipe(what: str) -> str:
            """Wipe it."""
            self.wiped.append(what)
            return "wiped"

        @tool(effect=Effect.KEYED, risk=Risk.HIGH, confirm="confirmed")
        async def delete(_ctx: LeafContext, page: str, *, confirmed: bool = False) -> str:
            """Delete a page."""
            return f"deleted {page}" if confirmed else f"{page} would be deleted"

        @tool(effect=Effect.KEYED, risk=Risk.HIGH)
        async def look(ctx: LeafContext) -> str:
            """Look, and plan a wipe."""
            await self.schedules.add(ctx.key, "wipe", {"what": "later"}, at=self.at(60))
            return "seen"

        self.wipe, self.delete, self.look = wipe, delete, look

    def at(self, seconds: float) -> datetime:
        return datetime.fromtimestamp(self.clock() + seconds, UTC)

    def process(
        self,
        *script: str | dict[str, Any],
        rules: tuple[When, ...] = (),
        name: str = "clerk",
        layer: CallLayer | None = None,
    ) -> Runtime:
        tools = [self.wipe, self.delete, self.look]
        agent = Agent(name, instructions="Work.", tools=tools, model=Scripted([*script, "done", "done"]))
        agent = agent if layer is None else agent.layer(layer)
        app = App(name="shop", agents=[agent], tools=[self.wipe], policy=Policy(*rules))
        return Runtime(app, store=self.store, clock=self.clock, directory=find_superuser)


async def test_a_call_in_the_name_of_an_agent_that_is_gone_is_not_made_without_the_layers_of_that_agent() -> None:
    shop = Shop()
    guarded = shop.process(
        layer=Approve(Env(), policy=Policy.only(When("late", lambda _call: False, Block(reason=""))))
    )
    arguments = parse_arguments('{"what": "a"}', Limits())
    opened = await guarded.call_by_name("wipe", arguments, by=ADA, schedule=Schedule(shop.at(60)))
    shop.clock.now += 100
    renamed = await shop.process(name="writer").resume(opened.run)
    assert (renamed.status, shop.wiped) == ("stalled", [])
    assert "the rule 'late' of clerk" in renamed.reason
    assert "turns" not in renamed.reason
    assert ((await guarded.resume(opened.run)).status, shop.wiped) == ("done", ["a"])


async def test_a_run_that_a_yes_opens_has_the_terms_of_the_run_that_announced_the_call() -> None:
    shop = Shop()
    strict, lax = shop.process(calls(("delete", {"page": "p"})), rules=(NEVER,)), shop.process()
    await strict.run("go", by=ADA, conversation="talk")
    (question,) = await shop.store.list_questions()
    run = await lax.decide(question.question.id, approved=True, by=BOB)
    assert run is not None
    resting = await lax.resume(run)
    assert (resting.status, "the rule 'never'" in resting.reason) == ("stalled", True)
    assert (await strict.resume(run)).status == "done"


async def test_a_run_that_continues_under_less_hands_nothing_of_that_on_to_what_it_starts() -> None:
    shop = Shop()
    strict, lax = shop.process(calls(("look", {})), rules=(NEVER,)), shop.process(calls(("look", {})))
    waiting = await strict.run("go", by=ADA)
    await lax.loosen(waiting.run, without=["never"], by=BOB, reason="not needed here")
    while waiting.status != "done":
        for each in (await lax.resume(waiting.run)).questions:
            await lax.decide(each, approved=True, by=BOB)
        waiting = await lax.resume(waiting.run)
    (started,) = [row.run for row in await shop.store.list_runs() if row.run != waiting.run]
    shop.clock.now += 100
    resting = await lax.resume(started)
    assert (resting.status, shop.wiped) == ("stalled", [])
    assert "the rule 'never'" in resting.reason


def test_only_what_is_lost_is_left_out_of_loosened_terms() -> None:
    rules = (RuleTerm("a", 2), RuleTerm("b", 4))
    pinned = ScopeTerms(
        policies=(rules, (RuleTerm("c", -1),)),
        layers=("X", "Y", "Y"),
        limits={"calls": 5, "turns": 3, "cost": 1},
        tools=("t",),
        permissions=("a:b",),
    )
    gone = ScopeTerms(policies=((RuleTerm("d", 4),),))
    present = ScopeTerms(
        policies=((RuleTerm("a", 2),), (RuleTerm("new", 0), RuleTerm("c", -1))),
        layers=("Y", "Z"),
        limits={"calls": 9.0, "turns": 2.0},
        tools=("u",),
    )
    terms = encode_terms({"": pinned, "sub": gone})
    loosened = loosen_terms(terms, {"": present})
    assert loosened == encode_terms(
        {
            "": ScopeTerms(
                policies=((RuleTerm("a", 2),),), layers=("Y",), limits={"calls": 9.0, "turns": 3.0}, tools=("t", "u")
            ),
            "sub": gone,
        }
    )
    assert find_lost(loosened, {"": present}) == []
    lost = [each.name for each in find_lost(terms, {"": present})]
    assert lost == ["b", "c", "X", "Y", "calls", "cost", "tools", "permissions"]


def test_a_run_that_another_causes_has_the_present_terms_and_what_they_lack_of_the_others() -> None:
    strict, lax = ScopeTerms(layers=("X",)), ScopeTerms(layers=("Y",))
    pinned = encode_terms({"": strict, "gone": strict, "agent": strict})
    assert inherit_terms(pinned, {"": lax}, caller="agent") == encode_terms({"": strict, "agent": strict})
    assert inherit_terms("", {"": lax}) == encode_terms({"": lax})
    assert inherit_terms(encode_terms({"": lax}), {"": ScopeTerms(layers=("Y", "Z"))}) == encode_terms(
        {"": ScopeTerms(layers=("Y", "Z"))}
    )
