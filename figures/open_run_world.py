"""An open run, the program that makes its calls from outside, and a file that tells what really happened."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from remit import App, Context, Effect, LeafContext, Principal, Risk, Runtime, Tool, tool
from remit.errors import RequestConflictError
from remit.items import CallReceived, Item, ToolOutput
from remit.journal.crashpoint import crashpoint
from remit.policies import Question
from remit.runtime import CallResult, OpenRun
from remit.stores import Store

PERSON: Final = Principal("ada", permissions=frozenset({"*"}))
SESSION: Final = "session"
AT_ONCE: Final = (("look", 1), ("put", 2), ("pay", 3), ("erase", 4))
IN_ORDER: Final = (("send", 5), ("both", 6), ("look", 7))
CALLS: Final = (*AT_ONCE, *IN_ORDER)
LEAVES: Final = ("look", "put", "pay", "send", "erase")
UNSAFE: Final = ("send", "erase")


class Effects(NamedTuple):
    """What happened: the tool, and the key of its call."""

    name: str
    key: str


class World:
    """Tools that write to a file, and the program that calls them."""

    def __init__(self, home: Path, total: int = 1) -> None:
        self.log = home / "effects.log"
        self.total = total
        """What a composed call adds to its result, for a replay by changed code."""

    def runtime(self, store: Store) -> Runtime:
        """A process over this store."""
        runtime = Runtime(App(name="open", tools=self._tools()), store=store)
        runtime.add_principals(PERSON)
        return runtime

    def read_effects(self) -> list[Effects]:
        """What happened, in order."""
        if not self.log.exists():
            return []
        return [Effects(*line.split(" ")) for line in self.log.read_text().splitlines()]

    def happen(self, name: str, key: str) -> None:
        """Make an effect happen: a line in the file."""
        crashpoint(f"before {name}")
        handle = os.open(self.log, os.O_CREAT | os.O_APPEND | os.O_WRONLY)
        os.write(handle, f"{name} {key}\n".encode())
        os.close(handle)
        crashpoint(f"after {name}")

    def _tools(self) -> Sequence[Tool[..., Any]]:
        happen, total = self.happen, self.total

        def make(name: str, effect: Effect, risk: Risk = Risk.SAFE) -> Tool[[int], str]:
            @tool(name=name, effect=effect, risk=risk)
            async def leaf(ctx: LeafContext, number: int) -> str:
                """Do it."""
                happen(name, ctx.key)
                return f"{name} {number}"

            return leaf

        pay, send = make("pay", Effect.KEYED), make("send", Effect.UNSAFE)

        @tool(effect=Effect.COMPOSED)
        async def both(ctx: Context, number: int) -> str:
            """Pay and send."""
            return f"{await ctx.call(pay, number)}, {await ctx.call(send, number)}, {total}"

        leaves = make("look", Effect.PURE), make("put", Effect.IDEMPOTENT), make("erase", Effect.UNSAFE, Risk.HIGH)
        return (*leaves, pay, send, both)


async def make_calls(run: OpenRun) -> list[CallResult[Any]]:
    """Make all calls, each with its key: some at once, and the others one after another."""
    results = await asyncio.gather(*(_call(run, *each) for each in AT_ONCE))
    for each in IN_ORDER:
        results.append(await _call(run, *each))
    return results


async def _call(run: OpenRun, name: str, number: int) -> CallResult[Any]:
    return await run.call(name, {"number": number}, key=f"{name} {number}")


async def work(runtime: Runtime) -> str:
    """Take the run up, make all calls, and close it if none waits; return its id."""
    async with runtime.client(PERSON).open_run(idempotency_key=SESSION) as run:
        await make_calls(run)
        with contextlib.suppress(RequestConflictError):  # a call waits
            await run.close()
        return run.id


async def decide_all(runtime: Runtime, world: World) -> int:
    """Answer every open question as a person would who looks at what happened; return how many were about that."""
    happened, outcomes = {each.key for each in world.read_effects()}, 0
    for row in await runtime.store.list_questions():
        question: Question = row.question
        if question.kind == "outcome":
            outcomes += 1
            number = question.arguments.split(":")[1].rstrip("}")
            is_done, result = question.call in happened, f"{question.tool} {number}"
            await runtime.decide(question.id, approved=is_done, by=PERSON, result=result)
        else:
            await runtime.decide(question.id, approved=True, by=PERSON)
    return outcomes


def find_doubled(items: Sequence[Item], effects: Sequence[Effects]) -> list[str]:
    """The calls that came, ended or happened more often than once."""
    keys = [each.key for each in items if isinstance(each, CallReceived)]
    ends = [each.call for each in items if isinstance(each, ToolOutput)]
    doubled = [f"{each} came twice" for each in set(keys) if keys.count(each) > 1]
    doubled += [f"{each} ended twice" for each in set(ends) if ends.count(each) > 1]
    paid = {each.key for each in effects if each.name == "pay"}
    doubled += ["pay happened under another key"] if len(paid) > 2 else []
    done = [each for each in effects if each.name in UNSAFE]
    return doubled + [f"{each.name} happened twice" for each in set(done) if done.count(each) > 1]


def find_lost(items: Sequence[Item], effects: Sequence[Effects]) -> list[str]:
    """The calls that did not come, have no end, or an end that did not happen."""
    keys = {each.key for each in items if isinstance(each, CallReceived)}
    ends = {each.call: each for each in items if isinstance(each, ToolOutput)}
    lost = [f"{name} {number} did not come" for name, number in CALLS if f"{name} {number}" not in keys]
    received = [each for each in items if isinstance(each, CallReceived)]
    lost += [f"{each.key} has no end" for each in received if each.call not in ends]
    lost += [f"{each.name} happened and has no end" for each in effects if each.key not in ends]
    happened = {each.key for each in effects}
    return lost + [
        f"{each.callee} has an end and did not happen"
        for each in ends.values()
        if each.callee in LEAVES and each.outcome == "ok" and each.call not in happened
    ]
