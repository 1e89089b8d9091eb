"""Tools: the decorator, the facts of a tool, its arguments, and the context that its function receives."""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.call.approved import check_approved_state
    from remit.call.callee import DID_NOT_HAPPEN, UNKNOWN, Callee, Context, Happened, LeafContext, ReconcileResult
    from remit.call.changed import Changed
    from remit.call.entity import Entity, entities_of, entity
    from remit.call.facts import Effect, Facts, Rate, Risk
    from remit.call.naming import tool_name
    from remit.call.reference import Candidate, Reference, Referent
    from remit.call.resolution import Resolver
    from remit.call.tool import Tool, tool
    from remit.call.typed_schema import contracts_are_checked
    from remit.dispatch.preset import with_recommended_layers
    from remit.record.arguments import Arguments, Limits, parse_arguments
    from remit.record.principal import Caller
    from remit.record.question import Change, Preview
    from remit.record.seen import Seen

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
            "remit.call.approved": ("check_approved_state",),
            "remit.record.arguments": ("Arguments", "Limits", "parse_arguments"),
            "remit.call.callee": (
                "DID_NOT_HAPPEN",
                "UNKNOWN",
                "Callee",
                "Context",
                "Happened",
                "LeafContext",
                "ReconcileResult",
            ),
            "remit.call.changed": ("Changed",),
            "remit.call.entity": ("Entity", "entities_of", "entity"),
            "remit.call.facts": ("Effect", "Facts", "Rate", "Risk"),
            "remit.call.naming": ("tool_name",),
            "remit.record.principal": ("Caller",),
            "remit.record.question": ("Change", "Preview"),
            "remit.call.reference": ("Candidate", "Reference", "Referent"),
            "remit.call.resolution": ("Resolver",),
            "remit.record.seen": ("Seen",),
            "remit.call.tool": ("Tool", "tool"),
            "remit.call.typed_schema": ("contracts_are_checked",),
            "remit.dispatch.preset": ("with_recommended_layers",),
        },
    )
