"""The database: made, migrated and seeded when it is first used."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, func, inspect, select, update

from apps.cms.tests.world import World
from remit.database import Schema
from remit.errors import ConflictError
from remit_cms.storage.database import HEAD_REVISION, MIGRATIONS, Database, random_id, utc_now
from remit_cms.storage.tables import Base, Locale, Revision, SectionDefinition, Site
from remit_cms.templates.builtin import BUILTIN_TEMPLATES
from remit_cms.templates.slots import Structure

SCHEMA = Schema(name="cms", migrations=MIGRATIONS, head=HEAD_REVISION)


async def test_a_new_database_gets_a_site_with_two_languages_and_the_templates(data_location: Path | str) -> None:
    database = Database(data_location)
    async with database.read() as session:
        sites = (await session.execute(select(Site.key, Site.tenant))).all()
        locales = (await session.execute(select(Locale.code, Locale.is_default).order_by(Locale.code))).all()
        stored = {row.key: row for row in await session.scalars(select(SectionDefinition))}
    assert [tuple(site) for site in sites] == [("local-site", "local-site")]
    assert [tuple(locale) for locale in locales] == [("de", False), ("en", True)]
    assert {"hero", "text", "image-text", "features", "quote", "call-to-action"} <= set(stored)
    for template in BUILTIN_TEMPLATES:
        assert Structure.model_validate(stored[template.key].structure) == template.structure
    await database.close()


def test_the_code_wants_the_newest_migration() -> None:
    assert ScriptDirectory.from_config(SCHEMA.alembic_config()).get_current_head() == HEAD_REVISION


@pytest.mark.filterwarnings("ignore:.*expression-based index", "ignore:Did not recognize type 'public.vector'")
async def test_the_migrations_make_the_tables_that_the_code_says(world: World) -> None:
    def ours(name: str | None, kind: str, _: object) -> bool:
        return kind != "table" or name in Base.metadata.tables  # SQLite keeps full text in tables of its own

    def differences(connection: Connection) -> object:
        context = MigrationContext.configure(connection, opts={"include_name": ours})
        return compare_metadata(context, Base.metadata)

    async with world.database.write() as session:
        assert await (await session.connection()).run_sync(differences) == []


async def test_the_migrations_can_be_taken_back(world: World) -> None:
    def back(connection: Connection) -> None:
        config = SCHEMA.alembic_config()
        config.attributes["connection"] = connection
        command.downgrade(config, "base")

    async with world.database.write() as session:
        await (await session.connection()).run_sync(back)
        left = await (await session.connection()).run_sync(lambda connection: inspect(connection).get_table_names())
    assert left == ["alembic_version", "remit_effects"]


async def test_two_that_open_a_new_database_at_once_make_one_site(data_location: Path | str) -> None:
    first, second = Database(data_location), Database(data_location)

    async def sites(database: Database) -> int | None:
        async with database.read() as session:
            return await session.scalar(select(func.count()).select_from(Site))

    assert await asyncio.gather(sites(first), sites(second)) == [1, 1]
    await first.close()
    await second.close()


async def test_a_revision_cannot_be_changed(world: World, caplog: pytest.LogCaptureFixture) -> None:
    await world.page()
    with pytest.raises(ConflictError, match="the database refuses the write"):
        async with world.database.write() as session:
            await session.execute(update(Revision).values(author="somebody else"))
    assert "a revision is never changed" in caplog.text


def test_ids_are_short_are_no_words_and_never_repeat() -> None:
    made = {random_id("page") for _ in range(1000)}
    assert len(made) == 1000
    assert all(re.fullmatch(r"(?=.*[0-9])[a-z][a-z0-9]{7}", name) for name in made)


def test_the_time_has_a_zone() -> None:
    assert utc_now().tzinfo is not None
