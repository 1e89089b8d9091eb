"""Everything an application with an inventory needs: methods, envelopes, the inventory and its policy sections.

Reading an inventory needs the extra ``inventory``.
"""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.call.classification import (
        EXPERIMENT_PERMISSION,
        Capability,
        Classification,
        Complexity,
        Deprecation,
        Maturity,
        Tier,
        Visibility,
    )
    from remit.inventory.breaking_rules import (
        BreakingRule,
        breaks_if_disabled,
        breaks_if_earlier,
        breaks_if_enabled,
        breaks_if_lower,
        breaks_if_rank_rises,
        breaks_if_removed,
    )
    from remit.inventory.builtin_sections import (
        SECRET_FIELDS,
        AuditEvents,
        SessionPolicies,
        audit_events_section,
        business_rules_section,
        session_policies_section,
    )
    from remit.inventory.definition import DeclaresCalls, MethodDefinition, ToolDefinition
    from remit.inventory.document import Inventory, Vocabulary
    from remit.inventory.drift import CHECKLIST, CheckResult, run_checklist
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
        AuthenticationGate,
        DeprecationGate,
        EnabledGate,
        HasSessions,
        SessionGate,
        Sessions,
        SessionState,
    )
    from remit.inventory.governance import (
        BusinessRules,
        Enforcer,
        PolicyModel,
        PolicySection,
        PolicyTable,
        ToolGovernance,
    )
    from remit.inventory.lock import build_lock, lock_path
    from remit.inventory.operations import Operations
    from remit.inventory.reader import read_inventory
    from remit.inventory.requests import handle_request
    from remit.schemas.finding import Finding, GovernanceChange, InventoryError, VersionBump

__all__ = [
    "CHECKLIST",
    "EXPERIMENT_PERMISSION",
    "SECRET_FIELDS",
    "AuditEvents",
    "AuthenticationGate",
    "BreakingRule",
    "BusinessRules",
    "Capability",
    "CheckResult",
    "Classification",
    "Complexity",
    "DeclaresCalls",
    "Deprecation",
    "DeprecationGate",
    "EnabledGate",
    "Enforcer",
    "Failure",
    "Finding",
    "GovernanceChange",
    "HasSessions",
    "Inventory",
    "InventoryError",
    "Maturity",
    "MethodDefinition",
    "Operations",
    "PolicyModel",
    "PolicySection",
    "PolicyTable",
    "Request",
    "Response",
    "SessionGate",
    "SessionPolicies",
    "SessionState",
    "Sessions",
    "Status",
    "Tier",
    "ToolDefinition",
    "ToolGovernance",
    "ToolRequest",
    "ToolRequestPayload",
    "ToolResponse",
    "ToolResponsePayload",
    "VersionBump",
    "Visibility",
    "Vocabulary",
    "audit_events_section",
    "breaks_if_disabled",
    "breaks_if_earlier",
    "breaks_if_enabled",
    "breaks_if_lower",
    "breaks_if_rank_rises",
    "breaks_if_removed",
    "build_lock",
    "business_rules_section",
    "handle_request",
    "lock_path",
    "read_inventory",
    "run_checklist",
    "session_policies_section",
]

if not TYPE_CHECKING:
    __getattr__ = lazy_exports(
        __name__,
        {
            "remit.call.classification": (
                "EXPERIMENT_PERMISSION",
                "Capability",
                "Classification",
                "Complexity",
                "Deprecation",
                "Maturity",
                "Tier",
                "Visibility",
            ),
            "remit.inventory.breaking_rules": (
                "BreakingRule",
                "breaks_if_disabled",
                "breaks_if_earlier",
                "breaks_if_enabled",
                "breaks_if_lower",
                "breaks_if_rank_rises",
                "breaks_if_removed",
            ),
            "remit.inventory.builtin_sections": (
                "SECRET_FIELDS",
                "AuditEvents",
                "SessionPolicies",
                "audit_events_section",
                "business_rules_section",
                "session_policies_section",
            ),
            "remit.inventory.definition": ("DeclaresCalls", "MethodDefinition", "ToolDefinition"),
            "remit.inventory.document": ("Inventory", "Vocabulary"),
            "remit.inventory.drift": ("CHECKLIST", "CheckResult", "run_checklist"),
            "remit.inventory.envelope": (
                "Failure",
                "Request",
                "Response",
                "Status",
                "ToolRequest",
                "ToolRequestPayload",
                "ToolResponse",
                "ToolResponsePayload",
            ),
            "remit.inventory.gates": (
                "AuthenticationGate",
                "DeprecationGate",
                "EnabledGate",
                "HasSessions",
                "SessionGate",
                "Sessions",
                "SessionState",
            ),
            "remit.inventory.governance": (
                "BusinessRules",
                "Enforcer",
                "PolicyModel",
                "PolicySection",
                "PolicyTable",
                "ToolGovernance",
            ),
            "remit.inventory.lock": ("build_lock", "lock_path"),
            "remit.inventory.operations": ("Operations",),
            "remit.inventory.reader": ("read_inventory",),
            "remit.inventory.requests": ("handle_request",),
            "remit.schemas.finding": ("Finding", "GovernanceChange", "InventoryError", "VersionBump"),
        },
    )
