"""A lending desk of plain functions, for the tests of operations without classes."""

from __future__ import annotations

from pydantic import BaseModel

from remit import Context, LeafContext, tool
from remit.tools import tool_name

LENT: dict[str, str] = {}


class LendBook(BaseModel):
    """Which book."""

    title: str


async def lend_book(ctx: LeafContext, payload: LendBook) -> str:
    """Lend a book."""
    return LENT.setdefault(ctx.key, payload.title)


@tool
def count_books() -> int:
    """Count the lent books."""
    return len(LENT)


@tool(effect="pure")
async def is_open() -> bool:
    """Tell whether the desk is open."""
    return True


@tool_name("renew-all")
async def renew_all(ctx: Context) -> int:
    """Renew all loans."""
    return len(LENT)
