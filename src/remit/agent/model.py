"""The port to a model: a service from a chat request to a completion."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from remit.contracts.callee import HasModel
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


@runtime_checkable
class ChecksModel(HasModel, Protocol):
    """A callee that asks a model, and can say beforehand whether that is to be had."""

    def check_model(self) -> None:
        """See to it, without asking it, that the model can be had.

        Raises:
            NoModelError: it cannot.
        """
        ...


@runtime_checkable
class NamedModel(Protocol):
    """A model that says which it is; then the spans of its requests do."""

    @property
    def model(self) -> str:
        """The name by which it is asked."""
        ...

    @property
    def vendor(self) -> str:
        """Whose it is, as OpenTelemetry names them, like ``openai``."""
        ...
