"""Fetches the weights of local models beside a server, one at a time. A fetch that is stopped is continued later."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Literal

from remit.errors import RemitError, RequestConflictError, RequestNotFoundError, SetupError
from remit.models.local import LocalModel, find_local_models

_LOG: Final = logging.getLogger("remit.server")

WeightsState = Literal["absent", "fetching", "stopped", "failed", "here"]


def list_weights() -> list[LocalModel]:
    """The weights that can be fetched; none if local models are not installed."""
    try:
        return list(find_local_models().downloadable())
    except SetupError:
        return []


class _StopFetchingError(Exception):
    """Raised in the thread that fetches."""


@dataclass(slots=True)
class Fetch:
    """How far a fetch has come, in bytes, and why it failed."""

    name: str
    done: int = 0
    state: WeightsState = "fetching"
    problem: str = ""
    is_stopping: bool = False

    def report(self, done: int) -> None:
        """Note how far it is.

        Raises:
            _StopFetchingError: it is to stop.
        """
        self.done = done
        if self.is_stopping:
            raise _StopFetchingError


class WeightsFetcher:
    """Fetches weights in a thread. ``on_here`` is awaited when they have come."""

    def __init__(self, on_here: Callable[[], Awaitable[None]]) -> None:
        self._on_here = on_here
        self._fetches = dict[str, Fetch]()
        self._task: asyncio.Task[None] | None = None

    def find(self, name: str) -> Fetch | None:
        """The last fetch of weights since the server started."""
        return self._fetches.get(name)

    def start(self, name: str) -> None:
        """Fetch weights, or continue a fetch. Nothing happens if they are being fetched.

        Raises:
            RequestNotFoundError: there are no such weights. RequestConflictError: others are being fetched.
        """
        known = [each.name for each in list_weights()]
        if name not in known:
            raise RequestNotFoundError(f"there are no weights {name!r:.100}; available: {', '.join(known) or 'none'}")
        fetching = next((each.name for each in self._fetches.values() if each.state == "fetching"), "")
        if fetching == name:
            return
        if fetching:
            raise RequestConflictError(f"the weights {fetching!r} are being fetched; stop that first, or wait")
        fetch = self._fetches[name] = Fetch(name)
        self._task = asyncio.create_task(self._fetch(fetch))

    async def stop(self) -> None:
        """Stop fetching. What is there already is kept."""
        for each in self._fetches.values():
            each.is_stopping = True
        if self._task is not None:
            await self._task

    close = stop

    async def _fetch(self, fetch: Fetch) -> None:
        try:
            await asyncio.to_thread(find_local_models().download, fetch.name, fetch.report)
        except _StopFetchingError:
            fetch.state = "stopped"
        except RemitError as error:
            fetch.state, fetch.problem = "failed", error.message
        except Exception:  # noqa: BLE001 - whatever it is, the fetch has failed, and the log says why
            _LOG.exception("weights could not be fetched")
            fetch.state, fetch.problem = "failed", "they could not be fetched; the server's log says why"
        else:
            fetch.state = "here"
            await self._on_here()
