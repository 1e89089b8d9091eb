"""The summaries of runs and the usage of models, in the database."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, Table, and_, func, select, union_all
from sqlalchemy.sql.base import ReadOnlyColumnCollection

from remit.journal.index import UNFINISHED_STATUSES
from remit.journal.run_summary import DAY, RunSummary, UsageRow
from remit.journal.sql.rows import decode_positions
from remit.journal.sql.run_totals import RUNS_WITH_USAGE, counts_of, name_of
from remit.journal.sql.tables import ITEMS, QUESTIONS, RUN_USAGE, RUNS, USAGE, one_of
from remit.journal.sql.uses import SqlUses
from remit.record.items import ModelFailure, ToolOutput
from remit.record.usage import ModelName, TokenCounts


class SqlRunSummaries(SqlUses):
    """The part of an SQL store that summarizes runs."""

    async def read_summaries(self, runs: Sequence[str]) -> Mapping[str, RunSummary]:
        """The summaries of the opened ones among ``runs``, by run."""
        return await self._submit_read(lambda connection: _read_summaries(connection, runs, self._now(connection)))

    async def read_usage(
        self, *, tenant: str, application: str = "", principal: str = "", since: float, until: float
    ) -> Sequence[UsageRow]:
        """The model usage of runs opened from ``since`` until ``until``, by target and model."""
        wanted = {"tenant": tenant, "application": application, "principal": principal}
        statement = _select_usage({name: value for name, value in wanted.items() if value}, since, until)
        rows = await self._submit_read(lambda connection: connection.execute(statement).all())
        return [UsageRow(row.target, name_of(row), counts_of(row)) for row in rows]


def _read_summaries(connection: Connection, runs: Sequence[str], now: float) -> dict[str, RunSummary]:
    used: dict[str, dict[ModelName, TokenCounts]] = {}
    for row in connection.execute(select(RUN_USAGE).where(RUN_USAGE.c.run.in_(runs))):
        used.setdefault(row.run, {})[name_of(row)] = counts_of(row)
    is_failure = and_(ITEMS.c.run == RUNS.c.run, ITEMS.c.seq == RUNS.c.failed)
    failed = connection.execute(select(ITEMS).join(RUNS, is_failure).where(RUNS.c.run.in_(runs), RUNS.c.failed >= 0))
    failures = {
        each.run: (each.item, each.at)
        for each in decode_positions(failed.all())
        if isinstance(each.item, (ToolOutput, ModelFailure))
    }
    is_open = and_(QUESTIONS.c.run == RUNS.c.run, QUESTIONS.c.status == "open", QUESTIONS.c.expires > now)
    count = select(func.count()).select_from(QUESTIONS).where(is_open).correlate(RUNS).scalar_subquery()
    columns = [RUNS.c[name] for name in ("run", "title", "calls", "worked", "waited", "due")]
    found = connection.execute(select(*columns, count.label("asked")).where(RUNS.c.run.in_(runs), RUNS.c.callee != ""))
    return {
        row.run: RunSummary(
            title=row.title,
            calls=row.calls,
            open_questions=row.asked,
            used=used.get(row.run, {}),
            worked=row.worked,
            waited=row.waited,
            due=row.due,
            failure=failures.get(row.run),
        )
        for row in found
    }


def _select_usage(wanted: Mapping[str, str], since: float, until: float) -> Select[Any]:
    """Select usage by target and model, in one statement, so that a run that ends meanwhile counts once.

    Whole days use stored sums plus the unfinished runs. For partial days before and after them, each run is read.
    """
    first = math.ceil(since / DAY)
    last = max(first, _LAST_DAY if until == math.inf else int(until // DAY))
    begin, end, opened = first * DAY, last * DAY, RUNS.c.opened
    unfinished = (one_of(RUNS.c.status, UNFINISHED_STATUSES), opened >= begin, opened < end)
    parts = [
        _select_sums(USAGE, USAGE, wanted).where(USAGE.c.day >= first, USAGE.c.day < last),
        *(
            _select_sums(RUNS, RUN_USAGE, wanted).select_from(RUNS_WITH_USAGE).where(*where)
            for where in (unfinished, (opened >= since, opened < min(begin, until)), (opened >= end, opened < until))
        ),
    ]
    every = union_all(*parts).subquery().c
    groups = (every.target, every.requested, every.model)
    return select(*groups, *_sums(every)).group_by(*groups)


_LAST_DAY: Final = 1 << 30


def _select_sums(runs: Table, used: Table, wanted: Mapping[str, str]) -> Select[Any]:
    """Select sums by target and model; ``runs`` has the properties of runs, and ``used`` the counts."""
    groups = (runs.c.target, used.c.requested, used.c.model)
    return (
        select(*groups, *_sums(used.c))
        .where(*(runs.c[name] == value for name, value in wanted.items()))
        .group_by(*groups)
    )


def _sums(columns: ReadOnlyColumnCollection[str, Any]) -> list[ColumnElement[Any]]:
    return [func.sum(columns[name]).label(name) for name in TokenCounts._fields]
