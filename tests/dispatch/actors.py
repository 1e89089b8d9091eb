"""An actor whose body is given, as a worker is one whose model decides."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from pydantic import BaseModel

from remit import Effect, Stack
from remit.call.callee import UNKNOWN, Frame, ReconcileResult
from remit.call.schema import Input, Output
from remit.dispatch.registry import AnyCallee
from remit.layers import CallLayer
from remit.tools import Arguments, Facts

Body = Callable[[Frame], Awaitable[Any]]


class Errand(BaseModel):
    """What an actor is asked."""

    what: str = ""


class Actor:
    """Runs ``body`` in its own name."""

    def __init__(
        self,
        name: str,
        body: Body,
        *,
        tools: Iterable[AnyCallee] = (),
        tool_scope: Iterable[str] | None = None,
        permissions: Iterable[str] | None = None,
        provider_tools: Iterable[str] = (),
        call_layers: Stack[CallLayer] | None = None,
        where: str = "",
    ) -> None:
        self.name = name
        self.description = f"The actor {name}."
        self.facts = Facts(effect=Effect.COMPOSED)
        self.layers: Stack[CallLayer] = Stack()
        self.schema_in: Input[Errand] = Input(Errand)
        self.schema_out: Output[Any] = Output(Any)
        self.tools = list(tools)
        self.provider_tools = tuple(provider_tools)
        self.call_layers: Stack[CallLayer] = call_layers or Stack()
        self.tool_scope = None if tool_scope is None else frozenset(tool_scope)
        self.permissions = None if permissions is None else frozenset(permissions)
        self.where = where
        self._body = body

    def build_arguments(self, what: str = "") -> Arguments:
        """The arguments of an errand."""
        return self.schema_in.dump_arguments(Errand(what=what))

    async def run(self, payload: BaseModel, frame: Frame, /) -> Any:
        """The body."""
        return await self._body(frame)

    async def reconcile(self, payload: BaseModel, frame: Frame, /) -> ReconcileResult:
        """Never asked: it is composed."""
        return UNKNOWN

    def __repr__(self) -> str:
        return f"Actor {self.name}"
