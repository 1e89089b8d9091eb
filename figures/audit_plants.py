"""What somebody may do who can write the journal's file and its logs, and cannot reach the anchor."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final, NamedTuple

from remit.audit.log import AuditLog, RunHead, advance_head
from remit.journal.codec import body_digest, compute_chain_hash
from remit.record.items import ErasedItem, Position

TENANT: Final = "acme"
JOURNAL: Final = "journal.db"
LOGS: Final = "audit"

Tamper = Callable[[Path], None]
Lines = Callable[[list[str]], list[str]]
Rows = list[dict[str, Any]]


class Plant(NamedTuple):
    """One thing to do, of a kind."""

    kind: str
    tamper: Tamper


def plants(home: Path) -> Iterator[Plant]:
    """Every kind of tampering, at every position of the journal and the log in ``home``."""
    with closing(sqlite3.connect(home / JOURNAL)) as database:
        lengths = dict[str, int](database.execute("SELECT run, count(*) FROM remit_items GROUP BY run").fetchall())
    for run, length in lengths.items():
        for seq in range(length):
            yield from _item_plants(run, seq)
            if seq:
                yield from _pair_plants(run, seq - 1)
        yield from _run_plants(run)
        for other in lengths:
            if other > run:
                yield Plant("two runs swap their items", _swap_runs(run, other))
    yield from _log_plants(len(_audit_log(home).read().entries))
    yield Plant("everything is deleted", _delete_all)


_ITEM_STATEMENTS: Final = {
    "a body is edited": "UPDATE remit_items SET body = body || 'x' WHERE run = ? AND seq = ?",
    "a body is spaced": "UPDATE remit_items SET body = body || ' ' WHERE run = ? AND seq = ?",
    "a digest is edited": "UPDATE remit_items SET digest = zeroblob(32) WHERE run = ? AND seq = ?",
    "a digest is no digest any more": "UPDATE remit_items SET digest = 'x' WHERE run = ? AND seq = ?",
    "a link of the chain is edited": "UPDATE remit_items SET chain = zeroblob(32) WHERE run = ? AND seq = ?",
    "a kind is edited": "UPDATE remit_items SET kind = 'nothing' WHERE run = ? AND seq = ?",
    "an item moves to another call": "UPDATE remit_items SET call = call || 'x' WHERE run = ? AND seq = ?",
    "an item moves in time": "UPDATE remit_items SET at = at - 1 WHERE run = ? AND seq = ?",
    "a time is no time any more": "UPDATE remit_items SET at = 'noon' WHERE run = ? AND seq = ?",
    "an item moves to another epoch": "UPDATE remit_items SET epoch = epoch + 1 WHERE run = ? AND seq = ?",
    "an item is deleted": "DELETE FROM remit_items WHERE run = ? AND seq = ?",
    "the tail of a run is cut": "DELETE FROM remit_items WHERE run = ? AND seq >= ?",
}


def _item_plants(run: str, seq: int) -> Iterator[Plant]:
    for kind, statement in _ITEM_STATEMENTS.items():
        yield Plant(kind, _execute_sql((statement, (run, seq))))

    def edit(rows: Rows) -> Rows:
        return [{**row, "body": _edit_body(row["body"])} if row["seq"] == seq else row for row in rows]

    def drop(rows: Rows) -> Rows:
        return [row for row in rows if row["seq"] != seq]

    yield Plant("a body is edited, the chain forged", _forge(run, edit))
    yield Plant("an item is deleted, the chain forged", _forge(run, drop))
    yield Plant("a body is edited, chain and log forged", _in_sequence(_forge(run, edit), _forge_log))


def _pair_plants(run: str, seq: int) -> Iterator[Plant]:
    move = "UPDATE remit_items SET seq = ? WHERE run = ? AND seq = ?"
    yield Plant(
        "two items are swapped", _execute_sql(*((move, (to, run, at)) for at, to in ((seq, -9), (seq + 1, seq))))
    )

    def swap(rows: Rows) -> Rows:
        return [*rows[:seq], rows[seq + 1], rows[seq], *rows[seq + 2 :]]

    yield Plant("two items are swapped, the chain forged", _forge(run, swap))


def _run_plants(run: str) -> Iterator[Plant]:
    items, line = "DELETE FROM remit_items WHERE run = ?", "DELETE FROM remit_runs WHERE run = ?"
    yield Plant("the items of a run are deleted", _execute_sql((items, (run,))))
    yield Plant("the line of a run is deleted", _execute_sql((line, (run,))))
    yield Plant("a run is deleted", _execute_sql((items, (run,)), (line, (run,))))
    for column in ("tenant", "principal", "application", "agent", "callee", "status", "opened", "ended"):
        edit = f"UPDATE remit_runs SET {column} = 0 WHERE run = ?"  # noqa: S608 - columns named right here
        yield Plant("the line of a run is edited", _execute_sql((edit, (run,))))
    moves = [(f"UPDATE remit_{table} SET run = 'moved' WHERE run = ?", (run,)) for table in ("items", "runs")]  # noqa: S608
    yield Plant("a run is renamed", _execute_sql(*moves))


def _log_plants(length: int) -> Iterator[Plant]:
    for number in range(length):
        for field in ("tenant", "number", "at", "run", "last", "head", "link"):
            yield Plant("an entry of the log is edited", _edit_log_lines(_edit_entry(number, field)))
        yield Plant("an entry of the log is deleted", _edit_log_lines(lambda all_, n=number: all_[:n] + all_[n + 1 :]))
        yield Plant("an entry of the log is doubled", _edit_log_lines(lambda all_, n=number: all_[: n + 1] + all_[n:]))
        yield Plant("the log loses its tail", _edit_log_lines(lambda all_, n=number: all_[:n]))
        yield Plant(
            "the log loses its tail and goes on",
            _in_sequence(_edit_log_lines(lambda all_, n=number: all_[:n]), _forge_log),
        )
        if number:
            swap: Lines = lambda all_, n=number: [*all_[: n - 1], all_[n], all_[n - 1], *all_[n + 1 :]]  # noqa: E731
            yield Plant("two entries of the log are swapped", _edit_log_lines(swap))
    yield Plant("the log is deleted", _delete_log)


def _audit_log(home: Path) -> AuditLog:
    return AuditLog(home / LOGS, TENANT)


def _delete_log(home: Path) -> None:
    _audit_log(home).path.unlink()


def _in_sequence(first: Tamper, second: Tamper) -> Tamper:
    def do(home: Path) -> None:
        first(home)
        second(home)

    return do


def _execute_sql(*statements: tuple[str, tuple[object, ...]]) -> Tamper:
    def do(home: Path) -> None:
        with closing(sqlite3.connect(home / JOURNAL)) as database, database:
            for statement, values in statements:
                database.execute(statement, values)

    return do


def _swap_runs(run: str, other: str) -> Tamper:
    move = "UPDATE remit_items SET run = ? WHERE run = ?"
    return _execute_sql((move, ("aside", run)), (move, (run, other)), (move, (other, "aside")))


def _edit_body(body: str) -> str:
    """Another body of the same kind; where there is none any more, a blank."""
    values: dict[str, Any] = json.loads(body or "{}")
    name = next((name for name, value in values.items() if isinstance(value, str) and name != "outcome"), "")
    return json.dumps({**values, name: f"{values[name]}x"} if name else values) + " "


def _forge(run: str, change: Callable[[Rows], Rows]) -> Tamper:
    """Change the items of a run, and make digests and chain fit."""

    def do(home: Path) -> None:
        with closing(sqlite3.connect(home / JOURNAL)) as database, database:
            database.row_factory = sqlite3.Row
            found = database.execute("SELECT * FROM remit_items WHERE run = ? ORDER BY seq", (run,)).fetchall()
            changed = change([dict(row) for row in found])
            before = b""
            database.execute("DELETE FROM remit_items WHERE run = ?", (run,))
            for seq, row in enumerate(changed):
                digest = body_digest(row["body"]) if row["body"] else row["digest"]
                before = compute_chain_hash(before, row["kind"], row["call"], digest)
                made = {**row, "seq": seq, "digest": digest, "chain": before}
                names = ", ".join(made)
                marks = ", ".join("?" for _ in made)
                database.execute(f"INSERT INTO remit_items ({names}) VALUES ({marks})", tuple(made.values()))  # noqa: S608
            database.execute("UPDATE remit_runs SET next_seq = ? WHERE run = ?", (len(changed), run))

    return do


def _forge_log(home: Path) -> None:
    """Write the log anew, so that it fits the journal as it is."""
    _audit_log(home).path.unlink()
    with closing(sqlite3.connect(home / JOURNAL)) as database:
        rows = database.execute(
            "SELECT run, epoch, seq, at, kind, call, body, digest, chain FROM remit_items"
        ).fetchall()
    heads: dict[str, RunHead] = {}
    for run, epoch, seq, at, kind, call, body, digest, link in sorted(rows):
        position = Position(run, epoch, seq, at, ErasedItem(call=call, was=kind), body, digest, link)
        before = heads[run].head if run in heads else ""
        heads[run] = RunHead(run, seq, advance_head(before, position))
    for number, head in enumerate(heads.values()):
        _audit_log(home).append_heads([head], float(number))


def _edit_log_lines(change: Lines) -> Tamper:
    def do(home: Path) -> None:
        path = _audit_log(home).path
        lines = change(path.read_text().splitlines())
        path.write_text("".join(f"{line}\n" for line in lines))

    return do


def _edit_entry(number: int, field: str) -> Lines:
    def change(lines: list[str]) -> list[str]:
        entry: dict[str, Any] = json.loads(lines[number])
        value = entry[field]
        entry[field] = f"{value}x"[1:] if isinstance(value, str) else value + 1
        lines[number] = json.dumps(entry, separators=(",", ":"))
        return lines

    return change


def _delete_all(home: Path) -> None:
    _audit_log(home).path.unlink()
    _execute_sql(("DELETE FROM remit_items", ()), ("DELETE FROM remit_runs", ()))(home)
