"""The golden journal loads, replays to the byte and goes on; one of another format is refused by name."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from remit.errors import JournalFormatError
from remit.journal.codec import JOURNAL_FORMAT, find_broken_link
from remit.journal.sql.store import SqlStore
from remit.testing.history_check import history_errors
from tests.golden.world import PERSON, runtime, store_at
from tests.golden.write import GOLDEN

NOW = 1_800_000_500.0


def loaded(folder: Path) -> Path:
    """The golden journal, as a file of its own."""
    file = folder / "journal.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(GOLDEN.read_text(encoding="utf-8"))
    return file


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqlStore]:
    store = store_at(loaded(tmp_path), clock=lambda: NOW)
    yield store
    await store.close()


async def test_its_runs_are_listed_with_how_they_came_out(store: SqlStore) -> None:
    rows = await store.list_runs(conversation="words")
    assert [(row.run, row.status) for row in rows] == [("third", "waiting"), ("second", "done"), ("first", "done")]


@pytest.mark.parametrize("run", ["first", "second", "third"])
async def test_its_chains_verify(store: SqlStore, run: str) -> None:
    assert find_broken_link(await store.read(run)) is None


@pytest.mark.parametrize("run", ["first", "second"])
async def test_its_runs_replay_to_the_byte(store: SqlStore, run: str) -> None:
    report = await runtime(store).replay(run)
    assert (report.difference, report.compared_count > 3) == ("", True)


async def test_a_run_that_waits_in_it_goes_on_after_a_yes(store: SqlStore) -> None:
    """Under the policy that asked, or else after it has asked anew."""
    made = runtime(store, clock=lambda: NOW)
    (row,) = await store.list_questions()
    await made.decide(row.question.id, approved=True, by=PERSON)
    result = await made.resume("third")
    for question in result.questions:
        await made.decide(question, approved=True, by=PERSON)
        result = await made.resume("third")
    assert result.value() == "Salt is erased."


async def test_the_conversation_in_it_is_still_valid(store: SqlStore) -> None:
    history = await runtime(store).history("second")
    assert (history_errors(history), len(history)) == ([], 11)
    assert "a wörd — 語" in history[2]


@pytest.mark.parametrize("version", [JOURNAL_FORMAT - 1, JOURNAL_FORMAT + 1])
async def test_a_format_that_this_version_does_not_read_is_refused_by_name(tmp_path: Path, version: int) -> None:
    file = loaded(tmp_path)
    with closing(sqlite3.connect(file)) as connection, connection:
        change = "UPDATE remit_items SET body = replace(body, ?, ?) WHERE kind = 'opened'"
        connection.execute(change, (f'"format":{JOURNAL_FORMAT}', f'"format":{version}'))
    store = store_at(file, clock=lambda: NOW)
    for drive in (runtime(store).replay, runtime(store).resume):
        with pytest.raises(JournalFormatError, match=rf"has format {version}; this version reads {JOURNAL_FORMAT};"):
            await drive("first")
    await store.close()
