"""The sections of a worker file on stopping, compaction, memory and tool search."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, Literal, Self, TypeVar

from pydantic import Field, model_validator

from remit.agent.compaction import Compaction
from remit.agent.stop import (
    AllOf,
    AnyOf,
    CalledTool,
    CostUsed,
    HasText,
    NoCalls,
    SecondsUsed,
    StopPolicy,
    TokensUsed,
    TurnsUsed,
)
from remit.agent.tool_search import ToolSearch
from remit.agent.working_memory import WorkingMemory
from remit.errors import SetupError
from remit.workers.field_types import FrontMatterPart, FrontMatterSection, ModelName, ToolName

T = TypeVar("T")

_POLICIES: Final[dict[str, Callable[[Any], StopPolicy]]] = {
    "called_tool": CalledTool,
    "has_text": HasText,
    "turns_used": TurnsUsed,
    "tokens_used": TokensUsed,
    "cost_used": CostUsed,
    "seconds_used": SecondsUsed,
}


class _Conditions(FrontMatterPart):
    no_calls: Literal[True] | None = Field(default=None, description="An answer calls no tool.")
    called_tool: ToolName | None = Field(default=None, description="A call of this tool succeeded.")
    has_text: str | None = Field(default=None, min_length=1, description="An answer contains this text.")
    turns_used: int | None = Field(default=None, gt=0, description="Requests to the model.")
    tokens_used: int | None = Field(default=None, gt=0, description="Tokens, with all that it called.")
    cost_used: float | None = Field(default=None, gt=0, description="US dollars, with all that it called.")
    seconds_used: float | None = Field(default=None, gt=0, description="Seconds, without those of waiting.")

    def policies(self) -> Iterator[StopPolicy]:
        """The policies of the conditions that the section contains."""
        if self.no_calls:
            yield NoCalls()
        for name, make in _POLICIES.items():
            if getattr(self, name) is not None:
                yield make(getattr(self, name))


class StopSection(_Conditions, FrontMatterSection):
    """When the agent is done: one of the conditions is met."""

    all: _Conditions | None = Field(default=None, description="Conditions that must be met together.")

    @model_validator(mode="after")
    def _check(self) -> Self:
        for part in (*([self.all] if self.all else []), self):
            if not any(part.policies()):
                raise ValueError("it has no condition; give one, like turns_used: 8")
        return self

    def policies(self) -> Iterator[StopPolicy]:
        """One policy for each condition, and one for those that must be met together."""
        yield from super().policies()
        if self.all is not None:
            yield _join(AllOf, self.all.policies())

    def to_value(self) -> StopPolicy:
        """Convert to a policy."""
        return _join(AnyOf, self.policies())


class CompactionSection(FrontMatterSection):
    """How an overlong history is shortened."""

    tokens: int = Field(default=Compaction().tokens, gt=0, description="Estimated tokens of a request sent as it is.")
    keep: int | None = Field(
        default=None, gt=0, description="Those of the newest messages, which stay. Default: a quarter."
    )
    model: ModelName = Field(
        default="", description="The model that writes summaries, `provider:name`. Default: the agent's own."
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        return _check_conversion(self, self.to_value)

    def to_value(self) -> Compaction:
        """Convert to the setting of an agent."""
        return Compaction(tokens=self.tokens, keep=self.keep, model=self.model or None)


class MemorySection(FrontMatterSection):
    """The entities that an agent remembers from a conversation."""

    size: int = Field(default=WorkingMemory().size, ge=1, description="How many entities the model is given.")
    per_kind: int = Field(default=WorkingMemory().per_kind, ge=1, description="How many of a kind one result adds.")

    def to_value(self) -> WorkingMemory:
        """Convert to the setting of an agent."""
        return WorkingMemory(**self.model_dump())


class ToolSearchSection(FrontMatterSection):
    """How the model finds tools."""

    above: int = Field(default=ToolSearch().above, ge=0, description="With at most so many tools, all are shown.")
    limit: int = Field(default=ToolSearch().limit, ge=1, description="How many tools a search finds.")
    always: list[ToolName] = Field(default=[], description="Tools that are shown without a search.")
    phrases: dict[ToolName, list[str]] = Field(default={}, description="Words that mean a tool, by its name.")
    ahead: int = Field(default=ToolSearch().ahead, ge=0, description="How many tools each message finds by its words.")
    ahead_for: list[str] = Field(
        default=[*ToolSearch().ahead_for], description="Patterns of the models for which `ahead` is meant."
    )
    as_text: bool | None = Field(
        default=ToolSearch().as_text,
        description="Whether found tools are text, called by `call_tool`; by default where the endpoint caches.",
    )

    def to_value(self) -> ToolSearch:
        """Convert to the setting of an agent."""
        return ToolSearch(**self.model_dump())


def number_as_above(value: object) -> object:
    """A number instead of the section `tool_search` is its ``above``."""
    return {"above": value} if isinstance(value, int) and not isinstance(value, bool) else value


def true_as_defaults(value: object) -> object:
    """``true`` instead of a section gives it its defaults."""
    return {} if value is True else value


def _join(kind: type[AllOf | AnyOf], policies: Iterable[StopPolicy]) -> StopPolicy:
    parts = [*policies]
    return kind(tuple(parts)) if len(parts) > 1 else parts[0]


def _check_conversion(section: T, convert: Callable[[], object]) -> T:
    try:
        convert()
    except SetupError as error:
        raise ValueError(error.message) from error
    return section
