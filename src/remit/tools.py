"""Tools: the decorator, the facts of a tool, its arguments, and the context that its function receives."""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.contracts.approved import check_approved_state
    from remit.contracts.arguments import Arguments, Limits, parse_arguments
    from remit.contracts.callee import DID_NOT_HAPPEN, UNKNOWN, Callee, Context, Happened, LeafContext, ReconcileResult
    from remit.contracts.changed import Changed
    from remit.contracts.entity import Entity, entities_of, entity
    from remit.contracts.facts import Effect, Facts, Rate, Risk
    from remit.contracts.naming import tool_name
    from remit.contracts.principal import Caller
    from remit.contracts.question import Change, Preview
    from remit.contracts.reference import Candidate, Reference, Referent
    from remit.contracts.resolution import Resolver
    from remit.contracts.seen import Seen
    from remit.contracts.tool import Tool, tool
    from remit.contracts.typed_schema import contracts_are_checked
    from remit.dispatch.preset import with_recommended_layers

__all__ = [
    "DID_NOT_HAPPEN",
    "UNKNOWN",
    "Arguments",
    "Callee",
    "Caller",
    "Candidate",
    "Change",
    "Changed",
    "Context",
    "Effect",
    "Entity",
    "Facts",
    "Happened",
    "LeafContext",
    "Limits",
    "Preview",
    "Rate",
    "ReconcileResult",
    "Reference",
    "Referent",
    "Resolver",
    "Risk",
    "Seen",
    "Tool",
    "check_approved_state",
    "contracts_are_checked",
    "entities_of",
    "entity",
    "parse_arguments",
    "tool",
    "tool_name",
    "with_recommended_layers",
]

if not TYPE_CHECKING:
    __getattr__ = lazy_exports(
        __name__,
        {
            "remit.contracts.approved": ("check_approved_state",),
            "remit.contracts.arguments": ("Arguments", "Limits", "parse_arguments"),
            "remit.contracts.callee": (
                "DID_NOT_HAPPEN",
                "UNKNOWN",
                "Callee",
                "Context",
                "Happened",
                "LeafContext",
                "ReconcileResult",
            ),
            "remit.contracts.changed": ("Changed",),
            "remit.contracts.entity": ("Entity", "entities_of", "entity"),
            "remit.contracts.facts": ("Effect", "Facts", "Rate", "Risk"),
            "remit.contracts.naming": ("tool_name",),
            "remit.contracts.principal": ("Caller",),
            "remit.contracts.question": ("Change", "Preview"),
            "remit.contracts.reference": ("Candidate", "Reference", "Referent"),
            "remit.contracts.resolution": ("Resolver",),
            "remit.contracts.seen": ("Seen",),
            "remit.contracts.tool": ("Tool", "tool"),
            "remit.contracts.typed_schema": ("contracts_are_checked",),
            "remit.dispatch.preset": ("with_recommended_layers",),
        },
    )
