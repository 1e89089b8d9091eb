"""An agent that finds something for another to remember."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel

from remit import Agent, Effect, tool
from remit.testing import calls
from remit.tools import entity


@entity("account", name="holder")
class Account(BaseModel):
    """What the scout finds."""

    id: str
    holder: str


@tool(effect=Effect.PURE)
async def find_account() -> Account:
    """Find an account."""
    return Account(id="7", holder="Bakery")


SCOUT: Final = Agent("scout", instructions="Scout.", tools=[find_account])
SCOUTING: Final = (calls(("find_account", {})), "Found.")
"""What its model answers."""
