"""Mutants of the figures about watching."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import edited, mutants_of
from figures.watch import in_memory, on_postgres

_STREAM: Final = "remit.client.updates:UpdateReader"
_MEMORY: Final = "remit.journal.change_memory:ChangesInMemory"

MUTANTS: Final = (
    *mutants_of(
        "watch.missed",
        {
            "a transaction that ends after a later one is skipped": edited(
                "remit.journal.sql.changes:_is_after",
                "or_(is_later, number.in_(snapshot.running)) if snapshot.running else is_later",
                "is_later",
            ),
        },
        on_postgres,
    ),
    *mutants_of(
        "watch.missed",
        {
            "a stream that goes on inside a page skips the rest": edited(
                "remit.journal.changes:make_page", "Place(place.since, until, key) for", "Place(until) for"
            ),
            "a question expires without a word": edited(
                f"{_MEMORY}._find_expired", "since.at < expires <= until.at", "False"
            ),
            "a share of a conversation is no change": edited(
                "remit.journal.memory:InMemoryStore.change_conversation",
                "self._mark_changed(ChangeKind.CONVERSATION, key)",
                "pass",
            ),
        },
        in_memory,
    ),
    *mutants_of(
        "watch.doubled",
        {
            "a stream goes on with the row that came last": edited(
                f"{_MEMORY}.read_changes", "key > place.last", "key >= place.last"
            ),
            "what was asked and has expired meanwhile comes twice": edited(
                f"{_MEMORY}._find_expired", " and since.has(number)", ""
            ),
            "a stream reads the same page again": edited(f"{_STREAM}._watch", "place = page.place", "pass"),
        },
        in_memory,
    ),
    *mutants_of(
        "watch.leaks",
        {
            "the runs of others come": edited(
                "remit.engine.visible_runs:VisibleRuns._lists_run",
                "(self._owns(row) or self._may(READ_PERMISSION, row.target))",
                "True",
            ),
            "the questions of the tenant come": edited(
                f"{_STREAM}._find_event", "await self._can_see(row.question)", "True"
            ),
            "the conversations of the tenant come": edited(
                f"{_STREAM}._find_event", 'has_access(self.principal, row, "read")', "True"
            ),
        },
        in_memory,
    ),
)
