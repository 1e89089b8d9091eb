"""Agents: a definition and the callee that runs it."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal, cast

from pydantic import BaseModel, ValidationError

from remit.agent.attachments import AttachmentPolicy
from remit.agent.compaction import Compaction
from remit.agent.conversation import run_conversation
from remit.agent.definition import (
    AgentDefinition,
    AgentSource,
    InstructionsTemplate,
    OutputMode,
    limit_layers,
    to_scope,
)
from remit.agent.driver import AgentDriver, AgentService, AgentTools, OwnTools, ToolSource
from remit.agent.handoff import HandoffTool
from remit.agent.limits import AgentLimits
from remit.agent.loop import Loop
from remit.agent.model import AnyModel, ResolveModel, check_is_model, is_same_model
from remit.agent.native import NativeDriver
from remit.agent.prompt import Prompt
from remit.agent.run_instructions import RunInstructions
from remit.agent.stop import StopPolicy
from remit.agent.tool_search import ToolSearch, as_tool_search
from remit.agent.working_memory import WorkingMemory
from remit.contracts.arguments import Arguments
from remit.contracts.call import AgentLayer, CallLayer, ToolLayer, to_call_layers
from remit.contracts.callee import UNKNOWN, Callee, Frame, ReconcileResult
from remit.contracts.facts import Effect, Facts
from remit.contracts.provider_tool import ProviderTool, as_provider_tools
from remit.contracts.schema import Input, Output
from remit.contracts.settings import NO_SETTINGS, ModelSettings
from remit.core import Stack
from remit.core.call_checks import check_arguments
from remit.core.checks import as_text_tuple, as_texts, as_tuple_of, check_method
from remit.errors import InvalidArgumentsError, SetupError

_NATIVE = NativeDriver()


@check_arguments(
    policy="a policy governs runs: App(policy=…)",
    max_turns="write limits=AgentLimits(turns=…)",
    **{name: f"write settings=ModelSettings({name}=…)" for name in ModelSettings.model_fields},
)
class Agent:
    """A model that works on a task with tools until it has a result. Immutable: methods return a new agent.

    An agent is a callee, so it can be a tool of other agents. Its effect is composed.

    Args:
        name: the canonical name.
        instructions: the system message, or a template of the input's fields.
        run_instructions: what differs from run to run, such as the date: a text, or a function of a `RunInfo`. A
            message of its own before the user's, so that model providers can cache instructions and tools.
        input: the payload model; by default a `Prompt`, which may be given as text.
        output: the type of the result. If it is not text, the result is validated.
        tools: the callees that the model may call, or `LazyTools`.
        handoffs: the agents that may take over the conversation, or their names, which the runtime resolves.
        tool_scope: names that agents and tools below it may call in addition to its own tools; ``"listed"`` for those
            that the agents below it list, as long as these do not narrow; None for no restriction.
        permissions: the permissions of its caller that its calls may use; None for all.
        provider_tools: tools that run at the model's provider, by name or as `ProviderTool`. No layer governs them.
        model: a model or its name, like ``openai:gpt-5``; None for the runtime's model.
        compatible_models: patterns like ``openai:*``, one of which the model must match.
        driver: runs the model; by default the native loop.
        limits: turns, calls, tokens, seconds and output bytes of one call of the agent.
        compaction: when a history is shortened; None for when it grows too long for its model.
        memory: what it remembers of the entities in a conversation; None for nothing.
        stop: when it is done, such as ``NoCalls() | TurnsUsed(5)``; by default when its model calls no tool.
        loop: takes the place of `AgentLoop` in the native driver; see `Loop`.
        settings: those of each model request, such as ``ModelSettings(temperature=0)``.
        output_mode: ``"native"`` sends the schema of a typed result with each request, and the model answers with JSON;
            ``"tool"`` makes it call ``final_result``; ``"auto"`` is native for a named model that is known to have it.
        retries: how often the model may correct an invalid result.
        parallel: how many calls of one answer run at once.
        attachments: the files that it accepts with its input; None for no files.
        facts: the facts of the agent's own calls.
        agent_layers: layers around its calls, its model requests and its steps; see `layer`.
        source: the place of its definition, for error messages.
        tool_search: how its model finds tools where there are more than so many; None to show it all of them.

    Raises:
        SetupError, ContractError: arguments contradict each other, or the driver does not support one.
    """

    _listed_below: frozenset[str] = frozenset()
    _resolve_model: ResolveModel | None = None

    def __init__(
        self,
        name: str,
        *,
        instructions: str | InstructionsTemplate,
        run_instructions: RunInstructions = "",
        description: str = "",
        input: type[BaseModel] = Prompt,  # noqa: A002 - the word of contracts
        output: Any = str,
        tools: ToolSource = (),
        handoffs: Iterable[Agent | str] = (),
        tool_scope: Iterable[str] | Literal["listed"] | None = None,
        permissions: Iterable[str] | None = None,
        provider_tools: Iterable[str | ProviderTool] = (),
        model: AnyModel | None = None,
        compatible_models: Iterable[str] = (),
        driver: AgentDriver | None = None,
        limits: AgentLimits | None = None,
        compaction: Compaction | None = None,
        memory: WorkingMemory | None = None,
        stop: StopPolicy | None = None,
        loop: Loop | None = None,
        settings: ModelSettings | None = None,
        output_mode: OutputMode = "auto",
        retries: int = 1,
        parallel: int = 8,
        attachments: AttachmentPolicy | None = None,
        facts: Facts | None = None,
        agent_layers: Stack[AgentLayer] | None = None,
        source: AgentSource | None = None,
        tool_search: ToolSearch | int | None = None,
    ) -> None:
        self.handoffs = _to_handoffs(name, handoffs)
        self.definition = AgentDefinition(
            name=name,
            instructions=instructions,
            run_instructions=run_instructions,
            description=f"The agent {name}." if description == "" else description,
            input=input,
            output=output,
            handoff_targets=_names_of(self.handoffs),
            tool_scope=to_scope(name, tool_scope),
            permissions=None if permissions is None else as_texts(f"agent {name}: permissions", permissions),
            provider_tools=as_provider_tools(f"agent {name}: provider_tools", provider_tools),
            compatible_models=as_text_tuple(f"agent {name}: compatible_models", compatible_models),
            attachments=attachments,
            limits=AgentLimits() if limits is None else limits,
            compaction=compaction,
            memory=memory,
            stop=stop,
            settings=NO_SETTINGS if settings is None else settings,
            output_mode=output_mode,
            retries=retries,
            parallel=parallel,
            facts=Facts(effect=Effect.COMPOSED) if facts is None else facts,
            agent_layers=Stack() if agent_layers is None else agent_layers,
            source=source,
            tool_search=as_tool_search(tool_search),
        )
        self._compose(_choose_driver(name, driver, loop), model, OwnTools(name, tools))

    def _compose(self, driver: AgentDriver, model: AnyModel | None, own_tools: OwnTools) -> None:
        self.name, self.facts = self.definition.name, self.definition.facts  # read in every call
        self.driver = driver
        self.model = model
        self.layers: Stack[CallLayer] = limit_layers(self.definition.limits)
        self._own_tools = own_tools
        self._handoff_tools = tuple(HandoffTool(target) for target in self.definition.handoff_targets)
        self._peers: Mapping[str, Agent] = {}
        self._identity = object()
        self._bind()

    def layer(self, layer: AgentLayer | Stack[AgentLayer]) -> Agent:
        """Return a new agent with ``layer`` around its calls, model requests or steps, by the layer's type.

        A layer that fits all three, such as a `Timeout`, stands around calls; use its ``.models`` or ``.steps`` for the
        others. Where it stands among the others: see `Stack.layer`.
        """
        clone = copy.copy(self)
        clone.definition = replace(self.definition, agent_layers=self.definition.agent_layers.layer(layer))
        clone._identity = object()
        clone._bind()
        return clone

    def layer_around(self, layer: ToolLayer | Stack[ToolLayer]) -> Agent:
        """Return a new agent with ``layer`` around itself, as around a tool: the layer sees arguments and result."""
        clone = copy.copy(self)
        clone.layers = self.layers.layer(to_call_layers(layer))
        clone._identity = object()
        return clone

    def with_model(self, model: AnyModel) -> Agent:
        """Return the same agent with another model, given as an object or by name."""
        return self.with_peers(self._peers, self._handoff_tools, model, self._resolve_model, self._listed_below)

    def with_settings(self, settings: ModelSettings) -> Agent:
        """Return the same agent with other settings, such as ``agent.settings.update(temperature=0.2)``."""
        clone = copy.copy(self)
        clone.definition = replace(self.definition, settings=settings)
        clone._bind()
        return clone

    def with_handoffs(self, names: Iterable[str]) -> Agent:
        """Return a new agent that may also hand over to the agents of these names, except itself."""
        names = as_text_tuple(f"agent {self.name}: handoffs", names)
        known = {self.name, *self.definition.handoff_targets}
        clone = copy.copy(self)
        clone.handoffs = (*self.handoffs, *(each for each in dict.fromkeys(names) if each not in known))
        clone.definition = replace(self.definition, handoff_targets=_names_of(clone.handoffs))
        clone._compose(self.driver, self.model, self._own_tools)
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
        clone = copy.copy(self)
        clone.definition = self.definition.resolve_models(resolve_model)
        clone._resolve_model = resolve_model
        clone.model = model
        if isinstance(model, str) and resolve_model is not None and not self.driver.finds_models:
            clone.model = resolve_model(model)
        clone._peers = peers
        clone._listed_below = listed_below
        clone._handoff_tools = tuple(handoff_tools)
        clone._bind()
        return clone

    def _bind(self) -> None:
        check_method(f"agent {self.name}: driver", self.driver, "bind", "give a driver, such as NativeDriver()")
        if self.model is not None:
            check_is_model(f"agent {self.name}: model", self.model)
        self._tools = AgentTools(self.name, self._own_tools, self._handoff_tools, self.definition.tool_search)
        self.service: AgentService = self.driver.bind(self.definition, self._tools, self.model)

    # Pyright takes no cached property for an attribute of a protocol.
    schema_in: Input[Any] = cast("Input[Any]", cached_property(lambda self: self.definition.schema_in))
    """The schema of its payload."""

    schema_out: Output[Any] = cast("Output[Any]", cached_property(lambda self: self.definition.schema_out))
    """The schema of its result."""

    @property
    def description(self) -> str:
        """When and why to call it."""
        return self.definition.description

    @property
    def tools(self) -> tuple[Callee[..., Any], ...]:
        """The callees that its model may call, including its handoff tools.

        Raises:
            SetupError: a callee that it names does not exist.
        """
        return self._tools.callees

    @property
    def provider_tools(self) -> tuple[str, ...]:
        """The names of tools that run at the model's provider."""
        return tuple(each.name for each in self.definition.provider_tools)

    @property
    def tool_scope(self) -> frozenset[str] | None:
        """The names that it and everything below it may call: its tools and those that the definition adds.

        Before a runtime links the agents, ``"listed"`` adds nothing.
        """
        added = self.definition.tool_scope
        if added == "listed":
            added = self._listed_below
        return None if added is None else added.union(each.name for each in self.tools)

    @property
    def permissions(self) -> frozenset[str] | None:
        """The permissions of its caller that its calls may use."""
        return self.definition.permissions

    @property
    def settings(self) -> ModelSettings:
        """The settings of its model requests."""
        return self.definition.settings

    @property
    def call_layers(self) -> Stack[CallLayer]:
        """The layers around the calls that it makes."""
        return self.definition.call_layers

    @property
    def where(self) -> str:
        """The place of its definition, as ``file:line``; empty if it was made in Python."""
        return "" if self.definition.source is None else self.definition.source.where

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
                raise InvalidArgumentsError(f"the prompt of {self.name} is {payload!r}; give a string")
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
        self.driver.check_model(self.definition, self.model)

    def check_handoff(self, target: Agent) -> None:
        """Check that ``target`` can continue a conversation of this agent.

        Raises:
            SetupError: it takes no prompt, or returns a result of another type.
        """
        if not target.definition.takes_prompt:
            raise SetupError(
                f"agent {self.name} hands over to {target.name}, whose input is not a prompt; call it as a tool"
            )
        if target.definition.output is not self.definition.output:
            raise SetupError(
                f"agent {self.name} hands over to {target.name}, whose result has another type; give both one `output`"
            )

    async def run(self, payload: BaseModel, frame: Frame, /) -> Any:
        """Run the agent and its successors by handoff until one of them has a result."""
        payload = self.schema_in.check_payload(payload)
        result = await run_conversation(self, self._peers, payload, frame)
        self.definition.limits.check_size(self.name, result if isinstance(result, str) else result.content)
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
        count = self._own_tools.count + len(self._handoff_tools)
        text = f"Agent {self.name} ({count} {'tool' if count == 1 else 'tools'}{ungoverned})"
        return f"{text}\n{self.layers!r}" if len(self.layers) else text


def _choose_driver(name: str, driver: AgentDriver | None, loop: Loop | None) -> AgentDriver:
    if driver is not None and loop is not None:
        raise SetupError(f"agent {name}: loop= is for the native driver; leave out driver=, or give NativeDriver(loop)")
    return driver or (_NATIVE if loop is None else NativeDriver(loop))


def _to_handoffs(name: str, given: Iterable[Agent | str]) -> tuple[Agent | str, ...]:
    return as_tuple_of((Agent, str), f"agent {name}", "handoffs", given, "give an agent, or its name")


def _names_of(agents: Iterable[Agent | str]) -> tuple[str, ...]:
    return tuple(each if isinstance(each, str) else each.name for each in agents)
