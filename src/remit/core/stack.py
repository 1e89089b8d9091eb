"""A stack of layers as a value: build it with an ``if``, print it, attach it to many tools."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

from remit.core.layer import HasPlace
from remit.core.place import Place, check_order

L_co = TypeVar("L_co", bound=HasPlace, covariant=True)
M = TypeVar("M", bound=HasPlace)


class Stack(Generic[L_co]):
    """Layers in order, outermost first. Immutable; `layer` gives a new stack.

    ``Stack(a, b)``: a stands around b. ``Stack(a, b).layer(c)``: c stands around both, as everywhere.
    """

    __slots__ = ("layers",)

    layers: tuple[L_co, ...]

    def __init__(self, *layers: L_co | Stack[L_co]) -> None:
        flat: list[L_co] = []
        for layer in layers:
            if isinstance(layer, Stack):
                flat.extend(layer.layers)
            else:
                flat.append(layer)
        self.layers = tuple(flat)

    def layer(self, layer: M | Stack[M]) -> Stack[L_co | M]:
        """A new stack with ``layer`` around this one."""
        return Stack[L_co | M](layer, self)

    def check(self) -> None:
        """Refuse an order that breaks a rule.

        Raises:
            LayerOrderError: naming both layers and the reason.
        """
        check_order([layer.place for layer in self.layers], [repr(layer) for layer in self.layers])

    def has_place(self, place: Place) -> bool:
        """Whether a layer of this stack stands at ``place``."""
        return any(layer.place is place for layer in self.layers)

    def __iter__(self) -> Iterator[L_co]:
        return iter(self.layers)

    def __len__(self) -> int:
        return len(self.layers)

    def __repr__(self) -> str:
        """The onion, outermost first, one layer a line."""
        return "\n".join(f"{'   ' * max(0, i - 1)}{'└─ ' if i else ''}{x!r}" for i, x in enumerate(self.layers))
