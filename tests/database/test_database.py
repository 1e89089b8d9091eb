"""An application's SQLite file: made and migrated when it is first used, and safe for whoever reads and writes it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.exc import IntegrityError, OperationalError

from remit.database import SqliteFile
from remit.errors import RateLimitedError, ToolFailedError
from tests.database.tables import Note, Notebook, notes

NOW = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)


@pytest.fixture
async def file(tmp_path: Path) -> AsyncGenerator[SqliteFile]:
    opened = notes(tmp_path / "notes.db")
    yield opened
    await opened.close()


async def notebooks(file: SqliteFile) -> int:
    async with file.read_session() as session:
        return await session.scalar(select(func.count()).select_from(Notebook)) or 0


async def add(file: SqliteFile, name: str, then: Callable[[], object] = lambda: None) -> None:
    async with file.write_session() as session:
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


async def test_a_file_that_lags_behind_is_brought_up_to_date_and_keeps_what_it_has(file: SqliteFile) -> None:
    await add(file, "mine")
    async with file.write_session() as session:
        await session.execute(text("DELETE FROM alembic_version"))
        await session.execute(text("DROP TABLE notes"))
        await session.execute(text("ALTER TABLE notebooks RENAME TO kept"))
    await file.close()
    assert await notebooks(file) == 1
    async with file.read_session() as session:
        assert (await session.scalars(text("SELECT name FROM kept ORDER BY name"))).all() == ["first", "mine"]


@pytest.mark.process
def test_a_file_that_is_up_to_date_is_opened_without_alembic(tmp_path: Path) -> None:
    program = (
        "import asyncio, sys\nfrom pathlib import Path\nfrom tests.database.tables import notes\n"
        "async def main():\n    file = notes(Path(sys.argv[1]))\n"
        "    async with file.read_session() as session: await session.connection()\n    await file.close()\n"
        "asyncio.run(main())\nprint('alembic' in sys.modules)"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "notes.db")]
    outputs = [subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(2)]
    assert outputs == ["True\n", "False\n"]


async def test_many_first_uses_at_once_open_it_once(file: SqliteFile) -> None:
    assert await asyncio.gather(*(notebooks(file) for _ in range(5))) == [1] * 5


async def test_two_that_open_a_new_file_at_once_fill_it_once(tmp_path: Path) -> None:
    first, second = notes(tmp_path / "notes.db"), notes(tmp_path / "notes.db")
    assert await asyncio.gather(notebooks(first), notebooks(second)) == [1, 1]
    await first.close()
    await second.close()


async def test_a_file_that_is_no_database_is_said_in_one_line_each_time(tmp_path: Path) -> None:
    (tmp_path / "notes.db").write_bytes(b"this is no database at all" * 100)
    file = notes(tmp_path / "notes.db")
    for _ in range(2):
        with pytest.raises(
            ToolFailedError, match=r"notes\.db is not a database, or it is damaged.*move it away"
        ) as outputs:
            await notebooks(file)
        assert "http" not in outputs.value.message


async def test_a_file_that_was_damaged_while_in_use_is_said_in_one_line(file: SqliteFile) -> None:
    await add(file, "mine")
    await file.close()
    whole = file.path.read_bytes()
    file.path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    with pytest.raises(ToolFailedError, match=r"notes\.db is not a database, or it is damaged"):
        await notebooks(file)


async def test_it_is_set_up_for_durable_concurrent_use(file: SqliteFile) -> None:
    async with file.read_session() as session:
        names = ("journal_mode", "foreign_keys", "synchronous")
        assert [await session.scalar(text(f"PRAGMA {name}")) for name in names] == ["wal", 1, 2]


async def test_its_sql_knows_the_functions_it_was_given(file: SqliteFile) -> None:
    async with file.read_session() as session:
        assert await session.scalar(text("SELECT shout('hello')")) == "HELLO"


async def test_a_moment_comes_back_with_its_zone(file: SqliteFile) -> None:
    async with file.write_session() as session:
        session.add(Note(title="bread", notebook="first", at=NOW))
    async with file.read_session() as session:
        assert (await session.get_one(Note, "bread")).at == NOW


async def test_a_moment_is_the_same_moment_in_whatever_zone_it_was_given(file: SqliteFile) -> None:
    async with file.write_session() as session:
        session.add(Note(title="bread", notebook="first", at=NOW.astimezone(timezone(timedelta(hours=2)))))
    async with file.read_session() as session:
        assert (await session.get_one(Note, "bread")).at == NOW


async def test_a_row_that_refers_to_nothing_is_refused(file: SqliteFile) -> None:
    with pytest.raises(IntegrityError, match="FOREIGN KEY"):
        async with file.write_session() as session:
            session.add(Note(title="bread", notebook="nowhere", at=NOW))


async def test_an_error_rolls_a_write_back(file: SqliteFile) -> None:
    with pytest.raises(ZeroDivisionError):
        await add(file, "mine", lambda: 1 // 0)
    assert await notebooks(file) == 1


async def test_a_reader_goes_on_seeing_one_state_while_another_writes(file: SqliteFile) -> None:
    async with file.read_session() as session:
        before = await session.scalar(select(func.count()).select_from(Notebook))
        await add(file, "mine")
        assert await session.scalar(select(func.count()).select_from(Notebook)) == before


async def test_a_writer_that_waits_too_long_is_told_to_try_again(file: SqliteFile) -> None:
    hasty = notes(file.path, busy_timeout=0.01)
    async with file.write_session() as session:
        await session.connection()
        with pytest.raises(RateLimitedError, match=r"notes\.db is being written"):
            await add(hasty, "mine")
    await hasty.close()


async def test_another_failure_of_the_database_is_not_called_busy(file: SqliteFile) -> None:
    with pytest.raises(OperationalError, match="no such table"):
        async with file.write_session() as session:
            await session.execute(text("DELETE FROM no_table"))


async def test_a_closed_file_opens_again(file: SqliteFile) -> None:
    await add(file, "mine")
    await file.close()
    await file.close()
    assert await notebooks(file) == 2


def test_it_is_closed_with_the_event_loop_that_used_it_and_opens_again_in_another(tmp_path: Path) -> None:
    file = notes(tmp_path / "notes.db")
    before = set(threading.enumerate())
    for _ in range(2):
        assert asyncio.run(notebooks(file)) == 1
        left = set(threading.enumerate()) - before
        for thread in left:
            thread.join(20)
        assert not any(thread.is_alive() for thread in left)
