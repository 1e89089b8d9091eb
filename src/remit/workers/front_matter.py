"""The front matter of a `.worker` file: its keys, their meaning and their types."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from remit.agent.attachments import AttachmentPolicy
from remit.agent.limits import AgentLimits
from remit.agent.settings import OutputMode
from remit.contracts.classification import Visibility
from remit.contracts.facts import Effect, Facts, Risk, build_facts
from remit.contracts.provider_tool import ProviderTool, ProviderToolName
from remit.contracts.settings import NO_SETTINGS, ModelSettings
from remit.workers.agent_sections import (
    CompactionSection,
    MemorySection,
    StopSection,
    ToolSearchSection,
    number_as_above,
    true_as_defaults,
)
from remit.workers.field_types import ClassReference, FrontMatterPart, ModelName, Permission, ToolEntry, ToolName


class FactsSection(FrontMatterPart):
    """The facts of the worker, like those of a tool. Its effect is always composed."""

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

    def to_facts(self) -> Facts:
        """Convert to facts."""
        return build_facts(
            effect=Effect.COMPOSED,
            risk=self.risk,
            permissions=self.required_permissions,
            tags=self.tags,
            egress=self.egress,
            trusted=self.trusted,
            visibility=self.visibility,
        )


class _ToolWithOptions(ProviderTool):
    name: ProviderToolName  # pyright: ignore[reportIncompatibleVariableOverride] - narrower, and frozen

    def as_listed(self) -> str | ProviderTool:
        """The tool as definitions list it: its name, or the tool if it has options."""
        return ProviderTool(**self.model_dump(exclude_unset=True)) if self.options else self.name


def _as_options(value: object) -> object:
    return {"name": value} if isinstance(value, str) else value


ProviderToolEntry = Annotated[_ToolWithOptions, BeforeValidator(_as_options)]


class FrontMatter(FrontMatterPart):
    """The keys between the two ``---`` lines of a worker file."""

    name: ToolName | None = Field(default=None, description="The canonical name. Default: the name of the file.")
    description: str = Field(default="", description="When and why to call it, for its callers.")
    model: ModelName = Field(
        default="",
        description="The model, `provider:name`. A call may name another one. Default: `REMIT_MODEL`.",
    )
    compatible_models: tuple[Annotated[str, Field(min_length=1)], ...] = Field(
        default=(),
        description="Patterns like `openai:*`; the model must match one of them. Not together with `model`.",
    )
    input: ClassReference | None = Field(
        default=None, description="The input, a pydantic model as `package.module:Model`. Default: one field `prompt`."
    )
    output: ClassReference | None = Field(
        default=None, description="The result, a pydantic model as `package.module:Model`. Default: text."
    )
    tools: tuple[ToolEntry, ...] = Field(
        default=(), description="The tools it may call, by canonical name or as `package.module:tool`."
    )
    workers: tuple[ToolName, ...] = Field(
        default=(), description="The workers it may call. To call itself, it lists itself."
    )
    delegates: tuple[ToolName, ...] = Field(
        default=(),
        description="Narrows what may be called below it: to its own tools and workers, and these. "
        "Default: all that its workers list.",
    )
    handoffs: tuple[ToolName, ...] = Field(default=(), description="The agents that may take over the conversation.")
    permissions: tuple[Permission, ...] | None = Field(
        default=None, description="The permissions of its caller that its calls may use. Default: all."
    )
    builtin_tools: tuple[ProviderToolEntry, ...] = Field(
        default=(),
        description="Tools that run at the model's provider, by name, or as a mapping of `name` and `max_uses`, "
        "`allowed_domains` or `blocked_domains`. Ungoverned: no layer sees their calls.",
    )
    attachments: AttachmentPolicy | None = Field(default=None, description="The files it accepts. Default: none.")
    limits: AgentLimits = Field(default_factory=AgentLimits, description="How much one call of it may use.")
    stop: StopSection | None = Field(
        default=None, description="When it is done: one of these. Default: its model calls no tool."
    )
    compaction: Annotated[CompactionSection | None, BeforeValidator(true_as_defaults)] = Field(
        default=None, description="Shortens a history that grows too long for the model; `true` for the defaults."
    )
    memory: Annotated[MemorySection | None, BeforeValidator(true_as_defaults)] = Field(
        default=None, description="What it remembers of the entities in a conversation; `true` for the defaults."
    )
    tool_search: Annotated[ToolSearchSection | None, BeforeValidator(number_as_above)] = Field(
        default=None, description="How its model finds tools where there are many; a number stands for `above`."
    )
    settings: ModelSettings = Field(default=NO_SETTINGS, description="The settings of each request to the model.")
    run_instructions: str = Field(
        default="",
        description="What differs from run to run, as a Jinja template of `principal`, `tenant`, `target`, "
        "`conversation`, `now` (ISO 8601, UTC) and `date`. A message of its own before the user's.",
    )
    output_mode: OutputMode = Field(
        default="auto",
        description="How the model gives a result that is not text: `native` (by the JSON schema of its API), `tool` "
        "(it calls `final_result`), or `auto`: native where a named model is known to have it.",
    )
    retries: int = Field(default=1, ge=0, le=10, description="How often the model may correct an invalid result.")
    facts: FactsSection = Field(default_factory=FactsSection, description="The facts of its calls.")
