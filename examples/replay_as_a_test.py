"""A recorded run as a regression test.

    pytest replay_as_a_test.py

A replay executes a run again. Its journal answers every model request and every call, so the test needs no model and
has no effects. It fails if your code now sends other messages or makes other calls.
"""

import asyncio
from typing import Any

from remit import Agent, App, Principal, Runtime, Tool, tool
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls

JOURNAL = InMemoryStore()  # in a project: SqlStore.at(Path("tests/journal.db")), committed


@tool(effect="pure")
def price(book: str) -> int:
    """Look up the price of a book, in cents."""
    return {"dune": 1200}[book]


@tool(name="price", effect="pure")
def price_in_euros(book: str) -> float:
    """Look up the price of a book, in euros."""
    return {"dune": 12.0}[book]


def shop(*tools: Tool[..., Any]) -> Runtime:
    """The application, with its tools."""
    script = Scripted([calls(("price", {"book": "dune"})), "Dune costs 12 euros."])
    seller = Agent("seller", instructions="Sell books.", tools=tools, model=script)
    runtime = Runtime(App(name="shop", agents=[seller]), store=JOURNAL)
    runtime.add_principals(Principal("ada"))
    return runtime


RUN = asyncio.run(shop(price).run("What does Dune cost?", by=Principal("ada"))).run


def test_the_code_still_does_what_was_recorded() -> None:
    """The same code replays to the byte."""
    assert asyncio.run(shop(price).replay(RUN)).is_identical


def test_a_tool_with_another_contract_is_found() -> None:
    """The replay stops at the first difference: the model is now told of another tool."""
    difference = asyncio.run(shop(price_in_euros).replay(RUN)).difference
    assert difference.startswith("turn 1: the request to the model differs from the recorded one")
