"""The call as layers see it, and the three kinds of layers: around calls, model requests and steps."""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterable
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


class Call(Struct, frozen=True):
    """One call of one callee. To change it, a layer makes a copy: ``call.replace(…)``.

    ``id`` is a digest of content: parent, callee, arguments, occurrence. ``wire_id`` is the model's id of the call,
    empty for other callers. ``deadline`` is on the loop's clock. ``payload`` and ``canonical_arguments`` are set by
    validate, or else by the base. ``attempt`` counts from 1; retry raises it. ``approvals`` are the questions whose
    approval the call has, one for each `Approve` layer that it has passed, empty where none was needed. ``redactions``
    are those of the `Redact` layers that it has passed, innermost first; ``retry_on`` is of its `Retry` layers.
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
    redactions: tuple[Redaction, ...] = ()
    retry_on: tuple[type[Exception], ...] = ()

    def replace(self, **changes: Any) -> Call:
        """Return a copy of this call with other fields."""
        return structs.replace(self, **changes)

    def with_payload(self, payload: BaseModel) -> Call:
        """Return this call with ``payload`` and its canonical form."""
        return structs.replace(self, payload=payload, canonical_arguments=self.callee.schema_in.dump_canonical(payload))

    def with_approval(self, question: str) -> Call:
        """Return this call after one more `Approve` layer; ``question`` is empty where no approval was needed."""
        return structs.replace(self, approvals=(*self.approvals, question))


def describe_unread_key(call: Call) -> str:
    """Why a keyed call is not repeated whose last attempt has not read its idempotency key."""
    return f"{call.callee.name} is keyed, but has not read ctx.key, so a repetition would do its work again"


def root_call_id(header: RunOpened) -> str:
    """The id of the call of the run itself."""
    return content_digest(header.call, header.callee, header.arguments)


def given_id(agent: str) -> str:
    """The id under which the journal stores the history that the agent with call id ``agent`` is started from."""
    return f"{agent}:given"


def derive_call_id(parent: str, callee: str, arguments: Arguments, occurrences: dict[str, int]) -> str:
    """The id of the next call that the body of ``parent`` makes: a digest of parent, callee, arguments and occurrence.

    ``occurrences`` counts equal calls of one execution of the body.
    """
    content = content_digest(parent, callee, arguments.identity)
    occurrence = occurrences.get(content, 0)
    occurrences[content] = occurrence + 1
    return content_digest(content, str(occurrence))


CallService = Service[Call, Reply]
ModelService = Service[ChatRequest, Completion]
StepService = Service[StepRequest, StepOutcome]


class RunsOwnCode:
    """A layer of Remit that runs a function of the application, and is guarded like a layer of your own."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """The name of the layer in errors."""
        return type(self).__name__


class CallLayer(abc.ABC):
    """A layer around tool calls."""

    place: Place = Place.OWN
    service_kind: ClassVar = "calls"

    if not TYPE_CHECKING:  # a type checker says so, too

        def __getattr__(self, name: str) -> NoReturn:
            """Say of a view that only an `AnyLayer` has what wraps the other services."""
            if name in ("calls", "models", "steps"):
                own, other = type(self).__name__, "RetryModel(…) or Fallback(…)" if name == "models" else "Timeout(…)"
                raise AttributeError(
                    f"{own} is a layer around calls only, so it has no .{name}; write {other} for {name}"
                )
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def own_code(self) -> str:
        """The name of the application's code that a layer of Remit shows calls before they run; empty for none."""
        return ""

    @property
    def limits_cost(self) -> bool:
        """Whether it limits what the models below a call cost, so that their prices must be known."""
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
        """Return this layer for a part of the calls, chosen for each callee when a runtime is built.

        Args:
            tools: names of callees; empty for all. The name of an agent chooses the handoffs to it too.
            agents: names of agents that make the calls; empty for all calls, those of the application included.
            test: chooses callees, for example ``lambda callee: callee.facts.egress``.

        Raises:
            SetupError: no condition is given, or one has the wrong type.
        """
        return ConditionalLayer(self, as_texts("tools", tools), as_texts("agents", agents), test)


class ConditionalLayer(CallLayer):
    """A layer for a part of the calls; see `CallLayer.where`. The dispatcher replaces it by its layer, or omits it."""

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
        """Whether the layer does, for the calls that it wraps."""
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
    """A layer around the steps of an agent: one model request and the calls it asked for."""

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
        """Return this layer around a part of the tool calls; see `CallLayer.where`."""
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
    """An `AnyLayer` around one kind of service. Its place counts around calls only.

    ``suffix``: how the view is written after the layer, where it is not the one that every receiver takes by itself.
    """

    suffix: ClassVar[str] = ""

    def __init__(self, layer: AnyLayer) -> None:
        self.viewed = layer

    def __repr__(self) -> str:
        return f"{self.viewed!r}{self.suffix}"


def viewed_layer(layer: object) -> object:
    """The `AnyLayer` behind a view of it; any other layer itself."""
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
    """The layers that a tool, a runtime or an application attaches: an `AnyLayer` wraps calls.

    Raises:
        SetupError: a layer is not one around calls.
    """
    given: Stack[ToolLayer] = Stack(layer)  # a generic class costs a dozen calls when it is called with its arguments
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
    """The layers that the agent ``name`` attaches: an `AnyLayer` wraps its calls.

    Raises:
        SetupError: a layer is of no kind.
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
    """Whether which of the layers wrap a call depends on the agent and the callee."""
    return any(isinstance(each, ConditionalLayer) for each in layers.layers)


def unconditional_layer(layer: CallLayer) -> CallLayer:
    """The layer behind the conditions under which it wraps a call; any other layer itself."""
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
