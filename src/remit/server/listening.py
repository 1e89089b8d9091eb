"""Listens with uvicorn until a signal, and then stops without losing a run."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Final, cast

import uvicorn
from starlette.applications import Starlette

from remit.errors import SetupError
from remit.server.serving import Serving

_GRACE_SECONDS: Final = 10
"""The seconds in which requests that are being answered may end."""
_INTERRUPTED_STATUS: Final = 130


def listen(host: str, ports: Sequence[int]) -> socket.socket:
    """A socket that listens on the first of ``ports`` that is not in use; port 0 is any free one.

    Raises:
        SetupError: all ports are in use, or the address is not one of this machine.
    """
    for port in ports[:-1]:
        try:
            return _listen(host, port)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise _make_error(host, port, error) from error
    try:
        return _listen(host, ports[-1])
    except OSError as error:
        raise _make_error(host, ports[-1], error) from error


def _make_error(host: str, port: int, error: OSError) -> SetupError:
    return SetupError(f"cannot listen on {host} port {port}: {error.strerror}; give another --port")


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(1024)
    except OSError:
        listening.close()
        raise
    return listening


async def serve_until_stopped(
    app: Starlette, listening: socket.socket, *, certificate: Path | None = None, key: Path | None = None
) -> None:
    """Serve ``app`` until SIGTERM or Ctrl-C: first its streams end, then its requests, and then its runs rest.

    With a ``certificate`` and its ``key``, files in PEM, it speaks TLS.
    """
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
        ssl_certfile=certificate,
        ssl_keyfile=key,
    )
    await _Server(config, cast("Serving", app.state.serving)).serve(sockets=[listening])


class _Server(uvicorn.Server):
    """A uvicorn server that tells its streams about a stop: uvicorn itself waits until they end."""

    def __init__(self, config: uvicorn.Config, serving: Serving) -> None:
        super().__init__(config)
        self._serving = serving

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop at the first signal, and exit at once at the second, as a crash would."""
        if self.should_exit:
            os._exit(_INTERRUPTED_STATUS)
        self.should_exit = True
        asyncio.get_running_loop().call_soon_threadsafe(self._serving.stopping.set)
