"""The authorized session of a transport: opened on first use, closed with the event loop at the latest."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Protocol, TypeAlias, cast

if TYPE_CHECKING:
    from google.auth import credentials as blocking
    from google.auth.aio import credentials as nonblocking

Credentials: TypeAlias = "nonblocking.Credentials | blocking.Credentials"
CredentialsLoader = Callable[[], Awaitable["Credentials"]]
"""Where credentials come from when they are first needed."""


class Response(Protocol):
    """A google-auth response whose body is still arriving."""

    @property
    def status_code(self) -> int:
        """The status."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers, with names as received."""
        ...

    def content(self, chunk_size: int, /) -> AsyncIterator[bytes]:
        """The body, as it arrives."""
        ...

    async def close(self) -> None:
        """Stop reading."""
        ...


class Session(Protocol):
    """The part of google-auth's session used here."""

    async def request(
        self,
        method: str,
        url: str,
        data: bytes | None,
        headers: Mapping[str, str],
        total_timeout: float,
        attempt_timeout: float,
        attempts: int,
        /,
        *,
        allow_redirects: bool,
    ) -> Response:
        """Send a request, and again after a 401 with renewed credentials; timeouts in total and per attempt."""
        ...

    async def close(self) -> None:
        """Release the connections."""
        ...


class AccountSession:
    """One session of one account.

    An application is not told when its program ends. A task therefore waits to be cancelled with the event loop, and
    releases the connections then.
    """

    def __init__(self, credentials: Credentials | CredentialsLoader) -> None:
        self._credentials = credentials
        self._open_lock = asyncio.Lock()
        self._session: Session | None = None
        self._closing_task: asyncio.Task[None] | None = None

    async def session(self) -> Session:
        """The session. If signing in fails, the next use tries again.

        Raises:
            CallError: there are no credentials to sign in with.
        """
        async with self._open_lock:
            if self._session is None:
                self._session = await _open_session(self._credentials)
                self._closing_task = asyncio.create_task(self._close_with_loop(self._session), name="google-session")
            return self._session

    async def close(self) -> None:
        """Release the connections. The next use opens them again."""
        session, self._session = self._session, None
        if self._closing_task is not None:
            self._closing_task.cancel()
        if session is not None:
            await session.close()

    async def _close_with_loop(self, session: Session) -> None:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            if self._session is session:
                await self.close()


async def _open_session(source: Credentials | CredentialsLoader) -> Session:
    """Open a session. Imported late: Google's packages load slowly, and most processes never call Google."""
    from google.auth import credentials as blocking  # noqa: PLC0415
    from google.auth.aio import credentials as nonblocking  # noqa: PLC0415
    from google.auth.aio.transport.sessions import AsyncAuthorizedSession  # noqa: PLC0415

    ready = isinstance(source, (nonblocking.Credentials, blocking.Credentials))
    # google-auth types `content` of a response as a coroutine; it is an async generator.
    return cast("Session", AsyncAuthorizedSession(source if ready else await source()))
