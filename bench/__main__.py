"""Measure everything, or the parts that are named, and write ``build/bench.json``.

Everything together also writes ``bench/costs.md``, the table which `make docs` puts into the documents.
"""

from __future__ import annotations

import asyncio
import platform
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from bench.calls import calls, turns
from bench.chat import chat, chat_postgres
from bench.cms import cms
from bench.cms_pages import cms_pages
from bench.counts import counts
from bench.due import due
from bench.durable import durable, postgres
from bench.inventory import inventory
from bench.open_run import open_run
from bench.paused import paused
from bench.policy_trial import policy_trial
from bench.process import command_line, process
from bench.rules import rules
from bench.scale import scale
from bench.stream import stream
from bench.workers import workers
from bench.workers_memory import workers_memory
from bench.world import minimum_of, time_floor
from bench.wrap import wrap
from figures.figure import BUILD, Figure, format_figure, select_parts, write_figures

PARTS: Final[dict[str, Callable[[], AsyncIterator[Figure]]]] = {
    "counts": counts,
    "calls": calls,
    "turns": turns,
    "rules": rules,
    "process": process,
    "command_line": command_line,
    "durable": durable,
    "postgres": postgres,
    "paused": paused,
    "open_run": open_run,
    "policy-trial": policy_trial,
    "due": due,
    "scale": scale,
    "inventory": inventory,
    "cms": cms,
    "cms_pages": cms_pages,
    "stream": stream,
    "chat": chat,
    "chat_postgres": chat_postgres,
    "workers": workers,
    "workers_memory": workers_memory,
    "wrap": wrap,
}


COSTS: Final = Path(__file__).parent / "costs.md"
_FLOORS: Final = 4_000


async def main(names: list[str]) -> None:
    """Measure and print, one line a figure. A figure that misses its target fails nothing: it is written down."""
    found: list[Figure] = []
    for name in select_parts(names, PARTS):
        async for figure in PARTS[name]():
            print(format_figure(figure), flush=True)
            found.append(figure)
    write_figures(found, BUILD / "bench.json")
    if not names:
        floor = await minimum_of(lambda: time_floor(_FLOORS), 25) / _FLOORS
        COSTS.write_text("\n".join(format_table(found, floor)) + "\n", encoding="utf-8")


def format_table(found: Sequence[Figure], floor: float) -> Iterator[str]:
    """The figures as a Markdown table, after a sentence of when and on what machine they were measured.

    ``floor`` is in seconds.
    """
    date, python = datetime.now(UTC).date().isoformat(), platform.python_version()
    yield f"Measured on {date} with Python {python}, on a machine whose floor is {floor * 1e6:.2f} µs."
    yield ""
    yield "| figure | measured | target | |"
    yield "| --- | --- | --- | --- |"
    for each in found:
        missed = "" if each.holds else "missed"
        yield f"| `{each.name}` | {format_value(each.value)} {each.unit} | {each.target} | {missed} |"


def format_value(value: float) -> str:
    """A value in three digits, or all of a larger whole number."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
