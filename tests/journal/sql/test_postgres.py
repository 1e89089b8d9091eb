"""On Postgres many processes write at once: each waits for who changes the same, none for ever, and none is fooled."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Coroutine, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, event, make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import Pool

from remit.errors import ApprovalUsedError, JournalError, LeaseError, RequestConflictError
from remit.journal.ports import AcquiredLease
from remit.journal.sql import writes
from remit.journal.sql.statements import run_by_driver
from remit.journal.sql.store import SqlStore
from remit.journal.sql.tables import begin_transaction, open_engine
from remit.journal.sql.writer import Writer
from remit.record.ledger import Consumption
from remit.testing.store_suite.samples import (
    Run,
    acquire_run,
    begin,
    header_item,
    no,
    note,
    positions,
    question,
    question_item,
    start_item,
    yes,
)
from tests.journal.programs import Program
from tests.postgres import PASSWORD, Postgres

Opening = Callable[[Path | str], SqlStore]


@pytest.fixture
def stores(url: str, opening: Opening) -> list[SqlStore]:
    """Several on one journal, each with connections and a writer of its own, like processes."""
    return [opening(url) for _ in range(6)]


@pytest.fixture
def own(url: str, opening: Opening) -> SqlStore:
    return opening(url)


async def at_once(tries: Iterable[Coroutine[Any, Any, object]]) -> list[object]:
    return await asyncio.gather(*tries, return_exceptions=True)


def failures(outcomes: Iterable[object]) -> list[type[object]]:
    return [type(outcome) for outcome in outcomes if isinstance(outcome, BaseException)]


class Steps:
    """Each transaction that has its locks meanwhile waits until it is let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun = threading.Semaphore(0)
        self.go = threading.Semaphore(0)
        monkeypatch.setattr(writes, "begin_transaction", self._begin)

    def _begin(self, connection: Connection, first: Sequence[str]) -> None:
        begin_transaction(connection, first)
        self.begun.release()
        assert self.go.acquire(timeout=20)


# --- time -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("skew", [-120.0, 120.0, -86_400.0])
async def test_a_lease_lasts_by_the_clock_of_the_database_whatever_the_clock_of_a_process(
    url: str, monkeypatch: pytest.MonkeyPatch, skew: float
) -> None:
    first, second = SqlStore(url), SqlStore(url)
    try:
        epoch = (await first.acquire("run", "first", 60.0)).epoch
        today = time.time
        monkeypatch.setattr(time, "time", lambda: today() + skew)
        with pytest.raises(LeaseError, match="executed by first"):
            await second.acquire("run", "second", 60.0)
        await first.release("run", epoch)
        assert (await second.acquire("run", "second", 60.0)).epoch == 2
    finally:
        await first.close()
        await second.close()


# --- who changes the same, one after the other ----------------------------------------------------------------


async def test_of_many_that_acquire_a_new_run_one_gets_it_and_the_others_hear_of_its_driver(
    stores: list[SqlStore],
) -> None:
    for run in (f"run{number}" for number in range(10)):
        outcomes = await at_once(store.acquire(run, f"driver{index}", 10) for index, store in enumerate(stores))
        assert [outcome.epoch for outcome in outcomes if isinstance(outcome, AcquiredLease)] == [1]
        assert failures(outcomes) == [LeaseError] * 5


async def test_of_many_that_acquire_a_run_whose_lease_is_over_one_gets_it(stores: list[SqlStore]) -> None:
    for epoch in range(1, 10):
        outcomes = await at_once(store.acquire("run", "driver", 10) for store in stores)
        assert [outcome.epoch for outcome in outcomes if isinstance(outcome, AcquiredLease)] == [epoch]
        await stores[0].release("run", epoch)


async def test_of_many_runs_that_are_opened_in_one_conversation_one_is(stores: list[SqlStore]) -> None:
    for talk in (f"talk{number}" for number in range(10)):
        runs = [await acquire_run(store, f"{talk}-{index}") for index, store in enumerate(stores)]
        outcomes = await at_once(run.append(header_item(run.run, conversation=talk)) for run in runs)
        assert failures(outcomes) == [RequestConflictError] * 5
        assert len(await stores[0].list_runs(conversation=talk)) == 1


async def test_of_many_decisions_on_a_question_the_first_counts(stores: list[SqlStore]) -> None:
    run = await begin(stores[0])
    for name in (f"q{number}" for number in range(10)):
        await run.append(question_item(question(name)))
        by = [(yes if index % 2 else no)(name, by=f"person{index}") for index in range(len(stores))]
        outcomes = await at_once(store.decide(each) for store, each in zip(stores, by, strict=True))
        assert failures(outcomes) == [RequestConflictError] * 5
        (row,) = [row for row in await run.store.list_questions(only_open=False) if row.question.id == name]
        assert row.decision == by[outcomes.index(None)]


