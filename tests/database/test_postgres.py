"""An application's data in Postgres: what differs from a file."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
from sqlalchemy import select, text

from remit.database import Database
from remit.errors import ExternalError, RateLimitedError, SetupError
from remit.journal.sql.store import SqlStore
from tests.database.tables import Notebook, notes, notes_schema
from tests.database.test_database import add, names
from tests.postgres import Postgres


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as stack:
        yield stack


def opened(stack: AsyncExitStack, url: str, name: str = "notes", busy_timeout: float = 10.0) -> Database:
    """The notes of an application of that name, closed at the end."""
    database = notes(url, name=name, busy_timeout=busy_timeout)
    stack.push_async_callback(database.close)
    return database


async def test_a_journal_and_two_applications_share_a_database(
    stack: AsyncExitStack, postgres: Postgres, template: str
) -> None:
    url = postgres.url(postgres.make(template))
    store = SqlStore(url)
    stack.push_async_callback(store.close)
    first, second = opened(stack, url, "first_app"), opened(stack, url, "second_app")
    await asyncio.gather(add(first, "mine"), add(second, "yours"), store.list_runs())
    assert (await names(first), await names(second)) == (["first", "mine"], ["first", "yours"])
    assert await store.list_runs() == []


async def test_writers_of_two_applications_do_not_wait_for_each_other(stack: AsyncExitStack, data_url: str) -> None:
    first, second = opened(stack, data_url, "first_app"), opened(stack, data_url, "second_app", busy_timeout=0.01)
    await names(first), await names(second)  # pyright: ignore[reportUnusedExpression]
    async with first.write() as session:
        await session.connection()
        await add(second, "yours")
    assert await names(second) == ["first", "yours"]


async def test_a_reader_does_not_wait_for_a_writer(stack: AsyncExitStack, data_url: str) -> None:
    database = opened(stack, data_url, busy_timeout=0.01)
    async with database.write() as session:
        session.add(Notebook(name="mine"))
        await session.flush()
        assert await asyncio.create_task(names(database)) == ["first"]


async def test_a_connection_that_is_lost_in_a_write_is_a_transient_error(
    stack: AsyncExitStack, postgres: Postgres, data_url: str, shared_data: str
) -> None:
    database = opened(stack, data_url)
    with pytest.raises(ExternalError, match=r"^the connection to the database failed$") as lost:
        await add(database, "mine", lambda: postgres.disconnect(shared_data))
    assert lost.value.retryable
    assert "rosebud" not in str(lost.value)
    assert await names(database) == ["first"]
    await add(database, "mine")
    assert await names(database) == ["first", "mine"]


async def test_connections_that_were_lost_while_idle_are_replaced(
    stack: AsyncExitStack, postgres: Postgres, data_url: str, shared_data: str
) -> None:
    database = opened(stack, data_url)
    await names(database)
    postgres.disconnect(shared_data)
    assert await names(database) == ["first"]


async def test_a_server_that_is_away_is_a_transient_error(
    stack: AsyncExitStack, caplog: pytest.LogCaptureFixture
) -> None:
    database = opened(stack, "postgresql://ada:rosebud@127.0.0.1:1/remit")
    for _ in range(2):
        with pytest.raises(ExternalError, match=r"^the connection to the database failed$"):
            await names(database)
        assert "postgresql://ada@127.0.0.1:1/remit" in caplog.text
        assert "rosebud" not in caplog.text


async def test_a_writer_whose_process_does_nothing_loses_its_lock(
    stack: AsyncExitStack, data_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck, patient = opened(stack, data_url), opened(stack, data_url)
    await names(patient)  # connected with the usual limit: under load, it is idle for a while as well
    monkeypatch.setattr("remit.database.backends._IDLE_TIMEOUT", "100ms")

    async def hang() -> None:
        async with stuck.write() as session:
            await session.connection()
            await add(patient, "mine")
            await session.scalar(select(Notebook.name))

    with pytest.raises(ExternalError):
        await hang()
    assert await names(patient) == ["first", "mine"]


async def test_more_sessions_than_connections_wait_and_are_told_to_try_again(
    stack: AsyncExitStack, data_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("remit.database.backends._POOL", {"pool_size": 1, "max_overflow": 0, "pool_timeout": 0.01})
    database = opened(stack, data_url)
    await names(database)
    async with database.read() as session:
        await session.connection()
        with pytest.raises(RateLimitedError, match=r"all connections to .* are in use; try again"):
            await names(database)


async def test_a_role_that_may_not_create_the_schema_is_told_so(
    stack: AsyncExitStack, postgres: Postgres, data_url: str, shared_data: str
) -> None:
    postgres.do("DROP ROLE IF EXISTS guest", "CREATE ROLE guest LOGIN PASSWORD 'rosebud'", database=shared_data)
    guest = opened(stack, data_url.replace("remit:", "guest:", 1))
    with pytest.raises(SetupError, match=r"cannot be used: permission denied for database"):
        await names(guest)
    postgres.do("DROP ROLE guest", database=shared_data)


async def test_a_changed_function_replaces_the_one_in_the_database(stack: AsyncExitStack, data_url: str) -> None:
    await names(opened(stack, data_url))
    async with opened(stack, data_url).write() as session:
        await session.execute(text(notes_schema().functions["joined"].definition("joined").replace("'+'", "'-'")))
    async with opened(stack, data_url).read() as session:
        assert await session.scalar(text("SELECT joined('a', 'b')")) == "a+b"


def test_a_message_names_the_database_without_its_password() -> None:
    shown = repr(notes("postgresql://ada:rosebud@db.example/remit"))
    assert shown == "Database(postgresql://ada@db.example/remit (schema notes))"


@pytest.mark.parametrize(
    ("location", "why"),
    [
        ("nowhere", "the URL of the data of an application is not valid"),
        ("mysql://ada@db.example/remit", "cannot be kept in mysql"),
        ("sqlite://", "names no file"),
        ("sqlite:///file:memory?uri=true", "names no file"),
        (7, "give the path of a file, or a URL"),
    ],
)
def test_a_location_that_is_none_is_refused(location: str, why: str) -> None:
    with pytest.raises(SetupError, match=re.escape(why)):
        notes(location)


async def test_without_the_driver_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(SetupError, match=r"Postgres needs psycopg; in a checkout .* pip install '\.\[postgres\]'"):
        await names(notes("postgresql://ada@db.example/remit"))


@pytest.mark.parametrize("name", ["", "Bakery", "pg_bakery", "public", "dbos", "a" * 60, 'a"b', "-"])
def test_a_schema_has_a_name_that_no_other_has(name: str) -> None:
    with pytest.raises(SetupError, match="Schema: name"):
        notes_schema(name)
