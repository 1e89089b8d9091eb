"""A keyed write on a real SQLite file: once per key, whatever happens in between."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from pydantic import BaseModel, Field, TypeAdapter
from sqlalchemy import Column, MetaData, Table, Text, event, func, insert, make_url, select, update
from sqlalchemy.engine import Connection, create_mock_engine
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

from remit.effects import effects_table, once
from remit.errors import IdempotencyError, SetupError
from tests.postgres import Postgres

METADATA = MetaData()
NOTES = Table("notes", METADATA, Column("text", Text, nullable=False))
EFFECTS = effects_table(METADATA)


class Note(BaseModel):
    note_id: str = Field(alias="noteId")
    length: int = Field(serialization_alias="size")


def immediate(engine: AsyncEngine) -> None:
    """Begin with the write lock, as an application that writes should."""

    def on_connect(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
        connection.isolation_level = None

    def on_begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    event.listen(engine.sync_engine, "connect", on_connect)
    event.listen(engine.sync_engine, "begin", on_begin)


def when_next_statement(engine: AsyncEngine, sent: asyncio.Event) -> None:
    """Set ``sent`` as the next statement goes to the database, before it waits for a lock."""

    def on_statement(*_: object) -> None:
        sent.set()

    event.listen(engine.sync_engine, "before_cursor_execute", on_statement)


@pytest.fixture(params=["driver's own BEGIN", "BEGIN IMMEDIATE"])
async def engine(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[AsyncEngine]:
    engine = create_async_engine(f"sqlite+aiosqlite:///{tmp_path / 'app.db'}", connect_args={"timeout": 20})
    if request.param == "BEGIN IMMEDIATE":
        immediate(engine)
    async with engine.begin() as connection:
        await connection.run_sync(METADATA.create_all)
    yield engine
    await engine.dispose()


def writing(session: AsyncSession, text: str) -> Callable[[], Awaitable[Note]]:
    async def produce() -> Note:
        await session.execute(insert(NOTES).values(text=text))
        return Note(noteId=text[:2], length=len(text))

    return produce


async def save(engine: AsyncEngine, key: str, text: str, *, digest: str = "") -> Note:
    async with AsyncSession(engine) as session, session.begin():
        return await once(session, key, Note, writing(session, text), digest=digest)


async def notes(engine: AsyncEngine) -> list[str]:
    async with AsyncSession(engine) as session:
        return list((await session.scalars(select(NOTES.c.text))).all())


async def keys(engine: AsyncEngine) -> list[str]:
    async with AsyncSession(engine) as session:
        return list((await session.scalars(select(EFFECTS.c.key))).all())


async def test_a_free_key_runs_the_work(engine: AsyncEngine) -> None:
    assert await save(engine, "k", "hello") == Note(noteId="he", length=5)
    assert (await notes(engine), await keys(engine)) == (["hello"], ["k"])


async def test_a_used_key_gives_the_stored_result_and_runs_nothing(engine: AsyncEngine) -> None:
    first = await save(engine, "k", "hello")
    assert await save(engine, "k", "something else") == first
    assert await notes(engine) == ["hello"]


async def test_two_keys_run_twice(engine: AsyncEngine) -> None:
    await save(engine, "a", "hello")
    await save(engine, "b", "hello")
    assert await notes(engine) == ["hello", "hello"]


async def test_a_result_of_any_type_comes_back_as_that_type(engine: AsyncEngine) -> None:
    adapter = TypeAdapter(tuple[int, str] | None)

    async def give(value: tuple[int, str] | None) -> tuple[int, str] | None:
        return value

    async def both(key: str, value: tuple[int, str] | None) -> tuple[int, str] | None:
        async with AsyncSession(engine) as session, session.begin():
            await once(session, key, adapter, lambda: give(value))
            return await once(session, key, adapter, lambda: give((9, "not this")))

    assert await both("pair", (1, "x")) == (1, "x")
    assert await both("nothing", None) is None


async def test_the_same_key_with_other_arguments_is_refused_and_named(engine: AsyncEngine) -> None:
    await save(engine, "k", "hello", digest="aaa")
    with pytest.raises(IdempotencyError, match="'k' was used with other arguments"):
        await save(engine, "k", "hello", digest="bbb")
    assert await notes(engine) == ["hello"]


async def test_a_key_whose_result_another_type_cannot_load_is_refused_and_named(engine: AsyncEngine) -> None:
    async def give() -> str:
        return "one"

    async with AsyncSession(engine) as session, session.begin():
        assert await once(session, "k", str, give) == "one"
        with pytest.raises(IdempotencyError, match=r"'k' has a result that TypeAdapter\(int\) cannot load"):
            await once(session, "k", TypeAdapter(int), give)  # pyright: ignore[reportArgumentType]


class Crash(BaseException):
    """The process dies here."""


async def test_a_crash_between_write_and_commit_leaves_neither_write_nor_key(engine: AsyncEngine) -> None:
    async def dies_before_commit() -> None:
        async with AsyncSession(engine) as session, session.begin():
            await once(session, "k", Note, writing(session, "hello"))
            raise Crash

    with pytest.raises(Crash):
        await dies_before_commit()
    assert (await notes(engine), await keys(engine)) == ([], [])
    await save(engine, "k", "hello")
    assert await notes(engine) == ["hello"]


async def test_work_that_fails_leaves_the_key_free(engine: AsyncEngine) -> None:
    async def fail() -> Note:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        async with AsyncSession(engine) as session, session.begin():
            await once(session, "k", Note, fail)
    assert await keys(engine) == []


async def test_a_second_session_waits_and_gets_the_first_ones_result(engine: AsyncEngine) -> None:
    started, go_on = asyncio.Event(), asyncio.Event()

    async def slow() -> Note:
        async with AsyncSession(engine) as session, session.begin():

            async def produce() -> Note:
                started.set()
                await go_on.wait()
                return await writing(session, "from the first")()

            return await once(session, "k", Note, produce)

    first = asyncio.create_task(slow())
    await started.wait()
    when_next_statement(engine, go_on)
    second = asyncio.create_task(save(engine, "k", "from the second"))
    assert await second == await first
    assert await notes(engine) == ["from the first"]


async def test_a_second_session_runs_when_the_first_rolls_back(engine: AsyncEngine) -> None:
    started, go_on = asyncio.Event(), asyncio.Event()

    async def doomed() -> None:
        async with AsyncSession(engine) as session, session.begin():
            await once(session, "k", Note, writing(session, "lost"))
            started.set()
            await go_on.wait()
            raise Crash

    first = asyncio.create_task(doomed())
    await started.wait()
    when_next_statement(engine, go_on)
    second = asyncio.create_task(save(engine, "k", "kept"))
    with pytest.raises(Crash):
        await first
    await second
    assert await notes(engine) == ["kept"]


async def test_twenty_sessions_with_one_key_write_once(engine: AsyncEngine) -> None:
    results = await asyncio.gather(*(save(engine, "k", f"number {n}") for n in range(20)))
    assert len({note.model_dump_json() for note in results}) == 1
    assert len(await notes(engine)) == 1


async def test_a_key_used_inside_its_own_work_is_refused(engine: AsyncEngine) -> None:
    with pytest.raises(IdempotencyError, match="its work never finished"):
        async with AsyncSession(engine) as session, session.begin():
            await once(session, "k", Note, lambda: once(session, "k", Note, writing(session, "hello")))


async def test_a_session_without_a_transaction_is_refused(engine: AsyncEngine) -> None:
    async with AsyncSession(engine) as session:
        with pytest.raises(SetupError, match="needs a transaction"):
            await once(session, "k", Note, writing(session, "hello"))
    assert await notes(engine) == []


async def test_another_kind_of_database_is_refused(engine: AsyncEngine) -> None:
    def execute(sql: object, *_: object) -> None: ...

    elsewhere = create_mock_engine("mysql://", execute)
    async with AsyncSession(engine) as session, session.begin():
        session.sync_session.bind = elsewhere  # pyright: ignore[reportAttributeAccessIssue]  # a database we lack
        with pytest.raises(SetupError, match="sqlite and postgresql; this session is bound to mysql"):
            await once(session, "k", Note, writing(session, "hello"))


async def test_the_time_of_an_effect_is_stored(engine: AsyncEngine) -> None:
    await save(engine, "k", "hello")
    async with AsyncSession(engine) as session:
        recent = await session.scalar(select(func.count()).where(EFFECTS.c.at > func.datetime("now", "-1 hour")))
        assert recent == 1


async def test_a_result_that_was_never_stored_is_not_taken_for_one(engine: AsyncEngine) -> None:
    await save(engine, "k", "hello")
    async with AsyncSession(engine) as session, session.begin():
        await session.execute(update(EFFECTS).values(result=None))
    with pytest.raises(IdempotencyError, match="roll it back instead"):
        await save(engine, "k", "hello")


async def test_on_postgres_too_it_happens_once_and_has_the_same_result(postgres: Postgres) -> None:
    database = postgres.make()
    engine = create_async_engine(make_url(postgres.url(database)).set(drivername="postgresql+psycopg"))
    try:
        async with engine.begin() as connection:
            await connection.run_sync(METADATA.create_all)
        first, second = await asyncio.gather(save(engine, "k", "hello"), save(engine, "k", "hello"))
        assert first == second
        assert await notes(engine) == ["hello"]
    finally:
        await engine.dispose()
        postgres.drop(database)
