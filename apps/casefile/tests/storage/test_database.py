"""The tables: the migrations make them as the code says them, and SQL folds all of Unicode."""

from __future__ import annotations

from datetime import timedelta, timezone

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, func, inspect, select

from apps.casefile.tests.world import START
from remit.errors import ConflictError
from remit_casefile.storage.database import SCHEMA, Database
from remit_casefile.storage.tables import Base, Casefile, Grant


def casefile(casefile_id: str = "cf_260101_00000a", tenant: str = "default") -> Casefile:
    """A row."""
    return Casefile(
        id=casefile_id,
        tenant=tenant,
        title="Smith",
        description="",
        notes="",
        tags=[],
        owner="ann",
        state="active",
        public_access=None,
        created_at=START,
        updated_at=START,
    )


def test_the_code_wants_the_newest_migration() -> None:
    assert ScriptDirectory.from_config(SCHEMA.alembic_config()).get_current_head() == SCHEMA.head


async def test_the_migrations_make_the_tables_that_the_code_says(database: Database) -> None:
    def ours(name: str | None, kind: str, _: object) -> bool:
        return kind != "table" or name in Base.metadata.tables

    def differences(connection: Connection) -> object:
        context = MigrationContext.configure(connection, opts={"include_name": ours})
        return compare_metadata(context, Base.metadata)

    async with database.write() as session:
        assert await (await session.connection()).run_sync(differences) == []


async def test_the_migrations_can_be_taken_back(database: Database) -> None:
    def back(connection: Connection) -> None:
        config = SCHEMA.alembic_config()
        config.attributes["connection"] = connection
        command.downgrade(config, "base")

    async with database.write() as session:
        await (await session.connection()).run_sync(back)
        left = await (await session.connection()).run_sync(lambda connection: inspect(connection).get_table_names())
    assert left == ["alembic_version", "remit_effects"]


async def test_a_row_that_refers_to_nothing_is_refused(database: Database) -> None:
    with pytest.raises(ConflictError, match="the database refuses the write"):
        async with database.write() as session:
            session.add(Grant(casefile="cf", user="bob", level="viewer", granted_by="ann", granted_at=START, notes=""))


async def test_what_a_casefile_holds_goes_with_it(database: Database) -> None:
    async with database.write() as session:
        session.add(casefile())
        await session.flush()
        held = Grant(casefile=casefile().id, user="bob", level="viewer", granted_by="ann", granted_at=START, notes="")
        session.add(held)
    async with database.write() as session:
        await session.delete(await session.get_one(Casefile, casefile().id))
    async with database.read() as session:
        assert (await session.scalars(select(Grant))).all() == []


async def test_a_moment_comes_back_as_the_same_moment_whatever_its_zone_was(database: Database) -> None:
    elsewhere = casefile()
    elsewhere.updated_at = START.astimezone(timezone(timedelta(hours=1)))
    async with database.write() as session:
        session.add(elsewhere)
    async with database.read() as session:
        found = await session.get_one(Casefile, casefile().id)
    assert (found.created_at, found.updated_at) == (START, START)
    assert found.updated_at.tzinfo is not None


async def test_sql_folds_the_case_of_all_letters(database: Database) -> None:
    async with database.read() as session:
        assert await session.scalar(select(func.casefold("ÜBER Straße"))) == "über strasse"
