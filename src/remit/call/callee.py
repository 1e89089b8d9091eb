"""Callees (tools, agents, workers) and the context that their bodies may use.

A body receives a context by declaring it as the first parameter. `LeafContext` has the facts of the call; `Context` can
also make other calls.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, Final, NamedTuple, ParamSpec, Protocol, Self, TypeVar, overload, runtime_checkable

from pydantic import BaseModel

from remit.call.call import CallLayer
from remit.call.contract import Contract
from remit.call.log import Log
from remit.call.reports import Report
from remit.call.step import CallFactory, PreparedCall
from remit.chat.settings import ModelSettings
from remit.core import Stack
from remit.core.checks import as_tuple
from remit.errors import SetupError
from remit.record.arguments import Arguments
from remit.record.principal import Caller, Principal
from remit.shown import show_value

P = ParamSpec("P")
Out_co = TypeVar("Out_co", covariant=True)
Out = TypeVar("Out")
Payload = BaseModel | Mapping[str, Any] | str
"""The input of a call by name: a payload model, its fields, or a text if the prompt is the only field."""


class Happened(NamedTuple):
    """The outcome of a reconciled call that happened, with its result."""

    value: Any


class ReconcileStatus(enum.Enum):
    """The outcome of a reconciled call that did not happen, or whose outcome is unknown."""

    DID_NOT_HAPPEN = "did not happen"
    UNKNOWN = "unknown"


ReconcileResult = Happened | ReconcileStatus
DID_NOT_HAPPEN: Final = ReconcileStatus.DID_NOT_HAPPEN
UNKNOWN: Final = ReconcileStatus.UNKNOWN


class LeafContext(Protocol):
    """The facts of one call, for a body that makes no calls."""

    @property
    def run(self) -> str:
        """The id of the run."""
        ...

    @property
    def caller(self) -> Caller:
        """The caller: agent, principal, tenant."""
        ...

    @property
    def deadline(self) -> float | None:
        """The time by which a result is due, on the loop's clock; None for no limit."""
        ...

    @property
    def key(self) -> str:
        """The idempotency key of this call: stable across retry, crash and resume, unique per call."""
        ...

    @property
    def log(self) -> Log:
        """Writes messages with a level to the journal and to the run's stream: ``ctx.log.info("…")``."""
        ...

    def emit(self, name: str | Report, data: object = None, /) -> None:
        """Report progress, or objects that the call changed or showed, to the journal and to the run's stream."""
        ...

    async def last_seen(self, kind: str, object_id: str, /, *parts: str) -> dict[str, str]:
        """The state in which the conversation last saw each part of an object, as reported by `Seen`.

        Unseen parts are missing. Without parts, the result has the whole object's state under the empty text. A run
        outside a conversation has only its own history.
        """
        ...


