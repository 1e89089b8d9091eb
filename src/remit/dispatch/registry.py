"""Names exist at the edges only; here a name becomes an object, and two things cannot have one name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict

from remit.contracts.arguments import Arguments
from remit.contracts.call import CallLayer
from remit.contracts.callee import UNKNOWN, Callee, Found, Frame
from remit.contracts.contract import check_name
from remit.contracts.facts import Effect, Facts
from remit.contracts.schema import Input, Output
from remit.core import Stack
from remit.errors import NameTakenError, UnknownToolError

AnyCallee = Callee[..., Any]


class Registry:
    """Callees by their canonical name.

    Raises:
        NameTakenError: two of them want one name.
    """

    def __init__(self, callees: Iterable[AnyCallee] = ()) -> None:
        self._by_name: dict[str, AnyCallee] = {}
        for callee in callees:
            self.add(callee)

    def add(self, callee: AnyCallee) -> None:
        """Enter a callee; entering the same one again changes nothing."""
        check_name(callee.name)
        known = self._by_name.setdefault(callee.name, callee)
        if known != callee:
            raise NameTakenError(f"two callees are named {callee.name!r}: {known!r} and {callee!r}; rename one of them")

    def find(self, name: str) -> AnyCallee | None:
        """The callee of that name."""
        return self._by_name.get(name)

    def get(self, name: str) -> AnyCallee:
        """The callee of that name, or one that answers every call with an `UnknownToolError`."""
        return self._by_name.get(name) or Missing(name, self._by_name)

    def __iter__(self) -> Iterator[AnyCallee]:
        return iter(self._by_name.values())

    def __len__(self) -> int:
        return len(self._by_name)


class Anything(BaseModel):
    """A payload of which nothing is known."""

    model_config = ConfigDict(defer_build=True)


class _Unread(Input[Anything]):
    """Takes arguments of whatever form: that there is no such tool is said first."""

    __slots__ = ()

    def bind(self, arguments: Arguments, *, strict: bool = False) -> Anything:
        return Anything()


@cache
def _anything() -> Input[Anything]:
    return _Unread(Anything)


@cache
def _nothing() -> Output[Any]:
    return Output(Any)


class Missing:
    """What a name stands for that nobody has: it takes the same way as every callee, and ends in one clear error."""

    description = "There is no such tool."
    facts = Facts(effect=Effect.PURE)
    layers: Stack[CallLayer] = Stack()

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        self._near = difflib.get_close_matches(name, list(known), n=3, cutoff=0.4)

    @property
    def schema_in(self) -> Input[Anything]:
        """Whatever it is given."""
        return _anything()

    @property
    def schema_out(self) -> Output[Any]:
        """Nothing ever comes out."""
        return _nothing()

    def arguments(self) -> Arguments:
        """No arguments."""
        return Arguments("{}", {})

    async def run(self, _payload: BaseModel, _frame: Frame, /) -> Any:
        """Raise the error, naming near names."""
        near = f"; near it: {', '.join(self._near)}" if self._near else ""
        raise UnknownToolError(f"there is no tool {self.name[:80]!r}{near}")

    async def reconcile(self, _payload: BaseModel, _frame: Frame, /) -> Found:
        """Nothing was ever started."""
        return UNKNOWN
