"""Mutants of the figures about processes that race for one run, and for one approval."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import edited, mutants_of, together
from figures.race import measure_locking, measure_overlap

_INDEX: Final = "remit.journal.index"
_TABLES: Final = "remit.journal.sql.tables"
_WRITES: Final = "remit.journal.sql.writes"
_BASE: Final = "remit.dispatch.base:Base"

_LEASE_IGNORED: Final = edited("remit.journal.sql.leases:Acquisition.__call__", "if row.until > now:", "if False:")
_NOT_FENCED: Final = edited("remit.journal.sql.advances:append_items", "!= len(rows):", "< 0:")
"""An executor whose lease another one has may write."""

_DOUBLED: Final = mutants_of(
    "resume.race.doubled",
    {
        "a run that another process executes is executed, and what both write is stored once": together(
            _LEASE_IGNORED,
            _NOT_FENCED,
            edited(
                "remit.journal.sql.statements:Command.execute",
                "cursor = connection.connection.cursor()",
                "cursor = connection.connection.cursor()\n"
                '        insert, ignore = "INSERT INTO remit_items", "INSERT OR IGNORE INTO remit_items"\n'
                "        statement = statement._replace(text=statement.text.replace(insert, ignore))",
            ),
        ),
        "a run that has ended is executed again": together(
            edited(
                "remit.engine.executor:RunExecutor._execute_once",
                'if run_state.row is not None and run_state.row.status in ("done", "failed", "cancelled"):',
                "if False:",
            ),
            edited(
                "remit.layers.record:_Record.__call__",
                "if isinstance(item, ToolOutput) and not is_reexecuted:",
                "if False:",
            ),
            edited(f"{_BASE}.__call__", "if ended is not None and self._effect is not Effect.PURE and", "if False and"),
        ),
        "a run that another process executes is executed, and a call runs before its start is stored": together(
            _LEASE_IGNORED,
            edited(
                f"{_BASE}._record_start",
                "await call.ledger.commit(item, Consumption(questions, call.caller.run, call.id))",
                "call.ledger.add(item)",
            ),
        ),
    },
    measure_overlap,
)
_ERRORS: Final = mutants_of(
    "resume.race.errors",
    {
        "a run that another process executes counts as broken": edited(
            f"{_INDEX}:lease_held_error",
            'LeaseError(f"run {run} is being executed by {executor}; wait for it or stop it", executor=executor)',
            "LeaseError.__mro__[1](executor)",
        ),
        "a writer does not wait for another": edited(
            f"{_TABLES}:_configure_sqlite", "PRAGMA busy_timeout=30000", "PRAGMA busy_timeout=0"
        ),
    },
)
_UNLOCKED: Final = mutants_of(
    "resume.race.errors",
    {
        "a transaction reads before it locks the file": edited(
            f"{_TABLES}:_begin_sqlite", 'else "IMMEDIATE"', 'else "DEFERRED"'
        ),
    },
    measure_locking,
)

_EXECUTIONS: Final = mutants_of(
    "approval.race.executions",
    {
        "an approval can be used a second time": together(
            edited(
                f"{_INDEX}:check_consumable",
                "row.consumed_by not in (None, (consumption.run, consumption.call))",
                "False",
            ),
            edited(f"{_WRITES}:_check_unused", "!= (consumption.run, consumption.call)", "== ()"),
        ),
        "the use of an approval is not stored, and not looked for in the chain": together(
            edited(
                f"{_WRITES}:_consume_decision",
                '_update_question(connection, cast("Row[Any]", stored), **values)',
                "str(values)",
            ),
            edited(f"{_WRITES}:_check_unused", "!= (consumption.run, consumption.call)", "== ()"),
        ),
        "a call does not use up its approval": edited(
            f"{_WRITES}:Append.update_index", "if self.consumption is not None:", "if False:"
        ),
    },
)

MUTANTS: Final = (*_EXECUTIONS, *_DOUBLED, *_ERRORS, *_UNLOCKED)
