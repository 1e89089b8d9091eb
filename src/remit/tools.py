"""Tools: the decorator, the facts of a tool, its arguments, and the context that its function receives."""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.call.approved import check_approved_state as check_approved_state
    from remit.call.approved import find_approvers as find_approvers
    from remit.call.callee import DID_NOT_HAPPEN as DID_NOT_HAPPEN
    from remit.call.callee import UNKNOWN as UNKNOWN
    from remit.call.callee import Callee as Callee
    from remit.call.callee import Context as Context
    from remit.call.callee import Happened as Happened
    from remit.call.callee import LeafContext as LeafContext
    from remit.call.callee import ReconcileResult as ReconcileResult
    from remit.call.changed import Changed as Changed
    from remit.call.entity import Entity as Entity
    from remit.call.entity import entities_of as entities_of
    from remit.call.entity import entity as entity
    from remit.call.facts import Effect as Effect
    from remit.call.facts import Facts as Facts
    from remit.call.facts import Rate as Rate
    from remit.call.facts import Risk as Risk
    from remit.call.log import Log as Log
    from remit.call.log import LogLevel as LogLevel
    from remit.call.log import LogLine as LogLine
    from remit.call.naming import tool_name as tool_name
    from remit.call.reference import Candidate as Candidate
    from remit.call.reference import Reference as Reference
    from remit.call.reference import Referent as Referent
    from remit.call.reports import LastCall as LastCall
    from remit.call.resolution import Resolver as Resolver
    from remit.call.sentences import Sentences as Sentences
    from remit.call.sentences import Undo as Undo
    from remit.call.tool import Tool as Tool
    from remit.call.tool import tool as tool
    from remit.call.typed_schema import contracts_are_checked as contracts_are_checked
    from remit.dispatch.preset import with_recommended_layers as with_recommended_layers
    from remit.record.arguments import Arguments as Arguments
    from remit.record.arguments import Limits as Limits
    from remit.record.arguments import parse_arguments as parse_arguments
    from remit.record.principal import Caller as Caller
    from remit.record.question import Change as Change
    from remit.record.question import Preview as Preview
    from remit.record.question import ShownObject as ShownObject
    from remit.record.seen import Seen as Seen
else:
    __getattr__ = lazy_exports(__name__)
