"""What an inventory may declare of policy, and what enforces it. A field that nothing enforces cannot be declared.

The layers themselves are made elsewhere: a `Table` is given to whoever reads an inventory, and an application adds
sections of its own to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from remit.contracts.call import AnyLayer, CallLayer, ToolLayer
from remit.contracts.classification import Visibility
from remit.contracts.facts import Facts
from remit.core import Stack
from remit.errors import SetupError
from remit.inventory.breaking_rules import BreakingRule
from remit.schemas.jsontext import compact_json

M_co = TypeVar("M_co", bound="PolicyModel", covariant=True)

BUSINESS_RULES = "business_rules"
"""The section that every table has: facts follow from it."""


class PolicyModel(BaseModel):
    """One section of policy, as an inventory declares it."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class BusinessRules(PolicyModel):
    """Who may call an operation, how long, how often, and until when."""

    enabled: bool = True
    requires_auth: bool = True
    required_permissions: tuple[str, ...] = ()
    timeout_seconds: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    rate_limit_per_minute: int | None = Field(default=None, ge=1)
    visibility: Visibility = Visibility.PUBLIC
    deprecated_since: str = ""
    removal_version: str = ""
    replacement_method: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Enforcer:
    """The layer that enforces a field, what it does, and whether it stands around the tool or around every call.

    ``breaks_callers``: which change of the field breaks callers and needs a MAJOR version; without one, none does.
    ``lists_fields_of``: what its value lists, where that is names: fields of the result, or any of call and result,
    however deep.
    """

    layer: type[CallLayer | AnyLayer]
    description: str
    scope: Literal["tool", "run"] = "tool"
    breaks_callers: BreakingRule | None = None
    lists_fields_of: Literal["", "result", "call"] = ""


class ToolGovernance(NamedTuple):
    """What is known of a tool when its layers are made: its facts, all that was declared for it, and what is fixed.

    ``fixed_values``: parameters that the inventory gives their value. No call says them, so a gate must be told.
    """

    facts: Facts
    policies: Mapping[str, PolicyModel]
    fixed_values: Mapping[str, JsonValue] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicySection(Generic[M_co]):
    """One section of policy.

    Args:
        model: its fields. enforcers: for each of them the layer that sees to it.
        make_layers: those around a tool for which it was declared, outermost first.
        templates: fields under a name, so that entries can share them.

    Raises:
        SetupError: a field that nothing enforces, or a template with a field that is none.
    """

    name: str
    model: type[M_co]
    enforcers: Mapping[str, Enforcer]
    make_layers: Callable[[Any, ToolGovernance], Iterable[ToolLayer]]
    templates: Mapping[str, Mapping[str, JsonValue]] = field(default_factory=dict[str, Mapping[str, JsonValue]])

    def __post_init__(self) -> None:
        fields = set(self.model.model_fields)
        for name in sorted(fields ^ set(self.enforcers)):
            what = "is enforced by no layer" if name in fields else "is no field"
            raise SetupError(f"{self.name}.{name} {what}: give each field its layer, so that none is only declared")
        for template, values in self.templates.items():
            unknown = sorted(set(values) - fields)
            if unknown:
                raise SetupError(f"the template {template!r} of {self.name} has a field {unknown[0]!r}, which is none")

    def parse(self, declared: Mapping[str, JsonValue]) -> M_co:
        """The policies that were declared.

        Raises:
            ValidationError: a value is not what its field takes.
        """
        return self.model.model_validate_json(compact_json(dict(declared)), strict=True)


class PolicyTable:
    """The sections of policy that an inventory may declare.

    Raises:
        SetupError: two sections of one name, or none for business rules.
    """

    __slots__ = ("sections",)

    def __init__(self, *sections: PolicySection[PolicyModel]) -> None:
        self.sections = {section.name: section for section in sections}
        if len(self.sections) != len(sections):
            raise SetupError("two sections of policy have one name; give each its own")
        business = self.sections.get(BUSINESS_RULES)
        if business is None or not issubclass(business.model, BusinessRules):
            raise SetupError(f"a table has a section {BUSINESS_RULES!r}, whose model is BusinessRules or a class of it")

    def build_stack(
        self,
        policies: Mapping[str, PolicyModel],
        facts: Facts,
        fixed_values: Mapping[str, JsonValue] = MappingProxyType({}),
    ) -> Stack[ToolLayer]:
        """The layers around a tool for which ``policies`` were declared: later sections stand outside earlier ones."""
        governance = ToolGovernance(facts, policies, fixed_values)
        stacks = [
            self.sections[name].make_layers(policies[name], governance) for name in self.sections if name in policies
        ]
        return Stack[ToolLayer](*(layer for stack in reversed(stacks) for layer in stack))
