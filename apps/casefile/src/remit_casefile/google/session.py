"""The authorized session behind a transport: opened when first used, closed with the event loop at the latest."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Protocol, TypeAlias, cast

if TYPE_CHECKING:
    from google.auth import credentials as blocking
    from google.auth.aio import credentials as nonblocking

Credentials: TypeAlias = "nonblocking.Credentials | blocking.Credentials"
SignIn = Callable[[], Awaitable["Credentials"]]
"""Where credentials come from when they are first needed."""


class Response(Protocol):
    """What google-auth gives while an answer is still coming."""

    @property
    def status_code(self) -> int:
        """The status."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers, with names as they came."""
        ...

    def content(self, chunk_size: int, /) -> AsyncIterator[bytes]:
        """The body, as it comes."""
        ...

    async def close(self) -> None:
        """Read no more."""
        ...


class Session(Protocol):
    """What of google-auth's session is used here."""

    async def request(
        self,
        method: str,
        url: str,
        data: bytes | None,
        headers: Mapping[str, str],
        in_all: float,
        each: float,
        attempts: int,
        /,
        *,
        allow_redirects: bool,
    ) -> Response:
        """Ask, and once more after a 401 with renewed credentials; so many seconds in all and for each attempt."""
        ...

    async def close(self) -> None:
        """Give back the connections."""
        ...


class SignedIn:
    """One session of one account.

    Nobody tells an application when its program ends. So a task waits for that: it is cancelled with the event loop,
    and gives back the connections then.
    """

    def __init__(self, credentials: Credentials | SignIn) -> None:
        self._credentials = credentials
        self._opening = asyncio.Lock()
        self._open: Session | None = None
        self._keeper: asyncio.Task[None] | None = None

    async def session(self) -> Session:
        """The session. Where signing in fails, the next use tries again.

        Raises:
            CallError: there is nothing to sign in with.
        """
        async with self._opening:
            if self._open is None:
                self._open = await _opened(self._credentials)
                self._keeper = asyncio.create_task(self._keep(self._open), name="google-session")
            return self._open

    async def close(self) -> None:
        """Give back the connections. The next use opens them again."""
        session, self._open = self._open, None
        if self._keeper is not None:
            self._keeper.cancel()
        if session is not None:
            await session.close()

    async def _keep(self, session: Session) -> None:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            if self._open is session:
                await self.close()


async def _opened(given: Credentials | SignIn) -> Session:
    """A new session. Google's own packages take their time to load, and most processes never ask Google."""
    from google.auth import credentials as blocking  # noqa: PLC0415
    from google.auth.aio import credentials as nonblocking  # noqa: PLC0415
    from google.auth.aio.transport.sessions import AsyncAuthorizedSession  # noqa: PLC0415

    ready = isinstance(given, (nonblocking.Credentials, blocking.Credentials))
    # google-auth types `content` of a response as a coroutine; it is an async generator.
    return cast("Session", AsyncAuthorizedSession(given if ready else await given()))
