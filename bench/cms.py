"""The CMS with many pages: governed calls on SQLite, and how their time grows with the site."""

from __future__ import annotations

import json
import random
import time
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from bench.cms_site import SECTIONS, WORDS, add_pages, slug_of, title_of
from figures.figure import Figure, at_most
from remit import Principal, Runtime
from remit.embeddings import Embeddings, local_embeddings
from remit.tools import Arguments
from remit_cms.app import build
from remit_cms.semantic.index import SemanticIndex
from remit_cms.storage.database import FIRST_SITE, Database
from remit_cms.storage.scope import Target
from remit_cms.storage.seed import DEFAULT_ENVIRONMENT

PAGES: Final = 10_000
CALLS: Final = 60
_ANN: Final = Principal("ann", FIRST_SITE, frozenset({"cms:*"}))

Ask = tuple[str, Callable[[random.Random, int], dict[str, Any]]]
READS: Final[dict[str, Ask]] = {
    "cms.page_read_p95_ms": (
        "cms_getPage",
        lambda chosen, pages: {"pageId": slug_of(chosen.randrange(pages)), "includeContent": True},
    ),
    "cms.list_p95_ms": ("cms_getPages", lambda _chosen, _pages: {}),
    "cms.find_p95_ms": (
        "cms_findResource",
        lambda chosen, pages: {"query": _misspell(title_of(chosen.randrange(pages)), chosen)},
    ),
    "cms.not_found_p95_ms": (
        "cms_getPage",
        lambda chosen, pages: {"pageId": _misspell(slug_of(chosen.randrange(pages)), chosen)},
    ),
    "cms.full_text_p95_ms": ("cms_searchPages", lambda chosen, _: {"query": " ".join(chosen.choices(WORDS, k=2))}),
    "cms.semantic_p95_ms": ("cms_searchPages", lambda chosen, _: {"query": " ".join(chosen.choices(WORDS, k=2))}),
}
"""The tool of each figure, and arguments for a call on a site of so many pages. The list is read from any cursor on."""
_LIST: Final = "cms.list_p95_ms"
_SEMANTIC: Final = "cms.semantic_p95_ms"
"""The figure of searches by words and by meaning; the others search by words."""


async def cms() -> AsyncIterator[Figure]:
    """Each kind of read on a large site and on one of a tenth of its pages."""
    small, large = await measure_reads(PAGES // 10), await measure_reads(PAGES)
    for name, spent in large.items():
        how = (
            f"{READS[name][0]}, governed, on SQLite with {PAGES:,} pages of {SECTIONS} sections; {spent.cpu:.1f} ms of "
            f"CPU, {spent.cpu / small[name].cpu:.1f} times that with {PAGES // 10:,} pages"
        )
        yield at_most(name, spent.wall, "ms", 50, CALLS, how)


class Spent(NamedTuple):
    """What a read has taken in ms, by the clock and of the processor."""

    wall: float
    cpu: float


async def measure_reads(pages: int) -> dict[str, Spent]:
    """The 95th percentiles of what each read takes."""
    found: dict[str, Spent] = {}
    with TemporaryDirectory() as folder:
        database = Database(Path(folder) / "cms.db")
        await add_pages(database, pages)
        index = SemanticIndex(database, Embeddings("stand-in", _embed))
        await index.update(Target(FIRST_SITE, DEFAULT_ENVIRONMENT))
        words = Runtime(build(Path(folder), database=database).app)
        meaning = Runtime(build(Path(folder), database=database, index=index).app)
        cursors = await _read_cursors(words, min(100, pages // 2))
        for name, (tool, make) in READS.items():
            runtime, chosen = meaning if name == _SEMANTIC else words, random.Random(1)
            asked = [make(chosen, pages) for _ in range(CALLS + 3)]
            if name == _LIST:
                asked = [{"cursor": chosen.choice(cursors)} for _ in asked]
            times = [await _time_call(runtime, tool, arguments, name) for arguments in asked][3:]
            found[name] = Spent(*map(_p95, zip(*times, strict=True)))
        await database.close()
    return found


async def _read_cursors(runtime: Runtime, limit: int) -> list[str]:
    """The cursors of the whole list of pages."""
    cursors = list[str]()
    arguments: dict[str, Any] = {"limit": limit}
    while True:
        result = await runtime.call_by_name("cms_getPages", Arguments(json.dumps(arguments), arguments), by=_ANN)
        cursor = json.loads(result.text).get("nextCursor")
        if cursor is None:
            return cursors
        cursors.append(cursor)
        arguments["cursor"] = cursor


async def _time_call(runtime: Runtime, tool: str, arguments: dict[str, Any], name: str) -> Spent:
    given = Arguments(json.dumps(arguments), arguments)
    wall, cpu = time.perf_counter(), time.process_time()
    result = await runtime.call_by_name(tool, given, by=_ANN)
    spent = Spent((time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000)
    code = json.loads(result.text).get("errorCode")
    if code != ("NOT_FOUND" if name == "cms.not_found_p95_ms" else None):
        raise RuntimeError(result.text)
    return spent


def _p95(times: Sequence[float]) -> float:
    return sorted(times)[int(len(times) * 0.95)]


async def _embed(texts: Sequence[str]) -> Sequence[Sequence[float]]:
    """The vectors of queries by the model, and of pages at random: to embed 10,000 of them takes eight minutes."""
    (first,) = await local_embeddings().embed(texts[:1])
    chosen = random.Random(texts[0])
    return [first, *([chosen.gauss(0, 1) for _ in first] for _ in texts[1:])]


def _misspell(text: str, chosen: random.Random) -> str:
    """The text with two letters that changed places, and without one."""
    place = chosen.randrange(1, len(text) - 6)
    return text[:place] + text[place + 1] + text[place] + text[place + 3 :]
