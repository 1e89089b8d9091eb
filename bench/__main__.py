"""Measure everything, or the parts that are named, and write ``build/bench.json``."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from typing import Final

from bench.calls import calls, turns
from bench.cms import cms
from bench.cms_pages import cms_pages
from bench.counts import counts
from bench.due import due
from bench.durable import durable, postgres
from bench.inventory import inventory
from bench.paused import paused
from bench.process import command_line, process
from bench.scale import scale
from bench.stream import stream
from bench.workers import workers
from bench.workers_memory import workers_memory
from figures.figure import BUILD, Figure, format_figure, select_parts, write_figures

PARTS: Final[dict[str, Callable[[], AsyncIterator[Figure]]]] = {
    "counts": counts,
    "calls": calls,
    "turns": turns,
    "process": process,
    "command_line": command_line,
    "durable": durable,
    "postgres": postgres,
    "paused": paused,
    "due": due,
    "scale": scale,
    "inventory": inventory,
    "cms": cms,
    "cms_pages": cms_pages,
    "stream": stream,
    "workers": workers,
    "workers_memory": workers_memory,
}


async def main(names: list[str]) -> None:
    """Measure and print, one line a figure. A figure that misses its target fails nothing: it is written down."""
    found: list[Figure] = []
    for name in select_parts(names, PARTS):
        async for figure in PARTS[name]():
            print(format_figure(figure), flush=True)
            found.append(figure)
    write_figures(found, BUILD / "bench.json")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
