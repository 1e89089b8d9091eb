"""A field of policy that nothing enforces cannot be declared, and a table is whole."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from pydantic import JsonValue

from remit.errors import SetupError
from remit.inventory.builtin_sections import audit_events_section, business_rules_section
from remit.inventory.governance import BusinessRules, Enforcer, PolicyModel, PolicySection, PolicyTable, ToolGovernance
from remit.layers import Validate
from remit.tools import Facts

VALIDATE = Enforcer(layer=Validate, description="validates")


class Two(PolicyModel):
    """Two fields."""

    one: int = 1
    two: int = 2


def around(_policies: Two, _governed: ToolGovernance) -> tuple[Validate, ...]:
    return (Validate(),)


NONE: Mapping[str, Mapping[str, JsonValue]] = {}
BOTH = {"one": VALIDATE, "two": VALIDATE}


def section(
    name: str = "two", enforced: Mapping[str, Enforcer] = BOTH, templates: Mapping[str, Mapping[str, JsonValue]] = NONE
) -> PolicySection[Two]:
    return PolicySection(name=name, model=Two, enforcers=enforced, make_layers=around, templates=templates)


def test_a_field_that_nothing_enforces_is_refused() -> None:
    with pytest.raises(SetupError, match=r"two\.two has no enforcer"):
        section(enforced={"one": VALIDATE})


def test_a_layer_for_a_field_that_is_none_is_refused() -> None:
    with pytest.raises(SetupError, match=r"two\.three is not a field"):
        section(enforced={"one": VALIDATE, "two": VALIDATE, "three": VALIDATE})


def test_a_template_with_a_field_that_is_none_is_refused() -> None:
    with pytest.raises(SetupError, match="the template 'most' of two has the unknown field 'three'"):
        section(templates={"most": {"three": 3}})


def test_values_are_read_strictly_and_defaults_filled_in() -> None:
    assert section().parse({"one": 5}) == Two(one=5, two=2)
    with pytest.raises(ValueError, match="valid integer"):
        section().parse({"one": "5"})


def test_a_table_has_business_rules_and_no_section_twice() -> None:
    with pytest.raises(SetupError, match="a section 'business_rules' whose model is BusinessRules"):
        PolicyTable(section())
    with pytest.raises(SetupError, match="whose model is BusinessRules"):
        PolicyTable(section(name="business_rules"))
    with pytest.raises(SetupError, match="two policy sections have the same name"):
        PolicyTable(business_rules_section(version="1.0"), section(), section())


def test_later_sections_stand_outside_earlier_ones() -> None:
    table = PolicyTable(business_rules_section(version="1.0"), audit_events_section(), section())
    policies = {"two": Two(), "business_rules": BusinessRules(), "audit_events": audit_events_section().model()}
    stack = table.build_stack(policies, Facts())
    assert [type(layer).__name__ for layer in stack] == ["Validate", "RecordEvents", "AuthenticationGate"]


def test_a_section_that_was_not_declared_makes_no_layer() -> None:
    table = PolicyTable(business_rules_section(version="1.0"), audit_events_section())
    stack = table.build_stack({"business_rules": BusinessRules(requires_auth=False)}, Facts())
    assert len(stack) == 0


def test_a_section_is_told_which_parameters_are_fixed() -> None:
    told: list[ToolGovernance] = []

    def ask(_policies: Two, governed: ToolGovernance) -> tuple[Validate, ...]:
        told.append(governed)
        return ()

    asking = PolicySection(name="two", model=Two, enforcers=BOTH, make_layers=ask)
    table = PolicyTable(business_rules_section(version="1.0"), asking)
    table.build_stack({"two": Two()}, Facts(), {"one": 5})
    table.build_stack({"two": Two()}, Facts())
    assert [dict(each.fixed_values) for each in told] == [{"one": 5}, {}]
