"""What the tests of both limits limit."""

from __future__ import annotations

from remit import Effect, tool

INSTANT = 1e-7
"""Less than a loop can tell: what is so close happens in one turn of it, in order."""


@tool(effect=Effect.PURE)
async def look() -> str:
    """Look."""
    return "seen"


@tool(effect=Effect.PURE)
async def find() -> str:
    """Find."""
    return "found"


@tool(effect=Effect.COMPOSED)
async def all_of_it() -> str:
    """Do it all."""
    return "done"
