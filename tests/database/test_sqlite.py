"""An application's SQLite file: what differs from Postgres."""

from __future__ import annotations

import asyncio
import errno
import os
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import func, select, text

from remit.database import Database
from remit.errors import InternalError, SetupError
from tests.children import run_in_child
from tests.database.tables import Notebook, notes
from tests.private_files import modes_below, usual_umask

NOW = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)


@pytest.fixture
async def file(tmp_path: Path) -> AsyncGenerator[Database]:
    opened = notes(tmp_path / "notes.db")
    yield opened
    await opened.close()


async def notebooks(file: Database) -> int:
    async with file.read() as session:
        return await session.scalar(select(func.count()).select_from(Notebook)) or 0


async def add(file: Database, name: str, then: Callable[[], object] = lambda: None) -> None:
    async with file.write() as session:
        session.add(Notebook(name=name))
        await session.flush()
        then()


def test_nothing_is_made_before_the_first_use(tmp_path: Path) -> None:
    notes(tmp_path / "deep" / "notes.db")
    assert list(tmp_path.iterdir()) == []


async def test_the_first_use_makes_the_folder_the_tables_and_what_they_begin_with(tmp_path: Path) -> None:
    file = notes(tmp_path / "deep" / "notes.db")
    assert await notebooks(file) == 1
    await file.close()


@pytest.mark.process
def test_a_file_that_is_up_to_date_is_opened_without_alembic(tmp_path: Path) -> None:
    program = (
        "import asyncio, sys\nfrom pathlib import Path\nfrom tests.database.tables import notes\n"
        "async def main():\n    file = notes(Path(sys.argv[1]))\n"
        "    async with file.read() as session: await session.connection()\n    await file.close()\n"
        "asyncio.run(main())\nprint('alembic' in sys.modules)"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "notes.db")]
    outputs = [subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(2)]
    assert outputs == ["True\n", "False\n"]


async def test_a_file_that_is_no_database_is_said_in_one_line_each_time(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "notes.db").write_bytes(b"this is no database at all" * 100)
    file = notes(tmp_path / "notes.db")
    for _ in range(2):
        with pytest.raises(
            InternalError, match=r"^the file of the database is not readable, or it is damaged.*move it away"
        ) as outputs:
            await notebooks(file)
        assert "http" not in outputs.value.message
    assert "notes.db: file is not a database" in caplog.text


async def test_a_file_that_was_damaged_while_in_use_is_said_in_one_line(file: Database) -> None:
    await add(file, "mine")
    await file.close()
    assert file.file is not None
    whole = file.file.read_bytes()
    file.file.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    with pytest.raises(InternalError, match=r"is not readable, or it is damaged"):
        await notebooks(file)


async def test_it_is_set_up_for_durable_concurrent_use(file: Database) -> None:
    async with file.read() as session:
        names = ("journal_mode", "foreign_keys", "synchronous")
        assert [await session.scalar(text(f"PRAGMA {name}")) for name in names] == ["wal", 1, 2]


def test_it_is_closed_with_the_event_loop_that_used_it_and_opens_again_in_another(tmp_path: Path) -> None:
    file = notes(tmp_path / "notes.db")
    before = set(threading.enumerate())
    for _ in range(2):
        assert asyncio.run(notebooks(file)) == 1
        left = set(threading.enumerate()) - before
        for thread in left:
            thread.join(20)
        assert not any(thread.is_alive() for thread in left)


async def test_its_files_are_their_owners_alone(tmp_path: Path) -> None:
    with usual_umask():
        file = notes(tmp_path / "deep" / "notes.db")
        await add(file, "mine")
        modes = modes_below(tmp_path)
        await file.close()
    assert modes == {"deep": 0o700} | dict.fromkeys((f"deep/notes.db{end}" for end in ("", "-wal", "-shm")), 0o600)


async def test_a_link_and_a_place_without_a_folder_are_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "other.db")
    with pytest.raises(SetupError, match=r"link\.db is a symbolic link"):
        await notebooks(notes(tmp_path / "link.db"))
    (tmp_path / "file").touch()
    with pytest.raises(SetupError, match=r"the folder .*/file cannot be created: File exists"):
        await notebooks(notes(tmp_path / "file" / "notes.db"))


async def test_a_disk_that_refuses_the_file_is_said_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> int:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(SetupError, match=r"notes\.db cannot be used: Read-only file system"):
        await notebooks(notes(tmp_path / "notes.db"))


@pytest.mark.process
async def test_one_that_is_open_refuses_sessions_in_a_forked_child_until_it_is_closed_there(file: Database) -> None:
    await add(file, "mine")

    async def use_in_child() -> None:
        with pytest.raises(SetupError, match=r"notes\.db was opened by the process that this one was forked from"):
            await asyncio.wait_for(notebooks(file), 20)
        await asyncio.wait_for(file.close(), 20)
        assert await asyncio.wait_for(notebooks(file), 20) == 2
        await file.close()

    assert run_in_child(lambda: asyncio.run(use_in_child())) == 0
    await add(file, "also mine")
    assert await notebooks(file) == 3
