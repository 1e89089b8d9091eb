"""The contents of a `.worker` file: the definition of an agent, with its tools and workers as names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache, cached_property
from inspect import isroutine
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final

from pydantic import BaseModel, ConfigDict, InstanceOf, PlainValidator, ValidationError, create_model

from remit.agent.governed import Elsewhere
from remit.agent.setting import NoKey, declare, hints_of, settings_of, value
from remit.agent.settings import AgentSettings
from remit.call.callee import Callee, check_callees
from remit.call.contract import check_name
from remit.call.typed_schema import contracts_are_checked
from remit.chat.provider_tool import PROVIDER_TOOLS, ProviderTool, as_provider_tools
from remit.errors import ContractError, SetupError
from remit.schemas.yaml_lines import YamlDocument
from remit.workers.field_types import ModelName, NonEmptyText, ToolName, describe_error, select_innermost
from remit.workers.prompt import Template
from remit.workers.run_template import RunTemplate

PROMPT_PATH: Final = ("prompt",)
"""The path of the prompt in the document of a worker file."""
_BUILT: Final = Elsewhere("the agent that is built")


def _require_callee(value: object) -> object:
    try:
        check_callees("tool_objects", [value])
    except SetupError as error:
        raise ValueError(error.message) from error
    return value


@value
class WorkerDefinition(AgentSettings):
    """An agent as a `.worker` file defines it: tools, workers and handoffs are names. `build_agent` makes the agent.

    Raises:
        ContractError, SetupError: a setting is invalid, or two contradict each other.
    """

    noun: ClassVar = "worker"

    prompt: NonEmptyText = declare(
        "The system message: a Jinja template in Markdown that may use the input's fields.",
        key=NoKey("it is the text below the front matter"),
        governed=_BUILT,
    )
    includes: Mapping[str, str] = declare(
        "The texts that the prompt may include, by name.",
        default=MappingProxyType({}),
        key=NoKey("the prompt names them"),
        governed=_BUILT,
    )
    model: ModelName = declare(
        "The model, `provider:name`. A call may name another one. Default: `REMIT_MODEL`. Not together with "
        "`compatible_models`.",
        default="",
        example="openai:gpt-5-mini",
        governed=_BUILT,
    )
    tools: tuple[ToolName, ...] = declare("The tools it may call, by canonical name.", default=(), governed=_BUILT)
    tool_objects: Mapping[str, Annotated[Callee[..., Any], PlainValidator(_require_callee)]] = declare(
        "The tools that the file imports, by canonical name.",
        default=MappingProxyType({}),
        key=NoKey("`tools` names them as `package.module:tool`"),
        governed=_BUILT,
    )
    workers: tuple[ToolName, ...] = declare(
        "The workers it may call. To call itself, it lists itself.", default=(), governed=_BUILT
    )
    delegates: tuple[ToolName, ...] | None = declare(
        "Narrows what may be called below it: to its own tools and workers, and these. Default: all that its workers "
        "list.",
        default=None,
        example="[]",
        governed=_BUILT,
    )
    handoffs: tuple[ToolName, ...] = declare(
        "The agents that may take over the conversation.", default=(), governed=_BUILT
    )
    builtin_tools: tuple[str | InstanceOf[ProviderTool], ...] = declare(
        "Tools that run at the model's provider, by name, or as a mapping of `name` and `max_uses`, `allowed_domains` "
        "or `blocked_domains`. Ungoverned: no layer sees their calls.",
        default=(),
        example="[web_search]",
        governed=_BUILT,
    )
    run_instructions: str = declare(
        "What differs from run to run, as a Jinja template of `principal`, `tenant`, `target`, `conversation`, `now` "
        "(ISO 8601, UTC) and `date`. A message of its own before the user's.",
        default="",
        example='"Today is {{ date }}."',
        governed=_BUILT,
    )
    document: YamlDocument | None = declare(
        "The file with the line of each part; None for a definition made in Python.",
        default=None,
        key=NoKey("it is the file"),
        governed=_BUILT,
    )

    def __post_init__(self) -> None:
        check_name(self.name, "a worker")
        super().__post_init__()
        if self.document is not None and not self.includes and contracts_are_checked():
            return  # the same file was checked before
        for what in self._find_errors():
            raise ContractError(f"worker {self.name}: {what}")
        if self.model and self.compatible_models:
            raise ContractError(f"worker {self.name} has both `model` and `compatible_models`; keep one")
        unknown = sorted(set(self.provider_tool_names) - set(PROVIDER_TOOLS))
        if unknown:
            there = ", ".join(PROVIDER_TOOLS)
            raise ContractError(
                f"worker {self.name}: builtin_tools: no provider has the tool {unknown[0]!r}; available: {there}"
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
        """Errors that the reader also finds in files: invalid names and duplicate names."""
        try:
            _own_schema().model_validate({name: vars(self)[name] for name in _own_schema().model_fields})
        except ValidationError as error:
            yield "; ".join(describe_error(select_innermost(error.errors(include_url=False))[0], in_code=True))
            return
        for key in ("tools", "workers", "delegates", "handoffs", "builtin_tools"):
            names = self.provider_tool_names if key == "builtin_tools" else vars(self)[key] or ()
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

    def __eq__(self, other: object) -> bool:
        """Whether both have the same contents, in any place."""
        names = [each.attribute for each in settings_of(WorkerDefinition) if each.name != "document"]
        return isinstance(other, WorkerDefinition) and all(
            getattr(self, name) == getattr(other, name) for name in names
        )

    def __hash__(self) -> int:
        return hash((self.name, self.prompt))

    def __repr__(self) -> str:
        return f"WorkerDefinition(name={self.name!r}, prompt={self.prompt!r}, …)"


@cache
def _own_schema() -> type[BaseModel]:
    """Validates the names of a definition by the same rules as the front matter of a file."""
    own = [each.attribute for each in settings_of(WorkerDefinition) if each not in settings_of(AgentSettings)]
    fields: dict[str, Any] = {name: (hints_of(WorkerDefinition)[name], ...) for name in own}
    config = ConfigDict(strict=True, arbitrary_types_allowed=True)
    return create_model("WorkerNames", __config__=config, **fields)


def parameter_names(model: type[BaseModel]) -> list[str]:
    """The fields of a payload model by their aliases: the names that callers and prompts use."""
    return [field.alias or name for name, field in model.model_fields.items()]
