"""Policy sections that an inventory may declare, and their enforcement. A field without an enforcer is rejected.

The layers are built elsewhere: the reader of an inventory receives a `PolicyTable`, to which an application adds its
own sections.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from remit.call.call import AnyLayer, CallLayer, ToolLayer
from remit.call.classification import Visibility
from remit.call.facts import Facts
from remit.core import Stack
from remit.core.argument_types import Name
from remit.core.call_checks import callback, check_arguments
from remit.core.checks import check_subclass
from remit.errors import SetupError
from remit.inventory.breaking_rules import BreakingRule
from remit.schemas.jsontext import compact_json

M_co = TypeVar("M_co", bound="PolicyModel", covariant=True)

BUSINESS_RULES = "business_rules"
"""The section that every table has; facts derive from it."""


class PolicyModel(BaseModel):
    """Base class of a policy section."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class BusinessRules(PolicyModel):
    """Permissions, time limits, rates and the life cycle of an operation."""

    enabled: bool = True
    requires_auth: bool = True
    required_permissions: tuple[str, ...] = ()
    timeout_seconds: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    rate_limit_per_minute: int | None = Field(default=None, ge=1)
    visibility: Visibility = Visibility.PUBLIC
    deprecated_since: str = ""
    removal_version: str = ""
    replacement_method: str = ""


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class Enforcer:
    """The layer that enforces a field, its description, and whether it wraps the tool or every call.

    ``breaks_callers``: decides which changes of the field break callers and need a MAJOR version; None: no change does.
    ``lists_fields_of``: the fields to which a list of names refers: those of the result, or all fields of call and
    result at any depth.
    """

    layer: type[CallLayer | AnyLayer]
    description: str
    scope: Literal["tool", "run"] = "tool"
    breaks_callers: BreakingRule | None = None
    lists_fields_of: Literal["", "result", "call"] = ""


class ToolGovernance(NamedTuple):
    """The properties of a tool from which its layers are built: facts, declared policies and fixed values.

    ``fixed_values``: parameters set by the inventory. Calls do not contain them, so gates receive them here.
    """

    facts: Facts
    policies: Mapping[str, PolicyModel]
    fixed_values: Mapping[str, JsonValue] = MappingProxyType({})


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class PolicySection(Generic[M_co]):
    """One section of policy.

    Args:
        model: its fields.
        enforcers: the enforcer of each field.
        make_layers: builds the layers for a tool that declares the section, outermost first.
        templates: named sets of fields that entries can share.

    Raises:
        SetupError: a field has no enforcer, or a template names an unknown field.
    """

    name: Name
    model: type[M_co]
    enforcers: Mapping[str, Enforcer]
    make_layers: Annotated[
        Callable[[Any, ToolGovernance], Iterable[ToolLayer]], callback("section", "governance", is_async=False)
    ]
    templates: Mapping[str, Mapping[str, JsonValue]] = field(default_factory=dict[str, Mapping[str, JsonValue]])

    def __post_init__(self) -> None:
        check_subclass(f"section {self.name}: model", self.model, PolicyModel, "give a class derived from PolicyModel")
        fields = set(self.model.model_fields)
        for name in sorted(fields ^ set(self.enforcers)):
            what = "has no enforcer" if name in fields else "is not a field"
            raise SetupError(f"{self.name}.{name} {what}: give each field the layer that enforces it")
        for template, values in self.templates.items():
            unknown = sorted(set(values) - fields)
            if unknown:
                raise SetupError(f"the template {template!r} of {self.name} has the unknown field {unknown[0]!r}")

    def parse(self, declared: Mapping[str, JsonValue]) -> M_co:
        """The declared policies as the section's model.

        Raises:
            ValidationError: a value does not fit its field.
        """
        return self.model.model_validate_json(compact_json(dict(declared)), strict=True)


@check_arguments()
class PolicyTable:
    """The policy sections that an inventory may declare.

    Raises:
        SetupError: two sections have one name, or business rules are missing.
    """

    __slots__ = ("sections",)

    def __init__(self, *sections: PolicySection[PolicyModel]) -> None:
        self.sections = {section.name: section for section in sections}
        if len(self.sections) != len(sections):
            raise SetupError("two policy sections have the same name; rename one")
        business = self.sections.get(BUSINESS_RULES)
        if business is None or not issubclass(business.model, BusinessRules):
            raise SetupError(
                f"a policy table needs a section {BUSINESS_RULES!r} whose model is BusinessRules or a subclass"
            )

    def build_stack(
        self,
        policies: Mapping[str, PolicyModel],
        facts: Facts,
        fixed_values: Mapping[str, JsonValue] = MappingProxyType({}),
    ) -> Stack[ToolLayer]:
        """The layers around a tool that declares ``policies``; later sections are further out."""
        governance = ToolGovernance(facts, policies, fixed_values)
        stacks = [
            self.sections[name].make_layers(policies[name], governance) for name in self.sections if name in policies
        ]
        return Stack(*(layer for stack in reversed(stacks) for layer in stack))
