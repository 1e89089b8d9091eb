"""The rendered site behind its HTTP server on loopback: pages a second from one process, its client included."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

import uvicorn

from bench.cms_site import add_pages, slug_of
from figures.figure import Figure, at_least
from remit_cms.images.renditions import Renditions
from remit_cms.rendering.renderer import PageRenderer
from remit_cms.site.asgi import Site
from remit_cms.storage.database import FIRST_SITE, Database
from remit_cms.storage.scope import Target
from remit_cms.storage.seed import DEFAULT_ENVIRONMENT

PAGES: Final = 1_000
SHOWN: Final = 200
REQUESTS: Final = 2_000
_CONNECTIONS: Final = 8


async def cms_pages() -> AsyncIterator[Figure]:
    """Pages that are kept for a second, and pages before each of which the database is asked what changed."""
    for name, look_every in (("cms.site_pages_per_s", 1.0), ("cms.site_looked_pages_per_s", 0.0)):
        pages = await measure_pages(look_every)
        how = (
            f"{SHOWN} pages of {PAGES:,} over {_CONNECTIONS} connections, looking for changes each {look_every:g} s; "
            f"{pages.per_cpu_second:.0f} for each second of CPU time, that of the client included"
        )
        yield at_least(name, pages.per_second, "pages/s", 500, REQUESTS, how)


class Pages(NamedTuple):
    """How many pages were served in each second by the clock, and of CPU time."""

    per_second: float
    per_cpu_second: float


async def measure_pages(look_every: float) -> Pages:
    """The pages of a site that looks for changes so often (in seconds)."""
    with TemporaryDirectory() as folder:
        database = Database(Path(folder) / "cms.db")
        await add_pages(database, PAGES)
        renditions = Renditions(database)
        renderer = PageRenderer(database, Path(folder) / "sites", renditions)
        target = Target(FIRST_SITE, DEFAULT_ENVIRONMENT)
        async with _serve(Site(database, renderer, renditions, target, look_every=look_every)) as port:
            paths = [f"/{slug_of(number % SHOWN)}" for number in range(REQUESTS)]
            await _get_all(port, paths[:SHOWN])
            wall, cpu = time.perf_counter(), time.process_time()
            await _get_all(port, paths)
            spent = time.perf_counter() - wall, time.process_time() - cpu
        await database.close()
    return Pages(*(REQUESTS / seconds for seconds in spent))


@asynccontextmanager
async def _serve(site: Site) -> AsyncGenerator[int]:
    config = uvicorn.Config(site, host="127.0.0.1", port=0, access_log=False, server_header=False, log_level="error")
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
        await asyncio.sleep(0.01)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    await serving


async def _get_all(port: int, paths: list[str]) -> None:
    async def get(part: list[str]) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for path in part:
            writer.write(f"GET {path} HTTP/1.1\r\nHost: site\r\n\r\n".encode())
            head = await reader.readuntil(b"\r\n\r\n")
            if not head.startswith(b"HTTP/1.1 200"):
                raise RuntimeError(head.decode())
            (length,) = (line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
            await reader.readexactly(int(length.partition(b":")[2]))
        writer.close()

    await asyncio.gather(*(get(paths[number::_CONNECTIONS]) for number in range(_CONNECTIONS)))
