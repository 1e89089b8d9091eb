"""The totals of runs in the database, and the sums of usage of the runs of each day, as appends advance them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Float, Integer, Row, Text, and_, bindparam, case, select, text

from remit.journal.run_summary import DAY
from remit.journal.run_totals import NO_TOKENS, RunTotals
from remit.journal.sql.statements import Command, Query
from remit.journal.sql.tables import RUN_USAGE, RUNS
from remit.record.items import Position, RunResumed
from remit.record.usage import ModelName, TokenCounts

_COUNTS: Final = TokenCounts._fields
_NO_DUE: Final = -1.0


def _advanced_totals() -> dict[str, ColumnElement[Any]]:
    """The columns of a run after more items; the parameters are those of `totals_values`.

    The time before the first of them was worked if the run was executing and is not taken up again with it.
    """
    begins = bindparam("begins", type_=Float)
    idle = case((begins > RUNS.c.active, begins - RUNS.c.active), else_=0.0) + bindparam("untold", type_=Float)
    was_working = and_(RUNS.c.status == "running", bindparam("resumes") == 0)
    next_due, next_status = bindparam("next_due", type_=Float), bindparam("next_status", type_=Text)
    return {
        "title": RUNS.c.title + bindparam("more_title", type_=Text),
        "calls": RUNS.c.calls + bindparam("more_calls"),
        "worked": RUNS.c.worked + bindparam("more_worked") + case((was_working, idle), else_=0.0),
        "waited": RUNS.c.waited + bindparam("more_waited") + case((was_working, 0.0), else_=idle),
        "active": bindparam("last_at"),
        "due": case((next_due == _NO_DUE, RUNS.c.due), else_=next_due),
        "failed": case((RUNS.c.failed < 0, bindparam("first_failed", type_=Integer)), else_=RUNS.c.failed),
        "status": case((next_status == "", RUNS.c.status), else_=next_status),
    }


ADVANCED_TOTALS: Final = _advanced_totals()
"""What the statement that advances a run sets beside its seq."""

NO_TOTALS: Final[Mapping[str, object]] = {
    "title": "", "calls": 0, "worked": 0.0, "waited": 0.0, "active": 0.0, "due": 0.0, "failed": -1,
}  # fmt: skip
"""The totals of a run without items."""


def totals_values(items: Sequence[Position], totals: RunTotals) -> dict[str, object]:
    """The values with which these items advance the totals of their run; ``totals`` are those of the items alone."""
    first = items[0]
    return {
        "begins": first.at if first.seq else 0.0,
        "resumes": int(isinstance(first.item, RunResumed)),
        "untold": totals.untold,
        "more_title": totals.title,
        "more_calls": totals.calls,
        "more_worked": totals.worked,
        "more_waited": totals.waited,
        "last_at": totals.since,
        "next_due": _NO_DUE if totals.due is None else totals.due,
        "first_failed": totals.failed,
        "next_status": totals.status or "",
    }


def _add_counts(table: str, key: Sequence[str]) -> Command:
    """Add counts to the row with a key, or insert it."""
    names = [*key, *_COUNTS]
    added = ", ".join(f"{name} = remit_{table}.{name} + excluded.{name}" for name in _COUNTS)
    values = ", ".join(f":{name}" for name in names)
    return Command(
        text(
            f"INSERT INTO remit_{table} ({', '.join(names)}) VALUES ({values}) "  # noqa: S608 - our own names
            f"ON CONFLICT ({', '.join(key)}) DO UPDATE SET {added}"
        )
    )


_RUN_KEY: Final = ("run", "requested", "model")
_DAY_KEY: Final = ("tenant", "application", "day", "principal", "target", "requested", "model")
_ADD_TO_RUN: Final = _add_counts("run_usage", _RUN_KEY)
_ADD_TO_DAY: Final = _add_counts("usage", _DAY_KEY)
RUNS_WITH_USAGE: Final = RUNS.join(RUN_USAGE, RUN_USAGE.c.run == RUNS.c.run)
_SELECT_USED: Final = Query(
    select(
        *(RUNS.c[name] for name in ("tenant", "application", "opened", "principal", "target")),
        *(RUN_USAGE.c[name] for name in ("requested", "model", *_COUNTS)),
    )
    .select_from(RUNS_WITH_USAGE)
    .where(RUNS.c.run == bindparam("run"))
)


def add_usage(connection: Connection, used: Sequence[tuple[str, RunTotals]]) -> None:
    """Add what the models of runs have used in some items."""
    rows = [
        {"run": run, **name._asdict(), **counts._asdict()}
        for run, totals in used
        for name, counts in totals.used.items()
    ]
    if rows:
        _ADD_TO_RUN.execute(connection, *rows)


def add_to_days(connection: Connection, ended: Sequence[str]) -> None:
    """Add what the runs that end have used to the sums of the days on which they were opened.

    This runs last in a transaction and in key order: processes share these rows, so the locks must be brief and
    ordered.
    """
    sums: dict[tuple[object, ...], TokenCounts] = {}
    for run in ended:
        for row in _SELECT_USED.all(connection, run=run):
            key = (row.tenant, row.application, _day_of(row.opened), row.principal, row.target, *name_of(row))
            sums[key] = sums.get(key, NO_TOKENS).plus(counts_of(row))
    if sums:
        rows = [{**dict(zip(_DAY_KEY, key, strict=True)), **sums[key]._asdict()} for key in sorted(sums, key=str)]
        _ADD_TO_DAY.execute(connection, *rows)


def name_of(row: Row[Any]) -> ModelName:
    """The model of a row."""
    return ModelName(row.requested, row.model)


def counts_of(row: Row[Any]) -> TokenCounts:
    """The counts of a row. Postgres sums integers to a Decimal."""
    return TokenCounts(*(int(getattr(row, name)) for name in _COUNTS))


def _day_of(opened: float) -> int:
    return int(opened // DAY)
