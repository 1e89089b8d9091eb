"""The conformance of an application's database: the same behaviour in SQLite and in Postgres."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from pydantic import BaseModel
from sqlalchemy import Connection, delete, func, select, text, update
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession

from remit.database import Database, Schema
from remit.effects import once
from remit.errors import ConflictError, IdempotencyError, InvalidArgumentsError, RateLimitedError, SetupError
from tests.database.conftest import Opening
from tests.database.tables import EFFECTS, Base, Note, Notebook, notes_schema

NOW = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)


class Added(BaseModel):
    """What an addition gives."""

    notebooks: int


async def names(database: Database) -> list[str]:
    async with database.read() as session:
        return list(await session.scalars(select(Notebook.name).order_by(Notebook.name)))


async def add(database: Database, name: str, then: Callable[[], object] = lambda: None) -> None:
    async with database.write() as session:
        session.add(Notebook(name=name))
        await session.flush()
        then()


async def add_note(database: Database, at: datetime = NOW, **changes: Any) -> None:
    async with database.write() as session:
        session.add(Note(**{"title": "bread", "notebook": "first", "at": at, **changes}))


async def add_once(database: Database, key: str, *, digest: str = "") -> Added:
    async with database.write() as session:

        async def produce() -> Added:
            count = await session.scalar(select(func.count()).select_from(Notebook)) or 0
            session.add(Notebook(name=f"number {count}"))
            await session.flush()
            return Added(notebooks=count + 1)

        return await once(session, key, Added, produce, digest=digest)


async def test_the_first_use_makes_the_tables_and_what_they_begin_with(database: Database) -> None:
    assert await names(database) == ["first"]


async def test_the_migrations_make_the_tables_that_the_code_has(database: Database) -> None:
    def ours(name: str | None, kind: str, _: object) -> bool:
        return kind != "table" or name in Base.metadata.tables

    def differences(connection: Connection) -> object:
        context = MigrationContext.configure(connection, opts={"include_name": ours})
        return compare_metadata(context, Base.metadata)

    async with database.write() as session:
        assert await (await session.connection()).run_sync(differences) == []


async def test_a_write_inside_of_a_write_of_the_same_task_is_refused_at_once(database: Database) -> None:
    async with database.write() as session:
        with pytest.raises(SetupError, match=r"write\(\) inside write\(\) would wait for itself; pass the outer"):
            await add(database, "refused")
        session.add(Notebook(name="second"))
    await add(database, "third")
    assert await names(database) == ["first", "second", "third"]


async def test_a_database_that_lags_behind_is_migrated_and_keeps_its_rows(opening: Opening) -> None:
    first = opening()
    await add(first, "mine")

    def back(connection: Connection) -> None:
        config = notes_schema().alembic_config()
        config.attributes["connection"] = connection
        command.downgrade(config, "base")
        connection.execute(text("CREATE TABLE kept (name text)"))
        connection.execute(text("INSERT INTO kept VALUES ('mine')"))

    async with first.write() as session:
        await (await session.connection()).run_sync(back)
    second = opening()
    assert await names(second) == ["first"]
    async with second.read() as session:
        assert (await session.scalars(text("SELECT name FROM kept"))).all() == ["mine"]


async def test_a_database_of_another_version_is_refused_in_one_line(opening: Opening) -> None:
    first = opening()
    async with first.write() as session:
        await session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    for _ in range(2):
        with pytest.raises(SetupError, match=r"'notes' cannot be migrated to 0001: .*9999.*another version of the app"):
            await names(opening())


async def test_a_folder_without_migrations_is_named(tmp_path: Path) -> None:
    nowhere = Database(tmp_path / "notes.db", Schema(name="notes", migrations=tmp_path / "nowhere", head="0001"))
    with pytest.raises(SetupError, match=r"^Schema 'notes': migrations is .*nowhere, which has no Alembic env\.py$"):
        await names(nowhere)
    await nowhere.close()


async def test_many_first_uses_at_once_open_it_once(database: Database) -> None:
    assert await asyncio.gather(*(names(database) for _ in range(5))) == [["first"]] * 5


async def test_two_that_open_a_new_database_at_once_fill_it_once(opening: Opening) -> None:
    assert await asyncio.gather(names(opening()), names(opening())) == [["first"], ["first"]]


async def test_a_reader_sees_one_state_while_another_writes(database: Database) -> None:
    async with database.read() as session:
        query = select(func.count()).select_from(Notebook)
        before = await session.scalar(query)
        await add(database, "mine")
        assert await session.scalar(query) == before
    assert await names(database) == ["first", "mine"]


async def test_a_reader_cannot_write(database: Database) -> None:
    with pytest.raises(SetupError, match=r"a reading session of .* cannot write; use `database.write\(\)`"):
        async with database.read() as session:
            await session.execute(delete(Notebook))
    await add(database, "mine")
    assert await names(database) == ["first", "mine"]


async def test_an_error_rolls_a_write_back(database: Database) -> None:
    with pytest.raises(ZeroDivisionError):
        await add(database, "mine", lambda: 1 // 0)
    assert await names(database) == ["first"]


async def test_writers_take_turns_and_each_sees_what_the_one_before_wrote(opening: Opening) -> None:
    databases = [opening(), opening()]
    added = await asyncio.gather(*(add_once(databases[number % 2], f"key {number}") for number in range(12)))
    assert sorted(each.notebooks for each in added) == list(range(2, 14))


async def test_a_writer_that_waits_too_long_is_told_to_try_again(opening: Opening) -> None:
    hasty, patient = opening(busy_timeout=0.01), opening()
    await names(hasty)
    async with patient.write() as session:
        await session.connection()
        with pytest.raises(RateLimitedError, match="is being written by another process; try again"):
            await add(hasty, "mine")
    await add(hasty, "mine")


async def test_a_repeated_write_with_the_same_key_happens_once(opening: Opening) -> None:
    databases = [opening(), opening()]
    added = await asyncio.gather(*(add_once(each, "key") for each in databases * 3))
    assert [each.notebooks for each in added] == [2] * 6
    with pytest.raises(IdempotencyError):
        await add_once(databases[0], "key", digest="other")
    assert await names(databases[0]) == ["first", "number 1"]


async def test_the_effect_is_recorded_in_the_transaction_of_the_write(database: Database) -> None:
    async def write_and_fail() -> None:
        async with database.write() as session:
            await once(session, "key", Added, lambda: fail(session))

    async def fail(session: AsyncSession) -> Added:
        session.add(Notebook(name="mine"))
        await session.flush()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await write_and_fail()
    async with database.read() as session:
        assert await session.scalar(select(func.count()).select_from(EFFECTS)) == 0
    assert await names(database) == ["first"]


@pytest.mark.parametrize("hours", [0, 2, -7])
async def test_a_time_comes_back_as_the_same_moment_in_utc(database: Database, hours: int) -> None:
    await add_note(database, NOW.astimezone(timezone(timedelta(hours=hours))))
    async with database.read() as session:
        stored = (await session.get_one(Note, "bread")).at
    assert (stored, stored.utcoffset()) == (NOW, timedelta())


async def test_a_time_without_a_zone_is_refused_and_nothing_is_stored(database: Database) -> None:
    with pytest.raises(SetupError, match="give a time with a zone"):
        await add_note(database, NOW.replace(tzinfo=None))
    async with database.read() as session:
        assert await session.scalar(select(func.count()).select_from(Note)) == 0


@pytest.mark.parametrize(
    "changes", [{"notebook": "nowhere"}, {"notebook": None}], ids=["refers to nothing", "lacks a value"]
)
async def test_a_row_that_breaks_a_constraint_is_refused_in_one_line(
    database: Database, changes: dict[str, Any]
) -> None:
    with pytest.raises(ConflictError, match="the database refuses the write: ") as refused:
        await add_note(database, **changes)
    assert "\n" not in str(refused.value)
    assert "INSERT" not in str(refused.value)
    assert "constraint" not in str(refused.value)


async def test_a_row_that_exists_already_is_refused_in_one_line(database: Database) -> None:
    await add_note(database)
    with pytest.raises(ConflictError, match="the database refuses the write: "):
        await add_note(database)


async def test_a_defect_of_the_application_stays_as_it_is(database: Database) -> None:
    with pytest.raises(DBAPIError, match="no_table"):
        async with database.write() as session:
            await session.execute(text("DELETE FROM no_table"))


async def test_its_sql_has_the_functions_that_the_application_gave(database: Database) -> None:
    async with database.read() as session:
        statement = select(func.joined("a", "b"), func.joined("a", None), func.casefold("ÜBER Straße ΟΔΟΣ ﬁ"))
        assert tuple((await session.execute(statement)).one()) == ("a+b", None, "über strasse οδοσ fi")


async def test_a_closed_database_opens_again(database: Database) -> None:
    await add(database, "mine")
    await database.close()
    await database.close()
    assert await names(database) == ["first", "mine"]


async def test_a_change_of_a_row_is_seen_by_the_next_reader(database: Database) -> None:
    async with database.write() as session:
        await session.execute(update(Notebook).values(name="renamed"))
    assert await names(database) == ["renamed"]


async def test_a_value_that_a_column_cannot_hold_is_refused(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    if database.file is not None:
        pytest.skip("SQLite stores texts of any length")
    for title in ("much too long for this column", "nothing\x00here"):
        with pytest.raises(InvalidArgumentsError, match=r"^the database cannot store a value: ") as refused:
            await add_note(database, title=title)
        assert "postgresql" not in str(refused.value), "a model reads it"
        assert "postgresql" in caplog.records[-1].getMessage(), "an operator needs it"
