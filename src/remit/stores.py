"""Stores keep the journal of runs: in memory, in SQLite or in Postgres.

`SqlStore` needs the extra ``sql``; a store of your own satisfies `Store`.
"""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.journal.codec import decode_item as decode_item
    from remit.journal.codec import encode_item as encode_item
    from remit.journal.conversation_row import ConversationAccess as ConversationAccess
    from remit.journal.memory import InMemoryStore as InMemoryStore
    from remit.journal.ports import AcquiredLease as AcquiredLease
    from remit.journal.ports import AnswerPiece as AnswerPiece
    from remit.journal.ports import AnswerPieces as AnswerPieces
    from remit.journal.ports import AppendFuture as AppendFuture
    from remit.journal.ports import ArtifactStore as ArtifactStore
    from remit.journal.ports import AttachedCalls as AttachedCalls
    from remit.journal.ports import ConversationChange as ConversationChange
    from remit.journal.ports import ConversationFilter as ConversationFilter
    from remit.journal.ports import ConversationKey as ConversationKey
    from remit.journal.ports import ConversationRow as ConversationRow
    from remit.journal.ports import ConversationStore as ConversationStore
    from remit.journal.ports import GrantStore as GrantStore
    from remit.journal.ports import Journal as Journal
    from remit.journal.ports import Leases as Leases
    from remit.journal.ports import QuestionFilter as QuestionFilter
    from remit.journal.ports import QuestionRow as QuestionRow
    from remit.journal.ports import RateCounter as RateCounter
    from remit.journal.ports import RunFilter as RunFilter
    from remit.journal.ports import RunInbox as RunInbox
    from remit.journal.ports import RunIndex as RunIndex
    from remit.journal.ports import RunRow as RunRow
    from remit.journal.ports import RunStatus as RunStatus
    from remit.journal.ports import Store as Store
    from remit.journal.run_summary import RunSummaries as RunSummaries
    from remit.journal.run_summary import RunSummary as RunSummary
    from remit.journal.run_summary import UsageRow as UsageRow
    from remit.journal.run_totals import RunTotals as RunTotals
    from remit.journal.sql.store import SqlStore as SqlStore
    from remit.journal.use_counter import UseCounter as UseCounter
    from remit.record.artifact import ArtifactScope as ArtifactScope
    from remit.record.ledger import Consumption as Consumption
    from remit.record.ledger import TurnRequest as TurnRequest
    from remit.record.usage import ModelName as ModelName
    from remit.record.usage import TokenCounts as TokenCounts
    from remit.record.uses import UseRefusal as UseRefusal
    from remit.record.uses import UseRequest as UseRequest
else:
    __getattr__ = lazy_exports(__name__, extras={"remit.journal.sql.store": "sql"})
