"""Names exist at the edges only; here a name becomes an object, and two things cannot have one name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict

from remit.contracts.arguments import Arguments
from remit.contracts.call import CallLayer
from remit.contracts.callee import UNKNOWN, Actor, Callee, Found, Frame, Written
from remit.contracts.contract import check_name
from remit.contracts.facts import Effect, Facts
from remit.contracts.naming import alias_of, check_free
from remit.contracts.schema import Input, Output
from remit.core import Stack
from remit.errors import NameTakenError, UnknownToolError

AnyCallee = Callee[..., Any]
AnyActor = Actor[..., Any]


def all_of(callees: Iterable[AnyCallee]) -> list[AnyCallee]:
    """``callees``, and all that the actors among them may name, and so on; each once."""
    found: list[AnyCallee] = []
    left = list(callees)
    while left:
        new = [callee for callee in dict.fromkeys(left) if callee not in found]
        found += new
        left = [tool for callee in new if isinstance(callee, Actor) for tool in callee.tools]
    return found


class Registry:
    """Callees by their canonical name; tools of providers, which models see beside them, take names here too.

    Raises:
        NameTakenError: two of them want one name, or one alias.
        ContractError: a name is one that nothing can have.
    """

    def __init__(self, callees: Iterable[AnyCallee] = ()) -> None:
        self._by_name: dict[str, AnyCallee] = {}
        self._aliases: dict[str, str] = {}
        self._providers: dict[str, str] = {}
        for callee in callees:
            self.add(callee)

    def add(self, callee: AnyCallee) -> None:
        """Enter a callee, and the tools of its provider; entering the same one again changes nothing."""
        name = check_name(callee.name)
        check_free(name)
        known = self._by_name.get(name)
        if known is not None and known != callee:
            raise NameTakenError(
                f"two callees are named {name!r}: {told(known)} and {told(callee)}; rename one of them"
            )
        if name in self._providers:
            raise _provided(name, self._providers[name], callee)
        other = self._aliases.get(alias_of(name), name)
        if other != name:
            both = f"{told(self._by_name[other])} and {told(callee)}"
            raise NameTakenError(f"ctx.tools.{alias_of(name)} would be two callees: {both}; rename one of them")
        self._aliases[alias_of(name)] = name
        self._by_name[name] = callee
        if isinstance(callee, Actor):
            for each in callee.provider_tools:
                self.add_provider_tool(each, told(callee))

    def add_provider_tool(self, name: str, where: str) -> None:
        """Keep a name for a tool that a model's provider runs. ``where``: who declares it."""
        if name in self._by_name:
            raise _provided(name, where, self._by_name[name])
        self._providers.setdefault(name, where)

    def find(self, name: str) -> AnyCallee | None:
        """The callee of that name."""
        return self._by_name.get(name)

    def canonical(self, alias: str) -> str | None:
        """The name of the callee of that alias."""
        return alias if alias in self._by_name else self._aliases.get(alias)

    def get(self, name: str) -> AnyCallee:
        """The callee of that name, or one that answers every call with an `UnknownToolError`."""
        return self._by_name.get(name) or Missing(name, self._by_name)

    def __iter__(self) -> Iterator[AnyCallee]:
        return iter(self._by_name.values())

    def __len__(self) -> int:
        return len(self._by_name)


def told(callee: AnyCallee) -> str:
    """A callee in a message: what it is, and where it is written, if it knows."""
    return f"{callee!r} at {callee.where}" if isinstance(callee, Written) and callee.where else repr(callee)


def _provided(name: str, where: str, callee: AnyCallee) -> NameTakenError:
    return NameTakenError(
        f"{name!r} is a tool of the provider of {where}, and {told(callee)}; a model would see two; rename the latter"
    )


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
