"""``remit serve``: serves an application over HTTP."""

from __future__ import annotations

import secrets
import sys
from typing import Annotated, Final

import typer

from remit.cli.apps import find_app, installed_apps
from remit.cli.client import open_client
from remit.cli.status import ExitStatus
from remit.lazy_exports import require_extra

_LOOPBACK: Final = "127.0.0.1"


def serve(
    app: Annotated[str, typer.Argument(metavar="APP", help="The application, or package.module:attribute.")],
    *,
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="The port; 0 for any free one.")] = 8420,
    concurrency: Annotated[
        int, typer.Option(metavar="N", min=0, help="How many runs to execute at once; 0 leaves them to executors.")
    ] = 8,
) -> int:
    """Serve an application over HTTP, and execute its runs.

    It listens on this machine alone, and runs until Ctrl-C or SIGTERM. A run that does not finish or suspend within ten
    seconds is released for another process. A second Ctrl-C exits at once.
    """
    with require_extra("remit serve", "server"):
        from remit.server.app import build_server
        from remit.server.listening import listen, serve_until_stopped
        from remit.server.one_user import OneUser
        from remit.server.serving import ServerSettings
    found = find_app(app, installed_apps())
    with open_client() as client:
        runtime = client.runtime(found)
        me = OneUser(client.principal, secrets.token_urlsafe(32))
        server = build_server(runtime, me, ServerSettings(concurrency=concurrency))
        with listen(_LOOPBACK, port) as socket:
            address = f"http://{_LOOPBACK}:{socket.getsockname()[1]}"
            print(f"serving {found.name} on {address}; send Authorization: Bearer {me.token}", file=sys.stderr)
            client.wait(serve_until_stopped(server, socket))
    return ExitStatus.DONE
