"""The sections of policy: those that come with Remit, with fields for casefiles, and one of the application's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Final, Literal

from pydantic import Field, JsonValue

from remit import Effect
from remit.inventory import (
    SECRETS,
    AuditEvents,
    BusinessRules,
    Enforcer,
    Governed,
    Policies,
    Section,
    Table,
    audit_events,
    business_rules,
    session_policies,
    when_fewer,
    when_later,
    when_true,
)
from remit_casefile.casefiles.access import Level, LevelWord
from remit_casefile.policies.env import Env
from remit_casefile.policies.filed import Filed
from remit_casefile.policies.gates import Access, InCasefile
from remit_casefile.policies.place import CasefileOf

State = Literal["active", "archived"]
"""How a casefile stands."""

CHANGED: Final = "casefile_changed"
NOT_CHANGED: Final = "casefile_change_failed"
"""The events of `audit_casefile_changes`."""


class CasefileRules(BusinessRules):
    """Who may call an operation on which casefile.

    These two look at the casefile that a call names, and at no other.
    """

    requires_casefile: bool = False
    casefile_permission_level: LevelWord | None = None


RULES_ENFORCED: Final[Mapping[str, Enforcer]] = {
    "requires_casefile": Enforcer(layer=Access, does="true refuses a call that names no casefile", stricter=when_true),
    "casefile_permission_level": Enforcer(
        layer=Access,
        does="the caller must have that level of the casefile named",
        stricter=when_later(*(level.word for level in Level if level is not Level.NONE)),
    ),
}
RULES_TEMPLATES: Final[Mapping[str, Mapping[str, JsonValue]]] = {
    "casefile_access": {"requires_casefile": True, "timeout_seconds": 60},
}


def _rules_layers(env: Env, rules: CasefileRules, governed: Governed) -> Iterable[Access]:
    if rules.requires_casefile or rules.casefile_permission_level is not None:
        level = Level.of(rules.casefile_permission_level or "viewer")
        yield Access(env, CasefileOf.told(governed.fixed), level=level, required=rules.requires_casefile)


class CasefilePolicies(Policies):
    """The casefile in which a call is made: the one it names, or else that of its session."""

    requires_casefile: bool = False
    allowed_casefile_states: tuple[State, ...] = Field(default=("active",), min_length=1)
    enforce_access_control: bool = True
    audit_casefile_changes: bool = True


CASEFILE: Final = "casefile_policies"
CASEFILE_ENFORCED: Final[Mapping[str, Enforcer]] = {
    "requires_casefile": Enforcer(
        layer=InCasefile, does="true refuses a call that is made in no casefile", stricter=when_true
    ),
    "allowed_casefile_states": Enforcer(
        layer=InCasefile, does="calls in a casefile of another state are refused", stricter=when_fewer
    ),
    "enforce_access_control": Enforcer(
        layer=InCasefile, does="a casefile that the caller may not see is not there", stricter=when_true
    ),
    "audit_casefile_changes": Enforcer(layer=Filed, does="true files a call that may change something as an event"),
}


def _casefile_layers(env: Env, policies: CasefilePolicies, governed: Governed) -> Iterable[Filed | InCasefile]:
    where = CasefileOf.told(governed.fixed)
    if policies.audit_casefile_changes and governed.facts.effect is not Effect.PURE:
        yield Filed(env, where, success=CHANGED, failure=NOT_CHANGED, redact=_hidden(governed))
    yield InCasefile(
        env,
        where,
        required=policies.requires_casefile,
        states=policies.allowed_casefile_states,
        access=policies.enforce_access_control,
    )


class CasefileEvents(AuditEvents):
    """The events that are filed about a call."""

    emit_casefile_event: bool = False


EVENTS_ENFORCED: Final[Mapping[str, Enforcer]] = {
    "emit_casefile_event": Enforcer(layer=Filed, does="true files the event among those of the casefile, too"),
}


def _event_layers(env: Env, events: CasefileEvents, governed: Governed) -> Iterable[Filed]:
    if events.emit_casefile_event:
        yield Filed(
            env,
            CasefileOf.told(governed.fixed),
            success=events.success_event,
            failure=events.failure_event,
            fields=events.log_response_fields,
            redact=_hidden(governed),
        )


def _hidden(governed: Governed) -> tuple[str, ...]:
    """What no event has: what the inventory says, beside what never is in one."""
    events = governed.policies.get("audit_events")
    return (*SECRETS, *(events.redact_fields if isinstance(events, AuditEvents) else ()))


def table(env: Env, *, version: str) -> Table:
    """The sections that this application enforces; ``version`` is its own, which says what is removed by now."""
    rules = business_rules(
        version=version,
        model=CasefileRules,
        enforced=RULES_ENFORCED,
        layers=partial(_rules_layers, env),
        templates=RULES_TEMPLATES,
    )
    casefiles = Section(
        name=CASEFILE,
        model=CasefilePolicies,
        enforced=CASEFILE_ENFORCED,
        layers=partial(_casefile_layers, env),
    )
    events = audit_events(model=CasefileEvents, enforced=EVENTS_ENFORCED, layers=partial(_event_layers, env))
    return Table(rules, session_policies(env), casefiles, events)
