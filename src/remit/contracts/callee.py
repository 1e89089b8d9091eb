"""What can be called, and what a body that is called may use.

A body asks for a context by naming one as its first parameter. `LeafContext` is for one that calls no other; `Context`
adds the way to make another call.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, ParamSpec, Protocol, TypeVar, overload, runtime_checkable

from pydantic import BaseModel

from remit.contracts.arguments import Arguments
from remit.contracts.call import CallLayer
from remit.contracts.contract import Contract
from remit.contracts.principal import Caller
from remit.contracts.reply import Reply
from remit.contracts.step import CallFactory
from remit.core import Stack

P = ParamSpec("P")
Out_co = TypeVar("Out_co", covariant=True)
Out = TypeVar("Out")
Payload = BaseModel | Mapping[str, Any] | str
"""What a call by name is given: a payload model, its fields by name, or text where its one field is the prompt."""


class Happened(NamedTuple):
    """It happened, and this is what it gave."""

    value: Any


class ReconcileStatus(enum.Enum):
    """What `reconcile` may find besides."""

    DID_NOT_HAPPEN = "did not happen"
    UNKNOWN = "unknown"


ReconcileResult = Happened | ReconcileStatus
DID_NOT_HAPPEN: Final = ReconcileStatus.DID_NOT_HAPPEN
UNKNOWN: Final = ReconcileStatus.UNKNOWN


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

    @overload
    async def call(self, callee: Callee[P, Out], /, *args: P.args, **kwargs: P.kwargs) -> Out: ...
    @overload
    async def call(self, callee: str, payload: Payload | None = None, /, **arguments: Any) -> Any: ...
    async def call(self, callee: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call a callee with what its function takes; the result is typed. Or call by canonical name.

        By name it takes one payload, a model or a mapping, or arguments by name: ``await ctx.call("get-page", {"slug":
        "about"})``.

        Raises:
            CallError: the call ended badly; see `remit.errors`.
        """
        ...


class Tools(Protocol):
    """Tools by alias: the canonical name, with ``_`` for each ``-``."""

    def __getattr__(self, name: str, /) -> ToolByName:
        """The tool of that alias; one that nobody has is an error once it is called."""
        ...


class ToolByName(Protocol):
    """A tool found by its name: call it with one payload, a model or a mapping, or with arguments by name."""

    async def __call__(self, payload: Payload | None = None, /, **arguments: Any) -> Any:
        """Call it; raises a `CallError` where the call ends badly."""
        ...


class Frame(Context, CallFactory, Protocol):
    """What the base hands to a callee: the context of a body, and for an agent the way to call by raw text."""

    @property
    def id(self) -> str:
        """The id of this call."""
        ...

    def hand_over_to(self, agent: AgentLike[..., Any], /) -> Frame:
        """This frame for an actor that goes on in the place of this body: calls by it are made in the actor's name."""
        ...

    async def call_for_reply(self, callee: Callee[..., Any], arguments: str, /) -> Reply:
        """The reply of a callee to arguments as text, good or bad; for bodies that are data, like pipelines."""
        ...


@runtime_checkable
class Callee(Contract, Protocol[P, Out_co]):
    """The protocol that tools, workers and agents share: a contract, layers of its own, and a body."""

    @property
    def layers(self) -> Stack[CallLayer]:
        """The layers that this callee brings along, outermost first."""
        ...

    def build_arguments(self, *args: P.args, **kwargs: P.kwargs) -> Arguments:
        """The arguments that a Python caller means."""
        ...

    async def run(self, payload: BaseModel, frame: Frame, /) -> Out_co:
        """The body."""
        ...

    async def reconcile(self, payload: BaseModel, frame: Frame, /) -> ReconcileResult:
        """Find out whether an unsafe call that was cut off has happened."""
        ...


@runtime_checkable
class AgentLike(Callee[P, Out_co], Protocol[P, Out_co]):
    """A callee that makes calls in its own name: an agent or a worker.

    Its layers stand around the calls it makes. What it may reach, and as whom, is narrowed for itself and for
    everything below it, whoever makes the call there; nothing widens it again.
    """

    @property
    def tools(self) -> Sequence[Callee[..., Any]]:
        """The callees that its body may name."""
        ...

    @property
    def provider_tools(self) -> Sequence[str]:
        """The names of tools that its model's provider runs, which no callee may have."""
        ...

    @property
    def call_layers(self) -> Stack[CallLayer]:
        """The layers around the calls it makes, outermost first."""
        ...

    @property
    def tool_scope(self) -> frozenset[str] | None:
        """The names that it, and whatever it calls, may call; None for all."""
        ...

    @property
    def permissions(self) -> frozenset[str] | None:
        """The most that the principal may do in calls below it; None for all that the principal may."""
        ...


@runtime_checkable
class HasBody(Protocol):
    """What says which body it runs: another object that runs the same may stand for it under its name."""

    @property
    def body(self) -> object:
        """Equal for all that differ in their layers, their name or their model, and for no others."""
        ...


@runtime_checkable
class HasModel(Protocol):
    """What asks a model, which can be another from call to call; without one it takes that of its runtime."""

    @property
    def model(self) -> object | None:
        """The model that it has."""
        ...

    def with_model(self, model: Any, /) -> Callee[..., Any]:
        """The same callee with another model."""
        ...


@runtime_checkable
class HasSource(Protocol):
    """What says where it is written; an error that is about it tells."""

    @property
    def where(self) -> str:
        """``file:line``."""
        ...
