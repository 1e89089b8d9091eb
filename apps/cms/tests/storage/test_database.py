"""The file: made, migrated and seeded when it is first used."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, func, select, text, update
from sqlalchemy.exc import IntegrityError, OperationalError

from apps.cms.tests.world import World
from remit.errors import RateLimitedError, ToolFailedError
from remit_cms.storage.database import Database, random_id, utc_now
from remit_cms.storage.migrating import configuration
from remit_cms.storage.schema import HEAD
from remit_cms.storage.tables import Base, Locale, PageSection, Revision, SectionDefinition, Site
from remit_cms.templates.builtin import BUILTIN
from remit_cms.templates.slots import Structure


async def test_a_new_file_gets_a_site_with_two_languages_and_the_templates(tmp_path: Path) -> None:
    database = Database(tmp_path / "deep" / "cms.db")
    async with database.reading() as session:
        sites = (await session.execute(select(Site.key, Site.tenant))).all()
        locales = (await session.execute(select(Locale.code, Locale.is_default).order_by(Locale.code))).all()
        stored = {row.key: row for row in await session.scalars(select(SectionDefinition))}
    assert [tuple(site) for site in sites] == [("local-site", "local-site")]
    assert [tuple(locale) for locale in locales] == [("de", False), ("en", True)]
    assert {"hero", "text", "image-text", "features", "quote", "call-to-action"} <= set(stored)
    for template in BUILTIN:
        assert Structure.model_validate(stored[template.key].structure) == template.structure
    await database.close()


def test_nothing_is_made_before_the_first_use(tmp_path: Path) -> None:
    Database(tmp_path / "deep" / "cms.db")
    assert list(tmp_path.iterdir()) == []


def test_the_code_wants_the_newest_migration() -> None:
    assert ScriptDirectory.from_config(configuration()).get_current_head() == HEAD


async def test_the_migrations_make_the_tables_that_the_code_says(world: World) -> None:
    def ours(name: str | None, kind: str, _: object) -> bool:
        return kind != "table" or name in Base.metadata.tables  # SQLite keeps full text in tables of its own

    def differences(connection: Connection) -> object:
        context = MigrationContext.configure(connection, opts={"include_name": ours})
        return compare_metadata(context, Base.metadata)

    async with world.database.writing() as session:
        assert await (await session.connection()).run_sync(differences) == []


async def test_the_migrations_can_be_taken_back(world: World) -> None:
    def back(connection: Connection) -> None:
        config = configuration()
        config.attributes["connection"] = connection
        command.downgrade(config, "base")

    async with world.database.writing() as session:
        await (await session.connection()).run_sync(back)
        left = (await session.scalars(text("SELECT name FROM sqlite_master WHERE type = 'table'"))).all()
    assert left == ["alembic_version"]


def test_a_file_that_is_up_to_date_is_opened_without_alembic(fresh: Path) -> None:
    program = (
        "import asyncio, sys\nfrom pathlib import Path\nfrom remit_cms.storage.database import Database\n"
        "async def main():\n    database = Database(Path(sys.argv[1]))\n"
        "    async with database.reading() as session: await session.connection()\n    await database.close()\n"
        "asyncio.run(main())\nprint('alembic' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(fresh)], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


async def test_two_that_open_a_new_file_at_once_make_one_site(tmp_path: Path) -> None:
    first, second = Database(tmp_path / "cms.db"), Database(tmp_path / "cms.db")

    async def sites(database: Database) -> int | None:
        async with database.reading() as session:
            return await session.scalar(select(func.count()).select_from(Site))

    assert await asyncio.gather(sites(first), sites(second)) == [1, 1]
    await first.close()
    await second.close()


async def test_a_file_that_cannot_be_opened_leaves_nothing_open(tmp_path: Path) -> None:
    (tmp_path / "cms.db").write_bytes(b"this is no database at all" * 100)
    database = Database(tmp_path / "cms.db")
    for _ in range(2):
        with pytest.raises(
            ToolFailedError, match=r"cms\.db is not a database, or it is damaged.*move it away"
        ) as raised:
            async with database.reading():
                pass
        assert "http" not in raised.value.message


async def test_a_file_that_was_damaged_while_in_use_is_said_in_one_line(world: World) -> None:
    await world.page("About")
    await world.database.close()
    whole = world.database.path.read_bytes()
    world.database.path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    with pytest.raises(ToolFailedError, match=r"cms\.db is not a database, or it is damaged"):
        await world.rows()


async def test_sqlite_is_set_up_for_durable_concurrent_use(world: World) -> None:
    async with world.database.reading() as session:
        settings = [await session.scalar(text(f"PRAGMA {name}")) for name in ("journal_mode", "foreign_keys")]
    assert settings == ["wal", 1]


async def test_a_row_that_refers_to_nothing_is_refused(world: World) -> None:
    with pytest.raises(IntegrityError, match="FOREIGN KEY"):
        async with world.database.writing() as session:
            session.add(PageSection(id="s", page="nowhere", definition="nothing", sort_order=0))


async def test_an_error_rolls_a_write_back(world: World) -> None:
    with pytest.raises(ZeroDivisionError):
        await _write_and(world, lambda: 1 // 0)
    async with world.database.reading() as session:
        assert await session.get(Site, "mine") is None


async def _write_and(world: World, then: Callable[[], object]) -> None:
    async with world.database.writing() as session:
        session.add(Site(key="mine", tenant="x", name="x", created_at=world.database.clock()))
        await session.flush()
        then()


async def test_a_reader_goes_on_seeing_one_state_while_another_writes(world: World) -> None:
    async with world.database.reading() as session:
        before = await session.scalar(select(func.count()).select_from(Site))
        async with world.database.writing() as other:
            other.add(Site(key="mine", tenant="x", name="x", created_at=world.database.clock()))
        assert await session.scalar(select(func.count()).select_from(Site)) == before


async def test_a_writer_that_waits_too_long_is_told_to_try_again(world: World) -> None:
    hasty = World(world.database.path, busy_timeout=0.01)
    async with world.database.writing() as session:
        await session.connection()
        with pytest.raises(RateLimitedError, match=r"cms\.db is being written"):
            await hasty.add_other_site()
    await hasty.database.close()


async def test_another_failure_of_the_database_is_not_called_busy(world: World) -> None:
    with pytest.raises(OperationalError, match="no such table"):
        async with world.database.writing() as session:
            await session.execute(text("DELETE FROM no_table"))


async def test_many_first_uses_at_once_open_it_once(tmp_path: Path) -> None:
    database = Database(tmp_path / "cms.db")

    async def sites() -> int | None:
        async with database.reading() as session:
            return await session.scalar(select(func.count()).select_from(Site))

    assert await asyncio.gather(*(sites() for _ in range(5))) == [1] * 5
    await database.close()


async def test_a_revision_cannot_be_changed(world: World) -> None:
    await world.page()
    with pytest.raises(IntegrityError, match="a revision is never changed"):
        async with world.database.writing() as session:
            await session.execute(update(Revision).values(author="somebody else"))


async def test_a_closed_database_opens_again(world: World) -> None:
    page = await world.page()
    await world.database.close()
    await world.database.close()
    assert (await world.rows())["pages"] == 1
    assert page.id == "page_1"


def test_ids_say_what_they_name_and_never_repeat() -> None:
    made = {random_id("page") for _ in range(1000)}
    assert len(made) == 1000
    assert all(name.startswith("page_") for name in made)


def test_the_time_has_a_zone() -> None:
    assert utc_now().tzinfo is not None
