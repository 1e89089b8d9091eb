"""A shop whose rules read earlier calls and whose windows count, and a judge that reads only what is on record."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from remit import Allow, App, Ask, Block, Context, Effect, Policy, Principal, Runtime, When, tool
from remit.errors import CallError, NotFoundError, RemitError
from remit.items import AttemptStarted, CallReceived, Position, ToolOutput
from remit.layers import Budget, Window
from remit.policies import After, AllOf, NotAfter
from remit.stores import Store
from remit.testing import superuser

PEOPLE: Final = (superuser(name="ada"), superuser(name="bob"), superuser(name="cyd", tenant="other"))
APPROVER: Final = {person.tenant: superuser(name="eve", tenant=person.tenant) for person in PEOPLE}
MAILS: Final = 3
EUROS_OF_RUN, EUROS_OF_PERSON, EUROS_OF_TENANT = 100.0, 150.0, 200.0
DAY: Final = 86400.0


@tool(effect=Effect.PURE)
async def read_secret() -> str:
    """Read a secret."""
    await asyncio.sleep(0)
    return "1234"


@tool(effect=Effect.PURE)
async def read_invoice() -> str:
    """Read an invoice, which fails now and then."""
    await asyncio.sleep(0)
    return "60 euros"


@tool(effect=Effect.IDEMPOTENT)
async def send_mail(to: str) -> str:
    """Send mail."""
    await asyncio.sleep(0)
    return to


@tool(effect=Effect.IDEMPOTENT)
async def pay(euros: float, note: str = "") -> str:
    """Pay."""
    await asyncio.sleep(0)
    if note == "fails":
        raise NotFoundError("there is no such account")
    return f"{euros:g}"


@tool(effect=Effect.COMPOSED)
async def settle(ctx: Context, amounts: list[float]) -> str:
    """Pay several amounts at once, and tell how many were paid."""

    async def pay_one(amount: float) -> int:
        try:
            await ctx.call(pay, euros=amount)
        except CallError:
            return 0
        return 1

    return str(sum(await asyncio.gather(*(pay_one(each) for each in amounts))))


TOOLS: Final = (read_secret, read_invoice, send_mail, pay, settle)
POLICY: Final = Policy(
    When("no mail after secrets", After("read_secret", per="principal"), Block(reason="no"), tools="send_mail"),
    When("invoice first", NotAfter("read_invoice"), Block(reason="no"), tools="pay"),
    When("asked", AllOf(After("pay"), lambda call: call.callee is pay), Ask(reason="again"), tools="pay"),
    When("settled", After("read_secret"), Ask(reason="a secret"), tools="settle"),
    When("invoice begun", After("read_invoice"), Allow(), tools="settle"),
    When("no invoice", verdict=Block(reason="no"), tools="settle"),
)
BUDGET: Final = Budget(
    windows=[
        Window("mails", calls=MAILS, tools="send_mail"),
        Window("run", field="euros", amount=EUROS_OF_RUN, tools="pay"),
        Window("person", field="euros", amount=EUROS_OF_PERSON, tools="pay", per="principal", every="day"),
        Window("tenant", field="euros", amount=EUROS_OF_TENANT, tools="pay", per="tenant", every="day"),
    ]
)


@dataclass
class Clock:
    """A clock that the world advances."""

    now: float = 1_800_000_000.0

    def __call__(self) -> float:
        """The time."""
        return self.now


@dataclass
class World:
    """Runs of several people over one store, executed by one process after another."""

    seed: int
    store: Store
    clock: Clock
    runs: dict[str, Principal] = field(default_factory=dict[str, Principal])
    resumed: int = 0

    def process(self) -> Runtime:
        """The runtime of one more process."""
        app = App(name="shop", tools=TOOLS, policy=POLICY, budget=BUDGET)
        return Runtime(app, store=self.store, clock=self.clock, directory=lambda n, t: superuser(name=n, tenant=t))

    async def work(self) -> None:
        """Make calls at random, some at once, and interrupt, decide and resume."""
        chance = random.Random(self.seed)
        for _ in range(3):
            await asyncio.gather(*(self._work_in_run(person, chance) for person in PEOPLE))
            await self._decide(chance)
            self.clock.now += chance.choice((120.0, 120.0, DAY))
            await self._resume()

    async def _work_in_run(self, person: Principal, chance: random.Random) -> None:
        known = [run for run, owner in self.runs.items() if owner is person]
        options: Any = {"run_id": chance.choice(known)} if known and chance.random() < 0.5 else {}
        with contextlib.suppress(RemitError, asyncio.CancelledError):
            async with self.process().client(person).open_run(idle_seconds=0.001, **options) as run:
                self.runs[run.id] = person
                for _ in range(chance.randrange(2, 6)):
                    tasks = [asyncio.ensure_future(run.call(*_choose(chance))) for _ in range(chance.randrange(1, 5))]
                    if chance.random() < 0.3:
                        for _ in range(chance.randrange(40)):
                            await asyncio.sleep(0)
                        chance.choice(tasks).cancel()
                    await asyncio.gather(*tasks, return_exceptions=True)

    async def _decide(self, chance: random.Random) -> None:
        for run, person in self.runs.items():
            for row in await self.store.list_questions(run=run):
                edited = {"arguments": '{"euros":70.0}'} if row.question.tool == "pay" and chance.random() < 0.3 else {}
                if chance.random() < 0.7:
                    with contextlib.suppress(RemitError):
                        await self.process().decide(
                            row.question.id,
                            approved=chance.random() < 0.8,
                            by=APPROVER[person.tenant],
                            **edited,  # type: ignore[arg-type]
                        )

    async def _resume(self) -> None:
        for run in self.runs:
            with contextlib.suppress(RemitError):
                await self.process().resume(run)
                self.resumed += 1

    async def journals(self) -> dict[str, list[Position]]:
        """The items of all runs."""
        return {run: await self.store.read(run) for run in self.runs}


def _choose(chance: random.Random) -> tuple[str, dict[str, Any]]:
    name = chance.choice(("read_secret", "read_invoice", "read_invoice", "send_mail", "pay", "pay", "settle"))
    amount = float(chance.randrange(5, 60))
    arguments: dict[str, dict[str, Any]] = {
        "send_mail": {"to": f"mail {chance.random()}"},
        "pay": {"euros": amount, "note": chance.choice(("", "fails", f"{chance.random()}"))},
        "settle": {"amounts": [amount, float(chance.randrange(5, 60)), amount / 2]},
    }
    return name, arguments.get(name, {})


@dataclass(frozen=True)
class Begun:
    """A call that has begun: where and when in its run, and what it pays."""

    run: str
    seq: int
    at: float
    tool: str
    euros: float = 0.0


def find_over(journals: dict[str, list[Position]], owners: dict[str, Principal], paid: dict[str, float]) -> list[str]:
    """What began beyond a limit, or against a rule; ``paid`` has the amount of each call by its id."""
    begun = [each for run, items in journals.items() for each in _list_begun_calls(run, items, paid)]
    found = list(_over_of_runs(begun))
    for day in {each.at // DAY for each in begun}:
        of_day = [each for each in begun if each.at // DAY == day]
        for limit, key in ((EUROS_OF_PERSON, "name"), (EUROS_OF_TENANT, "tenant")):
            sums: dict[tuple[str, str], float] = {}
            for each in of_day:
                owner = owners[each.run]
                whose = (owner.tenant, owner.name if key == "name" else "")
                sums[whose] = sums.get(whose, 0.0) + each.euros
            found += [f"{whose} paid {total:g} of {limit:g}" for whose, total in sums.items() if total > limit + 1e-6]
    for run, items in journals.items():
        found += _without_invoice(run, items)
        found += _mail_after_secret(run, items, owners, journals)
    return found


def _list_begun_calls(run: str, items: Sequence[Position], paid: dict[str, float]) -> Iterator[Begun]:
    known = set[str]()
    for each in items:
        item = each.item
        if isinstance(item, AttemptStarted) and item.call not in known:
            known.add(item.call)
            yield Begun(run, each.seq, each.at, item.callee, paid.get(item.call, 0.0))


def _over_of_runs(begun: Sequence[Begun]) -> Iterator[str]:
    for run in {each.run for each in begun}:
        own = [each for each in begun if each.run == run]
        mails = sum(each.tool == "send_mail" for each in own)
        euros = sum(each.euros for each in own)
        if mails > MAILS:
            yield f"{run} sent {mails} mails"
        if euros > EUROS_OF_RUN + 1e-6:
            yield f"{run} paid {euros:g}"


def _without_invoice(run: str, items: Sequence[Position]) -> Iterator[str]:
    """Payments that began before an invoice was read, in the order of the journal."""
    has_read = False
    for each in items:
        item = each.item
        if isinstance(item, ToolOutput) and item.callee == "read_invoice" and item.outcome == "ok":
            has_read = True
        elif isinstance(item, AttemptStarted) and item.callee == "pay" and not has_read:
            yield f"{run} paid before an invoice was read"


def _mail_after_secret(
    run: str, items: Sequence[Position], owners: dict[str, Principal], journals: dict[str, list[Position]]
) -> Iterator[str]:
    """Mails that were asked for after a secret was read: in the order of the run, or earlier in another one."""
    others = [other for other, owner in owners.items() if owner is owners[run] and other != run]
    read = [each.at for other in others for each in journals[other] if _is_start(each, "read_secret")]
    begun = {each.item.call for each in items if _is_start(each, "send_mail")}
    has_read = False
    for each in items:
        has_read = has_read or _is_start(each, "read_secret")
        item = each.item
        is_after = has_read or any(at < each.at for at in read)
        if isinstance(item, CallReceived) and item.callee == "send_mail" and item.call in begun and is_after:
            yield f"{run} sent mail after a secret was read"


def _is_start(position: Position, tool_name: str) -> bool:
    return isinstance(position.item, AttemptStarted) and position.item.callee == tool_name


def amounts_of(items: Sequence[Position], ends: dict[str, float]) -> None:
    """Collect what each successful payment paid, by its id, from the results on record."""
    for each in items:
        item = each.item
        if isinstance(item, ToolOutput) and item.callee == "pay" and item.outcome == "ok":
            with contextlib.suppress(ValueError):
                ends[item.call] = float(json.loads(item.text))
