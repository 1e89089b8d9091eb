"""A change of one process wakes those who watch in another, and a later transaction hides no earlier one."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import Connection, event, text

from remit.errors import JournalError
from remit.journal.changes import parse_place
from remit.journal.sql import change_watch
from remit.journal.sql.change_watch import ChangeWatch
from remit.journal.sql.store import SqlStore
from remit.testing.store_suite.changes import changes, description, now
from remit.testing.store_suite.samples import begin, question, question_item, yes

Opening = Callable[[Path | str], SqlStore]
THREAD = "remit-journal-changes"


@pytest.fixture
def stores(where: str, opening: Opening) -> list[SqlStore]:
    """Two on one journal, like processes."""
    return [opening(where) for _ in range(2)]


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.to_thread(threading.Event().wait, 0.01)


def threads() -> int:
    return sum(each.name == THREAD for each in threading.enumerate())


async def test_a_decision_in_one_process_wakes_those_who_watch_in_another(
    stores: list[SqlStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(change_watch, "POLL_SECONDS", 0.01)
    here, elsewhere = stores
    run = await begin(elsewhere)
    await run.append(question_item(question()))
    place, is_waiting = await now(here), asyncio.Event()

    async def see(changed: asyncio.Event) -> list[tuple[str, str]]:
        while not (found := await changes(here, place)):
            is_waiting.set()
            await changed.wait()
            changed.clear()
        return found

    with here.watch_changes() as first, here.watch_changes() as second:
        async with asyncio.timeout(30), asyncio.TaskGroup() as group:
            seeing = [group.create_task(see(changed)) for changed in (first, second)]
            await is_waiting.wait()
            await elsewhere.decide(yes())
    assert [each.result() for each in seeing] == [[("q1", "approved")]] * 2


async def test_those_who_watch_are_left_alone_as_long_as_nothing_changes(
    stores: list[SqlStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    looks, wakes = list[object](), list[object]()

    def wake(watch: ChangeWatch) -> None:
        wakes.append(watch)

    monkeypatch.setattr(change_watch, "POLL_SECONDS", 0.01)
    monkeypatch.setattr(change_watch, "_SETTLE_SECONDS", 0.0)
    monkeypatch.setattr(ChangeWatch, "wake", wake)
    monkeypatch.setattr(change_watch, "time", SimpleNamespace(monotonic=lambda: looks.append(None) or 0.0))
    await now(stores[0])
    event.listen(vars(stores[0])["_engine"], "after_cursor_execute", lambda *_arguments: looks.append(None))
    with stores[0].watch_changes():
        await until(lambda: len(looks) > 20)
        assert wakes.count(vars(stores[0])["_changes"]) == 1  # when it began; others may still end


async def test_one_thread_looks_for_changes_however_many_watch_and_ends_with_the_last(
    stores: list[SqlStore],
) -> None:
    store = stores[0]
    await now(store)
    await until(lambda: threads() == 0)  # earlier tests may have left one
    for _ in range(2):
        with store.watch_changes():
            with store.watch_changes():
                assert threads() == 1
            assert threads() == 1
        await until(lambda: threads() == 0)


async def test_a_closed_store_looks_for_no_changes(stores: list[SqlStore]) -> None:
    store = stores[0]
    await now(store)
    await until(lambda: threads() == 0)  # earlier tests may have left one
    with store.watch_changes():
        await store.close()
        await until(lambda: threads() == 0)


async def test_those_who_watch_a_journal_that_cannot_be_read_are_woken_and_learn_why(
    stores: list[SqlStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(change_watch, "_RETRY_SECONDS", 0.01)
    failures = list[ChangeWatch]()

    def fail(watch: ChangeWatch, _stopping: threading.Event) -> None:
        failures.append(watch)
        raise JournalError("gone")

    for name in ("_poll", "_listen"):
        monkeypatch.setattr(ChangeWatch, name, fail)
    with stores[0].watch_changes() as changed:
        await changed.wait()
        await until(lambda: len(failures) > 1)


def run_in(connection: Connection, run: str) -> None:
    """A transaction that changes a run, begun now."""
    changed = "changed = pg_current_xact_id()::text::bigint"
    connection.execute(text(f"UPDATE remit_runs SET status = 'waiting', {changed} WHERE run = :run"), {"run": run})  # noqa: S608


async def test_on_postgres_a_transaction_that_ends_after_a_later_one_is_not_skipped(url: str, opening: Opening) -> None:
    store = opening(url)
    for name in ("early", "late"):
        await begin(store, name)
    start = await now(store)
    with vars(store)["_engine"].connect() as early, vars(store)["_engine"].connect() as late:
        run_in(early, "early")
        run_in(late, "late")
        late.commit()
        between = await store.read_changes("default", start, 100)
        assert [description(each.row) for each in between.changes] == [("late", "waiting")]
        assert await changes(store, between.place) == []
        early.commit()
    assert await changes(store, between.place) == [("early", "waiting")]
    again = parse_place(str(between.changes[-1].place))
    assert again is not None
    assert await changes(store, again) == [("early", "waiting")]


async def test_on_postgres_nothing_is_announced_unless_a_process_watches(url: str, opening: Opening) -> None:
    store = opening(url)
    await begin(store, "first")
    with vars(store)["_engine"].connect().execution_options(isolation_level="AUTOCOMMIT") as listening:
        driver = listening.connection.driver_connection
        listening.execute(text("LISTEN remit_changes"))
        await begin(store, "second")
        assert list(driver.notifies(timeout=0, stop_after=1)) == []
        await store.watch("", 10.0)
        with vars(store)["_engine"].begin() as connection:
            connection.execute(text("UPDATE remit_watches SET until = extract(epoch FROM clock_timestamp()) + 60"))
        await begin(store, "third")
        assert len(list(driver.notifies(timeout=30, stop_after=1))) == 1