async def test_of_many_runs_that_use_one_approval_one_does(stores: list[SqlStore]) -> None:
    asker = await begin(stores[0])
    users = [await begin(store, f"user{index}") for index, store in enumerate(stores)]
    for name in (f"q{number}" for number in range(10)):
        await asker.append(question_item(question(name)))
        await stores[0].decide(yes(name))
        outcomes = await at_once(
            user.append(start_item(question=name), take=Consumption((name,), user.run, "call")) for user in users
        )
        assert failures(outcomes) == [ApprovalUsedError] * 5


async def test_of_two_drivers_that_append_at_one_place_one_does(own: SqlStore, url: str, opening: Opening) -> None:
    run, other = await begin(own), opening(url)
    for seq in range(1, 20):
        placed = [positions("run", [note(who)], first=seq) for who in ("one", "two")]
        outcomes = await at_once(
            asyncio.wait_for(store.append("run", run.epoch, items), 20)
            for store, items in zip((own, other), placed, strict=True)
        )
        assert failures(outcomes) == [LeaseError]
    assert [position.seq for position in await own.read("run")] == list(range(20))


async def test_works_of_two_processes_in_opposite_orders_do_not_wait_for_each_other(stores: list[SqlStore]) -> None:
    """A transaction holds many runs and questions; whoever comes takes them in one order, however they were given."""
    asker = await begin(stores[0])
    runs = [await begin(stores[0], f"run{number}") for number in range(8)]
    await asker.append(*(question_item(question(f"q{number}")) for number in range(8)))

    def all_of(store: SqlStore, order: list[int]) -> list[Coroutine[Any, Any, object]]:
        return [
            work
            for number in order
            for work in (
                store.renew(f"run{number}", 1, 1e6),
                store.request_cancel(f"run{number}", "ada"),
                store.decide(yes(f"q{number}")),
                store.acquire(f"new{number}", "driver", 0),
            )
        ]

    forward = list(range(8))
    orders = (forward, forward[::-1])
    outcomes = await at_once(work for index, store in enumerate(stores) for work in all_of(store, orders[index % 2]))
    assert set(failures(outcomes)) == {RequestConflictError}, "decided by the first; nobody met a deadlock"
    assert [await store.cancel_requested_by(run.run) for store in stores[:1] for run in runs] == ["ada"] * 8
    cancelling = Run(stores[1], "run0", 1)
    cancelling.next = 1
    await cancelling.append(note())


WRITES = """
import asyncio, random, sys
from remit.errors import LeaseError
from remit.journal.sql.store import SqlStore
from remit.testing.store_suite.samples import note, positions

async def main():
    chance = random.Random(int(sys.argv[2]))
    store = SqlStore(sys.argv[1])
    print("ready", flush=True)
    sys.stdin.readline()

    async def drive(run):
        try:
            epoch = (await store.acquire(run, sys.argv[2], 60)).epoch
        except LeaseError:
            return await store.request_cancel(run, sys.argv[2])
        kept = await store.read(run)
        for first in range(len(kept), len(kept) + 5):
            await store.append(run, epoch, positions(run, [note(sys.argv[2])], epoch=epoch, first=first))
        await store.release(run, epoch)

    for _ in range(3):
        runs = [f"run{number}" for number in range(8)]
        chance.shuffle(runs)
        await asyncio.gather(*map(drive, runs))
    await store.close()

asyncio.run(main())
"""


@pytest.mark.process
@pytest.mark.slow
async def test_processes_that_drive_the_same_runs_at_once_all_end_and_leave_no_gap(own: SqlStore, url: str) -> None:
    await own.list_runs()
    programs = [Program(WRITES, url, str(number)) for number in range(2)]
    for program in programs:
        assert await asyncio.to_thread(program.says) == "ready"
    for program in programs:
        program.told()
    for program in programs:
        assert await asyncio.to_thread(program.ends) == []
    for number in range(8):
        kept = await own.read(f"run{number}")
        assert len(kept) % 5 == 0
        assert [position.seq for position in kept] == list(range(len(kept)))
        assert all(len({p.epoch for p in kept[start : start + 5]}) == 1 for start in range(0, len(kept), 5))


# --- what a database keeps ------------------------------------------------------------------------------------


async def test_a_body_comes_back_whatever_characters_it_holds(own: SqlStore) -> None:
    run = await begin(own)
    said = [note("a\0b"), note("half \ud83d"), note("\u2028 caf\u00e9 \U0001f35e"), note("\\u0000")]
    await run.append(*said)
    assert [position.item for position in (await own.read("run"))[1:]] == said


async def test_a_name_that_postgres_cannot_hold_is_refused_and_the_journal_goes_on(own: SqlStore) -> None:
    run = await acquire_run(own)
    with pytest.raises(JournalError, match="NUL"):
        await run.append(header_item(conversation="a\0b"))
    run.next = 0
    await run.append(header_item())


# --- when the database refuses, or goes away -------------------------------------------------------------------


