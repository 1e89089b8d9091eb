"""The API for applications with an inventory: methods, envelopes, the inventory and its policy sections.

Reading an inventory needs the extra ``inventory``.
"""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.call.classification import EXPERIMENT_PERMISSION as EXPERIMENT_PERMISSION
    from remit.call.classification import Capability as Capability
    from remit.call.classification import Classification as Classification
    from remit.call.classification import Complexity as Complexity
    from remit.call.classification import Deprecation as Deprecation
    from remit.call.classification import Maturity as Maturity
    from remit.call.classification import Tier as Tier
    from remit.call.classification import Visibility as Visibility
    from remit.inventory.breaking_rules import BreakingRule as BreakingRule
    from remit.inventory.breaking_rules import breaks_if_disabled as breaks_if_disabled
    from remit.inventory.breaking_rules import breaks_if_earlier as breaks_if_earlier
    from remit.inventory.breaking_rules import breaks_if_enabled as breaks_if_enabled
    from remit.inventory.breaking_rules import breaks_if_lower as breaks_if_lower
    from remit.inventory.breaking_rules import breaks_if_rank_rises as breaks_if_rank_rises
    from remit.inventory.breaking_rules import breaks_if_removed as breaks_if_removed
    from remit.inventory.builtin_sections import SECRET_FIELDS as SECRET_FIELDS
    from remit.inventory.builtin_sections import AuditEvents as AuditEvents
    from remit.inventory.builtin_sections import SessionPolicies as SessionPolicies
    from remit.inventory.builtin_sections import audit_events_section as audit_events_section
    from remit.inventory.builtin_sections import business_rules_section as business_rules_section
    from remit.inventory.builtin_sections import session_policies_section as session_policies_section
    from remit.inventory.definition import DeclaresCalls as DeclaresCalls
    from remit.inventory.definition import MethodDefinition as MethodDefinition
    from remit.inventory.definition import ToolDefinition as ToolDefinition
    from remit.inventory.document import Inventory as Inventory
    from remit.inventory.document import Vocabulary as Vocabulary
    from remit.inventory.drift import CHECKLIST as CHECKLIST
    from remit.inventory.drift import CheckResult as CheckResult
    from remit.inventory.drift import run_checklist as run_checklist
    from remit.inventory.envelope import Failure as Failure
    from remit.inventory.envelope import Request as Request
    from remit.inventory.envelope import Response as Response
    from remit.inventory.envelope import Status as Status
    from remit.inventory.envelope import ToolRequest as ToolRequest
    from remit.inventory.envelope import ToolRequestPayload as ToolRequestPayload
    from remit.inventory.envelope import ToolResponse as ToolResponse
    from remit.inventory.envelope import ToolResponsePayload as ToolResponsePayload
    from remit.inventory.gates import AuthenticationGate as AuthenticationGate
    from remit.inventory.gates import DeprecationGate as DeprecationGate
    from remit.inventory.gates import EnabledGate as EnabledGate
    from remit.inventory.gates import HasSessions as HasSessions
    from remit.inventory.gates import SessionGate as SessionGate
    from remit.inventory.gates import Sessions as Sessions
    from remit.inventory.gates import SessionState as SessionState
    from remit.inventory.governance import BusinessRules as BusinessRules
    from remit.inventory.governance import Enforcer as Enforcer
    from remit.inventory.governance import PolicyModel as PolicyModel
    from remit.inventory.governance import PolicySection as PolicySection
    from remit.inventory.governance import PolicyTable as PolicyTable
    from remit.inventory.governance import ToolGovernance as ToolGovernance
    from remit.inventory.lock import build_lock as build_lock
    from remit.inventory.lock import lock_path as lock_path
    from remit.inventory.operations import Operations as Operations
    from remit.inventory.reader import read_inventory as read_inventory
    from remit.inventory.requests import handle_request as handle_request
    from remit.schemas.finding import Finding as Finding
    from remit.schemas.finding import GovernanceChange as GovernanceChange
    from remit.schemas.finding import InventoryError as InventoryError
    from remit.schemas.finding import VersionBump as VersionBump
else:
    __getattr__ = lazy_exports(__name__)
