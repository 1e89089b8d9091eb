"""What all routes of a server share: its runtime, who asks, and its limits."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from pydantic import NonNegativeInt, PositiveFloat, PositiveInt
from starlette.requests import Request

from remit.client.client import Client
from remit.core.call_checks import check_arguments
from remit.engine.port import Engine
from remit.errors import RequestError
from remit.runtime import Runtime
from remit.server.identity import Authenticate, Identity, SignInError
from remit.server.model_switch import ModelSwitch


class TooLargeError(RequestError, code="TOO_LARGE"):
    """The body of a request is larger than the server's limit."""


@check_arguments()
@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """Limits of a server.

    Args:
        body_bytes: the size of a request's body.
        history_bytes: the size of one of AG-UI, which repeats all messages.
        file_bytes: the size of a file that is sent.
        concurrency: how many runs this process executes at once; 0 if only other processes execute runs.
        poll_seconds: seconds between two looks for changes that other processes made.
        keep_alive_seconds: the seconds after which a silent stream sends a comment, so that proxies keep it open.
    """

    body_bytes: PositiveInt = 1_000_000
    history_bytes: PositiveInt = 16_000_000
    file_bytes: PositiveInt = 50_000_000
    concurrency: NonNegativeInt = 8
    poll_seconds: PositiveFloat = 0.5
    keep_alive_seconds: PositiveFloat = 15.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """What all routes of one server share. ``stopping`` is set when the server is about to stop."""

    runtime: Runtime
    authenticate: Authenticate
    settings: ServerSettings
    engine: Engine | None
    models: ModelSwitch | None = None
    stopping: asyncio.Event = field(default_factory=asyncio.Event)

    async def identify(self, request: Request) -> Identity:
        """Who sends a request.

        Raises:
            SignInError: the sender is not signed in.
        """
        identity = await self.authenticate(request)
        if identity is None or identity.principal.is_anonymous:
            raise SignInError("sign in first")
        return identity

    async def client(self, request: Request) -> Client:
        """The client of the sender of a request.

        Raises:
            SignInError: the sender is not signed in.
        """
        return self.runtime.client((await self.identify(request)).principal)

    async def start(self, run: str) -> None:
        """Tell the engine about a new run."""
        if self.engine is not None:
            await self.engine.start(run)

    async def wake(self, run: str) -> None:
        """Tell the engine that a run may continue."""
        if self.engine is not None:
            await self.engine.wake(run)

    async def read_body(self, request: Request, most: int) -> bytes:
        """The body of a request, of at most ``most`` bytes.

        Raises:
            TooLargeError: it is larger. Nothing beyond the limit was read.
        """
        content = bytearray()
        async for part in request.stream():
            content += part
            if len(content) > most:
                raise TooLargeError(f"the body is larger than {most:,} bytes; send less")
        return bytes(content)
