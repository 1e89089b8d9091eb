"""A layer wraps a service in a service of the same type: policy around a call as one value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar, cast

from remit.core.place import Place
from remit.core.service import Service
from remit.errors import SetupError
from remit.shown import show_value

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
        SetupError: the layers are not a list of layers, or wrap different kinds of services.
    """
    if not isinstance(cast("object", layers), Iterable):
        raise SetupError(f"compose: layers is {show_value(layers)}; write compose([outer, inner], base)")
    listed, service = list(layers), base
    _check_kinds(listed)
    for layer in reversed(listed):
        service = layer(service)
    return service


def _check_kinds(layers: Sequence[HasPlace]) -> None:
    """Refuse layers that cannot wrap one service. A layer without a ``service_kind`` wraps any."""
    kinds = {kind: layer for layer in layers if (kind := getattr(layer, "service_kind", ""))}
    if len(kinds) > 1:
        (kind, one), (other_kind, other) = list(kinds.items())[:2]
        raise SetupError(
            f"{one!r} is a layer around {kind}, and {other!r} around {other_kind}: they cannot wrap one service; write "
            f"Stack({one!r}) for {kind} and Stack({other!r}) for {other_kind}"
        )
