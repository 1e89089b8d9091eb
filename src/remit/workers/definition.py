"""The contents of a `.worker` file: the definition of an agent, with tools and workers as names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from inspect import isroutine
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, InstanceOf, ValidationError

from remit.agent.attachments import ATTACHMENTS_FIELD, AttachmentPolicy, takes_attachments
from remit.agent.limits import AgentLimits
from remit.agent.prompt import Prompt
from remit.contracts.callee import Callee, check_callees
from remit.contracts.contract import NAME_PATTERN
from remit.contracts.facts import Effect, Facts
from remit.contracts.schema import Input, Output
from remit.errors import ContractError, SetupError
from remit.schemas.yaml_lines import YamlDocument
from remit.workers.field_types import ModelName, NonEmptyText, Permission, ToolName, describe_error, select_innermost
from remit.workers.prompt import Template

ProviderTool = Literal["code_execution", "image_generation", "web_fetch", "web_search", "x_search"]
PROVIDER_TOOLS: Final[tuple[str, ...]] = get_args(ProviderTool)
"""The tools of providers that need no configuration. They run where the model runs, and nothing here governs them."""
PROMPT_PATH: Final = ("prompt",)
"""The path of the prompt in the document of a worker file."""


def _require_callee(value: object) -> object:
    try:
        check_callees("tool_objects", [value])
    except SetupError as error:
        raise ValueError(error.message) from error
    return value


class _DefinitionSchema(BaseModel):
    """The parts of a definition that a program may get wrong, each as a file may say it."""

    model_config = ConfigDict(strict=True)

    name: ToolName
    prompt: NonEmptyText
    description: str
    includes: Mapping[str, str]
    model: ModelName
    compatible_models: tuple[Annotated[str, Field(min_length=1)], ...]
    input: type[BaseModel]
    tools: tuple[ToolName, ...]
    workers: tuple[ToolName, ...]
    delegates: tuple[ToolName, ...]
    handoffs: tuple[ToolName, ...]
    permissions: frozenset[Permission] | None
    builtin_tools: tuple[str, ...]
    attachments: InstanceOf[AttachmentPolicy] | None
    limits: InstanceOf[AgentLimits]
    retries: int = Field(ge=0, le=10)
    facts: InstanceOf[Facts]
    tool_objects: Mapping[str, Annotated[object, AfterValidator(_require_callee)]]
    document: InstanceOf[YamlDocument] | None


@dataclass(frozen=True, kw_only=True)
class WorkerDefinition:
    """An agent as a `.worker` file defines it: tools, workers and handoffs are names. `build_agent` makes the agent.

    Args:
        name: the canonical name, as a model sees it.
        prompt: the system message: Markdown, a Jinja template of the input's parameters.
        includes: the texts that the prompt may include, by the name it includes them by.
        model: the model, ``provider:name``. Empty for the model of the call or of the environment.
        compatible_models: patterns like ``openai:*``, one of which the model that is given has to match.
        input: the payload model. output: the type of the result, which PydanticAI checks.
        tools: canonical names of what it may call.
        tool_objects: the tools that the file imports, by name.
        workers: those of the workers it may call; itself if it says so.
        delegates: what workers below it may call, and it may not.
        handoffs: canonical names of the agents that may go on with the conversation in its place.
        permissions: what its calls may use of its caller's permissions; None for all of them.
        builtin_tools: tools of the provider, see `PROVIDER_TOOLS`; ungoverned.
        attachments: which files it takes; None for none.
        retries: how often the model may mend a result that is not valid.
        facts: what governs it; the effect is always composed.
        document: where each part was read; None for one that a program made.

    Raises:
        ContractError: the parts do not fit.
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
    delegates: tuple[str, ...] = ()
    handoffs: tuple[str, ...] = ()
    permissions: frozenset[str] | None = None
    builtin_tools: tuple[str, ...] = ()
    attachments: AttachmentPolicy | None = None
    limits: AgentLimits = field(default_factory=AgentLimits)
    retries: int = 1
    facts: Facts = field(default_factory=lambda: Facts(effect=Effect.COMPOSED))
    tool_objects: Mapping[str, Callee[..., Any]] = field(default_factory=dict[str, Callee[..., Any]], hash=False)
    document: YamlDocument | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        for what in self._find_errors():
            raise ContractError(f"worker {_display_name(self.name)}: {what}")
        if self.model and self.compatible_models:
            raise ContractError(f"worker {self.name} names a model and compatible models; say one of the two")
        if self.facts.effect is not Effect.COMPOSED:
            raise ContractError(f"worker {self.name} is {self.facts.effect.value}; a worker is always composed")
        unknown = sorted(set(self.builtin_tools) - set(PROVIDER_TOOLS))
        if unknown:
            there = ", ".join(PROVIDER_TOOLS)
            raise ContractError(f"worker {self.name}: no provider has the tool {unknown[0]!r}; there are: {there}")
        if takes_attachments(self.input) != (self.attachments is not None):
            raise ContractError(
                f"worker {self.name}: the input has a field `{ATTACHMENTS_FIELD}: "
                "tuple[Attachment, ...]` if the worker says which "
                f"{ATTACHMENTS_FIELD} it takes, and only then"
            )
        for finding in self.template.check(parameter_names(self.input)):
            raise ContractError(f"worker {self.name}: {finding}")

    def _find_errors(self) -> Iterator[str]:
        """What a file could not say either: parts of other types, words that are none, names that stand twice."""
        try:
            _DefinitionSchema.model_validate({name: self.__dict__[name] for name in _DefinitionSchema.model_fields})
        except ValidationError as error:
            yield "; ".join(describe_error(select_innermost(error.errors(include_url=False))[0], in_code=True))
            return
        for key in ("tools", "workers", "delegates", "handoffs", "builtin_tools"):
            names: tuple[str, ...] = self.__dict__[key]
            yield from (f"{key} names {each!r} twice; remove one" for each in names if names.count(each) > 1)
        output: object = self.output
        if isinstance(output, (str, Mapping)) or isroutine(output):
            yield f"output: {self.output!r} is no type; give one, like str or a pydantic model"
        for key in ("input", "output"):
            try:
                _ = self.schema_in if key == "input" else self.schema_out
            except ContractError as error:
                yield f"{key}: {error.message}"

    @cached_property
    def schema_in(self) -> Input[Any]:
        """The payload it takes."""
        return Input(self.input)

    @cached_property
    def schema_out(self) -> Output[Any]:
        """The result it gives."""
        return Output(self.output)

    @property
    def takes_prompt(self) -> bool:
        """Whether a text alone is an input."""
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
        """Where a part is written, as ``file:line``, like ``where("tools", 0)``; empty for one that a program made."""
        return self.document.locate(path) if self.document else ""

    def resolve_model_name(self, *, requested_name: str = "", default_name: str = "") -> str:
        """The name of the model that is asked: the call's, else the file's, else the environment's.

        Raises:
            SetupError: none is named, or this worker is not made for it.
        """
        name = requested_name or self.model or default_name
        at = f" ({self.locate('compatible_models')})" if self.document else ""
        if not name:
            raise SetupError(f"worker {self.name} names no model; give it one, or set REMIT_MODEL")
        if not self.supports_model(name):
            patterns = ", ".join(self.compatible_models)
            raise SetupError(f"worker {self.name} is not made for the model {name!r}, but for {patterns}{at}")
        return name

    def supports_model(self, model: str) -> bool:
        """Whether it is made for a model, named ``provider:name``."""
        return not self.compatible_models or any(fnmatchcase(model, each) for each in self.compatible_models)


def _display_name(name: object) -> str:
    """A name, or what was given in its place."""
    return name if isinstance(name, str) and NAME_PATTERN.fullmatch(name) else repr(name)


def parameter_names(model: type[BaseModel]) -> list[str]:
    """The fields of a payload model by the names that callers know: those that a prompt may use."""
    return [field.alias or name for name, field in model.model_fields.items()]