class Context(LeafContext, Protocol):
    """A `LeafContext` that can make other calls, on the same path as any call."""

    @property
    def tools(self) -> Tools:
        """The tools that this call may use, by alias: ``await ctx.tools.cms_getPage(slug="about")``."""
        ...

    @overload
    async def call(self, callee: Callee[P, Out], /, *args: P.args, **kwargs: P.kwargs) -> Out: ...
    @overload
    async def call(self, callee: str, payload: Payload | None = None, /, **arguments: Any) -> Any: ...
    async def call(self, callee: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call a callee with its function's parameters for a typed result, or by canonical name.

        A call by name accepts a payload (model or mapping) or arguments by name: ``await ctx.call("get-page", {"slug":
        "about"})``.

        Raises:
            CallError: the call failed; see `remit.errors`.
        """
        ...


class Tools(Protocol):
    """Tools by alias: the canonical name with ``_`` for each ``-``."""

    def __getattr__(self, name: str, /) -> ToolByName:
        """The tool with that alias. An unknown alias fails when it is called."""
        ...


class ToolByName(Protocol):
    """A tool looked up by name. Call it with a payload (model or mapping) or with arguments by name."""

    async def __call__(self, payload: Payload | None = None, /, **arguments: Any) -> Any:
        """Call the tool.

        Raises:
            CallError: the call failed.
        """
        ...


class Frame(Context, CallFactory, Protocol):
    """The context that the base passes to a callee. It adds the calls that an agent makes with raw text."""

    @property
    def id(self) -> str:
        """The id of this call."""
        ...

    def hand_over_to(self, agent: AgentLike[..., Any], /) -> Frame:
        """Return this frame for ``agent``, which continues in place of this body and makes calls in its own name."""
        ...

    def find(self, name: str, /) -> Callee[..., Any]:
        """The callee that Python code in this body calls by a name. For an unknown name it refuses every call."""
        ...

    def prepare_call(self, callee: Callee[..., Any], arguments: str, /, by: Principal | None = None) -> PreparedCall:
        """Prepare a call of ``callee`` with arguments as text, with no more permissions than those of ``by``."""
        ...


@runtime_checkable
class Callee(Contract, Protocol[P, Out_co]):
    """The protocol of tools, workers and agents: a contract, layers and a body."""

    @property
    def layers(self) -> Stack[CallLayer]:
        """The callee's own layers, outermost first."""
        ...

    def build_arguments(self, *args: P.args, **kwargs: P.kwargs) -> Arguments:
        """Build the arguments of a call from Python."""
        ...

    async def run(self, payload: BaseModel, frame: Frame, /) -> Out_co:
        """Run the body."""
        ...

    async def reconcile(self, payload: BaseModel, frame: Frame, /) -> ReconcileResult:
        """Find out whether an interrupted unsafe call happened."""
        ...


@runtime_checkable
class AgentLike(Callee[P, Out_co], Protocol[P, Out_co]):
    """A callee that makes calls in its own name: an agent or a worker.

    Its layers wrap the calls that it makes. Its tool scope and permissions narrow those of all calls below, which
    cannot widen them again.
    """

    @property
    def tools(self) -> Sequence[Callee[..., Any]]:
        """The callees that the agent's model or body may call by name."""
        ...

    @property
    def provider_tools(self) -> Sequence[str]:
        """The names of tools that the model's provider runs, which callees may not use."""
        ...

    @property
    def call_layers(self) -> Stack[CallLayer]:
        """The layers around the calls it makes, outermost first."""
        ...

    @property
    def tool_scope(self) -> frozenset[str] | None:
        """The names that the agent and all calls below may call; None for no restriction."""
        ...

    @property
    def permissions(self) -> frozenset[str] | None:
        """The permissions to which calls below it are narrowed; None for no restriction."""
        ...


@runtime_checkable
class HasBody(Protocol):
    """A callee that identifies its body, so that an object derived from it can be recognised."""

    @property
    def body(self) -> object:
        """Identifies the callee's behaviour: equal for copies that differ only in layers, name or model."""
        ...


@runtime_checkable
class HasSteps(Protocol):
    """A callee that declares which callees it calls, as a pipeline does."""

    @property
    def callees(self) -> Sequence[Callee[..., Any]]:
        """The callees that it calls, each of which the application must list."""
        ...


@runtime_checkable
class HasPlan(Protocol):
    """A callee, such as a pipeline, that knows in advance which calls it will make if none of them fails."""

    def plan(self, payload: BaseModel, /) -> Iterable[tuple[Callee[..., Any], str]]:
        """The calls whose arguments do not depend on earlier results, in order, with their arguments as text."""
        ...


@runtime_checkable
class HasModel(Protocol):
    """A callee with a model, by default the runtime's. A single call may use another model or other settings."""

    @property
    def model(self) -> object | None:
        """Its own model, if any."""
        ...

    @property
    def settings(self) -> ModelSettings:
        """The settings of its model requests."""
        ...

    def with_model(self, model: Any, /) -> Self:
        """Return the same callee with another model."""
        ...

    def with_settings(self, settings: ModelSettings, /) -> Callee[..., Any]:
        """Return the same callee with other settings."""
        ...


@runtime_checkable
class HasSource(Protocol):
    """A callee with a source location, which error messages include."""

    @property
    def where(self) -> str:
        """``file:line``."""
        ...


def check_callee(what: str, value: object) -> None:
    """Refuse a value that is not a callee.

    Raises:
        SetupError: names the value and says what to pass instead.
    """
    if isinstance(value, (FunctionType, MethodType, BuiltinFunctionType)):
        name = value.__name__
        raise SetupError(f"{what}: {name} is a function, not a tool; put @tool above it, or pass tool({name})")
    if isinstance(value, type):
        made = f"tool({value.__name__}(…))" if "__call__" in vars(value) else f"{value.__name__}(…)"
        raise SetupError(f"{what}: {value.__name__} is a class; pass an instance of it: {made}")
    if not hasattr(value, "build_arguments"):
        name = type(value).__name__
        remedy = f"pass tool({name}(…))" if callable(value) else "pass a function or method as tool(…), or an agent"
        raise SetupError(f"{what}: {show_value(value):.100} is not a tool or an agent; {remedy}")


def check_callees(what: str, values: object) -> tuple[Callee[..., Any], ...]:
    """Convert tools and agents to a tuple; see `check_callee`.

    Raises:
        SetupError: an item is not a callee, or the value is not a list.
    """
    callees = as_tuple(what, values)
    for each in callees:
        check_callee(what, each)
    return callees
