"""The built-in policy sections: their fields, the layers that enforce them, and their templates.

An application puts the sections it can enforce into a `PolicyTable`, beside its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, Literal, TypeVar

from pydantic import JsonValue

from remit.call.call import ToolLayer
from remit.call.facts import Facts
from remit.core.checks import check_instance
from remit.dispatch.preset import recommended_layers
from remit.inventory.breaking_rules import breaks_if_disabled, breaks_if_earlier, breaks_if_enabled, breaks_if_lower
from remit.inventory.gates import (
    AuthenticationGate,
    DeprecationGate,
    EnabledGate,
    HasSessions,
    SessionGate,
)
from remit.inventory.governance import (
    BUSINESS_RULES,
    BusinessRules,
    Enforcer,
    PolicyModel,
    PolicySection,
    ToolGovernance,
)
from remit.layers.authorize import Authorize
from remit.layers.events import RecordEvents
from remit.layers.limit import RateLimit
from remit.layers.timeout import Timeout

FieldValues = Mapping[str, JsonValue]
LayerFactory = Callable[[Any, ToolGovernance], Iterable[ToolLayer]]

SECRET_FIELDS: Final = ("password", "token", "secret")
"""Fields that no event contains, whatever an inventory declares."""

_DEPRECATION_ENFORCER: Final = Enforcer(
    layer=DeprecationGate, description="each call is noted; calls are refused once the removal version is reached"
)
BUSINESS_RULES_ENFORCERS: Final[Mapping[str, Enforcer]] = {
    "enabled": Enforcer(
        layer=EnabledGate, description="false refuses every call, and hides the tool", breaks_callers=breaks_if_disabled
    ),
    "requires_auth": Enforcer(
        layer=AuthenticationGate,
        description="true refuses anonymous principals, who have not signed in",
        breaks_callers=breaks_if_enabled,
    ),
    "required_permissions": Enforcer(layer=Authorize, description="the principal must have all of them", scope="run"),
    "timeout_seconds": Enforcer(
        layer=Timeout, description="an attempt that takes longer is cancelled", breaks_callers=breaks_if_lower
    ),
    "rate_limit_per_minute": Enforcer(
        layer=RateLimit,
        description="limits the calls of a tenant per minute, in all processes that share a journal",
        breaks_callers=breaks_if_lower,
    ),
    "visibility": Enforcer(
        layer=Authorize,
        description="internal refuses calls from outside, experimental refuses callers without the permission",
        scope="run",
    ),
    "deprecated_since": _DEPRECATION_ENFORCER,
    "removal_version": replace(_DEPRECATION_ENFORCER, breaks_callers=breaks_if_earlier),
    "replacement_method": _DEPRECATION_ENFORCER,
}
BUSINESS_RULES_TEMPLATES: Final[Mapping[str, FieldValues]] = {
    "public_access": {"requires_auth": False, "timeout_seconds": 10},
    "authenticated_access": {"timeout_seconds": 30},
    "admin_access": {"timeout_seconds": 120},
    "experimental_access": {"visibility": "experimental", "timeout_seconds": 60},
    "google_workspace_integration": {"timeout_seconds": 60, "rate_limit_per_minute": 60},
    "external_api_integration": {"timeout_seconds": 90, "rate_limit_per_minute": 30},
}


def business_rules_section(
    *,
    version: str,
    model: type[BusinessRules] = BusinessRules,
    enforcers: Mapping[str, Enforcer] | None = None,
    make_layers: LayerFactory | None = None,
    templates: Mapping[str, FieldValues] | None = None,
) -> PolicySection[BusinessRules]:
    """The section on permissions, time limits, rates and the life cycle of an operation.

    Args:
        version: of the application; an operation whose removal version is reached is refused.
        model: adds fields of the application.
        enforcers: the enforcer of each added field.
        make_layers: builds the layers for the added fields.
        templates: further templates.
    """

    def around(rules: BusinessRules, governed: ToolGovernance) -> Iterable[ToolLayer]:
        own = make_layers(rules, governed) if make_layers is not None else ()
        return (*_gate_layers(rules, governed.facts, version), *own, *recommended_layers(governed.facts))

    return PolicySection(
        name=BUSINESS_RULES,
        model=model,
        enforcers=_merge("enforcers", BUSINESS_RULES_ENFORCERS, enforcers),
        make_layers=around,
        templates=_merge("templates", BUSINESS_RULES_TEMPLATES, templates),
    )


V = TypeVar("V")


def _merge(what: str, own: Mapping[str, V], added: Mapping[str, V] | None) -> dict[str, V]:
    """The section's own entries and the application's additions."""
    check_instance(what, added or {}, Mapping, "give a dictionary")
    return {**own, **(added or {})}


def _gate_layers(rules: BusinessRules, facts: Facts, version: str) -> Iterable[ToolLayer]:
    if not rules.enabled:
        yield EnabledGate(enabled=False)
    if rules.requires_auth:
        yield AuthenticationGate()
    if facts.deprecation is not None:
        yield DeprecationGate(deprecation=facts.deprecation, version=version)


class SessionPolicies(PolicyModel):
    """The session that a call needs, and the parts of the call that the session stores."""

    requires_active_session: bool = True
    allow_new_session: bool = False
    allow_session_resume: bool = True
    session_event_type: Literal["request", "resume", "system"] = "request"
    log_request_payload: bool = True
    log_full_response: bool = True


SESSION_POLICIES_ENFORCERS: Final[Mapping[str, Enforcer]] = {
    "requires_active_session": Enforcer(
        layer=SessionGate, description="a call outside a session is refused", breaks_callers=breaks_if_enabled
    ),
    "allow_new_session": Enforcer(
        layer=SessionGate, description="true lets a call without a session open one", breaks_callers=breaks_if_disabled
    ),
    "allow_session_resume": Enforcer(
        layer=SessionGate,
        description="false refuses to resume an idle session",
        breaks_callers=breaks_if_disabled,
    ),
    "session_event_type": Enforcer(layer=RecordEvents, description="the event is named `session.` and this"),
    "log_request_payload": Enforcer(layer=RecordEvents, description="false leaves the arguments out of the event"),
    "log_full_response": Enforcer(layer=RecordEvents, description="false leaves the result out of the event"),
}
_NO_SESSION: Final[FieldValues] = {"requires_active_session": False, "allow_new_session": False}
_LOG_NOTHING: Final[FieldValues] = {"log_request_payload": False, "log_full_response": False}
SESSION_POLICIES_TEMPLATES: Final[Mapping[str, FieldValues]] = {
    "stateless_operation": {**_NO_SESSION, "allow_session_resume": False, **_LOG_NOTHING},
    "session_required": {"requires_active_session": True},
    "session_optional": {"requires_active_session": False},
    "session_creation": {"requires_active_session": False, "allow_new_session": True},
    "system_operation": {**_NO_SESSION, "session_event_type": "system"},
    "long_running_operation": {"requires_active_session": True, "log_full_response": False},
    "interactive_operation": {"allow_new_session": True},
    "background_job": {**_NO_SESSION, "session_event_type": "system", "log_full_response": False},
    "public_readonly": {**_NO_SESSION, **_LOG_NOTHING},
    "authenticated_interactive": {"requires_active_session": True, "allow_session_resume": True},
    "authenticated_batch": {"requires_active_session": True, "allow_session_resume": False, "log_full_response": False},
    "log_nothing": _LOG_NOTHING,
    "log_requests": {"log_request_payload": True, "log_full_response": False},
}


def _deduplicate(*names: str) -> tuple[str, ...]:
    """The names without duplicates, in order."""
    return tuple(dict.fromkeys(names))


def session_policies_section(env: HasSessions) -> PolicySection[SessionPolicies]:
    """The section on sessions, enforced with the sessions of ``env``."""

    def around(policies: SessionPolicies, governed: ToolGovernance) -> Iterable[ToolLayer]:
        events = governed.policies.get(AUDIT_EVENTS)
        hidden = events.redact_fields if isinstance(events, AuditEvents) else ()
        name = f"session.{policies.session_event_type}"
        request, response = policies.log_request_payload, policies.log_full_response
        redact = _deduplicate(*SECRET_FIELDS, *hidden)
        yield RecordEvents(success=name, failure=name, request=request, response=response, redact=redact)
        required, opens = policies.requires_active_session, policies.allow_new_session
        yield SessionGate(env, required=required, open=opens, resume=policies.allow_session_resume)

    return PolicySection(
        name="session_policies",
        model=SessionPolicies,
        enforcers=SESSION_POLICIES_ENFORCERS,
        make_layers=around,
        templates=SESSION_POLICIES_TEMPLATES,
    )


AUDIT_EVENTS: Final = "audit_events"


class AuditEvents(PolicyModel):
    """The events recorded about a call."""

    success_event: str = ""
    failure_event: str = ""
    log_response_fields: tuple[str, ...] = ()
    redact_fields: tuple[str, ...] = ()


AUDIT_EVENTS_ENFORCERS: Final[Mapping[str, Enforcer]] = {
    "success_event": Enforcer(layer=RecordEvents, description="recorded when a call succeeds"),
    "failure_event": Enforcer(layer=RecordEvents, description="recorded when a call fails"),
    "log_response_fields": Enforcer(
        layer=RecordEvents, description="the fields of the result included in the event", lists_fields_of="result"
    ),
    "redact_fields": Enforcer(
        layer=RecordEvents,
        description="fields excluded from events, besides password, token and secret",
        lists_fields_of="call",
    ),
}
PII_FIELDS: Final = ("email", "phone", "address", "name", "birth_date")
PHI_FIELDS: Final = ("diagnosis", "medication", "patient_id", "treatment")
FINANCIAL_FIELDS: Final = ("account_number", "card_number", "iban", "salary")


def _event_template(name: str, *redact: str, fields: tuple[str, ...] = ()) -> FieldValues:
    events = {"success_event": f"{name}.succeeded", "failure_event": f"{name}.failed"}
    return {**events, "redact_fields": list(redact), "log_response_fields": list(fields)}


AUDIT_EVENTS_TEMPLATES: Final[Mapping[str, FieldValues]] = {
    "minimal": {"failure_event": "operation.failed"},
    "standard": _event_template("operation", *SECRET_FIELDS),
    "comprehensive": _event_template("operation", *SECRET_FIELDS, *PII_FIELDS),
    "compliance": _event_template("compliance", *SECRET_FIELDS, *PII_FIELDS, *PHI_FIELDS, *FINANCIAL_FIELDS),
    "external_api": _event_template("external_api", *SECRET_FIELDS, "authorization", "api_key"),
    "pipeline": _event_template("pipeline", *SECRET_FIELDS),
    "debugging": _event_template("debug", *SECRET_FIELDS),
}


def audit_events_section(
    *,
    model: type[AuditEvents] = AuditEvents,
    enforcers: Mapping[str, Enforcer] | None = None,
    make_layers: LayerFactory | None = None,
) -> PolicySection[AuditEvents]:
    """The section on recorded events.

    ``enforcers`` and ``make_layers`` serve fields added by the application.
    """

    def around(events: AuditEvents, governed: ToolGovernance) -> Iterable[ToolLayer]:
        yield from make_layers(events, governed) if make_layers is not None else ()
        fields = events.log_response_fields
        yield RecordEvents(
            success=events.success_event,
            failure=events.failure_event,
            response=bool(fields),
            fields=fields,
            redact=_deduplicate(*SECRET_FIELDS, *events.redact_fields),
        )

    return PolicySection(
        name=AUDIT_EVENTS,
        model=model,
        enforcers=_merge("enforcers", AUDIT_EVENTS_ENFORCERS, enforcers),
        make_layers=around,
        templates=AUDIT_EVENTS_TEMPLATES,
    )
