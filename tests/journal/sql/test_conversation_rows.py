"""The rows of conversations are refused when SQL has changed them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from remit.errors import BrokenJournalError
from remit.journal.ports import ConversationKey
from remit.journal.sql.store import SqlStore
from remit.record.items import DETACHED, RunFinished
from remit.testing.store_suite.samples import acquire_run, header_item

Opening = Callable[[Path | str], SqlStore]
TALK = ConversationKey("default", "app", "talk")


def execute(file: Path, statement: str) -> None:
    with closing(sqlite3.connect(file)) as database, database:
        database.execute(statement)


async def fill(store: SqlStore) -> None:
    """A conversation of three runs of two principals, with a direct call of a third."""
    for at, (run, after, principal) in enumerate(
        (("one", "", "ada"), ("two", "one", "bob"), ("call", DETACHED, "eve"), ("three", "two", "ada"))
    ):
        opened = await acquire_run(store, run)
        header = replace(header_item(run, conversation="talk", after=after), principal=principal)
        await opened.append(header, RunFinished(call=run, status="done"), at=1000.0 + at)


@pytest.mark.parametrize(
    "change",
    [
        "owner = 'eve'",
        "target = 'other/site'",
        """shared = '{"eve":"write"}'""",
        "deletion = 'done'",
        "given_title = 'x'",
        "shared = 'x'",
        "owner = 'eve', signature = NULL",
    ],
)
async def test_a_changed_conversation_is_refused(file: Path, opening: Opening, change: str) -> None:
    await fill(opening(file))
    execute(file, f"UPDATE remit_conversations SET {change}")  # noqa: S608 - a test's own
    store = opening(file)
    with pytest.raises(BrokenJournalError, match="the row of conversation talk was changed"):
        await store.find_conversation(TALK)
    assert await store.list_conversations(tenant="default") == []


async def test_a_conversation_whose_row_was_removed_is_not_continued(file: Path, opening: Opening) -> None:
    await fill(opening(file))
    execute(file, "DELETE FROM remit_conversations")
    run = await acquire_run(opening(file), "four")
    with pytest.raises(BrokenJournalError, match="the row of conversation talk is missing; restore it from a backup"):
        await run.append(header_item("four", conversation="talk", after="three"))


async def test_the_rows_of_conversations_are_accepted_as_they_are_on_request(file: Path, opening: Opening) -> None:
    await fill(opening(file))
    execute(file, "UPDATE remit_conversations SET given_title = 'x'")
    store = opening(file)
    await store.accept_rows()
    row = await store.find_conversation(TALK)
    assert row is not None
    assert row.title == "x"
