"""The call as layers see it, and the three kinds of layers: around calls, model requests and steps."""

from __future__ import annotations

import abc
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar, cast

from msgspec import Struct, structs
from pydantic import BaseModel

from remit.call.contract import Contract, names_of
from remit.call.redact import Redaction
from remit.call.reply import Reply
from remit.call.step import StepOutcome, StepRequest
from remit.chat.chat import ChatRequest, Completion
from remit.core import HasPlace, Place, Service, Stack
from remit.core.checks import as_texts, check_flag
from remit.errors import SetupError
from remit.record.arguments import Arguments, content_digest
from remit.record.items import RunOpened
from remit.record.ledger import Ledger
from remit.record.principal import Caller

Q = TypeVar("Q")
R = TypeVar("R")


ReserveUses = Callable[["Call"], Awaitable[None]]
"""Reserves what a call with these arguments uses of the windows of a budget, in place of what it reserved before.

Raises:
    BudgetError: it does not fit.
"""


class Call(Struct, frozen=True):
    """One call of one callee. To change it, a layer makes a copy: ``call.replace(…)``.

    ``id`` is a digest of parent, callee, arguments and occurrence. ``wire_id`` is the model's id of the call, empty for
    other callers. ``deadline`` is on the loop's clock. ``payload`` and ``canonical_arguments`` are set by validate, or
    else by the base. ``attempt`` counts from 1 and is increased by retry. ``approvals`` holds the approved question of
    each `Approve` layer that the call has passed, or an empty text if the layer needed none. ``budgets`` are those
    whose windows it has passed; after an edit of its arguments, each reserves again. ``redactions`` come from the
    `Redact` layers that it has passed, innermost first; ``retry_on`` comes from its `Retry` layers.
    """

    id: str
    callee: Contract
    arguments: Arguments
    caller: Caller
    ledger: Ledger
    wire_id: str = ""
    deadline: float | None = None
    payload: BaseModel | None = None
    canonical_arguments: str = ""
    attempt: int = 1
    approvals: tuple[str, ...] = ()
    budgets: tuple[ReserveUses, ...] = ()
    redactions: tuple[Redaction, ...] = ()
    retry_on: tuple[type[Exception], ...] = ()

    def replace(self, **changes: Any) -> Call:
        """Return a copy of this call with other fields."""
        return structs.replace(self, **changes)

    def with_payload(self, payload: BaseModel) -> Call:
        """Return this call with ``payload`` and its canonical form."""
        return structs.replace(self, payload=payload, canonical_arguments=self.callee.schema_in.dump_canonical(payload))

    def with_approval(self, question: str) -> Call:
        """Return this call after one more `Approve` layer; ``question`` is empty if no approval was needed."""
        return structs.replace(self, approvals=(*self.approvals, question))


def describe_unread_key(call: Call) -> str:
    """Explain why a keyed call is not repeated: its last attempt did not read its idempotency key."""
    return f"{call.callee.name} is keyed, but has not read ctx.key, so a repetition would do its work again"


def root_call_id(header: RunOpened) -> str:
    """The id of a run's root call."""
    return content_digest(header.call, header.callee, header.arguments)


def given_id(agent: str) -> str:
    """The id under which the journal stores the history from which the agent with call id ``agent`` starts."""
    return f"{agent}:given"


def derive_call_id(parent: str, callee: str, arguments: Arguments, occurrences: dict[str, int]) -> str:
    """Derive the id of the next call in the body of ``parent``: a digest of parent, callee, arguments and occurrence.

    ``occurrences`` counts equal calls in one execution of the body.
    """
    content = content_digest(parent, callee, arguments.identity)
    occurrence = occurrences.get(content, 0)
    occurrences[content] = occurrence + 1
    return content_digest(content, str(occurrence))


CallService = Service[Call, Reply]
ModelService = Service[ChatRequest, Completion]
StepService = Service[StepRequest, StepOutcome]


