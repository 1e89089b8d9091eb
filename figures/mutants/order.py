"""Mutants of the figures about the order of conversations, and about runs that executors find."""

from __future__ import annotations

from functools import partial
from typing import Final

from figures.mutants.mutant import edited, mutants_of
from figures.order import measure_forks

_MEMORY: Final = "remit.journal.memory:InMemoryStore"
_WRITES: Final = "remit.journal.sql.writes"

_FORKS: Final = mutants_of(
    "skew.forks",
    {
        "the latest run is the one that the clocks say": edited(
            "remit.engine.conversations:Conversations.create_header",
            '(talk.latest, talk.target) if talk else ("", target)',
            '(max(await self._store.list_runs(), key=lambda row: row.opened).run, "") if talk else ("", "")',
        ),
        "a run may follow one that another has followed": edited(
            "remit.journal.index:check_conversation_free",
            "if newest is None or row.after == DETACHED or newest.run == row.run:",
            "if True:",
        ),
        "the latest run is not kept when a run is opened": edited(
            "remit.journal.conversations:open_in_conversation", "latest=run.run, status", "latest=row.latest, status"
        ),
    },
    partial(measure_forks, 8, stops_early=True),
)
_LOST: Final = mutants_of(
    "executor.lost",
    {
        "a decision makes no run due": edited(
            f"{_WRITES}:_wake_waiting_runs", "question.question in suspension.questions", "False"
        ),
        "a cancellation makes no run due": edited(
            "remit.journal.sql.store:SqlStore.request_cancel", 'signature, "wake": 0.0', "signature"
        ),
        "a deadline makes no run due": edited(
            "remit.journal.index:wake_time", "row.question.expires if row.status", "NEVER if row.status"
        ),
        "only the newest run is looked at": edited(
            "remit.engine.local:LocalEngine._poll_once",
            "await self._store.list_due_runs(application)",
            "[row.run for row in await self._store.list_runs(application=application, limit=1000)]",
        ),
    },
)

MUTANTS: Final = (*_FORKS, *_LOST)
