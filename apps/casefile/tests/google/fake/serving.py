"""Serves the fake over real sockets of this machine."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from apps.casefile.tests.google.fake.server import FakeGoogle


class _Cuttable(H11Protocol):
    """Lets the application end a connection in the middle of an exchange."""

    def handle_events(self) -> None:
        super().handle_events()
        if self.scope:
            self.scope["extensions"] = {"cut": {"now": self.transport.close}}


def url_of(address: socket.socket) -> str:
    """Where a server on this socket is found."""
    return f"http://127.0.0.1:{address.getsockname()[1]}"


@asynccontextmanager
async def serving(google: FakeGoogle, address: socket.socket | None = None) -> AsyncGenerator[FakeGoogle]:
    """The fake at an address of its own, or at one that stays open after it, until the end of the block."""
    config = Config(google, ws="none", lifespan="off", access_log=False, log_config=None)
    config.load()
    state = ServerState()
    listening = address.dup() if address is not None else socket.create_server(("127.0.0.1", 0))
    google.url = url_of(listening)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: _Cuttable(config=config, server_state=state, app_state={}), sock=listening
    )
    try:
        yield google
    finally:
        server.close()
        for connection in list(state.connections):
            connection.shutdown()
        await asyncio.gather(*state.tasks, return_exceptions=True)
        await server.wait_closed()
