"""Agents: a definition and the callee that runs it."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, cast

from msgspec import Struct
from pydantic import BaseModel, ValidationError

from remit.agent.conversation import BoundAgent, run_conversation
from remit.agent.definition import limit_layers
from remit.agent.driver import AgentDriver, AgentTools, OwnTools, ToolSource
from remit.agent.governed import Grants, Ungoverned
from remit.agent.handoff import HandoffTool
from remit.agent.loop import Loop
from remit.agent.model import AnyModel, ResolveModel, check_is_model, is_same_model
from remit.agent.native import NativeDriver
from remit.agent.setting import NoKey, declare, make_later, read_settings, settings_of, value
from remit.agent.settings import AgentSettings
from remit.agent.tool_search import SearchTools
from remit.call.call import AgentLayer, CallLayer, ToolLayer, to_agent_layers, to_call_layers
from remit.call.callee import UNKNOWN, Callee, Frame, ReconcileResult
from remit.chat.settings import ModelSettings
from remit.core import Stack
from remit.core.call_checks import check_arguments, check_call
from remit.core.checks import as_text_tuple, as_tuple_of, check_method
from remit.errors import InvalidArgumentsError, SetupError
from remit.record.arguments import Arguments
from remit.shown import show_value

ADDED_TOOLS: Final = (HandoffTool, SearchTools)
"""The types of tools that Remit adds to agents: for handoffs and for tool search."""
_NATIVE: Final = NativeDriver()


def _as_driver(given: AgentDriver | None, what: str = "") -> AgentDriver:
    if given is None:
        return _NATIVE
    check_method(what, given, "bind", "give a driver, such as NativeDriver()")
    return given


def _as_own_tools(given: ToolSource, what: str = "") -> OwnTools:
    return OwnTools(what.rpartition(": ")[0], given)


def _as_handoffs(given: Iterable[Agent | str], what: str = "") -> tuple[Agent | str, ...]:
    owner, _, name = what.rpartition(": ")
    return as_tuple_of((Agent, str), owner, name, given, "give an agent, or its name")


def _called_names(agent: Agent) -> list[str]:
    """The names of the callees that its model may call, without the tools that Remit adds."""
    return [each.name for each in agent.tools if not isinstance(each, ADDED_TOOLS)]


@check_arguments(
    prompt="write instructions=…; a run has the prompt: runtime.run(prompt, by=…)",
    system="write instructions=…",
    system_prompt="write instructions=…",
    policy="a policy governs runs: App(policy=…)",
    max_turns="write limits=AgentLimits(turns=…)",
    **{name: f"write settings=ModelSettings({name}=…)" for name in ModelSettings.model_fields},
)
@value
class Agent(BoundAgent):
    """A model that works on a task with tools until it has a result. Immutable: methods return a new agent.

    An agent is a callee, so it can be a tool of other agents. Its effect is composed.

    Raises:
        SetupError, ContractError: arguments contradict each other, or the driver does not support one.
    """

    own_tools: OwnTools = declare(
        "The callees that the model may call, or `LazyTools`.",
        default=(),
        converter=_as_own_tools,
        alias="tools",
        governed=Grants("call", _called_names),
    )
    handoffs: tuple[Agent | str, ...] = declare(
        "The agents that may take over the conversation, or their names, which the runtime resolves.",
        default=(),
        converter=_as_handoffs,
        governed=Grants("hand over to", lambda agent: agent.handoff_targets),
    )
    model: AnyModel | None = declare(
        "A model or its name, like `openai:gpt-5`. Default: the runtime's model.",
        default=None,
        governed=Ungoverned("each deployment has its own"),
    )
    driver: AgentDriver = declare(
        "Runs the model. Default: the native loop, and PydanticAI for a worker file.",
        default=None,
        converter=_as_driver,
        key=NoKey("drivers are objects of Python: `load_workers(driver=…)`"),
        governed=Ungoverned("every driver keeps what governs the agent"),
    )
    loop: Loop | None = declare(
        "Takes the place of `AgentLoop` in the native driver; see `Loop`.",
        default=None,
        key=NoKey("loops are code: `load_workers(driver=NativeDriver(…))`"),
        governed=Ungoverned("every loop takes the governed steps of the agent"),
    )

    layers: Stack[CallLayer] = make_later()
    """The layers around the agent itself."""
    permissions: frozenset[str] | None = make_later()
    """The permissions of its caller that its calls may use; None for all."""
    _binding: _Binding = make_later()
    _identity: object = make_later()
    _tools: AgentTools = make_later()

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_handoffs()
        if self.loop is not None and self.driver is not _NATIVE:
            raise SetupError(
                f"agent {self.name}: loop= is for the native driver; leave out driver=, or give NativeDriver(loop)"
            )
        driver = self.driver if self.loop is None else NativeDriver(self.loop)
        self._bind(driver=driver, layers=limit_layers(self.limits), _identity=object(), _binding=_Binding.of(self))

    def _check_handoffs(self) -> None:
        for target in self.handoff_targets:
            if target == self.name or self.handoff_targets.count(target) > 1:
                how = "to itself" if target == self.name else f"to {target} twice"
                raise SetupError(f"agent {self.name} hands over {how}; name each other agent once")

    def _bind(self, **values: object) -> None:
        vars(self).update(values)
        if self.model is not None:
            check_is_model(f"agent {self.name}: model", self.model)
        tools = AgentTools(self.name, self.own_tools, self._binding.handoff_tools, self.tool_search)
        vars(self).update(permissions=self.narrowed_permissions, _tools=tools)
        vars(self).update(service=self.driver.bind(self, tools, self.model))

    def _copy(self, **values: object) -> Agent:
        """A copy with other values, bound to its driver."""
        clone = copy.copy(self)
        clone._bind(**values)
        return clone

    @check_call
    def layer(self, layer: AgentLayer | Stack[AgentLayer]) -> Agent:
        """Return a new agent with ``layer`` around its calls, model requests or steps, by the layer's type.

        A layer that fits all three, such as a `Timeout`, wraps calls; use its ``.models`` or ``.steps`` for the
        others. See `Stack.layer` for its position among the other layers.
        """
        layers = to_agent_layers(self.name, self.agent_layers.layer(layer))
        return self._copy(agent_layers=layers, _identity=object())

    @check_call
    def layer_around(self, layer: ToolLayer | Stack[ToolLayer]) -> Agent:
        """Return a new agent with ``layer`` around itself, as around a tool: the layer sees arguments and result."""
        return self._copy(layers=self.layers.layer(to_call_layers(layer)), _identity=object())

    def with_model(self, model: AnyModel) -> Agent:
        """Return the same agent with another model, given as an object or by name."""
        return self._link(self._binding, model)

    def with_settings(self, settings: ModelSettings) -> Agent:
        """Return the same agent with other settings, such as ``agent.settings.update(temperature=0.2)``."""
        clone = copy.copy(self)
        read_settings(clone, [(each, settings) for each in settings_of(Agent) if each.attribute == "settings"])
        AgentSettings.__post_init__(clone)
        clone._bind()
        return clone

    def with_handoffs(self, names: Iterable[str]) -> Agent:
        """Return a new agent that may also hand over to the named agents, except itself."""
        names = as_text_tuple(f"agent {self.name}: handoffs", names)
        known = {self.name, *self.handoff_targets}
        clone = copy.copy(self)
        vars(clone)["handoffs"] = (*self.handoffs, *(each for each in dict.fromkeys(names) if each not in known))
        clone._bind(_binding=_Binding.of(clone), _identity=object())
        return clone

    def with_peers(
        self,
        peers: Mapping[str, Agent],
        handoff_tools: Iterable[HandoffTool],
        model: AnyModel | None,
        resolve_model: ResolveModel | None,
        listed_below: frozenset[str],
    ) -> Agent:
        """Return the same agent with a model and the other agents of its application.

        Args:
            peers: the agents by name; may be filled later, because agents can hand over to one another.
            handoff_tools: its handoff tools, which describe the targets.
            model: the model; None for no model.
            resolve_model: finds the model for a name, for drivers that do not.
            listed_below: the names that the agents below it add to its tool scope if that is ``"listed"``.
        """
        return self._link(_Binding(tuple(handoff_tools), peers, resolve_model, listed_below), model)

    def _link(self, binding: _Binding, model: AnyModel | None) -> Agent:
        resolve, compaction = binding.resolve_model, self.compaction
        if resolve is not None and isinstance(model, str) and not self.driver.finds_models:
            model = resolve(model)
        if resolve is not None and compaction is not None and isinstance(compaction.model, str):
            compaction = replace(compaction, model=resolve(compaction.model))
        return self._copy(model=model, compaction=compaction, _binding=binding)

    @property
    def handoff_targets(self) -> tuple[str, ...]:
        """The names of the agents that may take over the conversation."""
        return tuple(each if isinstance(each, str) else each.name for each in self.handoffs)

    @property
    def tools(self) -> tuple[Callee[..., Any], ...]:
        """The callees that its model may call, including its handoff tools.

        Raises:
            SetupError: a callee that it names does not exist.
        """
        return self._tools.callees

    @property
    def tool_scope(self) -> frozenset[str] | None:
        """The names that it and everything below it may call: its tools and the names that the definition adds.

        Before a runtime links the agents, ``"listed"`` adds nothing.
        """
        added = self.added_scope
        if added == "listed":
            added = self._binding.listed_below
        return None if added is None else added.union(each.name for each in self.tools)

    @property
    def definition(self) -> Agent:
        """The agent itself: an agent is its own definition."""
        return self

    @property
    def where(self) -> str:
        """The place of its definition, as ``file:line``; empty if it was made in Python."""
        return "" if self.source is None else self.source.where

    @property
    def body(self) -> object:
        """Identifies what the agent does: equal for copies that differ in models or peers only."""
        return self._identity

    def build_arguments(self, payload: BaseModel | str | None = None, /, **fields: Any) -> Arguments:
        """Build arguments from a payload, a prompt, or the fields of a payload.

        Raises:
            InvalidArgumentsError: they do not fit the input.
        """
        try:
            if isinstance(payload, str):
                fields = {"prompt": payload, **fields}
            elif payload is not None and not isinstance(cast("object", payload), BaseModel):
                raise InvalidArgumentsError(f"the prompt of {self.name} is {show_value(payload)}; give a string")
            if not isinstance(payload, BaseModel):
                payload = self.schema_in.model.model_validate(fields, by_alias=True, by_name=True)
            return self.schema_in.dump_arguments(self.schema_in.check_payload(payload))
        except ValidationError as error:
            raise InvalidArgumentsError(self.schema_in.explain(error)) from error

    def check_model(self) -> None:
        """Check, without a request, that its model can be used.

        Raises:
            NoModelError: the model cannot be used.
        """
        self.driver.check_model(self, self.model)

    def check_handoff(self, target: Agent) -> None:
        """Check that ``target`` can continue a conversation of this agent.

        Raises:
            SetupError: it takes no prompt, or returns a result of another type.
        """
        if not target.takes_prompt:
            raise SetupError(
                f"agent {self.name} hands over to {target.name}, whose input is not a prompt; call it as a tool"
            )
        if target.output is not self.output:
            raise SetupError(
                f"agent {self.name} hands over to {target.name}, whose result has another type; give both one `output`"
            )

    async def run(self, payload: BaseModel, frame: Frame | None = None, /, **_options: object) -> Any:
        """Run the agent and its successors by handoff until one of them has a result. Only a runtime has the frame.

        Raises:
            SetupError: an application called it.
        """
        if frame is None:
            raise SetupError(f"agent {self.name} runs in a runtime; write runtime.run(prompt, by=…)")
        payload = self.schema_in.check_payload(payload)
        result = await run_conversation(self, self._binding.peers, payload, frame)
        self.limits.check_size(self.name, result if isinstance(result, str) else result.content)
        return result

    async def reconcile(self, _payload: BaseModel, _frame: Frame, /) -> ReconcileResult:
        """Return UNKNOWN: an interrupted agent runs again."""
        return UNKNOWN

    def __eq__(self, other: object) -> bool:
        """Whether both are the same agent. Their models must be the same if both have one."""
        return (
            isinstance(other, Agent)
            and self._identity is other._identity
            and (is_same_model(self.model, other.model) or self.model is None or other.model is None)
        )

    def __hash__(self) -> int:
        return hash(self._identity)

    def __repr__(self) -> str:
        ungoverned = f", and ungoverned {', '.join(self.provider_tools)}" if self.provider_tools else ""
        count = self.own_tools.count + len(self._binding.handoff_tools)
        text = f"Agent {self.name} ({count} {'tool' if count == 1 else 'tools'}{ungoverned})"
        return f"{text}\n{self.layers!r}" if len(self.layers) else text


class _Binding(Struct, frozen=True):
    """The links that a runtime gives an agent: its handoff tools, the agents of its application, and their models."""

    handoff_tools: tuple[HandoffTool, ...]
    peers: Mapping[str, Agent]
    resolve_model: ResolveModel | None = None
    listed_below: frozenset[str] = frozenset()

    @classmethod
    def of(cls, agent: Agent) -> _Binding:
        """The links of an agent that no runtime has linked."""
        return cls(tuple(HandoffTool(target) for target in agent.handoff_targets), {})
