"""A directory in the database of the journal, whose rows are signed with the key of the journal."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

from sqlalchemy import URL, Connection, Engine, Row, Table, bindparam, delete, insert, select, update
from sqlalchemy.exc import SQLAlchemyError

from remit.core.call_checks import check_arguments
from remit.core.checks import as_path
from remit.core.files import create_folder
from remit.database.urls import describe_location, ensure_private_database, parse_url
from remit.errors import BrokenJournalError, JournalError
from remit.journal.sql.key_file import configured_key_file
from remit.journal.sql.locks import LockKeys, acquire_locks
from remit.journal.sql.migrations import migrate
from remit.journal.sql.people_tables import CREDENTIALS, PEOPLE, ROLES
from remit.journal.sql.signatures import ChangedRowError, RowKind, columns_of, signer_of
from remit.journal.sql.statements import Query
from remit.journal.sql.tables import open_engine, sqlite_file
from remit.journal.sql.writer import database_message
from remit.record.arguments import content_digest
from remit.server.people.accounts import Account, Credential, CredentialKind, Person, Role
from remit.server.people.directory import no_person, no_role, refuse_taken

T = TypeVar("T")

_LOCK: Final = LockKeys(frozenset({"remit_people"}))
"""Writers take turns: they are few."""

_FIELDS_IN_JSON: Final = frozenset({"roles", "permissions"})


_SELECT_PERSON: Final = Query(select(PEOPLE).where(PEOPLE.c.name == bindparam("name")))
_SELECT_ROLE: Final = Query(select(ROLES).where(ROLES.c.id == bindparam("role_id")))
_SELECT_CREDENTIAL: Final = Query(
    select(CREDENTIALS).where(CREDENTIALS.c.digest == bindparam("digest"), CREDENTIALS.c.kind == bindparam("kind"))
)
"""The reads of every request and of calls, by the driver alone."""


@check_arguments()
class SqlDirectory:
    """A directory in SQLite or Postgres, in the tables of the journal's database. It is opened on first use.

    Args:
        url: the URL of the journal.
        key_file: the key of the journal; see `remit.SqlStore`.

    Raises:
        SetupError: the URL is unsupported, a Postgres journal has no key, or the driver is not installed.
    """

    def __init__(self, url: URL | str, *, key_file: Path | None = None) -> None:
        self._url = parse_url(url)
        self._key_file = configured_key_file(self._url, key_file)
        self._opening = threading.Lock()
        self._engine: Engine | None = None

    @staticmethod
    def at(path: Path | str) -> SqlDirectory:
        """The directory in the journal in the SQLite file at ``path``."""
        path = as_path("SqlDirectory.at: path", path)
        create_folder(path.parent)
        return SqlDirectory(URL.create("sqlite", database=str(path)))

    def __repr__(self) -> str:
        """Show the location without the password."""
        return f"SqlDirectory({describe_location(self._url)})"

    def find_account(self, name: str) -> Account | None:
        """The person of that name with their roles."""
        return self._read(lambda connection: _find_account(connection, name))

    async def add_person(self, person: Person) -> None:
        """Add a person."""

        def work(connection: Connection) -> None:
            refuse_taken(person.name, connection.scalars(select(PEOPLE.c.name)))
            _insert(connection, "person", PEOPLE, _columns(person))

        await self._write(work)

    async def change_person(self, name: str, change: Callable[[Person], Person]) -> Person:
        """Replace a person by what ``change`` returns."""

        def work(connection: Connection) -> Person:
            row = _first(connection, _SELECT_PERSON, name=name)
            if row is None:
                raise no_person(name)
            changed = change(_person(connection, row))
            columns = _columns(changed)
            signature = signer_of(connection).sign("person", columns)
            connection.execute(update(PEOPLE).where(PEOPLE.c.name == name).values(signature=signature, **columns))
            return changed

        return await self._write(work)

    async def remove_person(self, name: str) -> None:
        """Remove a person with all their credentials."""

        def work(connection: Connection) -> None:
            connection.execute(delete(CREDENTIALS).where(CREDENTIALS.c.person == name))
            if connection.execute(delete(PEOPLE).where(PEOPLE.c.name == name)).rowcount == 0:
                raise no_person(name)

        await self._write(work)

    async def list_people(self, tenant: str) -> list[Person]:
        """The people of a tenant, by name."""
        rows = select(PEOPLE).where(PEOPLE.c.tenant == tenant).order_by(PEOPLE.c.name)
        return await self._list(lambda c: [_person(c, row) for row in c.execute(rows)])

    async def put_role(self, role: Role) -> None:
        """Add or replace a role of a tenant."""
        key = _role_id(role.name, role.tenant)
        columns = {"id": key, "role": role.name, "tenant": role.tenant, "permissions": _json(role.permissions)}

        def work(connection: Connection) -> None:
            connection.execute(delete(ROLES).where(ROLES.c.id == key))
            _insert(connection, "role", ROLES, columns)

        await self._write(work)

    async def remove_role(self, name: str, tenant: str) -> None:
        """Remove a role of a tenant."""

        def work(connection: Connection) -> None:
            if connection.execute(delete(ROLES).where(ROLES.c.id == _role_id(name, tenant))).rowcount == 0:
                raise no_role(name)

        await self._write(work)

    async def list_roles(self, tenant: str) -> list[Role]:
        """The roles of a tenant, by name."""
        rows = select(ROLES).where(ROLES.c.tenant == tenant).order_by(ROLES.c.role)
        return await self._list(lambda c: [_role(c, row) for row in c.execute(rows)])

    async def add_credential(self, credential: Credential, *, expired_before: float) -> None:
        """Add a credential, and remove expired ones."""

        def work(connection: Connection) -> None:
            connection.execute(delete(CREDENTIALS).where(CREDENTIALS.c.expires < expired_before))
            _insert(connection, "credential", CREDENTIALS, _columns(credential))

        await self._write(work)

    async def find_credential(self, kind: CredentialKind, digest: str) -> Credential | None:
        """The credential of that kind and digest."""
        return await asyncio.to_thread(self._read, lambda connection: _find_credential(connection, kind, digest))

    async def take_credential(self, kind: CredentialKind, digest: str) -> Credential | None:
        """Remove a credential and return it."""

        def work(connection: Connection) -> Credential | None:
            found = _find_credential(connection, kind, digest)
            if found is not None:
                connection.execute(delete(CREDENTIALS).where(CREDENTIALS.c.id == found.id))
            return found

        return await self._write(work)

    async def touch_credential(self, credential: str, seen: float) -> None:
        """Note a use of a credential."""
        change = update(CREDENTIALS).where(CREDENTIALS.c.id == credential).values(seen=float(seen))
        await self._write(lambda connection: connection.execute(change) and None)

    async def list_credentials(self, person: str, kind: CredentialKind) -> list[Credential]:
        """The credentials of a person, oldest first."""
        rows = select(CREDENTIALS).where(CREDENTIALS.c.person == person, CREDENTIALS.c.kind == kind)
        rows = rows.order_by(CREDENTIALS.c.created, CREDENTIALS.c.id)
        return await self._list(lambda c: [_credential(c, row) for row in c.execute(rows)])

    async def remove_credentials(self, person: str, kind: CredentialKind, *, credential: str = "") -> int:
        """Remove credentials of a person."""
        if not credential.isprintable():
            return 0
        change = delete(CREDENTIALS).where(CREDENTIALS.c.person == person, CREDENTIALS.c.kind == kind)
        change = change.where(CREDENTIALS.c.id == credential) if credential else change
        return await self._write(lambda connection: connection.execute(change).rowcount)

    async def close(self) -> None:
        """Close the connections."""
        engine, self._engine = self._engine, None
        if engine is not None:
            await asyncio.to_thread(engine.dispose)

    async def _list(self, work: Callable[[Connection], list[T]]) -> list[T]:
        return await asyncio.to_thread(self._read, work)

    async def _write(self, work: Callable[[Connection], T]) -> T:
        def write() -> T:
            with self._translate_errors(), self._open().begin() as connection:
                acquire_locks(connection, [_LOCK])
                return work(connection)

        return await asyncio.to_thread(write)

    def _read(self, work: Callable[[Connection], T]) -> T:
        with self._translate_errors(), self._open().connect() as connection:
            return work(connection.execution_options(remit_reads=True))

    def _open(self) -> Engine:
        with self._opening:
            if self._engine is None:
                ensure_private_database(sqlite_file(self._url))
                engine = open_engine(self._url)
                try:
                    migrate(engine, self._key_file)
                except BaseException:
                    engine.dispose()
                    raise
                self._engine = engine
            return self._engine

    @contextmanager
    def _translate_errors(self) -> Generator[None]:
        where = describe_location(self._url)
        try:
            yield
        except ChangedRowError as error:
            raise BrokenJournalError(f"the people in {where} were changed by another program: {error}") from error
        except (SQLAlchemyError, OSError) as error:
            raise JournalError(f"the people in {where} could not be read: {database_message(error)}") from error


def _find_account(connection: Connection, name: str) -> Account | None:
    row = _first(connection, _SELECT_PERSON, name=name)
    if row is None:
        return None
    person = _person(connection, row)
    ids = [_role_id(role, person.tenant) for role in sorted(person.roles)]
    rows = (_first(connection, _SELECT_ROLE, role_id=each) for each in ids)
    return Account(person, tuple(_role(connection, each) for each in rows if each is not None))


def _find_credential(connection: Connection, kind: CredentialKind, digest: str) -> Credential | None:
    row = _first(connection, _SELECT_CREDENTIAL, digest=digest, kind=kind)
    return None if row is None else _credential(connection, row)


def _first(connection: Connection, query: Query, **values: str) -> Row[Any] | None:
    if not all(each.isprintable() for each in values.values()):
        return None  # no text that Remit has stored, and none that every database takes
    return query.first(connection, **values)


def _insert(connection: Connection, kind: RowKind, table: Table, columns: Mapping[str, Any]) -> None:
    connection.execute(insert(table).values(signature=signer_of(connection).sign(kind, columns), **columns))


def _check_row(connection: Connection, kind: RowKind, row: Row[Any]) -> Mapping[str, Any]:
    """The columns of a row whose signature holds."""
    columns = columns_of(row)
    try:
        signer_of(connection).check(kind, columns, row.signature)
    except ChangedRowError as error:
        raise ChangedRowError(f"the {kind} {next(iter(columns.values()))!r}: {error}") from error
    return columns


def _person(connection: Connection, row: Row[Any]) -> Person:
    columns = _check_row(connection, "person", row)
    return Person(columns["name"], columns["tenant"], frozenset(json.loads(columns["roles"])), columns["password"])


def _role(connection: Connection, row: Row[Any]) -> Role:
    columns = _check_row(connection, "role", row)
    return Role(columns["role"], columns["tenant"], frozenset(json.loads(columns["permissions"])))


def _role_id(name: str, tenant: str) -> str:
    return content_digest("role", tenant, name)


def _credential(connection: Connection, row: Row[Any]) -> Credential:
    columns = dict(_check_row(connection, "credential", row))
    del columns["signature"]
    permissions = json.loads(columns.pop("permissions"))
    return Credential(**columns, permissions=None if permissions is None else frozenset(permissions))


def _columns(value: Person | Credential) -> dict[str, Any]:
    """The columns of a value, whose sets are JSON."""
    columns = {name: getattr(value, name) for name in value.__struct_fields__}
    numbers = {name: float(each) for name, each in columns.items() if isinstance(each, int)}
    return {**columns, **numbers, **{name: _json(columns[name]) for name in _FIELDS_IN_JSON & columns.keys()}}


def _json(texts: frozenset[str] | None) -> str:
    return json.dumps(None if texts is None else sorted(texts))
