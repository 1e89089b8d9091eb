"""The port to a model: a service from a chat request to a completion."""

from __future__ import annotations

from typing import Protocol

from remit.contracts.chat import ChatRequest, Completion


class Model(Protocol):
    """Whatever answers a chat request: an adapter in `remit.models`, or a fake in a test."""

    async def __call__(self, request: ChatRequest, /) -> Completion:
        """Ask the model once.

        Raises:
            ModelError: it could not be asked.
            CompletionError: it answered, but not with a completion.
        """
        ...