async def test_what_the_database_refuses_is_one_line_and_spoils_none_of_its_batch(
    own: SqlStore, postgres: Postgres, database: str
) -> None:
    runs = [await begin(own, f"run{index}") for index in range(5)]
    postgres.do("ALTER TABLE remit_items ADD CONSTRAINT cold CHECK (position('fire' IN body) = 0)", database=database)
    outcomes = await at_once(run.append(note("fire" if run is runs[2] else "ice")) for run in runs)
    assert failures(outcomes) == [JournalError]
    assert "check constraint" in str(outcomes[2])
    assert "\n" not in str(outcomes[2])
    assert [len(await own.read(run.run)) for run in runs] == [2, 2, 1, 2, 2]


async def test_connections_lost_while_nobody_used_them_are_made_again(
    own: SqlStore, postgres: Postgres, database: str
) -> None:
    run = await begin(own)
    postgres.disconnect(database)
    await run.append(note())
    postgres.disconnect(database)
    assert len(await own.read("run")) == 2


async def test_a_connection_lost_while_it_is_read_is_told_and_the_next_read_has_another(
    own: SqlStore, postgres: Postgres, database: str
) -> None:
    await begin(own)

    def lose(*_connection: object) -> None:
        postgres.disconnect(database)

    event.listen(Pool, "checkout", lose)
    try:
        outcomes = await at_once(own.read("run") for _ in range(2))
    finally:
        event.remove(Pool, "checkout", lose)
    assert type(outcomes[0]) is JournalError
    assert "\n" not in str(outcomes[0])
    assert [position.item for position in await own.read("run")] == [header_item()]


async def test_the_connection_of_the_writer_stays_open_and_is_replaced_when_it_was_lost(
    own: SqlStore, postgres: Postgres, database: str
) -> None:
    run = await begin(own)
    taken: list[object] = []

    def count(*connection: object) -> None:
        taken.append(connection)

    event.listen(Pool, "checkout", count)
    try:
        for _ in range(3):
            await run.append(note())
        kept = len(taken)
        postgres.disconnect(database)
        await run.append(note())
    finally:
        event.remove(Pool, "checkout", count)
    assert (kept, len(taken)) == (0, 1)
    assert [position.item for position in await own.read("run")] == [header_item(), *[note()] * 4]


@pytest.mark.parametrize("waiting", [1, 5])
async def test_a_connection_lost_in_a_transaction_is_told_to_all_of_its_batch_and_the_next_one_is_stored(
    own: SqlStore, postgres: Postgres, database: str, waiting: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [await begin(own, f"run{index}") for index in range(waiting)]
    for run in runs:
        await run.append(note())
    with monkeypatch.context() as patched:
        steps = Steps(patched)
        renewed = asyncio.create_task(own.renew("run0", 1, 1e6))
        await asyncio.to_thread(steps.begun.acquire, timeout=20)
        writing = [asyncio.create_task(run.append(note("lost"))) for run in runs]
        await asyncio.sleep(0)
        steps.go.release()
        await asyncio.to_thread(steps.begun.acquire, timeout=20)
        await renewed
        postgres.disconnect(database)
        steps.go.release(2)
        outcomes = await asyncio.gather(*writing, return_exceptions=True)
    assert failures(outcomes) == [JournalError] * waiting
    assert len({str(outcome) for outcome in outcomes}) == 1
    assert "\n" not in str(outcomes[0])
    for run in runs:
        assert [position.item for position in (await own.read(run.run))[1:]] == [note()]
        await run.append(note("again"))


async def test_a_server_that_refuses_the_password_is_named_and_the_password_is_not(
    postgres: Postgres, database: str, opening: Opening
) -> None:
    store = opening(postgres.url(database, password="xanadu"))
    for use in (store.list_runs(), store.renew("run", 1, 1)):
        with pytest.raises(JournalError, match=r"password authentication failed") as refused:
            await use
        assert "xanadu" not in str(refused.value)
        assert "\n" not in str(refused.value)
    assert PASSWORD not in repr(vars(opening(postgres.url(database))))


async def test_a_server_that_is_not_there_is_named(tmp_path: Path, opening: Opening) -> None:
    with pytest.raises(JournalError, match=r"postgresql://ada@/remit could not be read: .*No such file"):
        await opening(f"postgresql://ada:{PASSWORD}@/remit?host={tmp_path}").list_runs()


async def test_a_transaction_of_which_a_statement_failed_is_not_taken_for_stored(url: str) -> None:
    def swallow(connection: Connection) -> str:
        with contextlib.suppress(DBAPIError):
            run_by_driver(connection, "SELECT nothing")
        return "stored"

    engine = open_engine(make_url(url))
    writer = Writer(engine)
    try:
        with pytest.raises(JournalError, match="one of its statements failed, so nothing was stored"):
            await writer.submit(swallow)
        assert await writer.submit(lambda _connection: "next") == "next"
    finally:
        await asyncio.to_thread(writer.close)
        engine.dispose()
