"""A small application for tests of the command line: a shop whose every effect is a line in the file ``$SHOP``."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

from remit import Agent, App, Ask, Context, Effect, LeafContext, Policy, Risk, When, tool
from remit.errors import NotFoundError
from remit.testing import Scripted


def _book(line: str) -> None:
    with Path(os.environ["SHOP"]).open("a", encoding="utf-8") as file:
        file.write(line + "\n")


def _hold(line: str) -> None:
    """Book it, and tell whoever looks on that this takes for ever from here."""
    _book(line)
    print(f"shop: {line}", file=sys.stderr, flush=True)  # noqa: T201 - tests wait for it


@tool(effect=Effect.PURE, permissions={"shop:read"})
async def find(name: str) -> dict[str, object]:
    """Find an article by its name."""
    if name == "unicorn":
        raise NotFoundError("there is no article 'unicorn'; available: bread")
    return {"name": name, "price": 3}


@tool(effect=Effect.KEYED, risk=Risk.MODERATE, permissions={"shop:write"})
async def add(ctx: LeafContext, name: str, price: int) -> dict[str, object]:
    """Add an article.

    Args:
        name: what it is called.
        price: in whole euros.
    """
    ctx.log("adding", name=name)
    _book(f"add {name} {price}")
    return {"added": name}


@tool(risk=Risk.HIGH, permissions={"shop:write"})
async def burn(name: str) -> str:
    """Burn an article. It is gone for good."""
    _book(f"burn {name}")
    return f"burnt {name}"


@tool(effect=Effect.KEYED, risk=Risk.HIGH, permissions={"shop:write"}, confirm="confirmed")
async def remove(_ctx: LeafContext, name: str, confirmed: bool = False) -> dict[str, object]:
    """Remove an article; without `confirmed` it says what would be removed."""
    if not confirmed:
        return {"success": False, "requiresConfirmation": True, "message": f"this would remove {name}"}
    _book(f"remove {name}")
    return {"success": True}


@tool(effect=Effect.PURE)
async def dawdle() -> str:
    """Take for ever, unless somebody is in a hurry."""
    _hold("dawdle")
    if "HURRY" not in os.environ:
        await asyncio.Event().wait()
    return "dawdled"


@tool(effect=Effect.UNSAFE)
async def post(letter: str) -> dict[str, object]:
    """Post a letter; nobody can tell afterwards whether it went."""
    _hold(f"post {letter}")
    if "HURRY" not in os.environ:
        await asyncio.Event().wait()
    return {"posted": letter}


@tool(effect=Effect.PURE)
async def linger() -> str:
    """Take for ever, and not listen to being cancelled."""
    _hold("linger")
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            _hold("still here")


@tool(effect=Effect.PURE)
async def cling() -> str:
    """Take for ever, swallow whatever is raised, and get a second Ctrl-C when that ends no wait."""
    _hold("cling")
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            with contextlib.suppress(BaseException):
                signal.raise_signal(signal.SIGINT)


@tool(effect=Effect.COMPOSED)
async def restock(ctx: Context, name: str) -> str:
    """Add an article that is not there."""
    await ctx.call(add, name, 1)
    return f"restocked {name}"


_KEEPS = (find, add, burn, remove, dawdle, post, linger, cling, restock)
app = App(name="shop", agents=(Agent("keeper", instructions="You keep a shop.", tools=_KEEPS),))
changed = App(name="shop", agents=(Agent("keeper", instructions="You keep another shop.", tools=_KEEPS),))
branch = App(name="branch", agents=(Agent("keeper", instructions="You keep a branch.", tools=_KEEPS),))
keyless = App(name="shop", agents=(Agent("keeper", instructions="Keep it.", tools=_KEEPS, model="openai:gpt-x"),))
other = App(name="other", tools=(find,))


@tool(risk=Risk.HIGH, permissions={"shop:write"}, name="burn")
async def burn_all(name: str) -> str:
    """Burn all articles of a name. They are gone for good."""
    return f"burnt {name}"


_AMENDED = (find, add, burn_all, restock)
amended = App(name="shop", agents=(Agent("keeper", instructions="You keep a shop.", tools=_AMENDED),))


@tool(risk=Risk.HIGH)
async def order(name: str, count: int = 1, note: str = "") -> str:
    """Order an article."""
    return f"ordered {count} {name}{note}"


orders = App(name="orders", tools=(order,))


@contextlib.asynccontextmanager
async def staff() -> AsyncGenerator[None]:
    """The staff, which comes and goes."""
    _book("the staff comes")
    yield
    _book("the staff goes")


@contextlib.asynccontextmanager
async def no_staff() -> AsyncGenerator[None]:
    """The staff, which is ill."""
    raise OSError("all are ill")
    yield


staffed = App(name="staffed", tools=_KEEPS, resources=[staff])
closed = App(name="closed", tools=_KEEPS, resources=[no_staff])
_TWICE = Policy.only(When("twice", lambda _call: True, Ask(reason="it is gone for good", four_eyes=True)))
strict = App(name="strict", tools=(burn,), policy=_TWICE)
lax = App(name="strict", tools=(burn,))
_ONCE = Policy.only(When("it's asked", lambda _call: True, Ask(reason="it costs")))
careful = App(name="careful", tools=(add,), policy=_ONCE)
careless = App(name="careful", tools=(add,))
wise = App(name="wise", agents=(Agent("owl", instructions="Be wise.", model=Scripted(["Who?", "Why?"])),))
number = 42


def made() -> App:
    """The shop, made when it is asked for."""
    return app


async def made_later() -> App:
    return app


def broken() -> App:
    raise RuntimeError("no shelf")
