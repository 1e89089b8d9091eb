"""An application whose tools are called in open runs, and how often each body ran."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from remit import App, Context, Effect, LeafContext, Principal, Risk, Runtime, tool
from remit.runtime import Client
from remit.stores import InMemoryStore, Store
from tests.runtime.kit import AnyTool

ADA = Principal("ada", "bakery", frozenset({"*"}))
BOB = Principal("bob", "bakery", frozenset({"*"}))


class Desk:
    """Tools whose bodies are counted."""

    def __init__(self, store: Store | None = None, clock: Callable[[], float] = time.time) -> None:
        self.store = store or InMemoryStore(clock)
        self.clock = clock
        self.ran: list[str] = []

    def tools(self) -> list[AnyTool]:
        @tool(effect=Effect.PURE)
        async def read(page: str) -> str:
            """Read a page."""
            self.ran.append(f"read {page}")
            return f"text of {page}"

        @tool(effect=Effect.UNSAFE)
        async def write(ctx: LeafContext, page: str) -> str:
            """Write a page."""
            self.ran.append(f"write {page}")
            await asyncio.sleep(0)
            return f"wrote {page}"

        @tool(effect=Effect.UNSAFE, risk=Risk.HIGH)
        async def erase(ctx: LeafContext, page: str) -> str:
            """Erase a page."""
            self.ran.append(f"erase {page}")
            return f"erased {page}"

        @tool(effect=Effect.UNSAFE)
        async def linger(ctx: LeafContext, seconds: float) -> str:
            """Wait."""
            self.ran.append(f"linger {seconds}")
            await asyncio.sleep(seconds)
            return "done"

        @tool(effect=Effect.COMPOSED)
        async def copy(ctx: Context, page: str) -> str:
            """Copy a page."""
            text = await ctx.call(read, page=page)
            await ctx.call(write, page=f"{page} of {text}")
            return "copied"

        @tool(effect=Effect.COMPOSED)
        async def copy_slowly(ctx: Context, seconds: float) -> str:
            """Wait in a call of its own."""
            return await ctx.call(linger, seconds)

        return [read, write, erase, linger, copy_slowly, copy]

    def process(self, **options: Any) -> Runtime:
        """A runtime as another process would have it."""
        runtime = Runtime(App(name="test", tools=self.tools(), **options), store=self.store, clock=self.clock)
        runtime.add_principals(ADA, BOB)
        return runtime

    def client(self, by: Principal = ADA) -> Client:
        return self.process().client(by)
