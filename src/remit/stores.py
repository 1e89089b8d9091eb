"""Stores keep the journal of runs: in memory, in SQLite or in Postgres.

`SqlStore` needs the extra ``sql``; a store of your own satisfies `Store`.
"""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.journal.codec import decode_item, encode_item
    from remit.journal.conversation_row import ConversationAccess
    from remit.journal.memory import InMemoryStore
    from remit.journal.ports import (
        AcquiredLease,
        AnswerPiece,
        AnswerPieces,
        AppendFuture,
        ArtifactStore,
        AttachedCalls,
        ConversationChange,
        ConversationFilter,
        ConversationKey,
        ConversationRow,
        ConversationStore,
        GrantStore,
        Journal,
        Leases,
        QuestionFilter,
        QuestionRow,
        RateCounter,
        RunFilter,
        RunInbox,
        RunIndex,
        RunRow,
        RunStatus,
        Store,
    )
    from remit.journal.sql.store import SqlStore
    from remit.record.artifact import ArtifactScope
    from remit.record.ledger import Consumption, TurnRequest

__all__ = [
    "AcquiredLease",
    "AnswerPiece",
    "AnswerPieces",
    "AppendFuture",
    "ArtifactScope",
    "ArtifactStore",
    "AttachedCalls",
    "Consumption",
    "ConversationAccess",
    "ConversationChange",
    "ConversationFilter",
    "ConversationKey",
    "ConversationRow",
    "ConversationStore",
    "GrantStore",
    "InMemoryStore",
    "Journal",
    "Leases",
    "QuestionFilter",
    "QuestionRow",
    "RateCounter",
    "RunFilter",
    "RunInbox",
    "RunIndex",
    "RunRow",
    "RunStatus",
    "SqlStore",
    "Store",
    "TurnRequest",
    "decode_item",
    "encode_item",
]

if not TYPE_CHECKING:
    __getattr__ = lazy_exports(
        __name__,
        {
            "remit.record.artifact": ("ArtifactScope",),
            "remit.record.ledger": ("Consumption", "TurnRequest"),
            "remit.journal.codec": ("decode_item", "encode_item"),
            "remit.journal.conversation_row": ("ConversationAccess",),
            "remit.journal.memory": ("InMemoryStore",),
            "remit.journal.ports": (
                "AcquiredLease",
                "AnswerPiece",
                "AnswerPieces",
                "AppendFuture",
                "ArtifactStore",
                "AttachedCalls",
                "ConversationChange",
                "ConversationFilter",
                "ConversationKey",
                "ConversationRow",
                "ConversationStore",
                "GrantStore",
                "Journal",
                "Leases",
                "QuestionFilter",
                "QuestionRow",
                "RateCounter",
                "RunFilter",
                "RunInbox",
                "RunIndex",
                "RunRow",
                "RunStatus",
                "Store",
            ),
            "remit.journal.sql.store": ("SqlStore",),
        },
        extras={"remit.journal.sql.store": "sql"},
    )
