"""The sections of policy that come with Remit: their fields, the layers that enforce them, their templates.

An application puts those it can enforce into a `Table`, and sections of its own beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, Literal

from pydantic import JsonValue

from remit.contracts.call import ToolLayer
from remit.contracts.classification import Visibility
from remit.contracts.facts import Facts
from remit.dispatch.preset import called_for
from remit.inventory.gates import Authenticate, Deprecated, Enabled, HasSessions, Session, Visible
from remit.inventory.governance import BUSINESS, BusinessRules, Enforcer, Governed, Policies, Section
from remit.inventory.stricter import when_false, when_less, when_sooner, when_true
from remit.layers.authorize import Authorize
from remit.layers.events import Events
from remit.layers.limit import RateLimit
from remit.layers.timeout import Timeout

Fields = Mapping[str, JsonValue]
Layers = Callable[[Any, Governed], Iterable[ToolLayer]]

SECRETS: Final = ("password", "token", "secret")
"""What no event holds, whatever an inventory says."""

_GONE: Final = Enforcer(layer=Deprecated, does="each call is noted, and refused from the removal on")
BUSINESS_ENFORCED: Final[Mapping[str, Enforcer]] = {
    "enabled": Enforcer(layer=Enabled, does="false refuses every call", stricter=when_false),
    "requires_auth": Enforcer(layer=Authenticate, does="true refuses a principal without a name", stricter=when_true),
    "required_permissions": Enforcer(layer=Authorize, does="the principal must hold them all", scope="run"),
    "timeout_seconds": Enforcer(layer=Timeout, does="an attempt that takes longer is stopped", stricter=when_less),
    "rate_limit_per_minute": Enforcer(
        layer=RateLimit, does="in one process, no more calls of a tenant start in any minute", stricter=when_less
    ),
    "visibility": Enforcer(layer=Visible, does="internal refuses calls from outside, experimental those without leave"),
    "deprecated_since": _GONE,
    "removal_version": replace(_GONE, stricter=when_sooner),
    "replacement_method": _GONE,
}
BUSINESS_TEMPLATES: Final[Mapping[str, Fields]] = {
    "public_access": {"requires_auth": False, "timeout_seconds": 10},
    "authenticated_access": {"timeout_seconds": 30},
    "admin_access": {"timeout_seconds": 120},
    "experimental_access": {"visibility": "experimental", "timeout_seconds": 60},
    "google_workspace_integration": {"timeout_seconds": 60, "rate_limit_per_minute": 60},
    "external_api_integration": {"timeout_seconds": 90, "rate_limit_per_minute": 30},
}


def business_rules(
    *,
    version: str,
    model: type[BusinessRules] = BusinessRules,
    enforced: Mapping[str, Enforcer] | None = None,
    layers: Layers | None = None,
    templates: Mapping[str, Fields] | None = None,
) -> Section[BusinessRules]:
    """Who may call an operation, how long, how often and until when.

    Args:
        version: of the application; what was to be removed by it is refused.
        model: with fields of the application's own.
        enforced: for those fields, the layer that enforces each.
        layers: makes the layers of those fields.
        templates: more of them.
    """

    def around(rules: BusinessRules, governed: Governed) -> Iterable[ToolLayer]:
        own = layers(rules, governed) if layers is not None else ()
        return (*_gates(rules, governed.facts, version), *own, *called_for(governed.facts))

    return Section(
        name=BUSINESS,
        model=model,
        enforced={**BUSINESS_ENFORCED, **(enforced or {})},
        layers=around,
        templates={**BUSINESS_TEMPLATES, **(templates or {})},
    )


def _gates(rules: BusinessRules, facts: Facts, version: str) -> Iterable[ToolLayer]:
    if not rules.enabled:
        yield Enabled(enabled=False)
    if rules.requires_auth:
        yield Authenticate()
    if rules.visibility is not Visibility.PUBLIC:
        yield Visible(rules.visibility)
    if facts.deprecation is not None:
        yield Deprecated(deprecation=facts.deprecation, version=version)


class SessionPolicies(Policies):
    """The session that a call needs, and what is kept of it there."""

    requires_active_session: bool = True
    allow_new_session: bool = False
    allow_session_resume: bool = True
    session_event_type: Literal["request", "resume", "system"] = "request"
    log_request_payload: bool = True
    log_full_response: bool = True


SESSION_ENFORCED: Final[Mapping[str, Enforcer]] = {
    "requires_active_session": Enforcer(layer=Session, does="a call outside a session is refused", stricter=when_true),
    "allow_new_session": Enforcer(
        layer=Session, does="true lets a call without a session open one", stricter=when_false
    ),
    "allow_session_resume": Enforcer(
        layer=Session, does="false refuses to take an idle session up again", stricter=when_false
    ),
    "session_event_type": Enforcer(layer=Events, does="the event is named `session.` and this"),
    "log_request_payload": Enforcer(layer=Events, does="false leaves the arguments out of the event"),
    "log_full_response": Enforcer(layer=Events, does="false leaves the result out of the event"),
}
_NO_SESSION: Final[Fields] = {"requires_active_session": False, "allow_new_session": False}
_SILENT: Final[Fields] = {"log_request_payload": False, "log_full_response": False}
SESSION_TEMPLATES: Final[Mapping[str, Fields]] = {
    "stateless_operation": {**_NO_SESSION, "allow_session_resume": False, **_SILENT},
    "session_required": {"requires_active_session": True},
    "session_optional": {"requires_active_session": False},
    "session_creation": {"requires_active_session": False, "allow_new_session": True},
    "system_operation": {**_NO_SESSION, "session_event_type": "system"},
    "long_running_operation": {"requires_active_session": True, "log_full_response": False},
    "interactive_operation": {"allow_new_session": True},
    "background_job": {**_NO_SESSION, "session_event_type": "system", "log_full_response": False},
    "public_readonly": {**_NO_SESSION, **_SILENT},
    "authenticated_interactive": {"requires_active_session": True, "allow_session_resume": True},
    "authenticated_batch": {"requires_active_session": True, "allow_session_resume": False, "log_full_response": False},
    "log_nothing": _SILENT,
    "log_requests": {"log_request_payload": True, "log_full_response": False},
}


def _once(*names: str) -> tuple[str, ...]:
    """The names, each once, in order."""
    return tuple(dict.fromkeys(names))


def session_policies(env: HasSessions) -> Section[SessionPolicies]:
    """The session that a call needs, as ``env`` knows sessions."""

    def around(policies: SessionPolicies, governed: Governed) -> Iterable[ToolLayer]:
        events = governed.policies.get(AUDIT)
        hidden = events.redact_fields if isinstance(events, AuditEvents) else ()
        name = f"session.{policies.session_event_type}"
        request, response = policies.log_request_payload, policies.log_full_response
        redact = _once(*SECRETS, *hidden)
        yield Events(success=name, failure=name, request=request, response=response, redact=redact)
        required, opens = policies.requires_active_session, policies.allow_new_session
        yield Session(env, required=required, open=opens, resume=policies.allow_session_resume)

    return Section(
        name="session_policies",
        model=SessionPolicies,
        enforced=SESSION_ENFORCED,
        layers=around,
        templates=SESSION_TEMPLATES,
    )


AUDIT: Final = "audit_events"


class AuditEvents(Policies):
    """The events that are filed about a call."""

    success_event: str = ""
    failure_event: str = ""
    log_response_fields: tuple[str, ...] = ()
    redact_fields: tuple[str, ...] = ()


AUDIT_ENFORCED: Final[Mapping[str, Enforcer]] = {
    "success_event": Enforcer(layer=Events, does="filed when a call went well"),
    "failure_event": Enforcer(layer=Events, does="filed when a call went wrong"),
    "log_response_fields": Enforcer(layer=Events, does="the fields of the result that the event has", names="result"),
    "redact_fields": Enforcer(layer=Events, does="what no event has, beside password, token and secret", names="call"),
}
PII: Final = ("email", "phone", "address", "name", "birth_date")
PHI: Final = ("diagnosis", "medication", "patient_id", "treatment")
FINANCIAL: Final = ("account_number", "card_number", "iban", "salary")


def _events(name: str, *redact: str, fields: tuple[str, ...] = ()) -> Fields:
    events = {"success_event": f"{name}.succeeded", "failure_event": f"{name}.failed"}
    return {**events, "redact_fields": list(redact), "log_response_fields": list(fields)}


AUDIT_TEMPLATES: Final[Mapping[str, Fields]] = {
    "minimal": {"failure_event": "operation.failed"},
    "standard": _events("operation", *SECRETS),
    "comprehensive": _events("operation", *SECRETS, *PII),
    "compliance": _events("compliance", *SECRETS, *PII, *PHI, *FINANCIAL),
    "external_api": _events("external_api", *SECRETS, "authorization", "api_key"),
    "pipeline": _events("pipeline", *SECRETS),
    "debugging": _events("debug", *SECRETS),
}


def audit_events(
    *,
    model: type[AuditEvents] = AuditEvents,
    enforced: Mapping[str, Enforcer] | None = None,
    layers: Layers | None = None,
) -> Section[AuditEvents]:
    """The events that are filed about a call; ``enforced`` and ``layers`` belong to fields of the application's own."""

    def around(events: AuditEvents, governed: Governed) -> Iterable[ToolLayer]:
        yield from layers(events, governed) if layers is not None else ()
        fields = events.log_response_fields
        yield Events(
            success=events.success_event,
            failure=events.failure_event,
            response=bool(fields),
            fields=fields,
            redact=_once(*SECRETS, *events.redact_fields),
        )

    return Section(
        name=AUDIT,
        model=model,
        enforced={**AUDIT_ENFORCED, **(enforced or {})},
        layers=around,
        templates=AUDIT_TEMPLATES,
    )
