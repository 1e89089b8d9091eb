"""What the engine on DBOS does besides what every engine does."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from remit.adapters.dbos import DbosEngine, LivenessLock
from remit.database import Database, Schema
from remit.errors import RequestError, SetupError
from remit.journal.sql.store import SqlStore
from remit.record.items import AttemptStarted
from tests.engine.engines import dbos
from tests.engine.office import Office
from tests.postgres import Postgres

pytestmark = pytest.mark.slow


@pytest.fixture
async def store(queue_url: str) -> AsyncIterator[SqlStore]:
    store = SqlStore(queue_url)
    yield store
    await store.close()


@pytest.fixture
def office(store: SqlStore) -> Office:
    return Office(store)


@pytest.fixture
async def engine(office: Office, queue_url: str) -> AsyncIterator[DbosEngine]:
    engine = dbos(office, queue_url, 4, 5.0)
    yield engine
    await engine.close()


async def test_an_application_whose_data_is_a_file_is_refused_unless_all_processes_share_it(
    office: Office, queue_url: str, tmp_path: Path
) -> None:
    data = Database(tmp_path / "data.db", Schema(name="notes", migrations=tmp_path, head="1"))

    def build(*, local_data: bool = False) -> DbosEngine:
        execute = office.runtime().resume
        return DbosEngine(
            queue_url, office.store, execute, applications=["a"], local_data=local_data, on_error=office.report
        )

    with pytest.raises(SetupError, match=r"keep their data in .*data\.db.* pass local_data=True"):
        build()
    assert build(local_data=True).name
    assert data.file == tmp_path / "data.db"


def drive_until_killed(url: str) -> None:
    """A process that begins to drive, and dies in the middle of the first call."""

    async def go() -> None:
        office = Office(SqlStore(url), lease=1.0)
        async with dbos(office, url, 4, 5.0):
            await office.until_true(lambda: office.here == 1)
            os.kill(os.getpid(), signal.SIGKILL)

    asyncio.run(go())


@pytest.mark.process
async def test_the_runs_of_a_process_that_was_killed_are_driven_on_by_another(
    office: Office, engine: DbosEngine, queue_url: str
) -> None:
    run = await office.open("hold")
    await engine.start(run)
    process = multiprocessing.get_context("spawn").Process(target=drive_until_killed, args=(queue_url,))
    process.start()
    await asyncio.to_thread(process.join)
    assert process.exitcode == -signal.SIGKILL
    assert any(isinstance(item, AttemptStarted) for item in await office.items(run))
    office.gate.set()
    async with engine:
        await office.until(run)
    assert len(office.written) == 1


async def test_a_run_that_only_the_journal_knows_is_queued_when_a_process_begins(
    office: Office, engine: DbosEngine
) -> None:
    """Who opened it died before it could queue it."""
    run = await office.open("write")
    async with engine:
        await office.until(run)


def test_a_process_is_gone_when_it_has_let_go_of_its_lock(queue_url: str) -> None:
    mine, theirs = LivenessLock(queue_url, "mine"), LivenessLock(queue_url, "theirs")
    mine.acquire()
    theirs.acquire()
    with mine.hold_if_dead("theirs") as gone:
        assert not gone
    theirs.release()
    with mine.hold_if_dead("theirs") as gone:
        assert gone
    mine.release()


def test_a_process_that_lost_its_connection_shows_itself_again(postgres: Postgres, queue_url: str) -> None:
    mine, theirs = LivenessLock(queue_url, "mine"), LivenessLock(queue_url, "theirs")
    theirs.acquire()
    postgres.disconnect(queue_url.partition("@/")[2].partition("?")[0])
    mine.acquire()
    with mine.hold_if_dead("theirs") as gone:
        assert gone
    theirs.acquire()
    with mine.hold_if_dead("theirs") as gone:
        assert not gone
    theirs.release()
    mine.release()


def test_two_processes_do_not_take_over_from_a_third_at_once(queue_url: str) -> None:
    one, other = LivenessLock(queue_url, "one"), LivenessLock(queue_url, "other")
    one.acquire()
    other.acquire()
    with one.hold_if_dead("third") as gone, other.hold_if_dead("third") as gone_too:
        assert (gone, gone_too) == (True, False)
    with other.hold_if_dead("third") as gone:
        assert gone
    one.release()
    other.release()


async def test_a_run_that_is_not_there_is_refused(engine: DbosEngine) -> None:
    with pytest.raises(RequestError, match="run nothing does not exist"):
        await engine.wake("nothing")


async def test_a_database_that_is_not_there_is_named_in_one_line(office: Office, queue_url: str) -> None:
    run = await office.open("write")
    engine = dbos(office, queue_url.replace("remit:rosebud@", "nobody:wrong@"), 4, 5.0)
    with pytest.raises(SetupError, match="database of DBOS cannot be used") as refused:
        await engine.start(run)
    assert "\n" not in refused.value.message
    assert "wrong" not in refused.value.message
