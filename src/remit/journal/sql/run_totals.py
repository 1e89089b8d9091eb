"""The totals of runs in the database, and the sums of usage of the runs of each day, as appends advance them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Float,
    Integer,
    Row,
    Text,
    TextClause,
    and_,
    bindparam,
    case,
    select,
    text,
)
from sqlalchemy.types import TypeEngine

from remit.journal.run_summary import DAY
from remit.journal.run_totals import RunTotals
from remit.journal.sql.statements import Command, Query
from remit.journal.sql.tables import RUN_USAGE, RUNS
from remit.record.items import Position, RunResumed
from remit.record.usage import NO_TOKENS, ModelName, TokenCounts

_COUNTS: Final = TokenCounts._fields
_NO_DUE: Final = -1.0


TOTALS_TYPES: Final[Mapping[str, TypeEngine[Any]]] = {
    **dict.fromkeys(("begins", "untold", "more_worked", "more_waited", "last_at", "next_due"), Float()),
    **dict.fromkeys(("resumes", "more_calls", "first_failed"), Integer()),
    **dict.fromkeys(("more_title",), Text()),
}
"""The values of `totals_values`, and their types."""


def advanced_totals(values: Mapping[str, ColumnElement[Any]]) -> dict[str, ColumnElement[Any]]:
    """The columns of a run after more items; the values are those of `totals_values`.

    The time before the first of them was worked if the run was executing and is not taken up again with it.
    """
    begins = values["begins"]
    idle = case((begins > RUNS.c.active, begins - RUNS.c.active), else_=0.0) + values["untold"]
    was_working = and_(RUNS.c.status == "running", values["resumes"] == 0)
    next_due = values["next_due"]
    return {
        "title": RUNS.c.title + values["more_title"],
        "calls": RUNS.c.calls + values["more_calls"],
        "worked": RUNS.c.worked + values["more_worked"] + case((was_working, idle), else_=0.0),
        "waited": RUNS.c.waited + values["more_waited"] + case((was_working, 0.0), else_=idle),
        "active": values["last_at"],
        "due": case((next_due == _NO_DUE, RUNS.c.due), else_=next_due),
        "failed": case((RUNS.c.failed < 0, values["first_failed"]), else_=RUNS.c.failed),
    }


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
    }


def _add_counts(table: str, key: Sequence[str], rows: str = "") -> TextClause:
    """Add counts to the row with a key, or insert it. ``rows`` selects several; else the values of one are given."""
    names = [*key, *_COUNTS]
    added = ", ".join(f"{name} = remit_{table}.{name} + excluded.{name}" for name in _COUNTS)
    values = rows or f"VALUES ({', '.join(f':{name}' for name in names)})"
    return text(
        f"INSERT INTO remit_{table} ({', '.join(names)}) {values} ON CONFLICT ({', '.join(key)}) DO UPDATE SET {added}"
    )


_RUN_KEY: Final = ("run", "requested", "model")
_DAY_KEY: Final = ("tenant", "application", "day", "principal", "target", "requested", "model")
_USED: Final = ", ".join((*(f"{name} text" for name in _RUN_KEY), *(f"{name} bigint" for name in _COUNTS)))
ADD_TO_RUNS: Final = Command(_add_counts("run_usage", _RUN_KEY))
ADDED_IN_POSTGRES: Final = (
    _add_counts(
        "run_usage",
        _RUN_KEY,
        f"SELECT new_used.* FROM json_to_recordset(CAST(:used AS json)) AS new_used({_USED}) JOIN advanced USING (run)",  # noqa: S608
    )
    .columns()
    .cte("added")
)
"""A part of the statement that appends items in Postgres: adds the usage of the runs that it has ``advanced``."""
_ADD_TO_DAY: Final = Command(_add_counts("usage", _DAY_KEY))
RUNS_WITH_USAGE: Final = RUNS.join(RUN_USAGE, RUN_USAGE.c.run == RUNS.c.run)
_SELECT_USED: Final = Query(
    select(
        *(RUNS.c[name] for name in ("tenant", "application", "opened", "principal", "target")),
        *(RUN_USAGE.c[name] for name in ("requested", "model", *_COUNTS)),
    )
    .select_from(RUNS_WITH_USAGE)
    .where(RUNS.c.run == bindparam("run"))
)


def usage_rows(used: Iterable[tuple[str, Mapping[ModelName, TokenCounts]]]) -> list[dict[str, object]]:
    """The rows of what the models of runs have used in some items."""
    return [
        {"run": run, **name._asdict(), **counts._asdict()} for run, models in used for name, counts in models.items()
    ]


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
