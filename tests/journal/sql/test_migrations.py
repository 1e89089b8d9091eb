"""A journal is made and brought up to date when it is first used, once, whoever comes first."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, inspect, text

from remit.database.urls import parse_url
from remit.errors import JournalFormatError
from remit.journal.sql import migrations
from remit.journal.sql.key_file import configured_key_file
from remit.journal.sql.store import SqlStore
from remit.journal.sql.tables import HEAD_REVISION, METADATA, VERSION_TABLE, open_engine
from remit.testing.store_suite.samples import no, question, yes
from tests.journal.programs import Program
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


def test_the_newest_migration_is_the_one_that_the_store_opens_without_alembic() -> None:
    assert ScriptDirectory.from_config(config_for(None)).get_heads() == [HEAD_REVISION]


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


async def test_a_journal_of_a_newer_version_is_refused(file: Path, opening: Opening) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE remit_version SET version_num = '9999'")
    with pytest.raises(JournalFormatError, match="use a newer Remit"):
        await opening(file).list_runs()


def test_runs_of_an_older_journal_are_numbered_in_their_order_and_all_looked_at(engine: Engine, tmp_path: Path) -> None:
    with engine.begin() as connection:
        command.upgrade(config_for(connection), "0002")
        for run, conversation, opened in (("b", "talk", 2.0), ("a", "talk", 1.0), ("c", "other", 0.5), ("d", "", 0.1)):
            texts = dict.fromkeys(("tenant", "principal", "application", "agent", "callee", "after"), "x")
            numbers = {"epoch": 1, "until": 0.0, "next_seq": 1, "opened": opened, "ended": 0.0}
            row = {"run": run, "conversation": conversation, "status": "waiting", "driver": "", "cancelled": ""}
            connection.execute(
                text(
                    "INSERT INTO remit_runs (run, conversation, status, driver, cancelled, tenant, principal,"
                    " application, agent, callee, after, epoch, until, next_seq, opened, ended) VALUES (:run,"
                    " :conversation, :status, :driver, :cancelled, :tenant, :principal, :application, :agent,"
                    " :callee, :after, :epoch, :until, :next_seq, :opened, :ended)"
                ),
                {**row, **texts, **numbers},
            )
    migrations.migrate(engine, tmp_path / "new.key")
    with engine.connect() as connection:
        rows = connection.execute(text("SELECT run, number, wake FROM remit_runs ORDER BY run")).all()
    assert [tuple(row) for row in rows] == [("a", 1, 0.0), ("b", 2, 0.0), ("c", 1, 0.0), ("d", 0, 0.0)]


def test_the_approvals_of_an_older_journal_are_found_and_what_cannot_be_read_stays(
    engine: Engine, tmp_path: Path
) -> None:
    decided = {"denied": no("q0"), "approved": yes("q1"), "taken": yes("q2")}
    rows = [(decision.question, status, decision.to_json()) for status, decision in decided.items()]
    with engine.begin() as connection:
        command.upgrade(config_for(connection), "0006")
        for name, status, decision in [*rows, ("q3", "approved", "text"), ("q4", "approved", '{"approved": 1}')]:
            row = {"question": name, "status": status, "body": question(name).to_json(), "decision": decision}
            connection.execute(
                text(
                    "INSERT INTO remit_questions (question, run, conversation, match, status, asked, body, decision,"
                    " taken_run, taken_call) VALUES (:question, 'run', 'talk', 'match', :status, 1000.0, :body,"
                    " :decision, '', '')"
                ),
                row,
            )
    migrations.migrate(engine, tmp_path / "new.key")
    with engine.connect() as connection:
        keys = connection.execute(text("SELECT question FROM remit_questions WHERE approval <> '' ORDER BY 1")).all()
    assert [row.question for row in keys] == ["q1", "q2"]


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
