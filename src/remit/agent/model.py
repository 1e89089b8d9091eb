"""The port to a model: a service from a chat request to a completion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias, runtime_checkable

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
class ModelByName(Model, Protocol):
    """A model that was resolved from a name, and can be checked before a run asks it."""

    @property
    def name(self) -> str:
        """The name, like ``openai:gpt-5``."""
        ...

    def check(self) -> None:
        """Make sure, without a request, that the model can be used here.

        Raises:
            NoModelError: it cannot.
        """
        ...


ResolveModel = Callable[[str], Model]
"""From the name of a model to the model; each name gives one model."""


def is_same_model(one: object, other: object) -> bool:
    """Whether two models are the same object, or are known by the same name."""
    return one is other or (bool(_name_of(one)) and _name_of(one) == _name_of(other))


def _name_of(model: object) -> str:
    """The name of a model that was given by name, resolved or not; empty for any other."""
    if isinstance(model, str):
        return model
    return model.name if isinstance(model, ModelByName) else ""


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


@runtime_checkable
class VendorModel(Protocol):
    """A model of a vendor's library, like one of PydanticAI's: only a driver made for the library can ask it."""

    @property
    def model_name(self) -> str:
        """The name by which the model is asked."""
        ...

    @property
    def system(self) -> str:
        """The provider."""
        ...


AnyModel: TypeAlias = Model | VendorModel | str
"""A model of Remit's port, one of a vendor's library, or the name of either."""


def model_name(model: AnyModel) -> str:
    """The name of a model as patterns match it, like ``openai:gpt-5``; empty for a model without a name."""
    if isinstance(model, str):
        return model
    if isinstance(model, ModelByName):
        return model.name
    if isinstance(model, NamedModel):
        return f"{model.vendor}:{model.model}"
    return f"{model.system}:{model.model_name}" if isinstance(model, VendorModel) else ""
