"""A model that is opened when it is first asked: a run that asks none starts none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack

from remit.agent.model import Model
from remit.contracts.chat import ChatRequest, Completion


class LazyModel:
    """The model of ``open_model``, entered once for all who ask. It stays until `close`, or as long as this process."""

    def __init__(self, open_model: Callable[[], AbstractAsyncContextManager[Model]]) -> None:
        self._open_model = open_model
        self._start_lock = asyncio.Lock()
        self._exit_stack = AsyncExitStack()
        self._model: Model | None = None

    async def start(self) -> Model:
        """The model, ready to be asked.

        Raises:
            SetupError: it cannot be had.
        """
        async with self._start_lock:
            model = self._model = self._model or await self._exit_stack.enter_async_context(self._open_model())
        return model

    async def __call__(self, request: ChatRequest, /) -> Completion:
        """Ask it.

        Raises:
            SetupError: it cannot be had. ModelError, CompletionError: as it raises them.
        """
        model = self._model or await self.start()
        return await model(request)

    async def close(self) -> None:
        """Stop it; asked again, it starts again."""
        self._model = None
        await self._exit_stack.aclose()
