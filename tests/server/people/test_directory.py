"""The directories that Remit ships pass the public conformance suite; that in SQL cannot be changed by SQL alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import text

from remit.database.urls import parse_url
from remit.errors import BrokenJournalError, JournalError, JournalFormatError
from remit.journal.sql.store import SqlStore
from remit.journal.sql.tables import open_engine
from remit.record.arguments import content_digest
from remit.server.people.accounts import Person, Role
from remit.server.people.directory import Directory, InMemoryDirectory
from remit.server.people.sql_directory import SqlDirectory
from remit.testing.directory_suite import *  # noqa: F403 - which is how others run it
from remit.testing.directory_suite.credentials import credential
from remit.testing.directory_suite.persons import ADA, EDITOR
from tests.stores import STORES

pytestmark = pytest.mark.every_store
READER = content_digest("role", "bakery", "reader")


@pytest.fixture(params=STORES)
async def directory(request: pytest.FixtureRequest) -> AsyncIterator[Directory]:
    match request.param:
        case "sql":
            made: Directory = SqlDirectory(f"sqlite:///{request.getfixturevalue('file')}")
        case "postgres":
            made = SqlDirectory(request.getfixturevalue("emptied"))
        case _:
            made = InMemoryDirectory()
    yield made
    await made.close()


@pytest.fixture
async def sql(where: str) -> AsyncIterator[SqlDirectory]:
    made = SqlDirectory(where)
    await made.add_person(ADA)
    await made.put_role(EDITOR)
    await made.add_credential(credential("t", kind="token", permissions=frozenset({"cms:read"})), expired_before=0)
    yield made
    await made.close()


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE remit_people SET roles = '[\"owner\"]'",
        "UPDATE remit_people SET password = ''",
        "UPDATE remit_people SET tenant = 'elsewhere'",
        "UPDATE remit_people SET signature = NULL",
        "UPDATE remit_roles SET permissions = '[\"*\"]'",
        f"INSERT INTO remit_roles SELECT '{READER}', 'reader', tenant, permissions, signature FROM remit_roles",  # noqa: S608 - a digest
        f"INSERT INTO remit_roles SELECT '{READER}', role, tenant, permissions, signature FROM remit_roles",  # noqa: S608 - a digest
    ],
)
async def test_nobody_gives_themselves_permissions_with_sql(sql: SqlDirectory, where: str, change: str) -> None:
    execute(where, change)
    with pytest.raises(BrokenJournalError, match=r"were changed by another program: the (person|role) '"):
        sql.find_account("ada")


@pytest.mark.parametrize(
    "change",
    [
        "permissions = 'null'",
        "permissions = '[\"*\"]'",
        "person = 'eve'",
        "tenant = 'elsewhere'",
        "expires = expires + 1",
        "kind = 'session'",
        "digest = 'another'",
    ],
)
async def test_nobody_makes_a_credential_with_sql(sql: SqlDirectory, where: str, change: str) -> None:
    execute(where, f"UPDATE remit_credentials SET {change}")  # noqa: S608 - one of those above
    digest = "another" if "digest" in change else "digest of t"
    kind = "session" if "kind" in change else "token"
    with pytest.raises(BrokenJournalError, match="were changed by another program: the credential 't'"):
        await sql.find_credential(kind, digest)
    with pytest.raises(BrokenJournalError):
        await sql.take_credential(kind, digest)


async def test_what_one_process_changes_every_other_reads_at_once(where: str) -> None:
    one, two = SqlDirectory(where), SqlDirectory(where)
    await one.add_person(ADA)
    assert two.find_account("ada") is not None
    await two.remove_person("ada")
    assert one.find_account("ada") is None
    await one.close()
    await two.close()


async def test_a_directory_shares_the_database_with_its_journal(where: str) -> None:
    store, directory = SqlStore(where), SqlDirectory(where)
    await directory.add_person(ADA)
    assert (await store.acquire("run", "executor", 10)).epoch == 1
    await store.accept_rows()
    assert directory.find_account("ada") is not None
    await store.close()
    await directory.close()


async def test_rows_that_were_changed_are_accepted_with_the_journal(sql: SqlDirectory, where: str) -> None:
    execute(where, "UPDATE remit_people SET roles = '[]'")
    store = SqlStore(where)
    await store.accept_rows()
    await store.close()
    account = sql.find_account("ada")
    assert account is not None
    assert account.person.roles == frozenset()
    assert await sql.find_credential("token", "digest of t") is not None


async def test_the_first_use_makes_the_database_even_at_once(tmp_path: Path) -> None:
    directory = SqlDirectory.at(tmp_path / "new" / "journal.db")
    await asyncio.gather(*(directory.add_person(Person(f"person{n}", "bakery")) for n in range(5)))
    assert len(await directory.list_people("bakery")) == 5
    assert (tmp_path / "new" / "journal.db").stat().st_mode & 0o077 == 0
    await directory.close()


async def test_a_journal_of_another_version_and_a_file_that_is_none_are_refused(file: Path, tmp_path: Path) -> None:
    execute(f"sqlite:///{file}", "UPDATE remit_version SET version_num = '9999'")
    directory = SqlDirectory(f"sqlite:///{file}")
    with pytest.raises(JournalFormatError, match="was written by another version of Remit"):
        directory.find_account("ada")
    await directory.close()
    (tmp_path / "text.db").write_text("no database" * 1000)
    (tmp_path / "text.db").chmod(0o600)
    other = SqlDirectory(f"sqlite:///{tmp_path / 'text.db'}")
    with pytest.raises(JournalError, match="could not be read: file is not a database"):
        await other.put_role(Role("editor", "bakery", frozenset()))
    await other.close()


def test_its_repr_hides_the_password() -> None:
    shown = repr(SqlDirectory("postgresql://remit:rosebud@host/db"))
    assert "rosebud" not in shown
    assert "host/db" in shown


def execute(where: str, statement: str) -> None:
    """Do something that Remit would not."""
    engine = open_engine(parse_url(where))
    with engine.begin() as connection:
        connection.execute(text(statement))
    engine.dispose()
