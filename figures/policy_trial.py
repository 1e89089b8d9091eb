"""A trial of a policy lists exactly the calls on which the verdict differs when the runs are executed under it."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Mapping
from typing import Final, NamedTuple

from figures.figure import Figure, no_violations
from remit import Agent, Allow, App, Ask, Block, Context, Effect, Policy, Principal, Risk, Runtime, When, tool
from remit.errors import BlockedError, PolicyError
from remit.layers import Call
from remit.policies import After
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls
from remit.views import CallView, RunView

ADA: Final = Principal("ada", permissions=frozenset({"runs:read"}))


@tool(effect=Effect.PURE)
async def read_secret(name: str) -> str:
    """Read a secret."""
    return name


@tool(effect=Effect.IDEMPOTENT)
async def pay(euros: int) -> int:
    """Pay an amount."""
    return euros


@tool(effect=Effect.IDEMPOTENT, risk=Risk.HIGH)
async def delete(name: str) -> str:
    """Delete something."""
    return name


@tool(effect=Effect.IDEMPOTENT, egress=True)
async def mail(to: str) -> str:
    """Send a mail."""
    return to


@tool(effect=Effect.IDEMPOTENT)
async def book(line: str) -> str:
    """Book a line."""
    return line


@tool(effect=Effect.COMPOSED)
async def settle(ctx: Context, line: str) -> str:
    """Book by another tool."""
    return await ctx.call(book, line)


def _is_large(call: Call) -> bool:
    return '"euros":5' in call.canonical_arguments


def _fail(_call: Call) -> bool:
    raise ValueError("a rule that fails")


POLICIES: Final[Mapping[str, Policy]] = {
    "default": Policy(),
    "none": Policy.only(),
    "arguments": Policy(When("large", _is_large, Ask(reason="large"), tools={"pay"})),
    "other person": Policy(When("large", _is_large, Ask(reason="large", four_eyes=True), tools={"pay"})),
    "confirmed": Policy.only(When("large", _is_large, Ask(reason="large", kind="confirm"), tools={"pay", "delete"})),
    "other permission": Policy(When("gone", verdict=Ask(reason="gone", who="shop:delete"), tools={"delete"})),
    "blocked": Policy(When("bookings", verdict=Block(reason="closed"), tools={"book", "mail"})),
    "after": Policy(When("secret", After("read_secret"), Block(reason="secret"), tools={"mail", "pay"})),
    "allowed first": Policy(When("mails", verdict=Allow(), tools={"mail"})),
    "failing": Policy(When("broken", _fail, Allow(), tools={"pay"})),
}


class Verdict(NamedTuple):
    """What became of a call: 0 allowed, 1 to 3 asked ever more strictly, 4 blocked; and who may answer."""

    strictness: int
    who: str = ""


class World:
    """The same runs under one policy, in a store of its own. The ids of runs are the same in every world."""

    def __init__(self, policy: Policy) -> None:
        self.store = InMemoryStore()
        script = Scripted([calls(("pay", {"euros": 5}), ("pay", {"euros": 7}), ("delete", {"name": "x"})), "Done."])
        clerk = Agent("clerk", instructions="Work.", tools=[pay, delete], model=script)
        app = App(name="shop", agents=(clerk,), tools=(read_secret, mail, book, settle), policy=policy)
        ids = (f"run-{number}" for number in itertools.count())
        self.client = Runtime(app, store=self.store, make_run_id=lambda: next(ids)).client(ADA)

    async def execute(self) -> None:
        """Direct calls, a call by a body, an agent's calls in parallel, and an open run."""
        for name, arguments in (
            ("pay", {"euros": 5}),
            ("pay", {"euros": 6}),
            ("delete", {"name": "a"}),
            ("mail", {"to": "bob"}),
            ("read_secret", {"name": "a"}),
            ("settle", {"line": "a"}),
        ):
            await self.client.call(name, arguments)
        await self.client.run("Work.")
        async with self.client.open_run() as run:
            for name, arguments in (
                ("mail", {"to": "early"}),
                ("pay", {"euros": 1}),
                ("read_secret", {"name": "b"}),
                ("mail", {"to": "late"}),
                ("pay", {"euros": 2}),
            ):
                await run.call(name, arguments)

    async def observe(self) -> dict[str, Verdict]:
        """The verdict on each call, by its id, as the journal shows it."""
        found: dict[str, Verdict] = {}
        for row in await self.client.runs(limit=1000):
            view = RunView.of(await self.store.read(row.run))
            found |= {call.id: _verdict_on(call) for call in view.calls.values()}
        return found


def _verdict_on(call: CallView) -> Verdict:
    if call.questions:
        question = call.questions[0].question
        return Verdict(1 if question.needs == "confirm" else 3 if question.four_eyes else 2, question.who)
    was_blocked = isinstance(call.error, (BlockedError, PolicyError)) and not call.calls
    return Verdict(4 if was_blocked else 0)


def _differs(before: Verdict, after: Verdict) -> str:
    if before == after:
        return ""
    if after.strictness <= before.strictness:
        return "looser"
    return "blocked" if after.strictness == 4 else "asked"


async def _measure(names: list[str]) -> Figure:
    worlds = {name: World(POLICIES[name]) for name in names}
    observed: dict[str, dict[str, Verdict]] = {}
    for name, world in worlds.items():
        await world.execute()
        observed[name] = await world.observe()
    wrong: list[str] = []
    judged = 0
    for before, after in itertools.product(names, repeat=2):
        trial = await worlds[before].client.try_policy(POLICIES[after], since=0, examples=1000)
        listed = {call.call: group.kind for group in trial.groups for call in group.examples}
        common = observed[before].keys() & observed[after].keys()
        expected = {call: kind for call in common if (kind := _differs(observed[before][call], observed[after][call]))}
        judged += len(common)
        wrong += [f"{before} to {after}" for call in common if listed.get(call, "") != expected.get(call, "")]
        wrong += [f"{before} to {after}: {call} too many" for call in listed.keys() - common]
    how = (
        f"calls of {len(names)} policies tried on one another: direct, by a body, by an agent in parallel and in an "
        "open run; listed, against what became of them when executed under each"
    )
    return no_violations("policy.trial_differs", len(wrong), judged, how + (f"; first: {wrong[0]}" if wrong else ""))


def figures(*, short: bool = False) -> list[Figure]:
    """Measure all pairs of policies; ``short``: of five."""
    chosen = ["default", "none", "arguments", "other permission", "after", "blocked"] if short else list(POLICIES)
    return [asyncio.run(_measure(chosen))]
