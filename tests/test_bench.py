"""Every part of `make bench` runs, in its shortest form: what it measures then means nothing, and it fails nothing."""

from __future__ import annotations

from types import ModuleType
from typing import Final

import pytest

import bench.calls
import bench.chat
import bench.cms
import bench.cms_pages
import bench.due
import bench.durable
import bench.inventory
import bench.open_run
import bench.paused
import bench.process
import bench.scale
import bench.stream
import bench.workers
import bench.workers_memory
import bench.wrap
from bench.__main__ import PARTS, format_table
from figures.figure import at_least, at_most

SIZES: Final[dict[ModuleType, dict[str, int | str]]] = {
    bench.calls: {"WINDOWS": 1, "CALLS_PER_WINDOW": 1, "RUNS_PER_WINDOW": 1},
    bench.chat: {"CHATS": 2, "ROUNDS": 1, "WARM_UP": 1},
    bench.cms: {"PAGES": 20, "CALLS": 2},
    bench.cms_pages: {"PAGES": 20, "SHOWN": 5, "REQUESTS": 10},
    bench.due: {"RUNS": 200, "WAITING": 50, "LISTINGS": 20},
    bench.durable: {"ALONE": 2},
    bench.inventory: {"METHODS": 50, "REPEATS": 1},
    bench.paused: {"WAITING": 2, "RESUMED": 1},
    bench.process: {"REPEATS": 1, "WARM_UPS": 0, "PEAKS": 1, "BYTECODE": ""},
    bench.scale: {"FEW": 100, "MANY": 200, "LISTINGS": 2},
    bench.open_run: {"CALLS": 5, "REPEATS": 1, "AT_REST": 5},
    bench.stream: {"REPEATS": 1, "PIECES": 10, "FOLLOWED_RUNS": 1},
    bench.workers: {"RUNS": 1, "REPEATS": 1},
    bench.workers_memory: {"PARALLEL_WORKERS": 1},
    bench.wrap: {"CALLS": 5},
}
"""The shortest form of each part, as constants of its module. What other tests have compiled is not compiled again."""

IN_PROCESSES: Final = (
    "counts",
    "process",
    "command_line",
    "paused",
    "postgres",
    "workers_memory",
    "chat",
    "chat_postgres",
    "wrap",
)


@pytest.mark.untraced
@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=pytest.mark.process if each in IN_PROCESSES else ()) for each in PARTS]
)
async def test_a_part_of_the_benchmarks_runs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module, sizes in SIZES.items():
        for constant, size in sizes.items():
            monkeypatch.setattr(module, constant, size)
    found = [figure async for figure in PARTS[name]()]
    assert found
    assert all(figure.unit and figure.n > 0 for figure in found)


def test_the_costs_are_a_table_that_says_which_target_was_missed() -> None:
    found = [
        at_most("call.us", 12.34, "µs", 10, 5, "as it is"),
        at_least("site.pages_per_s", 7260.4, "pages/s", 500, 5, ""),
    ]
    _, empty, *lines = format_table(found, 2.5e-6)
    assert empty == ""
    assert lines[2:] == [
        "| `call.us` | 12.3 µs | ≤ 10 | missed |",
        "| `site.pages_per_s` | 7,260 pages/s | ≥ 500 |  |",
    ]
