"""Mutants of the figures about rules over the run and windows."""

from __future__ import annotations

from typing import Final

from figures import rules
from figures.mutants.mutant import edited, mutants_of

_EARLIER: Final = "remit.approvals.earlier_calls"
_RESERVATIONS: Final = "remit.journal.before_calls:RunReservations"
_MEMORY: Final = "remit.journal.use_counter:UsesInMemory"

MUTANTS: Final = (
    *mutants_of(
        "rules.over",
        {
            "a window of a run is not reserved": edited(
                f"{_RESERVATIONS}._reserve_in_run", "if not request.fits(used):", "if False:"
            ),
            "what is reserved in the store is not counted": edited(
                f"{_MEMORY}.reserve_uses", "if not request.fits(used):", "if False:"
            ),
            "a call that has begun returns what it used": edited(
                "remit.journal.ledger:RunLedger._index_item", "self.reservations.held.pop(call, None)", "pass"
            ),
            "the amount that an approver wrote is not reserved": edited(
                "remit.layers.approve:_Approve._call_as_edited", "await reserve(call)", "pass"
            ),
            "the uses of earlier executions are forgotten": edited(
                f"{_RESERVATIONS}.hold_uses", "self._uses.add(window, item.call, Use(at, amount))", "pass"
            ),
            "a call marks nothing in the store": edited(
                f"{_EARLIER}:EarlierCalls._mark", "if subjects and not", "if subjects and subjects == [] and not"
            ),
            "a requirement is met by a call that only began": edited(
                "remit.record.past:PastCalls.latest", "self._succeeded if only_succeeded else", ""
            ),
        },
        lambda: rules.measure_worlds(40, shared=0),
    ),
    *mutants_of(
        "policy.verdict_differs_on_replay",
        {
            "a replay reads the run as it is then": edited(
                f"{_EARLIER}:After.__call__",
                "call.ledger.execution.is_replaying or has_begun_body(items)",
                "has_begun_body(items) and False",
            ),
            "what a rule read is not on record": edited(
                f"{_EARLIER}:EarlierCalls.record", "call.ledger.add(RuleRead(", "(lambda _item: None)(RuleRead("
            ),
        },
        lambda: rules.measure_worlds(40, shared=0),
    ),
)
