"""The front matter of a `.worker` file: its keys, their meaning and their types."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Final, cast, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, create_model

from remit.agent.setting import Setting, hints_of, settings_of
from remit.agent.settings import AgentSettings
from remit.call.classification import Visibility
from remit.call.facts import Effect, Facts, Risk, build_facts
from remit.call.sentences import as_sentences
from remit.chat.provider_tool import ProviderTool, ProviderToolName
from remit.errors import ContractError
from remit.workers.agent_sections import (
    CompactionSection,
    MemorySection,
    StopSection,
    ToolSearchSection,
    number_as_above,
    true_as_defaults,
    type_of_form,
)
from remit.workers.definition import WorkerDefinition
from remit.workers.field_types import (
    ClassReference,
    FrontMatterPart,
    FrontMatterSection,
    ModelName,
    Permission,
    ToolEntry,
    ToolName,
)


def _check_says(given: str) -> str:
    try:
        as_sentences(given or None)
    except ContractError as error:
        raise ValueError(error.message) from None
    return given


class FactsSection(FrontMatterSection):
    """The facts of the worker, like a tool's. Its effect is always composed."""

    risk: Risk = Field(
        default=Risk.SAFE, description="`safe`, `moderate` or `high`. Calls with a high risk need approval."
    )
    required_permissions: tuple[Permission, ...] = Field(
        default=(), description="What a caller must hold to call it, like `mail:read`."
    )
    tags: tuple[str, ...] = Field(default=(), description="Words by which it can be found.")
    egress: bool = Field(default=False, description="Whether it sends data out of the system.")
    trusted: bool = Field(default=False, description="Whether its output can be trusted.")
    visibility: Visibility = Field(
        default=Visibility.PUBLIC,
        description="`public`, `internal` (only code of tools and pipelines calls it, no model) "
        "or `experimental` (its callers need the permission `tools:experiment`).",
    )
    says: Annotated[str, AfterValidator(_check_says)] = Field(
        default="", description="What its calls say to people, such as `Sort the mail of {folder}`; see `Sentences`."
    )

    def to_value(self) -> Facts:
        """Convert to facts."""
        return build_facts(
            effect=Effect.COMPOSED,
            risk=self.risk,
            permissions=self.required_permissions,
            tags=self.tags,
            egress=self.egress,
            trusted=self.trusted,
            visibility=self.visibility,
            says=self.says or None,
        )


class _ToolWithOptions(ProviderTool):
    name: ProviderToolName  # pyright: ignore[reportIncompatibleVariableOverride] - narrower, and frozen

    def as_listed(self) -> str | ProviderTool:
        """The tool as definitions list it: its name, or the tool if it has options."""
        return ProviderTool(**self.model_dump(exclude_unset=True)) if self.options else self.name


def _as_options(value: object) -> object:
    return {"name": value} if isinstance(value, str) else value


ProviderToolEntry = Annotated[_ToolWithOptions, BeforeValidator(_as_options)]


class _Keys(FrontMatterPart):
    """The keys of a worker file."""

    def to_settings(self) -> dict[str, Any]:
        """Convert the values of the keys to those of settings."""
        values = {name: getattr(self, name) for name in type(self).model_fields}
        return {
            name: each.to_value() if isinstance(each, FrontMatterSection) else each for name, each in values.items()
        }


class FileForms(_Keys):
    """The keys whose form in a file differs from the setting, with additions to the setting's documentation."""

    name: ToolName | None = Field(default=None, description="Default: the name of the file.")
    model: ModelName = ""
    tools: tuple[ToolEntry, ...] = Field(default=(), description="A file may also write `package.module:tool`.")
    delegates: tuple[ToolName, ...] = ()
    builtin_tools: tuple[ProviderToolEntry, ...] = ()
    input: ClassReference | None = Field(default=None, description="A file names it as `package.module:Model`.")
    output: ClassReference | None = Field(default=None, description="A file names a model: `package.module:Model`.")
    compatible_models: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    permissions: tuple[Permission, ...] | None = None
    stop: StopSection | None = Field(default=None, description="Its keys are conditions, of which one must be met.")
    compaction: Annotated[CompactionSection | None, BeforeValidator(true_as_defaults)] = Field(
        default=None, description="`true` for the defaults."
    )
    memory: Annotated[MemorySection | None, BeforeValidator(true_as_defaults)] = Field(
        default=None, description="`true` for the defaults."
    )
    tool_search: Annotated[ToolSearchSection | None, BeforeValidator(number_as_above)] = None
    facts: FactsSection = Field(default_factory=FactsSection)


def section_of(annotation: Any) -> type[BaseModel] | None:
    """The model of the keys below a key, given its type; None if there are none."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for each in get_args(annotation) if (found := section_of(each)) is not None), None)


def _field_of(each: Setting, kind: type[WorkerDefinition]) -> tuple[Any, Any]:
    """The type and the field of a key: those of its form in a file, or else those of the setting."""
    form: Any = FileForms.model_fields.get(each.name)
    if form is not None:
        meaning = " ".join(filter(None, [each.meaning, form.description]))
        default = {"default_factory": form.default_factory} if form.default_factory else {"default": form.default}
        return type_of_form(form), _describe(meaning, **default)
    hint = hints_of(kind)[each.attribute]
    if each.default is None and each.converter is not None:
        return hint, _describe(each.meaning, default_factory=partial(each.converter, None))
    return hint, _describe(each.meaning, default=each.default)


def _describe(meaning: str, **default: Any) -> Any:
    return Field(description=meaning, **default)


_FIRST: Final = ("name", "description")


def front_matter_settings(kind: type[WorkerDefinition] = WorkerDefinition) -> list[Setting]:
    """The settings of a definition that have a key: the name, the settings of files only, and those of agents."""
    shared = settings_of(AgentSettings)
    settings = sorted(settings_of(kind), key=lambda each: (each.name not in _FIRST, each in shared))
    return [each for each in settings if each.file_key is not None]


def build_front_matter(kind: type[WorkerDefinition]) -> type[FileForms]:
    """The model of the keys of a worker file: one for each setting that has one."""
    fields: dict[str, Any] = {str(each.file_key): _field_of(each, kind) for each in front_matter_settings(kind)}
    doc = "The keys between the two ``---`` lines of a worker file: the settings of a `WorkerDefinition`."
    return cast("type[FileForms]", create_model("FrontMatter", __base__=_Keys, __doc__=doc, **fields))


FrontMatter: Final = build_front_matter(WorkerDefinition)
