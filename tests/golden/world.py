"""The application whose runs the golden journal holds. It changes only together with the journal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

from remit import Agent, App, Context, Effect, LeafContext, Risk, Runtime, tool
from remit.journal.ports import Store
from remit.journal.sql.store import SqlStore
from remit.testing import Scripted, calls, superuser

PERSON = superuser(name="ada")
KEY = "5eed" * 16
"""The key that has signed the golden journal."""


@tool(effect=Effect.PURE)
async def look(word: str) -> str:
    """Look a word up."""
    return f"{word}: a wörd — 語"


@tool(effect=Effect.KEYED)
async def save(ctx: LeafContext, word: str, times: int = 1) -> dict[str, int]:
    """Save a word."""
    ctx.log("saved", word=word)
    return {word: times}


@tool(effect=Effect.UNSAFE, risk=Risk.HIGH)
async def erase(word: str) -> str:
    """Erase a word."""
    return f"erased {word}"


@tool(effect=Effect.COMPOSED)
async def move(ctx: Context, word: str) -> str:
    """Save a word elsewhere."""
    await ctx.call(save, word, times=2)
    return f"moved {await ctx.call(look, word)}"


TALK = [
    calls(("look", {"word": "bread"}), ("save", {"word": "bread"}), ("move", {"word": "bread"}), ("nothing", {})),
    "Bread is saved.",
    calls(("erase", {"word": "bread"})),
    "Bread is erased.",
    calls(("erase", {"word": "salt"}), ("look", {"word": "salt"})),
    "Salt is erased.",
]


def store_at(file: Path, clock: Callable[[], float]) -> SqlStore:
    """The store of a journal with the golden key."""
    key_file = file.with_suffix(".key")
    key_file.touch(mode=0o600)
    key_file.write_text(KEY)
    return SqlStore(f"sqlite:///{file}", clock, key_file=key_file)


def runtime(store: Store, clock: Callable[[], float] | None = None) -> Runtime:
    """The runtime over ``store``; its clock moves a second with every look."""
    seconds: Iterator[float] = count(1_800_000_000.0)
    names = iter(("first", "second", "third"))
    agent = Agent("keeper", instructions="Keep words.", tools=(look, save, erase, move))
    app = App(name="golden", agents=(agent,))
    model = Scripted(TALK)
    made = Runtime(
        app, store=store, model=model, clock=clock or (lambda: next(seconds)), make_run_id=lambda: next(names)
    )
    made.add_principals(PERSON)
    return made
