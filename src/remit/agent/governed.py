"""How the lock of an inventory stores an agent's setting, and which changes loosen the agent's governance."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar, TypeAlias

from msgspec import Struct


class Grants(Struct, frozen=True):
    """A set of permitted actions; None permits everything. A larger set is looser.

    ``verb`` says what the agent may do with an element. ``read`` returns the names, by default the attribute's
    elements, and ``field`` is the setting's name in the lock if it differs.
    """

    verb: str
    read: Callable[[Any], Iterable[object] | None] | None = None
    field: str = ""

    summary: ClassVar = "more is looser"


class Bounds(Struct, frozen=True):
    """Numbers that limit the agent, as a pydantic model. A higher one, or None instead of one, is looser."""

    summary: ClassVar = "higher is looser"


class Wraps(Struct, frozen=True):
    """Layers around the agent's work. Removing or reordering them is looser."""

    read: Callable[[Any], Iterable[object]]
    field: str

    summary: ClassVar = "fewer, or another order, is looser"


class Accepts(Struct, frozen=True):
    """A policy for the agent's input, as a pydantic model. Every change except its removal is looser."""

    summary: ClassVar = "any change but its removal is looser"


class Noticed(Struct, frozen=True):
    """A setting of the agent's way of working, as a text. Its changes neither loosen nor tighten governance."""

    show: Callable[[Any], str] = repr

    summary: ClassVar = "a change is noticed"


class Elsewhere(Struct, frozen=True):
    """The lock holds the setting in another part of the agent's entry."""

    where: str

    @property
    def summary(self) -> str:
        """How the lock holds it."""
        return f"in {self.where}"


class Ungoverned(Struct, frozen=True):
    """The lock does not hold the setting, for a reason."""

    reason: str

    @property
    def summary(self) -> str:
        """How the lock holds it."""
        return f"no: {self.reason}"


Governed: TypeAlias = Grants | Bounds | Wraps | Accepts | Noticed | Elsewhere | Ungoverned
