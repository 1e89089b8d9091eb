"""Reading waits for no writer, and finds runs and approvals by an index."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections.abc import Callable, Coroutine, Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

from remit.journal.ports import ConversationKey
from remit.journal.sql.store import SqlStore
from remit.testing.store_suite.samples import begin

Opening = Callable[[Path | str], SqlStore]


@contextmanager
def on_connect(listener: Callable[..., None]) -> Generator[None]:
    """Call ``listener`` with each connection that an engine opens meanwhile."""
    event.listen(Engine, "connect", listener)
    try:
        yield
    finally:
        event.remove(Engine, "connect", listener)


async def test_a_writer_that_has_stopped_keeps_no_reader_out(file: Path, opening: Opening) -> None:
    await begin(opening(file))
    with closing(sqlite3.connect(file, isolation_level=None)) as stopped:
        stopped.execute("BEGIN IMMEDIATE")
        async with asyncio.timeout(10):
            assert [row.run for row in await opening(file).list_runs()] == ["run"]


Read = Callable[[SqlStore], Coroutine[Any, Any, object]]

READS: dict[str, tuple[Read, str]] = {
    "due": (lambda store: store.list_due_runs("app"), "remit_runs_due (application=? AND wake<?)"),
    "latest": (lambda store: store.find_latest_run("t", tenant="t", application="a"), "remit_runs_conversation"),
    "conversation": (lambda store: store.list_runs(conversation="talk"), "remit_runs_conversation"),
    "tenant": (lambda store: store.list_runs(tenant="default"), "remit_runs_tenant"),
    "principal": (lambda store: store.list_runs(tenant="default", principal="ada"), "remit_runs_principal"),
    "approval": (
        lambda store: store.find_last_approval(
            application="app", tenant="default", asker="ada", target="", tool="pay", rule="high risk"
        ),
        "remit_questions_approval (approval=?)",
    ),
    "status": (lambda store: store.list_runs(tenant="default", status="waiting"), "remit_runs_status"),
    "status of one's own": (
        lambda store: store.list_runs(tenant="default", principal="ada", status="waiting", application="a"),
        "remit_runs_principal_status",
    ),
    "one's own of a conversation": (
        lambda store: store.list_runs(tenant="default", principal="ada", application="a", conversation="talk"),
        "remit_runs_conversation",
    ),
    "callee": (lambda store: store.list_runs(tenant="default", callee="editor"), "remit_runs_callee"),
    "page": (lambda store: store.list_runs(tenant="default", principal="ada", before="run"), "remit_runs_principal"),
    "conversations": (lambda store: store.list_conversations(tenant="default"), "remit_conversations_tenant"),
    "page of conversations": (
        lambda store: store.list_conversations(
            tenant="default", member="ada", before=(1e9, ConversationKey("default", "app", "talk"))
        ),
        "remit_conversations_tenant",
    ),
    "conversations of one's own": (
        lambda store: store.list_conversations(tenant="default", owner="ada"),
        "remit_conversations_owner",
    ),
    "open questions": (lambda store: store.list_questions(tenant="default"), "remit_questions_open"),
    "questions": (lambda store: store.list_questions(tenant="default", only_open=False), "remit_questions_tenant"),
    "newest questions": (
        lambda store: store.list_questions(tenant="default", only_open=False, newest_first=True, after="q1", limit=9),
        "remit_questions_tenant",
    ),
    "page of questions": (
        lambda store: store.list_questions(tenant="default", after="q1", limit=9),
        "remit_questions_open",
    ),
}


@pytest.mark.parametrize(("read", "index"), READS.values(), ids=READS)
async def test_runs_and_questions_are_found_by_an_index_however_many_there_are(
    file: Path, opening: Opening, read: Read, index: str
) -> None:
    statements: list[str] = []

    def trace(connection: sqlite3.Connection, _record: object) -> None:
        connection.set_trace_callback(statements.append)

    await begin(opening(file), conversation="talk")
    with on_connect(trace):
        await read(opening(file))
    select = [statement for statement in statements if re.search("FROM remit_(run|question|conversation)s", statement)][
        -1
    ]
    with closing(sqlite3.connect(file)) as connection:
        plan = [str(step[3]) for step in connection.execute(f"EXPLAIN QUERY PLAN {select}")]
    assert index in plan[0]
    assert "USE TEMP B-TREE FOR ORDER BY" not in plan
    assert not any(step.startswith("SCAN") for step in plan)
