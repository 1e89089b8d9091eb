"""The sections of a worker file on stopping, compaction, memory and tool search."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, fields
from typing import Annotated, Any, ClassVar, Final, Literal, Self, TypeVar
from typing import get_type_hints as resolve_hints

from pydantic import Field, create_model, model_validator
from pydantic.fields import FieldInfo

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
from remit.schemas.docstring import read_docstring
from remit.workers.field_types import FrontMatterPart, FrontMatterSection, ModelName, ToolName

S = TypeVar("S", bound="ValueSection")

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


class ValueSection(FrontMatterSection):
    """The section of a value that `section_of_value` derives from it."""

    value_type: ClassVar[Callable[..., object]]

    @model_validator(mode="after")
    def _check(self) -> Self:
        try:
            self.to_value()
        except SetupError as error:
            raise ValueError(error.message) from error
        return self

    def to_value(self) -> Any:
        """Convert to the setting of an agent."""
        return self.value_type(**{name: getattr(self, name) for name in self.model_fields_set})


def section_of_value(value: type, *left_out: str) -> Callable[[type[S]], type[S]]:
    """Give a section the fields of a dataclass: their order, types, defaults, and the meanings in its docstring.

    The class has the fields whose form in a file differs from their type. ``left_out`` are objects of Python.
    """

    def derive(forms: type[S]) -> type[S]:
        hints, meanings = resolve_hints(value, include_extras=True), read_docstring(value.__doc__)[1]
        keys: dict[str, Any] = {}
        for each in fields(value):
            form, meaning = forms.model_fields.get(each.name), meanings[each.name].replace("``", "`")
            annotation = hints[each.name] if form is None else type_of_form(form)
            default: dict[str, Any] = {"default": each.default}
            if each.default is MISSING:
                default = {"default_factory": each.default_factory}
            keys[each.name] = (annotation, Field(description=f"{meaning[0].upper()}{meaning[1:]}", **default))
        for name in left_out:
            del keys[name]
        base: Any = ValueSection
        made: Any = create_model(forms.__name__, __base__=base, __doc__=forms.__doc__, __module__=__name__, **keys)
        made.value_type = value
        return made

    return derive


def type_of_form(form: FieldInfo) -> Any:
    """The type of a field with its constraints."""
    return Annotated[form.annotation, *form.metadata] if form.metadata else form.annotation


@section_of_value(Compaction)
class CompactionSection(ValueSection):
    """How an overlong history is shortened."""

    model: Annotated[ModelName, Field(min_length=1)] | None


@section_of_value(WorkingMemory)
class MemorySection(ValueSection):
    """The entities that an agent remembers from a conversation."""


@section_of_value(ToolSearch, "rankers", "names")
class ToolSearchSection(ValueSection):
    """How the model finds tools."""

    always: list[ToolName]
    phrases: dict[ToolName, list[str]]
    ahead_for: list[str]


def number_as_above(value: object) -> object:
    """A number instead of the section `tool_search` is its ``above``."""
    return {"above": value} if isinstance(value, int) and not isinstance(value, bool) else value


def true_as_defaults(value: object) -> object:
    """``true`` instead of a section gives it its defaults."""
    return {} if value is True else value


def _join(kind: type[AllOf | AnyOf], policies: Iterable[StopPolicy]) -> StopPolicy:
    parts = [*policies]
    return kind(tuple(parts)) if len(parts) > 1 else parts[0]
