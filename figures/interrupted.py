"""Another program acts while a task waits: at one of its awaits, which are counted."""

from __future__ import annotations

import asyncio
import types
from collections.abc import Awaitable, Callable, Coroutine, Generator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


class Interruption:
    """Awaits ``act`` in a loop of its own when the tasks of this loop have waited ``at`` times; counts the waits."""

    def __init__(self, at: int, act: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self.waits = 0
        self.was_made = False
        self.error: Exception | None = None
        self._at, self._act = at, act

    async def run(self, awaitable: Awaitable[T]) -> T:
        """Await something, and act in between. All tasks that it starts are counted together."""
        loop = asyncio.get_running_loop()
        loop.set_task_factory(self._make_task)
        try:
            return await loop.create_task(_as_coroutine(awaitable))
        finally:
            loop.set_task_factory(None)

    def _make_task(self, loop: asyncio.AbstractEventLoop, coroutine: Any, **options: Any) -> asyncio.Task[Any]:
        return asyncio.Task(_as_coroutine(self._count(coroutine)), loop=loop, **options)

    @types.coroutine
    def _count(self, coroutine: Any) -> Generator[Any, Any, Any]:
        """Drive a coroutine, and act before it waits for the time that was asked for."""
        step: Callable[[], Any] = lambda: coroutine.send(None)  # noqa: E731 - one of two
        while True:
            try:
                waits_for = step()
            except StopIteration as end:
                return end.value
            self.waits += 1
            if self.waits == self._at:
                self._interrupt()
            try:
                sent = yield waits_for
            except BaseException as error:  # noqa: BLE001 - passed on as it is
                step = lambda error=error: coroutine.throw(error)  # noqa: E731
            else:
                step = lambda sent=sent: coroutine.send(sent)  # noqa: E731

    def _interrupt(self) -> None:
        with ThreadPoolExecutor(1) as other:
            try:
                other.submit(asyncio.run, self._act()).result()
            except Exception as error:  # noqa: BLE001 - whatever it is, the other program was refused
                self.error = error
            else:
                self.was_made = True


async def _as_coroutine(awaitable: Awaitable[T]) -> T:
    return await awaitable
