"""The definition of an agent: an immutable value that the agent and its driver read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cache, cached_property
from typing import Any, Final, Literal, Protocol, get_args

from pydantic import BaseModel

from remit.agent.attachments import ATTACHMENTS_FIELD, Attachment, AttachmentPolicy, takes_attachments
from remit.agent.compaction import Compaction
from remit.agent.limits import AgentLimits
from remit.agent.model import ResolveModel
from remit.agent.prompt import Prompt, PromptWithFiles
from remit.agent.run_instructions import RunInstructions, check_run_instructions
from remit.agent.stop import CostUsed, StopPolicy, walk_policy
from remit.agent.tool_search import ToolSearch
from remit.agent.working_memory import WorkingMemory
from remit.contracts.artifact import Artifact, Files
from remit.contracts.call import AgentLayer, CallLayer, ModelLayer, to_agent_layers, to_call_layers
from remit.contracts.contract import check_name
from remit.contracts.facts import Effect, Facts
from remit.contracts.provider_tool import ProviderTool
from remit.contracts.schema import Input, Output
from remit.contracts.settings import NO_SETTINGS, ModelSettings
from remit.core import Stack
from remit.core.checks import (
    as_items,
    as_texts,
    as_tuple_of,
    check_counts,
    check_instances,
    check_permission,
    check_subclass,
    check_text,
)
from remit.errors import ContractError, RequestError, SetupError
from remit.layers.retry_model import RetryModel
from remit.layers.timeout import Timeout
from remit.schemas.jsontext import canonical_text

OutputMode = Literal["auto", "native", "tool"]
OUTPUT_MODES: Final[tuple[str, ...]] = get_args(OutputMode)
"""How a model gives a result that is not text: by the JSON schema of its API, or by calling ``final_result``."""


class InstructionsTemplate(Protocol):
    """Instructions that depend on the input, like the prompt of a `.worker` file."""

    @property
    def source(self) -> str:
        """The template with everything that it includes; the lock of an inventory has its digest."""
        ...

    def render(self, fields: Mapping[str, object], /) -> str:
        """Render the system message for the fields of an input. Must depend on them alone, so that runs can be resumed.

        Raises:
            CallError: the template cannot be rendered for this input.
        """
        ...


class AgentSource(Protocol):
    """The place of an agent's definition, for error messages."""

    @property
    def where(self) -> str:
        """``file:line``."""
        ...


