"""A field of policy that nothing enforces cannot be declared, and a table is whole."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from pydantic import JsonValue

from remit import Facts, Validate
from remit.errors import SetupError
from remit.inventory.governance import BusinessRules, Enforcer, Governed, Policies, Section, Table
from remit.inventory.sections import audit_events, business_rules

VALIDATE = Enforcer(layer=Validate, does="validates")


class Two(Policies):
    """Two fields."""

    one: int = 1
    two: int = 2


def around(_policies: Two, _governed: Governed) -> tuple[Validate, ...]:
    return (Validate(),)


NONE: Mapping[str, Mapping[str, JsonValue]] = {}
BOTH = {"one": VALIDATE, "two": VALIDATE}


def section(
    name: str = "two", enforced: Mapping[str, Enforcer] = BOTH, templates: Mapping[str, Mapping[str, JsonValue]] = NONE
) -> Section[Two]:
    return Section(name=name, model=Two, enforced=enforced, layers=around, templates=templates)


def test_a_field_that_nothing_enforces_is_refused() -> None:
    with pytest.raises(SetupError, match=r"two\.two is enforced by no layer"):
        section(enforced={"one": VALIDATE})


def test_a_layer_for_a_field_that_is_none_is_refused() -> None:
    with pytest.raises(SetupError, match=r"two\.three is no field"):
        section(enforced={"one": VALIDATE, "two": VALIDATE, "three": VALIDATE})


def test_a_template_with_a_field_that_is_none_is_refused() -> None:
    with pytest.raises(SetupError, match="the template 'most' of two has a field 'three'"):
        section(templates={"most": {"three": 3}})


def test_values_are_read_strictly_and_defaults_filled_in() -> None:
    assert section().read({"one": 5}) == Two(one=5, two=2)
    with pytest.raises(ValueError, match="valid integer"):
        section().read({"one": "5"})


def test_a_table_has_business_rules_and_no_section_twice() -> None:
    with pytest.raises(SetupError, match="a section 'business_rules', whose model is BusinessRules"):
        Table(section())
    with pytest.raises(SetupError, match="whose model is BusinessRules"):
        Table(section(name="business_rules"))
    with pytest.raises(SetupError, match="two sections of policy have one name"):
        Table(business_rules(version="1.0"), section(), section())


def test_later_sections_stand_outside_earlier_ones() -> None:
    table = Table(business_rules(version="1.0"), audit_events(), section())
    policies = {"two": Two(), "business_rules": BusinessRules(), "audit_events": audit_events().model()}
    stack = table.stack(policies, Facts())
    assert [type(layer).__name__ for layer in stack] == ["Validate", "Events", "Authenticate"]


def test_a_section_that_was_not_declared_makes_no_layer() -> None:
    table = Table(business_rules(version="1.0"), audit_events())
    stack = table.stack({"business_rules": BusinessRules(requires_auth=False)}, Facts())
    assert len(stack) == 0


def test_a_section_is_told_which_parameters_are_fixed() -> None:
    told: list[Governed] = []

    def ask(_policies: Two, governed: Governed) -> tuple[Validate, ...]:
        told.append(governed)
        return ()

    asking = Section(name="two", model=Two, enforced=BOTH, layers=ask)
    table = Table(business_rules(version="1.0"), asking)
    table.stack({"two": Two()}, Facts(), {"one": 5})
    table.stack({"two": Two()}, Facts())
    assert [dict(each.fixed) for each in told] == [{"one": 5}, {}]
