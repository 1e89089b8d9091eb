"""Journal items: everything that a journal records about a run, each at its `Position`; and the events of streams."""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.client.following import DeltaEvent as DeltaEvent
    from remit.client.following import DropEvent as DropEvent
    from remit.client.following import ItemEvent as ItemEvent
    from remit.client.following import StreamEvent as StreamEvent
    from remit.export.jsonl import read_jsonl as read_jsonl
    from remit.record.items import ITEM_TYPES as ITEM_TYPES
    from remit.record.items import ArgumentsBound as ArgumentsBound
    from remit.record.items import AttemptEnded as AttemptEnded
    from remit.record.items import AttemptStarted as AttemptStarted
    from remit.record.items import CallAllowed as CallAllowed
    from remit.record.items import CallEntered as CallEntered
    from remit.record.items import CallItem as CallItem
    from remit.record.items import CallReceived as CallReceived
    from remit.record.items import DecisionItem as DecisionItem
    from remit.record.items import ErasedItem as ErasedItem
    from remit.record.items import GivenMessage as GivenMessage
    from remit.record.items import Handoff as Handoff
    from remit.record.items import HistoryCompacted as HistoryCompacted
    from remit.record.items import Item as Item
    from remit.record.items import Message as Message
    from remit.record.items import Mismatch as Mismatch
    from remit.record.items import ModelExchange as ModelExchange
    from remit.record.items import ModelFailure as ModelFailure
    from remit.record.items import ModelUsage as ModelUsage
    from remit.record.items import Note as Note
    from remit.record.items import Outcome as Outcome
    from remit.record.items import Position as Position
    from remit.record.items import QuestionClosed as QuestionClosed
    from remit.record.items import QuestionItem as QuestionItem
    from remit.record.items import RuleRead as RuleRead
    from remit.record.items import RunFinished as RunFinished
    from remit.record.items import RunLoosened as RunLoosened
    from remit.record.items import RunOpened as RunOpened
    from remit.record.items import RunResumed as RunResumed
    from remit.record.items import RunScheduled as RunScheduled
    from remit.record.items import RunStalled as RunStalled
    from remit.record.items import RunSuspended as RunSuspended
    from remit.record.items import ToolOutput as ToolOutput
    from remit.record.items import TraceStarted as TraceStarted
    from remit.record.items import TurnEnded as TurnEnded
    from remit.record.items import UsesReserved as UsesReserved
else:
    __getattr__ = lazy_exports(__name__)
