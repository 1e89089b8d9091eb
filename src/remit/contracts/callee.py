"""What can be called, and what a body that is called may use.

A body asks for a context by naming one as its first parameter. `LeafContext` is for one that calls no other; `Context`
adds the way to make another call.
"""

from __future__ import annotations

import enum
from typing import Any, Final, NamedTuple, ParamSpec, Protocol, TypeVar

from pydantic import BaseModel

from remit.contracts.arguments import Arguments
from remit.contracts.call import CallLayer
from remit.contracts.contract import Contract
from remit.contracts.principal import Caller
from remit.contracts.step import Calls
from remit.core import Stack

P = ParamSpec("P")
Out_co = TypeVar("Out_co", covariant=True)
Out = TypeVar("Out")


class Happened(NamedTuple):
    """It happened, and this is what it gave."""

    value: Any


class Unclear(enum.Enum):
    """What `reconcile` may find besides."""

    DID_NOT_HAPPEN = "did not happen"
    UNKNOWN = "unknown"


Found = Happened | Unclear
DID_NOT_HAPPEN: Final = Unclear.DID_NOT_HAPPEN
UNKNOWN: Final = Unclear.UNKNOWN


class LeafContext(Protocol):
    """The facts of one call, for a body that calls no other."""

    @property
    def run(self) -> str:
        """The id of the run."""
        ...

    @property
    def caller(self) -> Caller:
        """Who called: agent, principal, tenant."""
        ...

    @property
    def deadline(self) -> float | None:
        """When a result is due, on the loop's clock."""
        ...

    @property
    def key(self) -> str:
        """The idempotency key of this call: stable over retry, crash and resume, different for every other call."""
        ...

    def log(self, message: str, /, **fields: object) -> None:
        """Say something to whoever watches; it reaches the journal."""
        ...

    def emit(self, name: str, data: object = None, /) -> None:
        """Tell progress to whoever watches; it reaches the journal."""
        ...


class Context(LeafContext, Protocol):
    """A `LeafContext` that can make other calls, through the same door."""

    @property
    def tools(self) -> Tools:
        """The tools this call may use, by name: ``await ctx.tools.cms_getPage(slug="about")``."""
        ...

    async def call(self, callee: Callee[P, Out], /, *args: P.args, **kwargs: P.kwargs) -> Out:
        """Call a callee with what its function takes; the result is typed.

        Raises:
            CallError: the call ended badly; see `remit.errors`.
        """
        ...


class Tools(Protocol):
    """Tools by name."""

    def __getattr__(self, name: str) -> ToolByName:
        """The tool of that name."""
        ...


class ToolByName(Protocol):
    """A tool found by its name: call it with keyword arguments."""

    async def __call__(self, **arguments: Any) -> Any:
        """Call it; raises a `CallError` where the call ends badly."""
        ...


class Frame(Context, Calls, Protocol):
    """What the base hands to a callee: the context of a body, and for an agent the way to call by raw text."""

    @property
    def id(self) -> str:
        """The id of this call."""
        ...


class Callee(Contract, Protocol[P, Out_co]):
    """The protocol that tools, workers and agents share: a contract, layers of its own, and a body."""

    @property
    def layers(self) -> Stack[CallLayer]:
        """The layers that this callee brings along, outermost first."""
        ...

    def arguments(self, *args: P.args, **kwargs: P.kwargs) -> Arguments:
        """The arguments that a Python caller means."""
        ...

    async def run(self, payload: BaseModel, frame: Frame, /) -> Out_co:
        """The body."""
        ...

    async def reconcile(self, payload: BaseModel, frame: Frame, /) -> Found:
        """Find out whether an unsafe call that was cut off has happened."""
        ...
