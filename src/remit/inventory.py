"""What an application with an inventory needs: methods and their envelopes, the inventory, and its sections of policy.

Reading an inventory needs the extra ``inventory``.
"""

from remit.contracts.classification import (
    Capability,
    Classification,
    Complexity,
    Deprecation,
    Maturity,
    Tier,
    Visibility,
)
from remit.contracts.definition import Composing, MethodDefinition, ToolDefinition
from remit.contracts.drift import CHECKLIST, Point, check
from remit.contracts.envelope import (
    Failure,
    Request,
    Response,
    Status,
    ToolRequest,
    ToolRequestPayload,
    ToolResponse,
    ToolResponsePayload,
)
from remit.contracts.finding import Finding, InventoryError, Step
from remit.contracts.gate import Gate
from remit.contracts.governance import BusinessRules, Enforcer, Governed, Policies, Section, Table
from remit.contracts.inventory import Inventory, Vocabulary, read_inventory
from remit.contracts.lock import lock_file, lock_of
from remit.contracts.method import method
from remit.contracts.notes import note
from remit.contracts.operations import Operations
from remit.contracts.stricter import Stricter, when_false, when_fewer, when_later, when_less, when_sooner, when_true
from remit.dispatch.sections import (
    SECRETS,
    AuditEvents,
    SessionPolicies,
    audit_events,
    business_rules,
    session_policies,
)
from remit.layers.authenticate import Authenticate
from remit.layers.deprecated import Deprecated
from remit.layers.enabled import Enabled
from remit.layers.events import Events, without
from remit.layers.foresee import Foresee
from remit.layers.session import HasSessions, Session, Sessions, SessionState
from remit.layers.visible import EXPERIMENT, Visible

__all__ = [
    "CHECKLIST",
    "EXPERIMENT",
    "SECRETS",
    "AuditEvents",
    "Authenticate",
    "BusinessRules",
    "Capability",
    "Classification",
    "Complexity",
    "Composing",
    "Deprecated",
    "Deprecation",
    "Enabled",
    "Enforcer",
    "Events",
    "Failure",
    "Finding",
    "Foresee",
    "Gate",
    "Governed",
    "HasSessions",
    "Inventory",
    "InventoryError",
    "Maturity",
    "MethodDefinition",
    "Operations",
    "Point",
    "Policies",
    "Request",
    "Response",
    "Section",
    "Session",
    "SessionPolicies",
    "SessionState",
    "Sessions",
    "Status",
    "Step",
    "Stricter",
    "Table",
    "Tier",
    "ToolDefinition",
    "ToolRequest",
    "ToolRequestPayload",
    "ToolResponse",
    "ToolResponsePayload",
    "Visibility",
    "Visible",
    "Vocabulary",
    "audit_events",
    "business_rules",
    "check",
    "lock_file",
    "lock_of",
    "method",
    "note",
    "read_inventory",
    "session_policies",
    "when_false",
    "when_fewer",
    "when_later",
    "when_less",
    "when_sooner",
    "when_true",
    "without",
]
