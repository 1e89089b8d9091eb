"""A stack of layers as a value: build it with an ``if``, print it, attach it to many tools."""

from __future__ import annotations

from collections.abc import Container, Iterator
from types import FunctionType
from typing import Any, Generic, TypeVar, cast

from remit.core.call_checks import check_arguments
from remit.core.layer import HasPlace, Layer, compose
from remit.core.place import OUTSIDE, Place
from remit.core.service import Service
from remit.errors import SetupError
from remit.shown import show_value

L_co = TypeVar("L_co", bound=HasPlace, covariant=True)
M = TypeVar("M", bound=HasPlace)
Q = TypeVar("Q")
R = TypeVar("R")


@check_arguments()
class Stack(Generic[L_co]):
    """An immutable sequence of layers, outermost first, which is itself a layer. `layer` returns a new stack.

    In ``Stack(a, b)``, a wraps b regardless of their places. `layer` positions a layer by its place.
    """

    __slots__ = ("layers",)

    layers: tuple[L_co, ...]

    def __init__(self, *layers: L_co | Stack[L_co]) -> None:
        flat: list[L_co] = []
        for layer in layers:
            if isinstance(layer, Stack):
                flat.extend(layer.layers)
            else:
                _check_layer(layer)
                flat.append(layer)
        self.layers = tuple(flat)

    def layer(self, layer: M | Stack[M]) -> Stack[L_co | M]:
        """Return a new stack with ``layer`` as far out as the rules for its place allow.

        A custom layer, to which no rule applies, becomes the outermost. Among layers at one place, the last attached is
        outside. The layers of an attached stack keep their order.
        """
        layers: list[L_co | M] = [*self.layers]
        index = 0
        attached: Stack[M] = Stack(layer)
        for each in attached:
            outside = OUTSIDE[each.place]
            index = max([index, *(number for number, other in enumerate(layers, 1) if other.place in outside)])
            layers.insert(index, each)
            index += 1
        return Stack(*layers)

    def __call__(self, inner: Service[Q, R], /) -> Service[Q, R]:
        """Wrap ``inner`` in all layers, which must be of one kind. Useful to test layers together."""
        return compose(cast("tuple[Layer[Q, R], ...]", self.layers), inner)

    def insert_inside(self, places: Container[Place], layer: M) -> Stack[L_co | M]:
        """Return a new stack with ``layer`` just inside the innermost layer at ``places``, or outermost without one."""
        outside = max((index for index, each in enumerate(self.layers, start=1) if each.place in places), default=0)
        layers: list[L_co | M] = [*self.layers[:outside], layer, *self.layers[outside:]]
        return Stack(*layers)

    def has_place(self, place: Place) -> bool:
        """Whether the stack has a layer at ``place``."""
        return any(layer.place is place for layer in self.layers)

    def __iter__(self) -> Iterator[L_co]:
        return iter(self.layers)

    def __len__(self) -> int:
        return len(self.layers)

    def __repr__(self) -> str:
        """Draw the stack with one layer per line, outermost first."""
        return "\n".join(f"{'   ' * max(0, i - 1)}{'└─ ' if i else ''}{x!r}" for i, x in enumerate(self.layers))


def _check_layer(layer: object) -> None:
    if isinstance(layer, type):
        raise SetupError(f"{layer.__name__} is a class, not a layer; write {layer.__name__}(…)")
    if isinstance(layer, FunctionType):
        is_decorated = hasattr(layer, "__wrapped__")
        remedy = f"call it: {layer.__name__}(…)" if is_decorated else "make one of it with @layer_fn"
        raise SetupError(f"{layer.__name__} is a function, not a layer; {remedy}")
    if isinstance(layer, (list, tuple)):
        items = cast("list[object] | tuple[object, ...]", layer)
        raise SetupError(
            f"{show_value(items)} is a {type(items).__name__}, not a layer; write Stack(…) with its layers"
        )
    if not hasattr(layer, "place") or not isinstance(cast("Any", layer).place, Place):
        raise SetupError(f"{show_value(layer)} is not a layer; derive a class from CallLayer, or use @layer_fn")
