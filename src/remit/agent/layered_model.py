"""The layers around the model of an agent, composed once; each request brings the model that it is for."""

from __future__ import annotations

from collections.abc import Iterable
from contextvars import ContextVar
from typing import Final

from remit.contracts.call import ModelLayer, ModelService
from remit.contracts.chat import ChatRequest, Completion
from remit.contracts.guard import compose_models

_MODEL: Final[ContextVar[ModelService]] = ContextVar("remit_layered_model")


class LayeredModel:
    """Asks a model through layers, given outermost first."""

    def __init__(self, layers: Iterable[ModelLayer]) -> None:
        self._service = compose_models(layers, _ask_model)

    async def __call__(self, request: ChatRequest, model: ModelService) -> Completion:
        """The completion that leaves the outermost layer."""
        token = _MODEL.set(model)
        try:
            return await self._service(request)
        finally:
            _MODEL.reset(token)


async def _ask_model(request: ChatRequest, /) -> Completion:
    return await _MODEL.get()(request)
