"""The stores that the project ships, each as a fixture of pytest; what takes long to make is made once and copied."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from remit.database.urls import parse_url
from remit.journal.memory import InMemoryStore
from remit.journal.ports import Store
from remit.journal.sql.key_file import KEY_VARIABLE, configured_key_file
from remit.journal.sql.migrations import migrate
from remit.journal.sql.store import SqlStore
from remit.journal.sql.tables import KEY, METADATA, open_engine
from tests.postgres import Postgres, serving

STORES: Final = ("in process", "sql", pytest.param("postgres", marks=pytest.mark.process))

DATABASES: Final = frozenset({"store", "where", "data_location", "either_location"})
"""The fixtures that are there once for each database."""

OF_STORES: Final = frozenset({"database", "journal", "semantic", "storage"})
"""The folders of tests whose subject is what a database does; all of them run on each."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run on Postgres what is about databases, and of each other file of tests the first that takes one.

    ``every_store`` marks the other tests that run on it too: those of races, and of statements that it reads in its own
    way. `make figures` calls each tool of the CMS on it.
    """
    first = dict[Path, pytest.Item]()
    left_out = list[pytest.Item]()
    for item in items:
        callspec = getattr(item, "callspec", None)
        if callspec is None or not any(callspec.params.get(name) == "postgres" for name in DATABASES):
            continue
        is_first = first.setdefault(item.path, item) is item
        if not (is_first or item.get_closest_marker("every_store") or not OF_STORES.isdisjoint(item.path.parts)):
            left_out.append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        unwanted = set(map(id, left_out))
        items[:] = [item for item in items if id(item) not in unwanted]


def prepare(url: str) -> None:
    """Make an empty journal at the newest revision."""
    engine = open_engine(parse_url(url))
    migrate(engine, configured_key_file(engine.url, None))
    engine.dispose()


def copy_journal(source: Path, folder: Path) -> Path:
    """Copy a journal with its key."""
    shutil.copy(f"{source}.key", folder)
    return Path(shutil.copy(source, folder))


@pytest.fixture(scope="session", autouse=True)
def journal_key(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The key of all journals in Postgres, also for child processes."""
    os.environ[KEY_VARIABLE] = str(tmp_path_factory.mktemp("key") / "journal.key")


@pytest.fixture
def clock() -> Callable[[], float]:
    """The clock of the stores; a room may have another."""
    return time.time


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty journal at the newest revision, to be copied."""
    path = tmp_path_factory.mktemp("journal") / "journal.db"
    prepare(f"sqlite:///{path}")
    return path


@pytest.fixture
def file(migrated: Path, tmp_path: Path) -> Path:
    """An empty journal of this test."""
    return copy_journal(migrated, tmp_path)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A server of this process of pytest."""
    with serving() as server:
        yield server


@pytest.fixture(scope="session")
def template(postgres: Postgres) -> str:
    """A database with an empty journal at the newest revision, to be copied."""
    name = postgres.make()
    prepare(postgres.url(name))
    return name


@pytest.fixture(scope="session")
def shared(postgres: Postgres, template: str) -> str:
    """A database for those tests that use nothing but the store; its name."""
    return postgres.make(template)


@pytest.fixture
def emptied(postgres: Postgres, shared: str) -> str:
    """The same, in which no test has left anything but its key; its URL."""
    postgres.do(*(str(table.delete()) for table in METADATA.sorted_tables if table is not KEY), database=shared)
    return postgres.url(shared)


@pytest.fixture
def database(postgres: Postgres, template: str) -> Iterator[str]:
    """A database with an empty journal of this test; its name."""
    name = postgres.make(template)
    yield name
    postgres.drop(name)


@pytest.fixture
def url(postgres: Postgres, database: str) -> str:
    """Where the journal in Postgres is."""
    return postgres.url(database)


@pytest.fixture(scope="session")
def shared_data(postgres: Postgres) -> str:
    """A database for the data of applications; its name."""
    return postgres.make()


@pytest.fixture
def data_url(postgres: Postgres, shared_data: str) -> str:
    """A database in which no application has left anything; its URL."""
    find = "FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema$)'"
    drop = f"SELECT format('DROP SCHEMA %I CASCADE', nspname) AS statement {find}"
    postgres.do(
        f"DO $$ DECLARE each record; BEGIN FOR each IN {drop} LOOP EXECUTE each.statement; END LOOP; END $$",
        "CREATE SCHEMA public",
        database=shared_data,
    )
    return postgres.url(shared_data)


@pytest.fixture(params=("sqlite", pytest.param("postgres", marks=pytest.mark.process)))
def data_location(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Where an application may keep its data: a file, and a database in Postgres. Both are new."""
    return request.getfixturevalue("data_url") if request.param == "postgres" else tmp_path / "data" / "app.db"


@pytest.fixture(params=("sqlite", pytest.param("postgres", marks=pytest.mark.process)))
def where(request: pytest.FixtureRequest) -> str:
    """An empty journal in each database; its URL."""
    if request.param == "postgres":
        return request.getfixturevalue("emptied")
    return f"sqlite:///{request.getfixturevalue('file')}"


@pytest.fixture(params=STORES)
async def store(request: pytest.FixtureRequest, clock: Callable[[], float]) -> AsyncIterator[Store]:
    """Each store that the project ships."""
    store: Store
    match request.param:
        case "sql":
            store = SqlStore.at(request.getfixturevalue("file"), clock)
        case "postgres":
            store = SqlStore(request.getfixturevalue("emptied"), clock)
        case _:
            store = InMemoryStore(clock)
    yield store
    await store.close()
