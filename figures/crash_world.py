"""The world of the crash sweep: tools of every effect class, whose effects are lines in a file opened O_APPEND."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from remit import Agent, App, Context, Effect, LeafContext, Principal, Risk, Runtime, Tool, tool
from remit.journal.crashpoint import crashpoint
from remit.journal.sql import SqlStore
from remit.testing import Scripted, calls

PERSON = Principal("judge", permissions=frozenset({"*"}))
DONE = "all done"


class World:
    """The file that tells what really happened, and tools that write to it."""

    def __init__(self, home: Path, *, nested: bool) -> None:
        self.home = home
        self.log = home / "effects.log"
        self.tools = self._tools()
        self.script = _nested() if nested else _flat()

    def runtime(self, store: SqlStore) -> Runtime:
        """A runtime over the tools, with a script that calls them all."""
        agent = Agent("agent", instructions="Work.", tools=self.tools)
        return Runtime(App(name="sweep", agents=(agent,)), store=store, model=Scripted(self.script), ids=lambda: "run")

    def happened(self) -> list[tuple[str, str]]:
        """What happened, in order: tool and key."""
        if not self.log.exists():
            return []
        return [(line.split()[0], line.split()[1]) for line in self.log.read_text().splitlines()]

    def _append(self, name: str, key: str) -> None:
        crashpoint(f"before {name}")
        handle = os.open(self.log, os.O_CREAT | os.O_APPEND | os.O_WRONLY)
        os.write(handle, f"{name} {key}\n".encode())
        os.close(handle)
        crashpoint(f"after {name}")

    def _tools(self) -> tuple[Tool[..., Any], ...]:
        append = self._append

        @tool(effect=Effect.PURE)
        async def look(ctx: LeafContext, number: int) -> str:
            """Look at something."""
            append("look", ctx.key)
            return f"saw {number}"

        @tool(effect=Effect.IDEMPOTENT)
        async def put(ctx: LeafContext, number: int) -> str:
            """Set a file to a value."""
            (self.home / f"state-{number}").write_text(str(number))
            append("put", ctx.key)
            return f"put {number}"

        @tool(effect=Effect.KEYED)
        async def pay(ctx: LeafContext, number: int) -> str:
            """Pay once for a key."""
            append("pay", ctx.key)
            return f"paid {number}"

        @tool(effect=Effect.UNSAFE)
        async def send(ctx: LeafContext, number: int) -> str:
            """Send something that cannot be taken back."""
            append("send", ctx.key)
            return f"sent {number}"

        @tool(effect=Effect.UNSAFE, risk=Risk.HIGH)
        async def erase(ctx: LeafContext, number: int) -> str:
            """Erase something, after a person has agreed."""
            append("erase", ctx.key)
            return f"erased {number}"

        @tool(effect=Effect.COMPOSED)
        async def both(ctx: Context, number: int) -> str:
            """Pay and send, by other calls."""
            paid = await ctx.call(pay, number)
            return f"{paid}, {await ctx.call(send, number)}"

        @tool(effect=Effect.COMPOSED)
        async def tree(ctx: Context, number: int) -> str:
            """Do both, twice, and erase: three levels deep."""
            first = await ctx.call(both, number)
            second = await ctx.call(both, number + 1)
            return f"{first}; {second}; {await ctx.call(erase, number)}"

        return look, put, pay, send, erase, both, tree


def _flat() -> list[Any]:
    batch = calls(
        ("look", {"number": 1}),
        ("put", {"number": 2}),
        ("pay", {"number": 3}),
        ("send", {"number": 4}),
        ("erase", {"number": 5}),
        ("both", {"number": 6}),
    )
    return [batch, calls(("pay", {"number": 3})), DONE]


def _nested() -> list[Any]:
    return [calls(("tree", {"number": 10}), ("send", {"number": 20}), ("tree", {"number": 30})), DONE]
