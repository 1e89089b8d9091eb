"""Mutants of the figures about conversations."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import edited, mutants_of

_CONVERSATIONS: Final = "remit.engine.conversations:Conversations"

MUTANTS: Final = (
    *mutants_of(
        "queue.lost",
        {
            "a message whose place was taken is refused": edited(
                f"{_CONVERSATIONS}.has_moved", "talk.latest != header.after", "False"
            ),
            "a queued run is never due": edited(
                "remit.journal.memory:InMemoryStore.list_due_runs",
                'state.row.status == "queued" and',
                'state.row.status == "queued" or',
            ),
            "a busy conversation refuses messages that may queue": edited(
                f"{_CONVERSATIONS}.create_header",
                'run_request.when_busy == "queue"',
                'run_request.when_busy == "queue" and False',
            ),
        },
    ),
    *mutants_of(
        "queue.doubled",
        {
            "a cancelled message runs": edited(
                "remit.engine.executor:RunExecutor._execute_once",
                "is_stopping=stopping or (header is None and bool(run_state.cancel_requested_by))",
                "is_stopping=False",
            ),
            "the key of a call is another one in each execution": edited(
                "remit.dispatch.context:CallContext.__init__",
                "self._key = call.id",
                'self._key = f"{id(self)}{call.id}"',
            ),
            "the calls of a run are others in each execution": edited(
                "remit.engine.root:RootCaller.__call__",
                "id=root_call_id(header),",
                "id=hex(id(ledger))[2:].zfill(12),",
            ),
        },
    ),
    *mutants_of(
        "queue.disorder",
        {
            "a queued run does not wait": edited(f"{_CONVERSATIONS}.find_blocker", "not header.queued", "True"),
            "a cancelled message frees those behind it": edited(
                f"{_CONVERSATIONS}.find_blocker", '("cancelled",)', "()"
            ),
            "a queued run waits only while it is cancelled": edited(
                "remit.engine.root:RootExecutor.__call__", "if not stopping and (blocker", "if stopping and (blocker"
            ),
        },
    ),
    *mutants_of(
        "conversation.idle_bytes",
        {
            "the answers of an ended run are kept": edited(
                "remit.engine.open_answers:RunAnswers.__exit__", "if _BOARDS.get(key) is self:", "if False:"
            ),
        },
    ),
)
