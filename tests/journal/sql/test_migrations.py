"""The tables of a journal are created when it is first used, once, whoever comes first; no others are opened."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, inspect

from remit.database.urls import parse_url
from remit.errors import JournalError, JournalFormatError
from remit.journal.sql import migrations
from remit.journal.sql.key_file import configured_key_file
from remit.journal.sql.store import SqlStore
from remit.journal.sql.tables import HEAD_REVISION, METADATA, VERSION_TABLE, open_engine
from tests.journal.programs import Program
from tests.journal.sql.test_tampering import GRANT, execute
from tests.postgres import Postgres

Opening = Callable[[Path | str], SqlStore]


@pytest.fixture(params=("sqlite", pytest.param("postgres", marks=pytest.mark.process)))
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """A database in which nothing is yet."""
    new = f"sqlite:///{tmp_path / 'new.db'}" if request.param == "sqlite" else request.getfixturevalue("bare")
    engine = open_engine(parse_url(new))
    yield engine
    engine.dispose()


@pytest.fixture
def bare(postgres: Postgres) -> Iterator[str]:
    """A new database in Postgres."""
    name = postgres.make()
    yield postgres.url(name)
    postgres.drop(name)


def migrate(engine: Engine) -> None:
    migrations.migrate(engine, configured_key_file(engine.url, None))


def tables(engine: Engine) -> set[str]:
    return set(inspect(engine).get_table_names())


def config_for(connection: Any) -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def version(file: Path) -> list[str]:
    with closing(sqlite3.connect(file)) as connection:
        return [row[0] for row in connection.execute("SELECT version_num FROM remit_version")]


def test_the_migrations_make_the_tables_that_the_store_uses(engine: Engine) -> None:
    migrate(engine)
    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"version_table": VERSION_TABLE, "compare_server_default": True}
        )
        assert compare_metadata(context, METADATA) == []
        assert context.get_current_revision() == HEAD_REVISION


def test_the_revision_that_the_store_opens_without_alembic_is_that_of_the_migration() -> None:
    (only,) = ScriptDirectory.from_config(config_for(None)).walk_revisions()
    assert only.revision == HEAD_REVISION


def test_migrating_again_changes_nothing(engine: Engine) -> None:
    migrate(engine)
    before = tables(engine)
    migrate(engine)
    assert tables(engine) == before == {*METADATA.tables, VERSION_TABLE}


def test_the_way_back_leaves_no_table_of_ours(engine: Engine) -> None:
    migrate(engine)
    with engine.begin() as connection:
        command.downgrade(config_for(connection), "base")
    assert tables(engine) == {VERSION_TABLE}
    migrate(engine)
    assert tables(engine) == {*METADATA.tables, VERSION_TABLE}


async def test_many_first_uses_of_one_store_at_once_migrate_it(tmp_path: Path, opening: Opening) -> None:
    store = opening(tmp_path / "new.db")
    held = await asyncio.gather(*(store.acquire(f"run{index}", "driver", 10) for index in range(10)))
    assert [each.epoch for each in held] == [1] * 10


async def test_several_new_stores_at_once_in_one_process_are_all_migrated(tmp_path: Path, opening: Opening) -> None:
    stores = [opening(tmp_path / f"{index}.db") for index in range(8)]
    held = await asyncio.gather(*(store.acquire("run", "driver", 10) for store in stores))
    assert [each.epoch for each in held] == [1] * 8


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        (["UPDATE remit_version SET version_num = '9999'"], "9999"),
        (["UPDATE remit_version SET version_num = '0010'", "DROP TABLE remit_answers", "DROP TABLE remit_key"], "0010"),
        (["INSERT INTO remit_version VALUES ('0010')"], "0001_first, 0010"),
        (["DELETE FROM remit_version"], "no revision"),
        (["DROP TABLE remit_version", "DROP TABLE remit_key"], "no revision"),
        ([f"DROP TABLE {name}" for name in METADATA.tables], "unreadable"),
        ([f"DROP TABLE {name}" for name in METADATA.tables] + ["UPDATE remit_version SET version_num = '9'"], "9"),
    ],
)
async def test_a_journal_of_another_version_is_refused_in_one_line(
    file: Path, opening: Opening, changes: list[str], found: str
) -> None:
    for change in changes:
        execute(file, change)
    said = "could not be read" if found == "unreadable" else f"by another version of Remit, with tables of {found}; th"
    with pytest.raises(JournalError, match=said) as caught:
        await opening(file).list_runs()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kept", sorted(METADATA.tables))
def test_tables_are_created_only_where_none_of_ours_is(engine: Engine, kept: str) -> None:
    """Otherwise rows that SQL alone wrote would be taken for those of a new journal."""
    migrate(engine)
    with engine.begin() as connection:
        for name in {*METADATA.tables, VERSION_TABLE} - {kept}:
            connection.exec_driver_sql(f"DROP TABLE {name}")
    with pytest.raises(JournalFormatError, match="with tables of no revision; this one reads 0001_first; use the one"):
        migrate(engine)
    assert tables(engine) == {kept}


async def test_opening_a_journal_signs_none_of_its_rows(file: Path, opening: Opening) -> None:
    """Not even if SQL makes it look as if it came from a version without signatures."""
    await opening(file).add_grant(GRANT)
    execute(file, "UPDATE remit_grants SET signature = NULL, used = 0")
    for change in ("SELECT 1", "UPDATE remit_version SET version_num = '0010'", "DROP TABLE remit_key"):
        execute(file, change)
        with suppress(JournalError):
            await opening(file).list_grants(tenant="default")
        with closing(sqlite3.connect(file)) as connection:
            assert connection.execute("SELECT signature FROM remit_grants").fetchall() == [(None,)]


@pytest.mark.process
def test_processes_that_open_a_new_journal_at_once_both_succeed(file: Path, tmp_path: Path) -> None:
    """One that is up to date is opened without Alembic."""
    new = [tmp_path / f"{index}.db" for index in range(4)]
    both = [Program(OPENS, *(f"sqlite:///{each}" for each in (file, *new))) for _ in range(2)]
    assert [each.says() for each in both] == ["ready", "ready"]
    for each in both:
        each.told()
    said = [each.ends() for each in both]
    assert [lines[0] for lines in said] == ["without Alembic"] * 2
    assert any("with Alembic" in lines for lines in said)
    assert [version(each) for each in (file, *new)] == [[HEAD_REVISION]] * 5


@pytest.mark.process
def test_processes_that_open_a_new_journal_in_postgres_at_once_both_succeed(postgres: Postgres, bare: str) -> None:
    both = [Program(OPENS, bare) for _ in range(2)]
    assert [each.says() for each in both] == ["ready", "ready"]
    for each in both:
        each.told()
    assert {line for each in both for line in each.ends()} <= {"with Alembic", "without Alembic"}
    engine = open_engine(parse_url(bare))
    assert tables(engine) == {*METADATA.tables, VERSION_TABLE}
    engine.dispose()


OPENS = """
import asyncio, sys
from remit.journal.sql.key_file import configured_key_file
from remit.journal.sql.store import SqlStore

async def main():
    for url in sys.argv[1:]:
        store = SqlStore(url)
        assert await store.list_runs() == []
        await store.close()
        print("with" if "alembic" in sys.modules else "without", "Alembic")

print("ready", flush=True)
sys.stdin.readline()
asyncio.run(main())
"""


async def test_accepting_the_rows_of_a_journal_without_tables_creates_them(tmp_path: Path) -> None:
    store = SqlStore.at(tmp_path / "journal.db")
    await store.accept_rows()
    assert await store.list_runs() == []
    await store.close()
