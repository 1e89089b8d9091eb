"""Serves a site: ``python -m remit_cms.site``. Needs the extra ``site``."""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Final

from sqlalchemy import select

from remit.errors import NotFoundError, SetupError
from remit.home import data_folder, data_location
from remit_cms.images.renditions import Renditions
from remit_cms.rendering.renderer import PageRenderer
from remit_cms.site.asgi import Site
from remit_cms.site.cors import Cors
from remit_cms.site.preview_key import PreviewKey
from remit_cms.storage.database import FIRST_SITE, Database
from remit_cms.storage.scope import Target
from remit_cms.storage.seed import DEFAULT_ENVIRONMENT
from remit_cms.storage.tables import Environment

_LAST_PORT: Final = 65535


async def make_site(database: Database, target: Target, url: str, origins: Sequence[str] = ()) -> Site:
    """A site, with previews if their key is set.

    Raises:
        NotFoundError: there is no such site or environment.
        SetupError: the key of previews is too short, or an origin is none.
    """
    cors = Cors(origins)
    async with database.read() as session:
        rows = await session.execute(select(Environment).order_by(Environment.site, Environment.name))
        targets = [Target(row.site, row.name) for row in rows.scalars()]
    if target not in targets:
        names = ", ".join(f"{each.site}/{each.environment}" for each in targets)
        raise NotFoundError(f"No site '{target.site}/{target.environment}'. Give as --target one of these: {names}.")
    key, renditions = await PreviewKey().find(), Renditions(database)
    renderer = PageRenderer(database, data_folder(os.environ) / "sites", renditions)
    return Site(database, renderer, renditions, target, url=url, preview_key=key, cors=cors)


def _listen(host: str, port: int) -> socket.socket:
    """Listen at an address. The server itself would report a failure in several lines of a log.

    Raises:
        SetupError: this is not possible there.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        reason = (error.strerror or str(error)).partition(" (")[0]
        raise SetupError(f"cannot listen at {host}:{port}: {reason}; give another --port") from None


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve one site on this machine, until Ctrl-C."""
    parser = argparse.ArgumentParser(prog="python -m remit_cms.site", description=__doc__)
    parser.add_argument("--target", default=f"{FIRST_SITE}/{DEFAULT_ENVIRONMENT}", help="SITE/ENVIRONMENT")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on; this machine alone by default")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--url", default="", help="the address of the site for visitors")
    parser.add_argument("--cors", action="append", default=[], metavar="ORIGIN", help="whose scripts may read the API")
    given = parser.parse_args(arguments)
    if find_spec("uvicorn") is None:
        raise SystemExit(
            "the server of the site is missing; in a checkout of Remit, run: pip install './apps/cms[site]'"
        )
    if not 1 <= given.port <= _LAST_PORT:
        raise SystemExit(f"there is no port {given.port}; give --port from 1 to {_LAST_PORT}")
    site, _, environment = given.target.partition("/")
    url = given.url or f"http://{given.host}:{given.port}"

    async def serve() -> None:
        import uvicorn  # noqa: PLC0415 - of the extra

        async with Database(data_location(os.environ, "cms")) as database:
            target = Target(site, environment or DEFAULT_ENVIRONMENT)
            app = await make_site(database, target, url, given.cors)
            config = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False)
            with _listen(given.host, given.port) as listener:
                print(f"{target.site}/{target.environment} is at {url}; Ctrl-C ends it", flush=True)  # noqa: T201 - a command
                await uvicorn.Server(config).serve(sockets=[listener])

    try:
        asyncio.run(serve())
    except (NotFoundError, SetupError) as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
