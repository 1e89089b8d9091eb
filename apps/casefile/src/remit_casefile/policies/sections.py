"""Policy sections: the built-in ones with fields for casefiles, and one of the application."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Final, Literal

from pydantic import Field, JsonValue

from remit import Effect
from remit.inventory import (
    SECRET_FIELDS,
    AuditEvents,
    BusinessRules,
    Enforcer,
    PolicyModel,
    PolicySection,
    PolicyTable,
    ToolGovernance,
    audit_events_section,
    breaks_if_enabled,
    breaks_if_rank_rises,
    breaks_if_removed,
    business_rules_section,
    session_policies_section,
)
from remit_casefile.casefiles.access import Level, LevelName
from remit_casefile.policies.casefile_resolver import CasefileResolver
from remit_casefile.policies.env import Env
from remit_casefile.policies.event_layer import LogCasefileEvents
from remit_casefile.policies.gates import AccessGate, CasefileGate

CasefileState = Literal["active", "archived"]
"""How a casefile stands."""

CHANGE_EVENT: Final = "casefile_changed"
CHANGE_FAILED_EVENT: Final = "casefile_change_failed"
"""The events of `audit_casefile_changes`."""


class CasefileRules(BusinessRules):
    """Access to the casefile that a call names.

    Both fields concern the casefile named by the call, and no other.
    """

    requires_casefile: bool = False
    casefile_permission_level: LevelName | None = None


RULE_ENFORCERS: Final[Mapping[str, Enforcer]] = {
    "requires_casefile": Enforcer(
        layer=AccessGate, description="true refuses a call that names no casefile", breaks_callers=breaks_if_enabled
    ),
    "casefile_permission_level": Enforcer(
        layer=AccessGate,
        description="the caller must have that level of the casefile named",
        breaks_callers=breaks_if_rank_rises(*(level.label for level in Level if level is not Level.NONE)),
    ),
}
RULE_TEMPLATES: Final[Mapping[str, Mapping[str, JsonValue]]] = {
    "casefile_access": {"requires_casefile": True, "timeout_seconds": 60},
}


def _rule_layers(env: Env, rules: CasefileRules, governed: ToolGovernance) -> Iterable[AccessGate]:
    if rules.requires_casefile or rules.casefile_permission_level is not None:
        level = Level.parse(rules.casefile_permission_level or "viewer")
        yield AccessGate(
            env, CasefileResolver.from_fixed(governed.fixed_values), level=level, required=rules.requires_casefile
        )


class CasefilePolicies(PolicyModel):
    """The casefile of a call: the one it names, else that of its session."""

    requires_casefile: bool = False
    allowed_casefile_states: tuple[CasefileState, ...] = Field(default=("active",), min_length=1)
    enforce_access_control: bool = True
    audit_casefile_changes: bool = True


CASEFILE_SECTION: Final = "casefile_policies"
CASEFILE_ENFORCERS: Final[Mapping[str, Enforcer]] = {
    "requires_casefile": Enforcer(
        layer=CasefileGate,
        description="true refuses a call that is made in no casefile",
        breaks_callers=breaks_if_enabled,
    ),
    "allowed_casefile_states": Enforcer(
        layer=CasefileGate,
        description="calls in a casefile of another state are refused",
        breaks_callers=breaks_if_removed,
    ),
    "enforce_access_control": Enforcer(
        layer=CasefileGate,
        description="a casefile that the caller may not see is not there",
        breaks_callers=breaks_if_enabled,
    ),
    "audit_casefile_changes": Enforcer(
        layer=LogCasefileEvents, description="true files a call that may change something as an event"
    ),
}


def _casefile_layers(
    env: Env, policies: CasefilePolicies, governed: ToolGovernance
) -> Iterable[LogCasefileEvents | CasefileGate]:
    resolver = CasefileResolver.from_fixed(governed.fixed_values)
    if policies.audit_casefile_changes and governed.facts.effect is not Effect.PURE:
        yield LogCasefileEvents(
            env, resolver, success=CHANGE_EVENT, failure=CHANGE_FAILED_EVENT, redact=_redacted_fields(governed)
        )
    yield CasefileGate(
        env,
        resolver,
        required=policies.requires_casefile,
        states=policies.allowed_casefile_states,
        access=policies.enforce_access_control,
    )


class CasefileEvents(AuditEvents):
    """The events logged about a call."""

    emit_casefile_event: bool = False


EVENT_ENFORCERS: Final[Mapping[str, Enforcer]] = {
    "emit_casefile_event": Enforcer(
        layer=LogCasefileEvents, description="true files the event among those of the casefile, too"
    ),
}


def _event_layers(env: Env, events: CasefileEvents, governed: ToolGovernance) -> Iterable[LogCasefileEvents]:
    if events.emit_casefile_event:
        yield LogCasefileEvents(
            env,
            CasefileResolver.from_fixed(governed.fixed_values),
            success=events.success_event,
            failure=events.failure_event,
            fields=events.log_response_fields,
            redact=_redacted_fields(governed),
        )


def _redacted_fields(governed: ToolGovernance) -> tuple[str, ...]:
    """Fields excluded from events: those of the inventory, and those always excluded."""
    events = governed.policies.get("audit_events")
    return (*SECRET_FIELDS, *(events.redact_fields if isinstance(events, AuditEvents) else ()))


def build_section_table(env: Env, *, version: str) -> PolicyTable:
    """The sections enforced by this application; ``version`` decides what has been removed."""
    rules = business_rules_section(
        version=version,
        model=CasefileRules,
        enforcers=RULE_ENFORCERS,
        make_layers=partial(_rule_layers, env),
        templates=RULE_TEMPLATES,
    )
    casefiles = PolicySection(
        name=CASEFILE_SECTION,
        model=CasefilePolicies,
        enforcers=CASEFILE_ENFORCERS,
        make_layers=partial(_casefile_layers, env),
    )
    events = audit_events_section(
        model=CasefileEvents, enforcers=EVENT_ENFORCERS, make_layers=partial(_event_layers, env)
    )
    return PolicyTable(rules, session_policies_section(env), casefiles, events)
