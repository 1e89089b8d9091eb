"""Mutants of the figures about executor processes that are killed under load.

Those that the crash sweeps notice by killing at one point are left out: a kill at a random moment may miss it.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from figures.engine import measure_cms, measure_kills, measure_outages
from figures.engine_repeated import measure_repetitions
from figures.mutants.mutant import edited, mutants_of, together

_BASE: Final = "remit.dispatch.base:Base"
_LEASE_IGNORED: Final = edited("remit.journal.sql.leases:Acquisition.__call__", "if row.until > now:", "if False:")

_DOUBLED: Final = {
    "a call that has ended runs again": edited(
        "remit.layers.record:_Record.__call__",
        "if isinstance(item, ToolOutput) and not is_reexecuted:",
        "if False:",
    ),
    "a run that another process executes is executed, and an unsafe call under way runs again": together(
        _LEASE_IGNORED,
        edited(
            f"{_BASE}.__call__",
            "self._run_unsafe if started is None else self._settle_or_run",
            "self._run_unsafe",
        ),
    ),
    "a run that another process executes is executed, and a call runs before its start is stored": together(
        _LEASE_IGNORED, edited(f"{_BASE}._write_item", "await call.ledger.commit(item)", "call.ledger.add(item)")
    ),
}
_KEY_CHANGES: Final = edited(
    "remit.dispatch.context:CallContext.__init__", "self._key = call.id", 'self._key = f"{id(self)}{call.id}"'
)
_END_IS_MISSING: Final = edited(
    "remit.layers.record:_Record._write_output", "call.ledger.add(", "call.caller.call or call.ledger.add("
)
_LOST: Final = {
    "the key of a call is another one in each execution": _KEY_CHANGES,
    "the end of a call is not recorded": _END_IS_MISSING,
    "a run whose process was killed is held for ever": edited(
        "remit.journal.sql.leases:Acquisition.__call__", "if row.until > now:", "if row.until > 0:"
    ),
    "the target of a run is not recorded": edited(
        "remit.engine.conversations:Conversations.create_header", "target=target,", 'target="",'
    ),
}
_LOST_BY_OUTAGE: Final = {
    "a run fails by a busy model": edited(
        "remit.agent.model_recorder:ModelRecorder._ask", "signal = _to_signal(failure)", "signal = failure"
    ),
    "a stalled run is never tried again": edited(
        "remit.engine.outcome:bring_to_rest", "retry_at = ledger.now() + max(", "retry_at = ledger.now() + 1e6 + max("
    ),
    "the end of a call is not recorded": _END_IS_MISSING,
}
_SITE_DOUBLED: Final = {
    "the key of a write contains the time": edited(
        "remit_cms.storage.transactions:edit_once", "own_key = ctx.key", 'own_key = f"{ctx.key}{database.clock()}"'
    ),
    "a write with a key that was used happens again": edited(
        "remit.effects:once", "if not await _claim_key(session, key, digest):", "if False:"
    ),
    "a write is stored under another key": edited(
        "remit.effects:_claim_key", "values(key=key,", "values(key=func.random(),"
    ),
}
_SITE_LOST: Final = {
    "writers in Postgres do not wait for each other": edited(
        "remit.database.backends:Postgres._on_begin",
        "SELECT pg_advisory_xact_lock({_LOCK_NAMESPACE}, {key})",
        "SELECT {key}",
    ),
    "a write is not committed": edited(
        "remit.database.database:Database.write",
        "yield session",
        "yield session\n                    await session.rollback()",
    ),
    "the end of a call is not recorded": _END_IS_MISSING,
}

MUTANTS: Final = (
    *mutants_of("engine.kill.doubled", _DOUBLED, partial(measure_kills, 40, 8.0, 15.0)),
    *mutants_of("engine.kill.lost", _LOST, partial(measure_kills, 16, 4.0, 40.0)),
    *mutants_of("engine.outage.doubled", _DOUBLED, partial(measure_outages, 40, 8.0, 15.0)),
    *mutants_of("engine.outage.lost", _LOST_BY_OUTAGE, partial(measure_outages, 16, 4.0, 25.0)),
    *mutants_of("engine.cms.doubled", _SITE_DOUBLED, measure_repetitions),
    *mutants_of("engine.cms.lost", _SITE_LOST, partial(measure_cms, 24, 6.0, 25.0)),
)
