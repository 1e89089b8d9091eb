"""Layers around the calls of an open run, in random pairs: a call that waits, one that is cancelled, and a crash."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Sequence
from typing import Any, Final

from figures.combinations_layers import CARD, MAKERS
from figures.figure import Figure, no_violations
from remit import App, Effect, LeafContext, Principal, Runtime, Stack, Tool, tool
from remit.errors import LayerOrderError
from remit.items import AttemptStarted, CallReceived, QuestionItem, ToolOutput
from remit.layers import CallLayer, Validate
from remit.policies import Question
from remit.runtime import CallResult
from remit.testing import superuser
from tests.runtime.kit import Clock, Crash, Mortal

PERSON: Final = superuser(name="ada")
_ROUNDS: Final = 12
_AMOUNTS: Final = (7, 500, 12)


class Bank:
    """A store, and what each call paid."""

    def __init__(self, layers: Sequence[str], effect: Effect) -> None:
        self.clock = Clock()
        self.store = Mortal(self.clock)
        self.paid: list[str] = []
        self.waits_when_cancelled: int | None = None
        """How often the call that is cancelled had begun by then."""
        self.told = set[str]()
        """What the same call was told after that."""
        self.effect, self.layers = effect, layers

    @property
    def waits(self) -> int:
        """How often the call that is cancelled has begun."""
        return sum(each.startswith("wait") for each in self.paid)

    def process(self) -> Runtime:
        """A process of the bank, over its store."""

        @tool(name="pay", effect=self.effect, risk="safe")
        async def pay(ctx: LeafContext, cents: int) -> dict[str, str]:
            """Pay an amount."""
            if self.store.dead:
                raise Crash
            self.paid.append(ctx.key)
            await asyncio.sleep(0)
            return {"card": CARD, "cents": str(cents)}

        @tool(effect=Effect.KEYED, risk="safe")
        async def wait(ctx: LeafContext) -> str:
            """Wait for long."""
            self.paid.append(f"wait {ctx.key}")
            await asyncio.sleep(3600)
            return "waited"

        around = [MAKERS[name]() for name in self.layers]
        calls = [each for each in around if isinstance(each, CallLayer)]
        made: Tool[..., Any] = pay.layer(Stack[CallLayer](*calls[1:]))
        layers = Stack[CallLayer](Validate(), *(each.where(tools={"pay"}) for each in calls[:1]))
        return Runtime(
            App(name="bank", tools=(made, wait)),
            store=self.store,
            clock=self.clock,
            directory=_find_principal,
            layers=layers,
        )


def measure_combinations(seeds: int) -> Figure:
    """Pairs of layers around the calls of an open run, after which something is lost, doubled or differs."""
    broken, refused = list[str](), 0
    names = [name for name, make in MAKERS.items() if isinstance(make(), CallLayer) and name != "Validate"]
    for seed in range(seeds):
        dice = random.Random(seed)
        bank = Bank(dice.sample(names, 2), dice.choice((Effect.KEYED, Effect.UNSAFE)))
        try:
            violation = asyncio.run(_find_violation(bank, dice))
        except LayerOrderError:
            refused += 1
            continue
        if violation:
            broken.append(f"{' · '.join(bank.layers)} ({bank.effect.value}): {violation}")
    how = f"{seeds} pairs of layers around the calls of an open run, {refused} refused by an order rule"
    how += f"; {len(broken)} are broken: {broken[:5]}" if broken else ""
    return no_violations("open_run.combinations.broken", len(broken), seeds, how)


async def _find_violation(bank: Bank, dice: random.Random) -> str:
    asyncio.get_running_loop().set_exception_handler(lambda _loop, _context: None)  # a killed process stores nothing
    runtime = bank.process()
    async with runtime.client(PERSON).open_run(idempotency_key="bank") as run:
        pass
    bank.store.die_at(dice.randrange(1, 12), after=dice.random() < 0.5)
    with contextlib.suppress(Crash, BaseExceptionGroup, asyncio.CancelledError):
        await _make_calls(bank, runtime)
    results: list[CallResult[Any]] = []
    for number in range(_ROUNDS):
        bank.store.revive()
        bank.clock.now += 60
        runtime = bank.process()
        await _decide_all(bank, runtime)
        results = await _make_calls(bank, runtime)
        if number and not await bank.store.list_questions():
            break
    else:
        return "it asks for ever"
    async with runtime.client(PERSON).open_run(run_id=run.id) as taken_up:
        closed = await taken_up.close()
    return await _judge(bank, runtime, run.id, results, closed.value()["calls"])


async def _make_calls(bank: Bank, runtime: Runtime) -> list[CallResult[Any]]:
    """Make the payments, two of them at once, while another call is cancelled."""
    async with runtime.client(PERSON).open_run(idempotency_key="bank") as run:

        async def pay(cents: int) -> CallResult[Any]:
            return await run.call("pay", {"cents": cents}, key=str(cents))

        if bank.waits_when_cancelled is not None:
            bank.told.add((await run.call("wait", {}, key="wait")).status)
        waiting = asyncio.create_task(run.call("wait", {}, key="wait"))
        results = [await pay(_AMOUNTS[0]), *await asyncio.gather(*(pay(each) for each in _AMOUNTS[1:]))]
        waiting.cancel()
        await asyncio.wait([waiting])
    if bank.waits_when_cancelled is None and not bank.store.dead:
        bank.waits_when_cancelled = bank.waits
    return results


async def _decide_all(bank: Bank, runtime: Runtime) -> None:
    for row in await bank.store.list_questions():
        question: Question = row.question
        if question.kind == "outcome":
            result = f'{{"card":"{CARD}","cents":"0"}}'
            await runtime.decide(question.id, approved=question.call in bank.paid, by=PERSON, result=result)
        else:
            await runtime.decide(question.id, approved=True, by=PERSON)


async def _judge(bank: Bank, runtime: Runtime, run: str, results: Sequence[CallResult[Any]], count: int) -> str:
    items = [each.item for each in await bank.store.read(run)]
    received = [each for each in items if isinstance(each, CallReceived)]
    ends = {each.call: each for each in items if isinstance(each, ToolOutput)}
    asked = {each.call for each in items if isinstance(each, QuestionItem)}
    started = {each.call for each in items if isinstance(each, AttemptStarted) and each.callee == "pay"}
    outputs = [each.call for each in items if isinstance(each, ToolOutput)]
    before = list(bank.paid)
    difference = (await runtime.replay(run)).difference
    is_unsafe = bank.effect is Effect.UNSAFE
    paid = [each for each in bank.paid if not each.startswith("wait")]
    told = [each.reply.content for each in results if each.reply is not None]
    recorded = [ends[each.call].text for each in results if each.call in ends]
    broken = {
        f"the replay differs: {difference}": bool(difference) or before != bank.paid,
        "a call came twice": len({each.key for each in received}) != len(received),
        "a call has no end": any(each.call not in ends for each in received),
        "a call has two ends": len({*outputs}) != len(outputs),
        "an unsafe call was made twice": is_unsafe and len({*paid}) != len(paid),
        "a call that was cancelled was made again": bank.waits != bank.waits_when_cancelled
        or bank.told != {"cancelled"},
        "a call ran that no one approved": "Approve" in bank.layers and not started <= asked,
        "the callers read what is not on record": told != recorded,
        "the run counts other calls": count != len(received),
    }
    return next((text for text, is_broken in broken.items() if is_broken), "")


def _find_principal(name: str, tenant: str) -> Principal:
    return superuser(name=name, tenant=tenant)
