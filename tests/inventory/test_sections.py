"""What is declared is enforced: each field is broken once through a runtime, and fails where its layer is away."""

from __future__ import annotations

import pytest

from figures.policy import CASES, fields, held
from remit import Approver
from remit.contracts.facts import Facts
from remit.inventory.gates import Enabled, Sessions
from remit.inventory.governance import Enforcer, Governed, Section
from remit.inventory.sections import AuditEvents, SessionPolicies, audit_events, business_rules, session_policies


@pytest.mark.parametrize("field", fields())
def test_a_field_that_is_broken_holds(field: str) -> None:
    assert held(field)


@pytest.mark.parametrize("field", fields())
def test_it_does_not_hold_where_nothing_enforces_it(field: str) -> None:
    assert not held(field, enforces=False)


def test_every_field_has_a_case_and_one_without_does_not_hold() -> None:
    assert set(CASES) == set(fields())
    assert not held("business_rules.nothing")


class Env:
    """Knows nobody."""

    approver: Approver | None = None
    sessions: Sessions | None = None


@pytest.mark.parametrize("section", [business_rules(version="1.0"), session_policies(Env()), audit_events()])
def test_every_template_can_be_read(section: object) -> None:
    assert isinstance(section, Section)
    for template in section.templates.values():
        section.read(template)


def test_an_application_adds_fields_of_its_own() -> None:
    class More(AuditEvents):
        shout: bool = False

    def around(events: More, _governed: Governed) -> tuple[Enabled, ...]:
        return (Enabled(enabled=not events.shout),)

    section = audit_events(model=More, enforced={"shout": Enforcer(layer=Enabled, does="refuses")}, layers=around)
    layers = list(section.layers(section.read({"shout": True}), Governed(Facts(), {})))
    assert [type(layer).__name__ for layer in layers] == ["Enabled", "Events"]


def test_business_rules_of_an_application_are_enforced_too() -> None:
    section = business_rules(
        version="1.0",
        layers=lambda _rules, _governed: (Enabled(),),
        templates={"mine": {"timeout_seconds": 3}},
    )
    layers = list(section.layers(section.read(section.templates["mine"]), Governed(Facts(), {})))
    assert [type(layer).__name__ for layer in layers] == ["Authenticate", "Enabled"]


def test_what_audit_leaves_out_is_left_out_of_the_session_too() -> None:
    events = AuditEvents(redact_fields=("email",))
    section = session_policies(Env())
    first, _ = section.layers(SessionPolicies(), Governed(Facts(), {"audit_events": events}))
    assert "'email'" in repr(first)
