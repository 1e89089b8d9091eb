"""Serves a site: ``python -m remit_cms.site``. Needs the extra ``server`` of Remit."""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import Sequence

from remit.errors import ExternalError
from remit.home import data_folder, data_location
from remit_cms.images.renditions import Renditions
from remit_cms.rendering.renderer import PageRenderer
from remit_cms.site.asgi import Site
from remit_cms.site.previewing import PreviewKey
from remit_cms.storage.database import FIRST_SITE, Database
from remit_cms.storage.scope import Target
from remit_cms.storage.seed import DEFAULT_ENVIRONMENT


async def make_site(target: Target, url: str) -> Site:
    """The site in Remit's home, with previews if their key is set."""
    database = Database(data_location(os.environ, "cms"))
    renditions = Renditions(database)
    try:
        key = await PreviewKey().resolve()
    except ExternalError:
        key = None
    renderer = PageRenderer(database, data_folder(os.environ) / "sites", renditions)
    return Site(database, renderer, renditions, target, url=url, preview_key=key)


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve one site on this machine, until Ctrl-C."""
    parser = argparse.ArgumentParser(prog="python -m remit_cms.site", description=__doc__)
    parser.add_argument("--target", default=f"{FIRST_SITE}/{DEFAULT_ENVIRONMENT}", help="SITE/ENVIRONMENT")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on; this machine alone by default")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--url", default="", help="the address of the site for visitors")
    given = parser.parse_args(arguments)
    site, _, environment = given.target.partition("/")
    url = given.url or f"http://{given.host}:{given.port}"

    async def serve() -> None:
        import uvicorn  # noqa: PLC0415 - of the extra

        app = await make_site(Target(site, environment or DEFAULT_ENVIRONMENT), url)
        config = uvicorn.Config(app, host=given.host, port=given.port, access_log=False, server_header=False)
        await uvicorn.Server(config).serve()

    asyncio.run(serve())


if __name__ == "__main__":
    main()
