"""What is declared is enforced: each field is broken once through a runtime, and fails where its layer is away."""

from __future__ import annotations

import pytest

from figures.policy import CASES, fields, is_enforced
from remit.call.facts import Facts
from remit.inventory.builtin_sections import (
    AuditEvents,
    SessionPolicies,
    audit_events_section,
    business_rules_section,
    session_policies_section,
)
from remit.inventory.gates import EnabledGate, Sessions
from remit.inventory.governance import Enforcer, PolicySection, ToolGovernance
from remit.policies import Approver


@pytest.mark.parametrize("field", fields())
def test_a_field_that_is_broken_holds(field: str) -> None:
    assert is_enforced(field)


@pytest.mark.parametrize("field", fields())
def test_it_does_not_hold_where_nothing_enforces_it(field: str) -> None:
    assert not is_enforced(field, enforces=False)


def test_every_field_has_a_case_and_one_without_does_not_hold() -> None:
    assert set(CASES) == set(fields())
    assert not is_enforced("business_rules.nothing")


class Env:
    """Knows nobody."""

    approver: Approver | None = None
    sessions: Sessions | None = None


@pytest.mark.parametrize(
    "section", [business_rules_section(version="1.0"), session_policies_section(Env()), audit_events_section()]
)
def test_every_template_can_be_read(section: object) -> None:
    assert isinstance(section, PolicySection)
    for template in section.templates.values():
        section.parse(template)


def test_an_application_adds_fields_of_its_own() -> None:
    class More(AuditEvents):
        shout: bool = False

    def around(events: More, _governed: ToolGovernance) -> tuple[EnabledGate, ...]:
        return (EnabledGate(enabled=not events.shout),)

    section = audit_events_section(
        model=More, enforcers={"shout": Enforcer(layer=EnabledGate, description="refuses")}, make_layers=around
    )
    layers = list(section.make_layers(section.parse({"shout": True}), ToolGovernance(Facts(), {})))
    assert [type(layer).__name__ for layer in layers] == ["EnabledGate", "RecordEvents"]


def test_business_rules_of_an_application_are_enforced_too() -> None:
    section = business_rules_section(
        version="1.0",
        make_layers=lambda _rules, _governed: (EnabledGate(),),
        templates={"mine": {"timeout_seconds": 3}},
    )
    layers = list(section.make_layers(section.parse(section.templates["mine"]), ToolGovernance(Facts(), {})))
    assert [type(layer).__name__ for layer in layers] == ["AuthenticationGate", "EnabledGate"]


def test_what_audit_leaves_out_is_left_out_of_the_session_too() -> None:
    events = AuditEvents(redact_fields=("email",))
    section = session_policies_section(Env())
    first, _ = section.make_layers(SessionPolicies(), ToolGovernance(Facts(), {"audit_events": events}))
    assert "'email'" in repr(first)
