"""Appends items to runs: on SQLite with a statement for each table, on Postgres with one for all of them.

A statement in Postgres costs a message and its answer, and most of the time of an append is spent on these.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

from msgspec.json import encode
from sqlalchemy import (
    ColumnElement,
    Connection,
    Integer,
    LargeBinary,
    Text,
    Update,
    bindparam,
    cast,
    column,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.types import JSON, TypeEngine

from remit.journal.index import check_sequence, lease_lost_error
from remit.journal.run_totals import RunTotals
from remit.journal.sql.run_totals import (
    ADD_TO_RUNS,
    ADDED_IN_POSTGRES,
    TOTALS_TYPES,
    advanced_totals,
    totals_values,
    usage_rows,
)
from remit.journal.sql.signatures import Signer, signer_of
from remit.journal.sql.statements import Command, Query
from remit.journal.sql.tables import ITEMS, RUNS
from remit.record.items import Position

_RUN_TYPES: Final[Mapping[str, TypeEngine[Any]]] = {
    "the_run": Text(),
    "the_epoch": Integer(),
    "first": Integer(),
    "next": Integer(),
    "signature": LargeBinary(),
    **TOTALS_TYPES,
}
"""The values that advance a run, and their types."""


class RunItems(NamedTuple):
    """Items that the executor of a run appends in one epoch."""

    run: str
    epoch: int
    items: Sequence[Position]

    def row_values(self, signer: Signer, totals: RunTotals) -> dict[str, object]:
        """The values that advance the row of the run to the end of the items, with its signature.

        ``totals`` are those of the items.

        Raises:
            LeaseError: the items do not follow each other.
        """
        first = self.items[0].seq
        check_sequence(self.run, self.items, first)
        head = {"run": self.run, "next_seq": first + len(self.items), "chain": self.items[-1].chain}
        keys = {"the_run": self.run, "the_epoch": self.epoch, "first": first}
        signed = {"next": head["next_seq"], "signature": signer.sign("head", head)}
        return {**keys, **signed, **totals_values(self.items, totals)}


def append_items(connection: Connection, appended: Iterable[RunItems]) -> None:
    """Append items to runs. Appends to the same run count as one, because a statement changes a row once.

    Raises:
        LeaseError: another executor has one of the runs, or has written to it.
    """
    signer, advances = signer_of(connection), _join_runs(appended)
    totals = [RunTotals.of(each.items) for each in advances]
    rows = [each.row_values(signer, of_items) for each, of_items in zip(advances, totals, strict=True)]
    used = usage_rows((each.run, of_items.used) for each, of_items in zip(advances, totals, strict=True))
    items = [_item_row(position) for each in advances for position in each.items]
    in_one = connection.dialect.name == "postgresql"
    advanced = _append_in_postgres(connection, rows, used, items) if in_one else ADVANCE_RUNS.execute(connection, *rows)
    if advanced != len(rows):
        raise lease_lost_error(advances[0].run)
    if not in_one:
        if used:
            ADD_TO_RUNS.execute(connection, *used)
        _INSERT_ITEMS.execute(connection, *items)


def _join_runs(appended: Iterable[RunItems]) -> list[RunItems]:
    joined: dict[tuple[str, int], RunItems] = {}
    for each in appended:
        before = joined.get((each.run, each.epoch))
        joined[each.run, each.epoch] = each._replace(items=[*before.items, *each.items]) if before else each
    return list(joined.values())


def _update_runs(values: Mapping[str, ColumnElement[Any]]) -> Update:
    keys = (RUNS.c.run == values["the_run"], RUNS.c.epoch == values["the_epoch"], RUNS.c.next_seq == values["first"])
    changes = {"next_seq": values["next"], "signature": values["signature"], **advanced_totals(values)}
    return update(RUNS).where(*keys).values(changes)


ADVANCE_RUNS: Final = Command(_update_runs({name: bindparam(name, type_=kind) for name, kind in _RUN_TYPES.items()}))
_INSERT_ITEMS: Final = Command(insert(ITEMS))


def _append_in_postgres(
    connection: Connection, rows: Sequence[object], used: Sequence[object], items: Sequence[object]
) -> int:
    """Append items with one statement, and return how many runs it advanced. It adds nothing to any other run."""
    values = {"rows": rows, "used": used, "items": items}
    texts = {name: encode(each).decode() for name, each in values.items()}
    return _postgres_statement().all(connection, **texts)[0].advanced


@cache
def _postgres_statement() -> Query:
    """The statement. Its values are JSON, so that it is the same one for any number of runs and items."""
    rows, items = _rows_of_json("rows", _RUN_TYPES), _rows_of_json("items", {c.name: c.type for c in ITEMS.columns})
    advanced = _update_runs(rows).returning(RUNS.c.run).cte("advanced")
    chosen = select(*items.values()).join_from(advanced, items["run"].table, advanced.c.run == items["run"])
    inserted = insert(ITEMS).from_select(list(items), chosen).cte("inserted")
    counted = select(func.count().label("advanced")).select_from(advanced)
    return Query(counted.add_cte(inserted, ADDED_IN_POSTGRES))


def _rows_of_json(name: str, types: Mapping[str, TypeEngine[Any]]) -> dict[str, ColumnElement[Any]]:
    """The columns of rows that a parameter has as JSON. Bytes are in base64."""
    columns = [column(each, Text() if isinstance(kind, LargeBinary) else kind) for each, kind in types.items()]
    rows = func.json_to_recordset(cast(bindparam(name, type_=Text()), JSON())).table_valued(*columns)
    table = rows.render_derived(name=f"new_{name}", with_types=True)
    return {
        each: func.decode(table.c[each], "base64") if isinstance(kind, LargeBinary) else table.c[each]
        for each, kind in types.items()
    }


def _item_row(position: Position) -> dict[str, object]:
    return {
        "run": position.run,
        "seq": position.seq,
        "epoch": position.epoch,
        "at": position.at,
        "kind": position.item.kind,
        "call": position.item.call,
        "body": position.body,
        "digest": position.digest,
        "chain": position.chain,
    }
