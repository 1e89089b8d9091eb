"""How layers around a model ask models, so that the journal records each request and usage counts each answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Final

from remit.contracts.call import ModelService
from remit.contracts.chat import ChatRequest, Completion

Asker = Callable[[ModelService | None, ChatRequest], Awaitable[Completion]]
"""Asks a model, or the agent's own model if None."""

CURRENT_ASKER: Final[ContextVar[Asker | None]] = ContextVar("remit_asker", default=None)
"""The asker of the request that the current task's layers handle; None outside of an agent."""


async def ask_model(model: ModelService, request: ChatRequest, /) -> Completion:
    """Ask a model from a layer. In a replay no model is asked; the journal answers."""
    asker = CURRENT_ASKER.get()
    return await (model(request) if asker is None else asker(model, request))
