"""The front matter of a `.worker` file: its keys, what each means, and what may stand there."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from remit.agent.attachments import AttachmentPolicy
from remit.agent.limits import AgentLimits
from remit.contracts.classification import Visibility
from remit.contracts.facts import Effect, Facts, Risk, build_facts
from remit.workers.definition import ProviderTool
from remit.workers.field_types import ClassReference, ModelName, Permission, ToolEntry, ToolName


class FrontMatterPart(BaseModel):
    """A part of a front matter: nothing stands in it that is not known."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class FactsSection(FrontMatterPart):
    """What governs calls of the worker, as facts do for a tool. Its effect is always composed."""

    risk: Risk = Field(default=Risk.SAFE, description="`safe`, `moderate` or `high`; a high risk is asked about.")
    required_permissions: tuple[Permission, ...] = Field(
        default=(), description="What a caller must hold to call it, like `mail:read`."
    )
    tags: tuple[str, ...] = Field(default=(), description="Words to find it by.")
    egress: bool = Field(default=False, description="Whether it sends data out of the system.")
    trusted: bool = Field(default=False, description="Whether its output may be believed.")
    visibility: Visibility = Field(
        default=Visibility.PUBLIC, description="`public`, `internal` (for other callees) or `experimental`."
    )
    entities: tuple[str, ...] = Field(default=(), description="The kinds of things that its result holds.")

    def to_facts(self) -> Facts:
        """As facts."""
        return build_facts(
            effect=Effect.COMPOSED,
            risk=self.risk,
            permissions=self.required_permissions,
            tags=self.tags,
            egress=self.egress,
            trusted=self.trusted,
            visibility=self.visibility,
            entities=self.entities,
        )


class FrontMatter(FrontMatterPart):
    """What stands between the two lines ``---`` of a worker file."""

    name: ToolName | None = Field(default=None, description="The canonical name; the file's own name if not said.")
    description: str = Field(default="", description="When and why to call it, for its callers.")
    model: ModelName = Field(
        default="",
        description="The model, `provider:name`. A call may say another; `REMIT_MODEL` says it for those that do not.",
    )
    compatible_models: tuple[Annotated[str, Field(min_length=1)], ...] = Field(
        default=(),
        description="Patterns like `openai:*`, one of which the model must match; not beside `model`.",
    )
    input: ClassReference | None = Field(
        default=None, description="The input, a pydantic model as `package.module:Model`; else it is a `prompt`."
    )
    output: ClassReference | None = Field(
        default=None, description="The result, a pydantic model as `package.module:Model`; else it is text."
    )
    tools: tuple[ToolEntry, ...] = Field(
        default=(), description="The tools it may call, by canonical name or as `package.module:tool`."
    )
    workers: tuple[ToolName, ...] = Field(
        default=(), description="The workers it may call; itself only if it stands here too."
    )
    delegates: tuple[ToolName, ...] = Field(
        default=(), description="What workers below it may call besides, and it does not see."
    )
    handoffs: tuple[ToolName, ...] = Field(
        default=(), description="The agents that may go on with the conversation in its place."
    )
    permissions: tuple[Permission, ...] | None = Field(
        default=None, description="Of its caller's permissions those that its calls may use; all if not said."
    )
    builtin_tools: tuple[ProviderTool, ...] = Field(
        default=(), description="Tools that run at the model's provider. Ungoverned: no layer sees them."
    )
    attachments: AttachmentPolicy | None = Field(default=None, description="Which files it takes; none if not said.")
    limits: AgentLimits = Field(default_factory=AgentLimits, description="How much one call of it may use.")
    retries: int = Field(default=1, ge=0, le=10, description="How often the model may mend an invalid result.")
    facts: FactsSection = Field(default_factory=FactsSection, description="What governs calls of it.")
