"""Seeded schedules: leases, budgets and parallel replay under many interleavings, each of which can be had again."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Iterator

from figures.figure import Figure, no_violations
from figures.history import DyingStore, ProcessDied
from remit import Agent, App, Effect, LeafContext, Principal, Runtime, Stack, tool
from remit.errors import LeaseError
from remit.layers import Budget, CallLayer
from remit.record.items import Note, Position, ToolOutput
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls
from remit.testing.history_check import history_errors

PERSON = Principal("ada", permissions=frozenset({"*"}))


def figures(*, short: bool) -> Iterator[Figure]:
    """Schedules in which a promise did not hold."""
    seeds = 50 if short else 1_000
    for name, check, how in (
        (
            "lease",
            _lease,
            "three executors, a clock that jumps: a lease is had by one, each epoch once, the old append nothing",
        ),
        ("budget", _budget, "parallel calls of one run against a limit: never more than the limit start"),
        (
            "replay",
            _replay,
            "a parallel batch that dies at a random append and is resumed: same history, keys and ends once",
        ),
    ):
        wrong = sum(not asyncio.run(check(random.Random(seed))) for seed in range(seeds))
        yield no_violations(f"schedule.{name}.violations", wrong, seeds, how)


async def _steps(chance: random.Random) -> None:
    for _ in range(chance.randrange(6)):
        await asyncio.sleep(0)


async def _lease(chance: random.Random) -> bool:
    now = free_from = 0.0
    store = InMemoryStore(clock=lambda: now)
    epochs: list[int] = []
    fine = True

    async def execute(name: str) -> None:
        nonlocal fine, now, free_from
        for _ in range(4):
            await _steps(chance)
            try:
                epoch = (await store.acquire("run", name, 10.0)).epoch
            except LeaseError:
                fine = fine and now < free_from
                continue
            fine = fine and now >= free_from
            epochs.append(epoch)
            free_from = now + 10.0
            await _steps(chance)
            if chance.random() < 0.3:
                now += 11.0  # the lease is over, and its executor is dead, or does not notice
                await _steps(chance)
                if chance.random() < 0.5:
                    continue
            is_current = epochs[-1] == epoch
            try:
                await store.append("run", epoch, [_next_item(epoch, await store.read("run"))])
                fine = fine and is_current
            except LeaseError:
                fine = fine and not is_current
            await store.release("run", epoch)
            free_from = 0.0 if is_current else free_from

    await asyncio.gather(*(execute(name) for name in "abc"))
    return fine and len(set(epochs)) == len(epochs)


def _next_item(epoch: int, known: list[Position]) -> Position:
    return Position("run", epoch, len(known), 0.0, Note(call="call", name="log", data="0"), "{}", b"", b"")


async def _budget(chance: random.Random) -> bool:
    started = 0
    limit = chance.randrange(1, 12)

    @tool(effect=Effect.KEYED)
    async def work(_ctx: LeafContext, number: int) -> int:
        """Work."""
        nonlocal started
        started += 1
        await _steps(chance)
        return number

    wanted = [("work", {"number": n}) for n in range(chance.randrange(1, 20))]
    agent = Agent("agent", instructions="Work.", tools=[work], parallel=chance.randrange(1, 10))
    layers: Stack[CallLayer] = Stack(Budget(calls=limit))
    model = Scripted([calls(*wanted), "done"])
    await Runtime(App(name="budget", agents=(agent,)), model=model, layers=layers).run("go", by=PERSON)
    return started == min(limit, len(wanted))


async def _replay(chance: random.Random) -> bool:
    keys: dict[int, set[str]] = {}

    @tool(effect=Effect.KEYED)
    async def work(ctx: LeafContext, number: int) -> int:
        """Work."""
        await _steps(chance)
        keys.setdefault(number, set()).add(ctx.key)
        await _steps(chance)
        return number

    wanted = [("work", {"number": n}) for n in range(6)]
    parallel = chance.choice([1, 2, 6])

    def runtime(store: InMemoryStore) -> Runtime:
        agent = Agent("agent", instructions="Work.", tools=[work], parallel=parallel)
        made = Runtime(
            App(name="replay", agents=(agent,)),
            model=Scripted([calls(*wanted), "done"]),
            layers=Stack[CallLayer](),
            store=store,
            make_run_id=lambda: "run",
        )
        made.add_principals(PERSON)
        return made

    store = DyingStore(chance.randrange(2, 16), stored=chance.random() < 0.5)
    try:
        await runtime(store).run("go", by=PERSON)
    except ProcessDied:
        store.revive()
        await runtime(store).resume("run")
    history = await runtime(store).history("run")
    ends = Counter(each.item.call for each in await store.read("run") if isinstance(each.item, ToolOutput))
    return (
        not history_errors(history)
        and set(ends.values()) == {1}
        and len(history) == 1 + 1 + 6 + 1
        and all(len(each) == 1 for each in keys.values())
        and (await runtime(store).replay("run")).is_identical
    )
