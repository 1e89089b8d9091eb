"""A tool whose function is found on first use. Its name and governance are known in advance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, ParamSpec, TypeVar

from remit.call.call import CallLayer
from remit.call.facts import Facts
from remit.call.tool import PreviewFunction, ReconcileFunction, Tool
from remit.core import Stack

P = ParamSpec("P")
Out = TypeVar("Out")

_FOUND: Final = (
    "_body",
    "_function",
    "_preview",
    "_reconcile",
    "_signature",
    "description",
    "schema_in",
    "schema_out",
)
"""The properties that a tool takes from its function."""


class DeferredTool(Tool[P, Out]):
    """A tool that is found on first access to its function, contract or description.

    Args:
        find: makes the tool that provides the function and the contract. name, facts, layers, where: the attributes of
            this tool.
    """

    __slots__ = ("_find",)

    def __init__(
        self, find: Callable[[], Tool[P, Out]], *, name: str, facts: Facts, layers: Stack[CallLayer], where: str
    ) -> None:
        known = {"_find": find, "name": name, "facts": facts, "layers": layers, "where": where}
        for each, value in known.items():
            object.__setattr__(self, each, value)

    def __getattr__(self, name: str) -> Any:
        """Find the tool and keep its function's properties."""
        if name not in _FOUND:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        found = self._find()
        for each in _FOUND:
            object.__setattr__(self, each, getattr(found, each))
        return getattr(found, name)

    def _copy(
        self,
        *,
        name: str | None = None,
        layers: Stack[CallLayer] | None = None,
        reconcile: ReconcileFunction | None = None,
        preview: PreviewFunction | None = None,
    ) -> Tool[P, Out]:
        if reconcile is not None or preview is not None:
            return super()._copy(name=name, layers=layers, reconcile=reconcile, preview=preview)
        return DeferredTool(
            self._find,
            name=self.name if name is None else name,
            facts=self.facts,
            layers=self.layers if layers is None else layers,
            where=self.where,
        )