class RunsOwnCode:
    """A layer of Remit that runs an application's function, and is guarded like a custom layer."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """The name of the layer in errors."""
        return type(self).__name__


class CallLayer(abc.ABC):
    """A layer around tool calls."""

    place: Place = Place.OWN
    service_kind: ClassVar = "calls"

    if not TYPE_CHECKING:  # type checkers report this too

        def __getattr__(self, name: str) -> NoReturn:
            """Explain that only an `AnyLayer` has the views for other services."""
            if name in ("calls", "models", "steps"):
                own, other = type(self).__name__, "RetryModel(…) or Fallback(…)" if name == "models" else "Timeout(…)"
                raise AttributeError(
                    f"{own} is a layer around calls only, so it has no .{name}; write {other} for {name}"
                )
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def own_code(self) -> str:
        """The name of application code to which a layer of Remit shows calls before they run; empty for none."""
        return ""

    @property
    def limits_cost(self) -> bool:
        """Whether the layer limits the cost of the models below a call, so that their prices must be known."""
        return False

    @abc.abstractmethod
    def __call__(self, inner: CallService, /) -> CallService:
        """Wrap ``inner``. Called once, when a runtime is built."""

    def where(
        self,
        *,
        tools: Iterable[str] = (),
        agents: Iterable[str] = (),
        test: Callable[[Contract], bool] | None = None,
    ) -> CallLayer:
        """Restrict this layer to some calls, chosen for each callee when a runtime is built.

        Args:
            tools: names of callees; empty for all. An agent's name also selects handoffs to it.
            agents: names of agents that make the calls; empty for all calls, including those by the application.
            test: selects callees, for example ``lambda callee: callee.facts.egress``.

        Raises:
            SetupError: no condition is given, or one has the wrong type.
        """
        return ConditionalLayer(self, as_texts("tools", tools), as_texts("agents", agents), test)


class ConditionalLayer(CallLayer):
    """A layer for some calls; see `CallLayer.where`. The dispatcher replaces it by its layer, or omits it."""

    def __init__(
        self, layer: CallLayer, tools: frozenset[str], agents: frozenset[str], test: Callable[[Contract], bool] | None
    ) -> None:
        if not (tools or agents or test):
            raise SetupError(f"{layer!r}.where() selects nothing; give tools, agents or a test")
        if test is not None and not callable(cast("object", test)):
            raise SetupError(f"{layer!r}.where: test is {test!r}; give a function that takes a callee")
        self.layer = layer
        self.place = layer.place
        self.tools = tools
        self.agents = agents
        self._test = test

    @property
    def limits_cost(self) -> bool:
        """Whether the inner layer limits the cost of the calls that it wraps."""
        return self.layer.limits_cost

    def __call__(self, inner: CallService, /) -> CallService:
        """Wrap ``inner`` for the chosen calls."""
        service = self.layer(inner)

        async def choose(call: Call, /) -> Reply:
            return await (service if self.applies(call.caller.agent, call.callee) else inner)(call)

        return choose

    def applies(self, agent: str, callee: Contract) -> bool:
        """Whether the layer wraps the calls of ``callee`` that ``agent`` makes."""
        if (self.tools and self.tools.isdisjoint(names_of(callee))) or (self.agents and agent not in self.agents):
            return False
        chosen = self._test is None or self._test(callee)
        check_flag(f"the result of the test of {self!r}", chosen)
        return chosen

    def __repr__(self) -> str:
        named = {"tools": self.tools, "agents": self.agents}
        parts = [f"{name}={{{', '.join(map(repr, sorted(texts)))}}}" for name, texts in named.items() if texts]
        if self._test is not None:
            parts.append(f"test={getattr(self._test, '__name__', self._test)}")
        return f"{self.layer!r}.where({', '.join(parts)})"


class ModelLayer(abc.ABC):
    """A layer around model requests."""

    place: Place = Place.OWN
    service_kind: ClassVar = "models"

    @abc.abstractmethod
    def __call__(self, inner: ModelService, /) -> ModelService:
        """Wrap ``inner``. Called once, when an agent is built."""


class StepLayer(abc.ABC):
    """A layer around the steps of an agent: one model request and the calls that its answer asks for."""

    place: Place = Place.OWN
    service_kind: ClassVar = "steps"

    @abc.abstractmethod
    def __call__(self, inner: StepService, /) -> StepService:
        """Wrap ``inner``. Called once, when an agent is built."""


class AnyLayer(abc.ABC):
    """A layer for any kind of service, like a timeout. `calls`, `models` and `steps` are typed views of it."""

    place: Place = Place.OWN

    @abc.abstractmethod
    def __call__(self, inner: Service[Q, R], /) -> Service[Q, R]:
        """Wrap ``inner``."""

    @property
    def calls(self) -> CallLayer:
        """This layer around tool calls."""
        return _CallLayerView(self)

    def where(
        self,
        *,
        tools: Iterable[str] = (),
        agents: Iterable[str] = (),
        test: Callable[[Contract], bool] | None = None,
    ) -> CallLayer:
        """Restrict this layer to some tool calls; see `CallLayer.where`."""
        return self.calls.where(tools=tools, agents=agents, test=test)

    @property
    def models(self) -> ModelLayer:
        """This layer around model requests."""
        return _ModelLayerView(self)

    @property
    def steps(self) -> StepLayer:
        """This layer around steps."""
        return _StepLayerView(self)


class LayerView:
    """An `AnyLayer` around one kind of service. Its place matters only around calls.

    ``suffix`` is the attribute that selects the view, empty for the view that receivers use by default.
    """

    suffix: ClassVar[str] = ""

    def __init__(self, layer: AnyLayer) -> None:
        self.viewed = layer

    def __repr__(self) -> str:
        return f"{self.viewed!r}{self.suffix}"


def viewed_layer(layer: object) -> object:
    """The `AnyLayer` behind a view; any other layer unchanged."""
    return layer.viewed if isinstance(layer, LayerView) else layer


class _CallLayerView(LayerView, CallLayer):
    def __init__(self, layer: AnyLayer) -> None:
        super().__init__(layer)
        self.place = layer.place

    def __call__(self, inner: CallService, /) -> CallService:
        return self.viewed(inner)


class _ModelLayerView(LayerView, ModelLayer):
    suffix = ".models"

    def __call__(self, inner: ModelService, /) -> ModelService:
        return self.viewed(inner)


class _StepLayerView(LayerView, StepLayer):
    suffix = ".steps"

    def __call__(self, inner: StepService, /) -> StepService:
        return self.viewed(inner)


ToolLayer = CallLayer | AnyLayer
AgentLayer = CallLayer | ModelLayer | StepLayer | AnyLayer


def to_call_layers(layer: ToolLayer | Stack[ToolLayer] | Stack[CallLayer]) -> Stack[CallLayer]:
    """Convert the layers of a tool, a runtime or an application: an `AnyLayer` wraps calls.

    Raises:
        SetupError: a layer does not wrap calls.
    """
    given: Stack[ToolLayer] = Stack(layer)  # a subscripted generic class costs a dozen calls to instantiate
    layers = _around_calls(given)
    for each in layers:
        if isinstance(each, (ModelLayer, StepLayer)):
            written = f"{type(each).__name__}(…)" if repr(each).startswith("<") else repr(each)
            raise SetupError(
                f"{each!r} is a layer around model requests or steps; attach it to an agent: agent.layer({written})"
            )
        if not isinstance(each, CallLayer):
            raise SetupError(f"{each!r} is not a layer around calls; derive it from CallLayer, or use @layer_fn")
    return cast("Stack[CallLayer]", layers)


def to_agent_layers(name: str, layer: AgentLayer | Stack[AgentLayer]) -> Stack[CallLayer | ModelLayer | StepLayer]:
    """Convert the layers of the agent ``name``: an `AnyLayer` wraps its calls.

    Raises:
        SetupError: an item is not a layer of any kind.
    """
    layers = _around_calls(Stack[AgentLayer](layer))
    for each in layers:
        if not isinstance(each, (CallLayer, ModelLayer, StepLayer)):
            raise SetupError(
                f"agent {name} cannot attach {each!r}; derive it from CallLayer, ModelLayer or StepLayer, or use "
                "@layer_fn"
            )
    return cast("Stack[CallLayer | ModelLayer | StepLayer]", layers)


def _around_calls(layers: Iterable[HasPlace]) -> Stack[HasPlace]:
    return Stack(*(each.calls if isinstance(each, AnyLayer) else each for each in layers))


def has_conditions(layers: Stack[CallLayer]) -> bool:
    """Whether some layers have conditions on the agent or the callee."""
    return any(isinstance(each, ConditionalLayer) for each in layers.layers)


def unconditional_layer(layer: CallLayer) -> CallLayer:
    """The layer without its conditions; any other layer unchanged."""
    while isinstance(layer, ConditionalLayer):
        layer = layer.layer
    return layer


def choose_layers(layers: Stack[CallLayer], agent: str, callee: Contract) -> Stack[CallLayer]:
    """The layers that wrap the calls of ``callee`` that ``agent`` makes, without their conditions."""
    if not has_conditions(layers):
        return layers
    chosen: list[CallLayer] = []
    for each in layers:
        layer: CallLayer | None = each
        while isinstance(layer, ConditionalLayer):
            layer = layer.layer if layer.applies(agent, callee) else None
        if layer is not None:
            chosen.append(layer)
    return Stack(*chosen)
