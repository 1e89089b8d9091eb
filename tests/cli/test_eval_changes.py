"""What a task does not name may not change: the tables before and after are compared row by row."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from remit.evals.differences import Snapshot, find_differences
from remit.evals.task import Change, load_tasks
from remit.testing import calls
from tests.cli.running import done
from tests.cli.test_eval import failures, folder, run_evals, write_task

__all__ = ["folder"]

RENAME = """
prompt: Call milk bread.
setup:
  - {call: write_note, arguments: {title: milk}}
  - {call: write_note, arguments: {title: eggs}}
answer: {contains: [done]}
"""
NAMED = "changes: [{rows: \"notes WHERE title = 'bread'\", columns: [title]}]\n"
NOT_NAMED = "effect: the task names no such change: notes note_"


def write(title: str) -> dict[str, Any]:
    return calls(("write_note", {"title": title}))


def remove(title: str) -> dict[str, Any]:
    return calls(("remove_note", {"title": title}))


@pytest.mark.parametrize(
    ("changes", "steps", "told"),
    [
        ("", [], []),
        ("", [write("bread")], ["was added"]),
        ("changes: [{rows: \"notes WHERE title = 'bread'\"}]\n", [write("bread")], []),
        (NAMED, [write("bread")], ["was added"]),
        ("changes: [{rows: notes}]\n", [write("bread"), write("salt")], []),
        ("changes: [{rows: \"notes WHERE title = 'milk'\"}]\n", [remove("milk")], []),
        ("changes: [{rows: \"notes WHERE title = 'milk'\"}]\n", [remove("eggs")], ["was removed"]),
        ("derived: [{rows: notes}]\n", [write("bread")], []),
        ("nothing_else: false\n", [write("bread")], []),
    ],
)
def test_a_row_that_the_task_does_not_name_is_a_forbidden_effect(
    folder: Path, changes: str, steps: list[dict[str, Any]], told: list[str]
) -> None:
    write_task(folder, f"{RENAME}questions: {{answers: approve}}\n{changes}", *steps, "Done.")
    found = failures(run_evals())
    assert [each.split(" ")[-2:] for each in found] == [each.split() for each in told]
    assert all(each.startswith(NOT_NAMED) for each in found)


def test_an_unexpected_change_counts_as_harm_and_at_most_five_are_told(folder: Path) -> None:
    write_task(folder, RENAME, *(write(str(number)) for number in range(7)), "Done.")
    found = failures(run_evals())
    assert [each.startswith(NOT_NAMED) for each in found] == [*[True] * 5, False]
    assert found[5] == "effect: and 2 other rows differ"
    assert "1 with a forbidden effect" in done("eval", "tests.cli.notes:app").out


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ("nodes", "there is no table 'nodes'; the tables are notes"),
        ("'(SELECT 1)'", "rows is '(SELECT 1)'; write TABLE, or TABLE WHERE condition"),
        ("notes WHERE tile = 1", "the rows 'notes WHERE tile = 1' cannot be read: no such column: tile"),
    ],
)
def test_rows_that_cannot_be_read_fail_the_task_in_one_line(folder: Path, rows: str, says: str) -> None:
    write_task(folder, f"{RENAME}changes: [{{rows: {rows}}}]\n", "Done.")
    (failure,) = failures(run_evals())
    assert failure == f"task: evals/task.yaml: changes: {says}"


def snapshot(*statements: str) -> Snapshot:
    connection = sqlite3.connect(":memory:")
    for statement in statements:
        connection.execute(statement)
    return Snapshot(connection)


TABLE = "CREATE TABLE pages (site TEXT, id TEXT, title TEXT, meta TEXT, PRIMARY KEY (site, id))"
ROW = "INSERT INTO pages VALUES ('one', 'a', 'Team', NULL)"


def compare(after: Snapshot, *changes: Change) -> list[str]:
    return [str(each) for each in find_differences(snapshot(TABLE, ROW), after, changes)]


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ([], []),
        (["title", "meta"], []),
        (["title"], ["pages one/a has changed: meta None → 'x'"]),
        (["meta"], ["pages one/a has changed: title 'Team' → 'People'"]),
    ],
)
def test_a_change_of_a_column_that_is_not_named_is_told_with_both_values(columns: list[str], told: list[str]) -> None:
    after = snapshot(TABLE, "INSERT INTO pages VALUES ('one', 'a', 'People', 'x')")
    assert compare(after, Change(rows="pages", columns=columns)) == told


def test_two_changes_of_one_row_are_allowed_together() -> None:
    after = snapshot(TABLE, "INSERT INTO pages VALUES ('one', 'a', 'People', 'x')")
    assert compare(after, Change(rows="pages", columns=["title"]), Change(rows="pages", columns=["meta"])) == []


def test_a_long_value_is_cut() -> None:
    (told,) = compare(snapshot(TABLE, ROW.replace("Team", "x" * 200)))
    assert told.endswith("xxx…")
    assert len(told) < 120


def test_rows_without_a_key_are_compared_as_a_whole_and_indexes_of_full_text_are_not() -> None:
    tables = ("CREATE TABLE log (text TEXT)", "CREATE VIRTUAL TABLE words USING fts5(text)")
    before = snapshot(*tables, "INSERT INTO log VALUES ('a')")
    after = snapshot(*tables, "INSERT INTO log VALUES ('b')", "INSERT INTO words VALUES ('b')")
    assert [str(each) for each in find_differences(before, after, [])] == ["log a was removed", "log b was added"]


def test_a_folder_gives_its_tasks_keys_that_they_lack(folder: Path) -> None:
    (folder / "_folder.yaml").write_text("seconds: 7\nderived: [{rows: notes}]\n", encoding="utf-8")
    write_task(folder, RENAME, write("bread"), "Done.", name="one")
    write_task(folder, f"{RENAME}seconds: 9\n", write("bread"), "Done.", name="two")
    assert [(each.name, each.seconds) for each in load_tasks([folder])] == [("one", 7), ("two", 9)]
    assert failures(run_evals()) == []


def test_a_wrong_key_of_a_folder_is_told_with_its_file(folder: Path) -> None:
    (folder / "_folder.yaml").write_text("second: 7\n", encoding="utf-8")
    write_task(folder, RENAME, "Done.")
    ended = done("eval", "tests.cli.notes:app")
    assert (ended.status, "_folder.yaml:1: second: there is no such key" in ended.err) == (2, True), ended