@dataclass(frozen=True, kw_only=True, eq=False)
class AgentDefinition:
    """Name, instructions, types, limits and settings of an agent. See `Agent` for each field.

    Raises:
        ContractError, SetupError: a field is invalid, or two fields contradict each other.
    """

    name: str
    instructions: str | InstructionsTemplate
    run_instructions: RunInstructions = ""
    description: str = ""
    input: type[BaseModel] = Prompt
    output: Any = str
    handoff_targets: tuple[str, ...] = ()
    tool_scope: frozenset[str] | Literal["listed"] | None = None
    permissions: frozenset[str] | None = None
    provider_tools: tuple[ProviderTool, ...] = ()
    compatible_models: tuple[str, ...] = ()
    attachments: AttachmentPolicy | None = None
    limits: AgentLimits = field(default_factory=AgentLimits)
    compaction: Compaction | None = None
    memory: WorkingMemory | None = None
    stop: StopPolicy | None = None
    settings: ModelSettings = NO_SETTINGS
    output_mode: OutputMode = "auto"
    retries: int = 1
    parallel: int = 8
    facts: Facts = field(default_factory=lambda: Facts(effect=Effect.COMPOSED))
    agent_layers: Stack[AgentLayer] = field(default_factory=Stack[AgentLayer])
    source: AgentSource | None = None
    tool_search: ToolSearch | None = None

    def __post_init__(self) -> None:
        check_name(self.name, "an agent")
        where = f"agent {self.name}"
        if not hasattr(self.instructions, "render"):
            check_text(f"{where}: instructions", self.instructions)
        check_run_instructions(f"{where}: run_instructions", self.run_instructions)
        check_text(f"{where}: description", self.description)
        check_instances(
            where,
            attachments=(self.attachments, AttachmentPolicy | None),
            limits=(self.limits, AgentLimits),
            compaction=(self.compaction, Compaction | None),
            memory=(self.memory, WorkingMemory | None),
            stop=(self.stop, StopPolicy | None),
            settings=(self.settings, ModelSettings),
            facts=(self.facts, Facts),
            agent_layers=(self.agent_layers, Stack),
            tool_search=(self.tool_search, ToolSearch | None),
        )
        check_subclass(f"{where}: input", self.input, BaseModel, "give a pydantic model")
        check_counts(
            where,
            parallel=self.parallel,
            retries=self.retries,
        )
        for permission in self.permissions or ():
            check_permission(f"{where}: an item of permissions", permission)
        if self.parallel < 1:
            raise SetupError(f"agent {self.name}: parallel={self.parallel}; an agent needs at least one")
        if not 0 <= self.retries <= 10:
            raise SetupError(f"agent {self.name}: retries={self.retries}; give a number from 0 to 10")
        if self.facts.effect is not Effect.COMPOSED:
            raise ContractError(f"agent {self.name} is {self.facts.effect.value}; agents are always composed")
        if takes_attachments(self.input) != (self.attachments is not None):
            raise ContractError(
                f"agent {self.name}: the input needs a field `{ATTACHMENTS_FIELD}: tuple[Attachment, ...]` if and only "
                f"if the agent has a policy for {ATTACHMENTS_FIELD}"
            )
        if self.settings.response_format is not None and not self.returns_text:
            raise SetupError(f"{where}: response_format and output contradict each other; keep output")
        if self.output_mode not in OUTPUT_MODES:
            known = ", ".join(map(repr, OUTPUT_MODES))
            raise SetupError(f"{where}: output_mode is {self.output_mode!r}; give one of {known}")
        object.__setattr__(self, "agent_layers", to_agent_layers(self.name, self.agent_layers))
        for target in self.handoff_targets:
            if target == self.name or self.handoff_targets.count(target) > 1:
                how = "to itself" if target == self.name else f"to {target} twice"
                raise SetupError(f"agent {self.name} hands over {how}; name each other agent once")

    @cached_property
    def schema_in(self) -> Input[Any]:
        """The schema of the agent's payload."""
        return _prompt_input() if self.input is Prompt else Input(self.input)

    @cached_property
    def schema_out(self) -> Output[Any]:
        """The schema of the agent's result."""
        return _text_output() if self.output is str else Output(self.output)

    @property
    def takes_prompt(self) -> bool:
        """Whether the agent can be called with a text alone."""
        return issubclass(self.input, Prompt)

    def resolve_models(self, resolve: ResolveModel | None) -> AgentDefinition:
        """The definition with the model that it names for summaries."""
        compaction = self.compaction
        if resolve is None or compaction is None or not isinstance(compaction.model, str):
            return self
        return replace(self, compaction=replace(compaction, model=resolve(compaction.model)))

    @property
    def limits_cost(self) -> bool:
        """Whether it must know what its models cost."""
        return self.limits.cost is not None or any(isinstance(each, CostUsed) for each in walk_policy(self.stop))

    @property
    def returns_text(self) -> bool:
        """Whether the model's last message is the result. Otherwise the model calls ``final_result``."""
        return self.output is str

    @property
    def call_layers(self) -> Stack[CallLayer]:
        """The layers around the calls that the agent makes."""
        return Stack(*(layer for layer in self.agent_layers if isinstance(layer, CallLayer)))

    @property
    def model_layers(self) -> Stack[ModelLayer]:
        """The layers around its model requests, with a `RetryModel` next to the model if the agent has none."""
        layers = [layer for layer in self.agent_layers if isinstance(layer, ModelLayer)]
        has_retry = any(isinstance(layer, RetryModel) for layer in layers)
        return Stack(*layers) if has_retry else Stack(*layers, RetryModel())

    def render_instructions(self, payload: BaseModel) -> str:
        """Render the system message for a payload. A template sees the name and type of attachments, not the content.

        Raises:
            InvalidArgumentsError, ToolFailedError: a template cannot be rendered for this payload.
        """
        if isinstance(self.instructions, str):
            return self.instructions
        fields = self._dump_payload(payload)
        if self.attachments is not None:
            fields[ATTACHMENTS_FIELD] = [
                {"name": each["name"], "media_type": each["media_type"]} for each in fields[ATTACHMENTS_FIELD]
            ]
        return self.instructions.render(fields)

    def render_message(self, payload: BaseModel) -> str:
        """Render the user message for a payload, without attachments: the prompt, or else canonical JSON."""
        if isinstance(payload, PromptWithFiles):
            return payload.to_text()
        if isinstance(payload, Prompt):
            return payload.prompt
        fields = self._dump_payload(payload)
        if self.attachments is not None:
            del fields[ATTACHMENTS_FIELD]
        return canonical_text(fields)

    def file_fields(self, files: Files) -> dict[str, Any]:
        """The fields of an input with files.

        Raises:
            RequestError: the input takes no files. SetupError: they are not artifacts.
        """
        remedy = "give artifacts: await runtime.artifacts.add(Path(…), by=…)"
        files = as_tuple_of(Artifact, f"agent {self.name}", "files", files, remedy)
        if files and not issubclass(self.input, PromptWithFiles):
            raise RequestError(f"agent {self.name} takes no files; give it input=PromptWithFiles")
        return {"files": files} if files else {}

    def get_attachments(self, payload: BaseModel) -> tuple[Attachment, ...]:
        """The attachments of a payload.

        Raises:
            InvalidArgumentsError: the policy refuses them.
        """
        if self.attachments is None:
            return ()
        attachments = tuple(dict(payload)[ATTACHMENTS_FIELD])
        self.attachments.check(attachments)
        return attachments

    def check_compatible(self, model_name: str) -> None:
        """Refuse a model that the agent does not support.

        Raises:
            SetupError: the model matches none of the patterns.
        """
        patterns = self.compatible_models
        if patterns and not any(fnmatchcase(model_name, each) for each in patterns):
            where = f" ({self.source.where})" if self.source is not None and self.source.where else ""
            raise SetupError(
                f"agent {self.name} does not support the model {model_name!r}, only {', '.join(patterns)}{where}"
            )

    def _dump_payload(self, payload: BaseModel) -> dict[str, Any]:
        """The payload as JSON types, by alias."""
        fields: dict[str, Any] = json.loads(self.schema_in.dump_canonical(payload))
        return fields


@cache
def _prompt_input() -> Input[Prompt]:
    return Input(Prompt)


@cache
def _text_output() -> Output[str]:
    return Output(str)


def limit_layers(limits: AgentLimits) -> Stack[CallLayer]:
    """The layers that keep the limit on seconds of an agent."""
    return Stack() if limits.seconds is None else to_call_layers(Timeout(limits.seconds, of_all_executions=True))


def to_scope(name: str, given: Iterable[str] | None) -> frozenset[str] | Literal["listed"] | None:
    """The tool scope of an agent, as its constructor accepts it."""
    if given == "listed":
        return "listed"
    if given is None:
        return None
    return as_texts(f"agent {name}: tool_scope", as_items(f"agent {name}: tool_scope", given))
