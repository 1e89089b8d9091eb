"""Damages of a journal: what a bad restore, a defect or an attacker who has SQL but not the key may do to its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    Column,
    Connection,
    Float,
    Integer,
    LargeBinary,
    Table,
    Text,
    and_,
    create_engine,
    delete,
    insert,
    select,
    update,
)

from remit.journal.index import approval_key_of
from remit.journal.ports import QuestionRow
from remit.journal.sql.tables import GRANTS, ITEMS, METADATA, QUESTIONS, RUNS, VERSION_TABLE
from remit.record.question import Decision, Question

_VERSION: Final = Table(VERSION_TABLE, METADATA.__class__(), Column("version_num", Text, primary_key=True))
TABLES: Final = (*METADATA.sorted_tables, _VERSION)

TableRow = Mapping[str, Any]
TableRows = Mapping[Table, Sequence[TableRow]]

_EDITS: Final = (
    ('"approved":false', '"approved":true'),
    ('"number":', '"number":9'),
    ('\\"number\\":', '\\"number\\":9'),
    ('"by":"bea"', '"by":"ada"'),
    ('"asker":"ada"', '"asker":"eve"'),
    ('"expires":', '"expires":9'),
    ('"count":1', '"count":9'),
    ('"needs":"approve"', '"needs":"confirm"'),
    ('"grant":"', '"grant":"x'),
    ("done", "gone"),
    ("paid", "owed"),
)
"""Edits within a body."""


class Damage(NamedTuple):
    """One thing that is done to the rows."""

    description: str
    do: Callable[[Connection], object]


def read_tables(url: str) -> dict[Table, list[TableRow]]:
    """All rows of a journal."""
    engine = create_engine(url)
    tables: dict[Table, list[TableRow]] = {}
    with engine.connect() as connection:
        for table in TABLES:
            rows = connection.execute(select(table).order_by(*table.primary_key)).mappings()
            tables[table] = [dict[str, Any]((str(name), value) for name, value in row.items()) for row in rows]
    engine.dispose()
    return tables


def damages(tables: TableRows, older: Sequence[tuple[Table, TableRow]]) -> Iterator[Damage]:
    """Every damage, to every row; ``older`` are rows as they once were."""
    for table, rows in tables.items():
        for number, row in enumerate(rows):
            name = f"{table.name} {_key_text(table, row)}"
            following = rows[(number + 1) % len(rows)]
            yield Damage(f"{name} deleted", _delete(table, row))
            for column in table.columns:
                for value in _other_values(column, row[column.name], following[column.name]):
                    yield Damage(f"{name} {column.name} = {value!r:.40}", _update(table, row, {column.name: value}))
            yield Damage(f"{name} duplicated", _duplicate(table, row, rows))
            if following is not row:
                yield Damage(f"{name} swapped with the next", _swap(table, row, following))
    yield from _forgeries(tables)
    for table, row in older:
        if row not in tables[table]:
            yield Damage(f"{table.name} {_key_text(table, row)} put back as it was", _update(table, row, dict(row)))


def _forgeries(tables: TableRows) -> Iterator[Damage]:
    """Changes of several columns that fit together."""
    columns = ("decision", "question", "signature")
    yes, source, signature = next(
        [row[each] for each in columns] for row in tables[QUESTIONS] if row["status"] == "approved"
    )
    for row in tables[QUESTIONS]:
        name = f"question {row['question']}"
        own = yes.replace(source, row["question"])
        forged = QuestionRow(Question.from_json(row["body"]), "approved", Decision.from_json(own), None)
        approved = {"status": "approved", "taken_run": "", "taken_call": "", "approval": approval_key_of(forged)}
        yield Damage(f"{name} approved by SQL", _update(QUESTIONS, row, {**approved, "decision": own}))
        yield Damage(f"{name} usable again", _update(QUESTIONS, row, approved))
        signed = {**approved, "decision": own, "signature": signature}
        yield Damage(f"{name} approved with another's signature", _update(QUESTIONS, row, signed))
    for row in tables[GRANTS]:
        fresh = {"used": 0, "revoked": ""}
        yield Damage(f"grant {row['grant']} usable again", _update(GRANTS, row, fresh))
        yield Damage(f"grant {row['grant']} copied", _insert(GRANTS, {**row, **fresh, "grant": f"{row['grant']}x"}))
    for run in tables[RUNS]:
        unopened = {"signature": None, "callee": "", "next_seq": 0}
        yield Damage(f"run {run['run']} not opened", _update(RUNS, run, unopened))
        items = [each for each in tables[ITEMS] if each["run"] == run["run"]]
        for kept in range(1, len(items)):
            yield Damage(f"run {run['run']} cut to {kept} items", _cut(run, kept))


def _other_values(column: Column[Any], value: Any, following: Any) -> Iterator[Any]:
    """Other values of a column, each once."""
    others: list[Any] = [following, None] if column.nullable else [following]
    if isinstance(column.type, LargeBinary):
        others.append(bytes(32))
    elif isinstance(column.type, (Integer, Float)):
        others += [0, value + 1, 2_000_000_000]
    else:
        others += ["", f"{value}x", *(value.replace(old, new) for old, new in _EDITS if old in value)]
    for number, other in enumerate(others):
        if other != value and other not in others[:number]:
            yield other


def _key_text(table: Table, row: TableRow) -> str:
    return " ".join(f"{row[column.name]!r:.20}" for column in table.primary_key)


def _where(table: Table, row: TableRow) -> Any:
    return and_(*(column == row[column.name] for column in table.primary_key))


def _delete(table: Table, row: TableRow) -> Callable[[Connection], object]:
    return lambda connection: connection.execute(delete(table).where(_where(table, row)))


def _insert(table: Table, row: TableRow) -> Callable[[Connection], object]:
    return lambda connection: connection.execute(insert(table).values(**row))


def _update(table: Table, row: TableRow, values: TableRow) -> Callable[[Connection], object]:
    """Change a row, and remove the one whose key it gets."""

    def do(connection: Connection) -> None:
        changed = {**row, **values}
        connection.execute(delete(table).where(_where(table, row)))
        connection.execute(delete(table).where(_where(table, changed)))
        connection.execute(insert(table).values(**changed))

    return do


def _duplicate(table: Table, row: TableRow, rows: Sequence[TableRow]) -> Callable[[Connection], object]:
    """Insert a copy under another key. An item is copied to the end of its run, which counts one more."""
    key = list(table.primary_key)[-1].name
    if table is not ITEMS:
        other = bytes(32) if isinstance(row[key], bytes) else row[key] + (1 if isinstance(row[key], int) else "x")
        return _insert(table, {**row, key: other})
    end = max(each["seq"] for each in rows if each["run"] == row["run"]) + 1

    def do(connection: Connection) -> None:
        connection.execute(insert(table).values(**{**row, "seq": end}))
        connection.execute(update(RUNS).where(RUNS.c.run == row["run"]).values(next_seq=end + 1))

    return do


def _swap(table: Table, row: TableRow, other: TableRow) -> Callable[[Connection], object]:
    """Swap the keys of two rows."""
    keys = [column.name for column in table.primary_key]

    def do(connection: Connection) -> None:
        for each in (row, other):
            connection.execute(delete(table).where(_where(table, each)))
        for each, source in ((row, other), (other, row)):
            connection.execute(insert(table).values(**{**each, **{key: source[key] for key in keys}}))

    return do


def _cut(run: TableRow, kept: int) -> Callable[[Connection], object]:
    """Remove the end of a run, and count its items anew."""

    def do(connection: Connection) -> None:
        connection.execute(delete(ITEMS).where(ITEMS.c.run == run["run"], ITEMS.c.seq >= kept))
        connection.execute(
            update(RUNS).where(RUNS.c.run == run["run"]).values(next_seq=kept, status="running", ended=0.0, until=0.0)
        )

    return do
