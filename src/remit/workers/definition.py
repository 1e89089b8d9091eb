"""The contents of a `.worker` file: the definition of an agent, with its tools and workers as names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from inspect import isroutine
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, InstanceOf, ValidationError

from remit.agent.attachments import ATTACHMENTS_FIELD, AttachmentPolicy, takes_attachments
from remit.agent.compaction import Compaction
from remit.agent.limits import AgentLimits
from remit.agent.prompt import Prompt
from remit.agent.settings import OutputMode
from remit.agent.stop import StopPolicy
from remit.agent.tool_search import ToolSearch
from remit.agent.working_memory import WorkingMemory
from remit.contracts.callee import Callee, check_callees
from remit.contracts.contract import NAME_PATTERN
from remit.contracts.facts import Effect, Facts
from remit.contracts.provider_tool import PROVIDER_TOOLS, ProviderTool, as_provider_tools
from remit.contracts.schema import Input, Output
from remit.contracts.settings import NO_SETTINGS, ModelSettings
from remit.contracts.typed_schema import contracts_are_checked
from remit.errors import ContractError, SetupError
from remit.schemas.yaml_lines import YamlDocument
from remit.workers.field_types import ModelName, NonEmptyText, Permission, ToolName, describe_error, select_innermost
from remit.workers.prompt import Template
from remit.workers.run_template import RunTemplate

PROMPT_PATH: Final = ("prompt",)
"""The path of the prompt in the document of a worker file."""


def _require_callee(value: object) -> object:
    try:
        check_callees("tool_objects", [value])
    except SetupError as error:
        raise ValueError(error.message) from error
    return value


class _DefinitionSchema(BaseModel):
    """Validates the fields of a definition by the same rules as the front matter of a file."""

    model_config = ConfigDict(strict=True, defer_build=True)

    name: ToolName
    prompt: NonEmptyText
    description: str
    includes: Mapping[str, str]
    model: ModelName
    compatible_models: tuple[Annotated[str, Field(min_length=1)], ...]
    input: type[BaseModel]
    tools: tuple[ToolName, ...]
    workers: tuple[ToolName, ...]
    delegates: tuple[ToolName, ...] | None
    handoffs: tuple[ToolName, ...]
    permissions: frozenset[Permission] | None
    builtin_tools: tuple[str | InstanceOf[ProviderTool], ...]
    attachments: InstanceOf[AttachmentPolicy] | None
    limits: InstanceOf[AgentLimits]
    stop: InstanceOf[StopPolicy] | None
    compaction: InstanceOf[Compaction] | None
    memory: InstanceOf[WorkingMemory] | None
    tool_search: InstanceOf[ToolSearch] | None
    settings: InstanceOf[ModelSettings]
    output_mode: OutputMode
    retries: int = Field(ge=0, le=10)
    run_instructions: str
    facts: InstanceOf[Facts]
    tool_objects: Mapping[str, Annotated[object, AfterValidator(_require_callee)]]
    document: InstanceOf[YamlDocument] | None


@dataclass(frozen=True, kw_only=True)
class WorkerDefinition:
    """An agent as a `.worker` file defines it: tools, workers and handoffs are names. `build_agent` makes the agent.

    Args:
        name: the canonical name, as a model sees it.
        prompt: the system message: a Jinja template in Markdown that may use the input's fields.
        includes: the texts that the prompt may include, by name.
        model: the model, ``provider:name``. Empty for the model of the call or of the environment.
        compatible_models: patterns like ``openai:*``; the model must match one of them.
        input: the payload model. output: the type of the result, which PydanticAI checks.
        tools: canonical names of the tools it may call.
        tool_objects: the tools that the file imports, by canonical name.
        workers: canonical names of the workers it may call; it may list itself.
        delegates: names that its workers may call although it may not, and no others; None for all that they list.
        handoffs: canonical names of the agents that may take over the conversation.
        permissions: the permissions of its caller that its calls may use; None for all of them.
        builtin_tools: tools that run at the model's provider, see `PROVIDER_TOOLS`, by name or with options;
            ungoverned.
        attachments: the files it accepts; None for no files.
        stop, compaction, memory, tool_search: as of `Agent`.
        settings: those of each request to the model.
        output_mode: how the model gives a result that is not text.
        retries: how many times the model may correct an invalid result.
        run_instructions: what differs from run to run, as a template; see `RunTemplate`.
        facts: the facts of its calls; the effect is always composed.
        document: the file with the line of each part; None for a definition made in Python.

    Raises:
        ContractError: a field is invalid, or two fields contradict each other.
    """

    name: str
    prompt: str
    description: str = ""
    includes: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    model: str = ""
    compatible_models: tuple[str, ...] = ()
    input: type[BaseModel] = Prompt
    output: Any = str
    tools: tuple[str, ...] = ()
    workers: tuple[str, ...] = ()
    delegates: tuple[str, ...] | None = None
    handoffs: tuple[str, ...] = ()
    permissions: frozenset[str] | None = None
    builtin_tools: tuple[str | ProviderTool, ...] = ()
    attachments: AttachmentPolicy | None = None
    limits: AgentLimits = field(default_factory=AgentLimits)
    stop: StopPolicy | None = None
    compaction: Compaction | None = None
    memory: WorkingMemory | None = None
    tool_search: ToolSearch | None = field(default=None, hash=False)
    settings: ModelSettings = field(default=NO_SETTINGS, hash=False)
    output_mode: OutputMode = "auto"
    retries: int = 1
    run_instructions: str = ""
    facts: Facts = field(default_factory=lambda: Facts(effect=Effect.COMPOSED))
    tool_objects: Mapping[str, Callee[..., Any]] = field(default_factory=dict[str, Callee[..., Any]], hash=False)
    document: YamlDocument | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.document is not None and not self.includes and contracts_are_checked():
            return  # the file was checked before, as it is
        for what in self._find_errors():
            raise ContractError(f"worker {_display_name(self.name)}: {what}")
        if self.model and self.compatible_models:
            raise ContractError(f"worker {self.name} has both `model` and `compatible_models`; keep one")
        if self.facts.effect is not Effect.COMPOSED:
            raise ContractError(f"worker {self.name} is {self.facts.effect.value}; workers are always composed")
        unknown = sorted(set(self.provider_tool_names) - set(PROVIDER_TOOLS))
        if unknown:
            there = ", ".join(PROVIDER_TOOLS)
            raise ContractError(f"worker {self.name}: no provider has the tool {unknown[0]!r}; available: {there}")
        if takes_attachments(self.input) != (self.attachments is not None):
            raise ContractError(
                f"worker {self.name}: the input needs a field `{ATTACHMENTS_FIELD}: "
                "tuple[Attachment, ...]` if and only if the worker has "
                f"`{ATTACHMENTS_FIELD}`"
            )
        of_run = RunTemplate(self.run_instructions).check() if self.run_instructions else ()
        for finding in [*self.template.check(parameter_names(self.input)), *of_run]:
            raise ContractError(f"worker {self.name}: {finding}")

    @property
    def provider_tool_names(self) -> tuple[str, ...]:
        """The names of the provider's tools."""
        return tuple(each if isinstance(each, str) else each.name for each in self.builtin_tools)

    @property
    def provider_tools(self) -> tuple[ProviderTool, ...]:
        """The provider's tools with their options."""
        return as_provider_tools("builtin_tools", self.builtin_tools)

    def _find_errors(self) -> Iterator[str]:
        """Errors that the reader finds in a file too: wrong types, invalid names, duplicate names."""
        try:
            _DefinitionSchema.model_validate({name: self.__dict__[name] for name in _DefinitionSchema.model_fields})
        except ValidationError as error:
            yield "; ".join(describe_error(select_innermost(error.errors(include_url=False))[0], in_code=True))
            return
        for key in ("tools", "workers", "delegates", "handoffs", "builtin_tools"):
            names = self.provider_tool_names if key == "builtin_tools" else self.__dict__[key] or ()
            yield from (f"{key} names {each!r} twice; remove one" for each in names if names.count(each) > 1)
        output: object = self.output
        if isinstance(output, (str, Mapping)) or isroutine(output):
            yield f"output: {self.output!r} is not a type; give one, like str or a pydantic model"
        for key in ("input", "output"):
            try:
                _ = self.schema_in if key == "input" else self.schema_out
            except ContractError as error:
                yield f"{key}: {error.message}"

    @cached_property
    def schema_in(self) -> Input[Any]:
        """The schema of the payload."""
        return Input(self.input)

    @cached_property
    def schema_out(self) -> Output[Any]:
        """The schema of the result."""
        return Output(self.output)

    @property
    def takes_prompt(self) -> bool:
        """Whether the worker can be called with a text alone."""
        return issubclass(self.input, Prompt)

    @cached_property
    def template(self) -> Template:
        """The prompt, compiled once."""
        if self.document is None:
            return Template(self.prompt, includes=self.includes)
        line = self.document.lines.get(PROMPT_PATH, 1)
        return Template(self.prompt, file=self.document.file, line=line, includes=self.includes)

    @property
    def where(self) -> str:
        """The place of the file, as ``file:line``; empty for a definition made in Python."""
        return self.locate()

    def locate(self, *path: str | int) -> str:
        """The place of a part, as ``file:line``, like ``locate("tools", 0)``; empty for a definition made in Python."""
        return self.document.locate(path) if self.document else ""

    def resolve_model_name(self, *, requested_name: str = "", default_name: str = "") -> str:
        """The name of the model to use: the call's, or else the file's, or else the environment's.

        Raises:
            SetupError: no model is named, or this worker does not support it.
        """
        name = requested_name or self.model or default_name
        at = f" ({self.locate('compatible_models')})" if self.document else ""
        if not name:
            raise SetupError(f"worker {self.name} names no model; name one in the file, or set REMIT_MODEL")
        if not self.supports_model(name):
            patterns = ", ".join(self.compatible_models)
            raise SetupError(f"worker {self.name} does not support the model {name!r}, only {patterns}{at}")
        return name

    def supports_model(self, model: str) -> bool:
        """Whether the worker supports a model, named ``provider:name``."""
        return not self.compatible_models or any(fnmatchcase(model, each) for each in self.compatible_models)


def _display_name(name: object) -> str:
    """A valid name unchanged, any other value by its repr."""
    return name if isinstance(name, str) and NAME_PATTERN.fullmatch(name) else repr(name)


def parameter_names(model: type[BaseModel]) -> list[str]:
    """The fields of a payload model by their aliases: the names that callers and prompts use."""
    return [field.alias or name for name, field in model.model_fields.items()]
