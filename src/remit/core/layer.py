"""A layer wraps a service in a service of the same type: policy around a call, as one value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar, cast

from remit.core.checks import show_value
from remit.core.place import Place
from remit.core.service import Service
from remit.errors import SetupError

Q = TypeVar("Q")
R = TypeVar("R")


class HasPlace(Protocol):
    """Anything that a stack can hold: an object with a place."""

    @property
    def place(self) -> Place:
        """Where the layer belongs; `remit.core.place` holds the rules that relate places."""
        ...


class Layer(HasPlace, Protocol[Q, R]):
    """A value that wraps one service in another."""

    def __call__(self, inner: Service[Q, R], /) -> Service[Q, R]:
        """Wrap ``inner``. Called once, when a runtime is built."""
        ...


def compose(layers: Iterable[Layer[Q, R]], base: Service[Q, R]) -> Service[Q, R]:
    """Wrap ``base`` in ``layers``, given outermost first.

    Raises:
        SetupError: the layers are not a list of layers.
    """
    if not isinstance(cast("object", layers), Iterable):
        raise SetupError(f"compose: layers is {show_value(layers)}; write compose([outer, inner], base)")
    service = base
    for layer in reversed(list(layers)):
        service = layer(service)
    return service
