"""A layer takes a service and gives a service of the same kind: policy around a call, in one value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

from remit.core.place import Place
from remit.core.service import Service

Q = TypeVar("Q")
R = TypeVar("R")


class HasPlace(Protocol):
    """What a stack asks of anything in it: where it stands."""

    @property
    def place(self) -> Place:
        """The place in the onion; the rules of `remit.core.place` relate places."""
        ...


class Layer(HasPlace, Protocol[Q, R]):
    """A value that wraps one service in another."""

    def __call__(self, inner: Service[Q, R], /) -> Service[Q, R]:
        """The service that stands around ``inner``. Called once, when a runtime is built."""
        ...


def compose(layers: Iterable[Layer[Q, R]], base: Service[Q, R]) -> Service[Q, R]:
    """Wrap ``base`` in ``layers``, given outermost first."""
    service = base
    for layer in reversed(list(layers)):
        service = layer(service)
    return service
