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
from remit.contracts.gate import Gate
from remit.contracts.notes import note
from remit.inventory.definition import Composing, MethodDefinition, ToolDefinition
from remit.inventory.document import Inventory, Vocabulary, read_inventory
from remit.inventory.drift import CHECKLIST, Point, check
from remit.inventory.envelope import (
    Failure,
    Request,
    Response,
    Status,
    ToolRequest,
    ToolRequestPayload,
    ToolResponse,
    ToolResponsePayload,
)
from remit.inventory.gates import (
    EXPERIMENT,
    Authenticate,
    Deprecated,
    Enabled,
    HasSessions,
    Session,
    Sessions,
    SessionState,
    Visible,
)
from remit.inventory.governance import BusinessRules, Enforcer, Governed, Policies, Section, Table
from remit.inventory.lock import lock_file, lock_of
from remit.inventory.methods import method
from remit.inventory.operations import Operations
from remit.inventory.sections import (
    SECRETS,
    AuditEvents,
    SessionPolicies,
    audit_events,
    business_rules,
    session_policies,
)
from remit.inventory.stricter import Stricter, when_false, when_fewer, when_later, when_less, when_sooner, when_true
from remit.layers.events import Events, without
from remit.layers.foresee import Foresee
from remit.schemas.finding import Finding, InventoryError, Step

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
