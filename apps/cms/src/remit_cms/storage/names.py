"""Reads the names of all documents in one row: ten thousand rows would take longer than comparing their names."""

from __future__ import annotations

from typing import Final

from sqlalchemy import SelectBase, func, select
from sqlalchemy.ext.asyncio import AsyncSession

_END: Final = "\x1f"
"""Parts the values. It is no letter of a name, and is replaced where somebody has written it."""


async def load_names(session: AsyncSession, query: SelectBase) -> list[list[str]]:
    """The columns of a query of texts, each as a list; null is an empty text."""
    rows = query.subquery()
    first, *others = [func.replace(func.coalesce(each, ""), _END, " ") for each in rows.c]
    line = first
    for each in others:
        line = line.concat(_END).concat(each)
    text = await session.scalar(select(func.aggregate_strings(line, _END)))
    values = [] if text is None else text.split(_END)
    return [values[place :: len(rows.c)] for place in range(len(rows.c))]
