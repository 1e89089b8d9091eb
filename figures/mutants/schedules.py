"""Mutants of the figures about interleavings: of leases, of budgets, and of parallel calls that are resumed."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import edited, mutants_of

_STORE: Final = "remit.journal.memory:InMemoryStore"
_RESERVATIONS: Final = "remit.journal.before_calls:RunReservations"

_LEASE: Final = mutants_of(
    "schedule.lease.violations",
    {
        "a lease that is held is given to another": edited(
            f"{_STORE}._acquire", "if state.leased_until > self._clock():", "if False:"
        ),
        "an executor that has lost its lease appends": edited(
            f"{_STORE}._append", "if state is None or state.epoch != epoch:", "if state is None:"
        ),
        "each lease has the same epoch": edited(f"{_STORE}._acquire", "epoch = state.epoch + 1", "epoch = 1"),
        "an executor that has lost its lease gives back that of another": edited(
            f"{_STORE}.release", "if state is not None and state.epoch == epoch:", "if state is not None:"
        ),
    },
)
_BUDGET: Final = mutants_of(
    "schedule.budget.violations",
    {
        "one call more than the limit": edited(
            f"{_RESERVATIONS}.reserve_call",
            "if self._count_reserved(window) >= limit:",
            "if self._count_reserved(window) > limit:",
        ),
        "a call counts when it has ended, not when it starts": edited(
            f"{_RESERVATIONS}.reserve_call",
            "if self._count_reserved(window) >= limit:\n            return False\n"
            "        self.calls[call] = self._clock()",
            "return sum(isinstance(i, ToolOutput) for each in self._items_by_call.values() for i in each) < limit",
        ),
        "calls that a model asks for are not counted": edited(
            "remit.layers.budget:_Budget.__call__",
            "(is_tool or _is_agent_below(call)) and",
            "not call.wire_id and",
        ),
    },
)
_REPLAY: Final = mutants_of(
    "schedule.replay.violations",
    {
        "the key of a call is another one in each execution": edited(
            "remit.dispatch.context:CallContext.__init__", "self._key = call.id", 'self._key = f"{id(self)}{call.id}"'
        ),
        "a call that has ended runs again": edited(
            "remit.layers.record:_Record.__call__",
            "if isinstance(item, ToolOutput) and not is_reexecuted:",
            "if False:",
        ),
        "a recorded result is not given back": edited(
            "remit.layers.record:_Record.__call__",
            "Reply.from_journal(content,",
            'Reply.from_journal("{}",',
        ),
    },
)

MUTANTS: Final = (*_LEASE, *_BUDGET, *_REPLAY)
