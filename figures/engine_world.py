"""The world of the kill test: tools that take a moment, and whose effects are lines in a file opened O_APPEND."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

from remit import Agent, App, Context, Effect, LeafContext, Principal, Risk, Runtime, Tool, tool
from remit.journal.ports import Store
from remit.testing import Scripted, calls

PERSON: Final = Principal("judge", permissions=frozenset({"*"}))
APPLICATION: Final = "kill"
DONE: Final = "all done"
LEAVES: Final = ("pay", "send", "erase")
UNSAFE: Final = ("send", "erase")

_MOMENT: Final = 0.03
"""Seconds at most between the start of an effect and its line, and between that and its end."""

_Effect = Callable[[str, str], Awaitable[None]]


def runtime_of(home: Path, store: Store, lease: float) -> Runtime:
    """Two agents that pay and send, one of which asks a person before it erases."""

    async def act(name: str, key: str) -> None:
        await asyncio.sleep(random.uniform(0, _MOMENT))
        handle = os.open(_effects_log(home), os.O_CREAT | os.O_APPEND | os.O_WRONLY)
        os.write(handle, f"{name} {key}\n".encode())
        os.close(handle)
        await asyncio.sleep(random.uniform(0, _MOMENT))

    batch = (("pay", {"number": 1}), ("send", {"number": 2}), ("both", {"number": 3}))
    plain = [calls(*batch), calls(("send", {"number": 4}), ("pay", {"number": 5})), DONE]
    asking = [calls(*batch), calls(("erase", {"number": 6}), ("send", {"number": 7})), DONE]
    tools = _tools(act)
    agents = tuple(
        Agent(name, instructions="Work.", tools=tools, model=Scripted(script))
        for name, script in (("plain", plain), ("asking", asking))
    )
    app = App(name=APPLICATION, agents=agents)
    return Runtime(app, store=store, directory=lambda _name, _tenant: PERSON, lease_seconds=lease)


def read_effects(home: Path) -> list[tuple[str, str]]:
    """What happened, in order: tool and key."""
    if not _effects_log(home).exists():
        return []
    return [(line.split()[0], line.split()[1]) for line in _effects_log(home).read_text().splitlines()]


def expected_result(name: str, arguments: str) -> str:
    """What a call of ``name`` gives that has happened."""
    return f"{name} {arguments.split(':')[1].rstrip('}')}"


def _effects_log(home: Path) -> Path:
    return home / "effects.log"


def _tools(act: _Effect) -> tuple[Tool[..., Any], ...]:
    @tool(effect=Effect.KEYED)
    async def pay(ctx: LeafContext, number: int) -> str:
        """Pay once for a key."""
        await act("pay", ctx.key)
        return f"pay {number}"

    @tool(effect=Effect.UNSAFE)
    async def send(ctx: LeafContext, number: int) -> str:
        """Send something that cannot be taken back."""
        await act("send", ctx.key)
        return f"send {number}"

    @tool(effect=Effect.UNSAFE, risk=Risk.HIGH)
    async def erase(ctx: LeafContext, number: int) -> str:
        """Erase something, after a person has agreed."""
        await act("erase", ctx.key)
        return f"erase {number}"

    @tool(effect=Effect.COMPOSED)
    async def both(ctx: Context, number: int) -> str:
        """Pay and send, by other calls."""
        paid = await ctx.call(pay, number)
        return f"{paid}, {await ctx.call(send, number)}"

    return pay, send, erase, both
