"""A driver holds the lease of its run for as long as it drives, and no longer."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any

import pytest

from remit.call.reply import Reply
from remit.engine.executor import RootCall
from remit.errors import CallCancelledError, DivergedError, JournalError, LeaseError, RequestError
from remit.journal.ledger import RunLedger
from remit.journal.memory import InMemoryStore
from remit.journal.ports import AcquiredLease, AppendFuture
from remit.record.items import Position, RunFinished, RunSuspended
from remit.record.ledger import Consumption
from remit.testing.store_suite.samples import Clock, header_item, later, note, yes
from tests.engine.roots import GOOD, Crash, Stage, asks, end_of, never, raising, replying

pytestmark = pytest.mark.looptime


@pytest.fixture
def stage() -> Stage:
    """The clock of the store is the loop's."""

    def now() -> float:
        return asyncio.get_running_loop().time()

    return Stage(InMemoryStore(now), now)


async def free(stage: Stage, run: str = "run") -> bool:
    """Whether another driver could take the run over now."""
    try:
        epoch = (await stage.store.acquire(run, "somebody", 0)).epoch
    except LeaseError:
        return False
    await stage.store.release(run, epoch)
    return True


async def test_a_run_that_somebody_drives_is_refused_and_left_alone(stage: Stage) -> None:
    await stage.store.acquire("run", "other", 10)
    with pytest.raises(LeaseError, match="executed by other"):
        await stage.begin(never)
    assert await stage.items() == []
    assert not await free(stage)


async def test_the_lease_is_renewed_while_the_run_is_driven(stage: Stage) -> None:
    async def root(_ledger: RunLedger) -> Reply:
        for _ in range(100):
            await asyncio.sleep(3.1)
            assert not await free(stage)
        return GOOD

    assert (await stage.begin(root, seconds=30)).status == "done"
    assert asyncio.get_running_loop().time() > 300


async def test_the_lease_of_a_driver_that_died_runs_out_by_itself(stage: Stage) -> None:
    await stage.store.acquire("run", "dead", 30)
    await asyncio.sleep(30)
    assert (await stage.begin(replying())).status == "done"


@pytest.mark.parametrize(
    ("root", "error"),
    [
        (replying(), None),
        (replying(Reply.from_error(CallCancelledError("no"))), None),
        (asks("q1"), None),
        (raising(DivergedError("other code")), DivergedError),
        (raising(ZeroDivisionError()), ZeroDivisionError),
        (raising(Crash()), Crash),
    ],
    ids=["done", "failed", "waiting", "diverged", "raised", "crashed"],
)
async def test_the_lease_is_released_on_every_way_out(
    stage: Stage, root: RootCall, error: type[BaseException] | None
) -> None:
    if error is None:
        await stage.begin(root)
    else:
        with pytest.raises(error):
            await stage.begin(root)
    assert await free(stage)


async def test_the_lease_is_released_when_the_run_had_ended(stage: Stage) -> None:
    await stage.begin(replying())
    await stage.again(never)
    assert await free(stage)


async def test_nothing_goes_on_after_a_drive(stage: Stage) -> None:
    await stage.begin(replying())
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_driver_whose_run_was_taken_over_stops_at_its_next_item(stage: Stage) -> None:
    async def root(ledger: RunLedger) -> Reply:
        await stage.store.release("run", 1)
        await stage.store.acquire("run", "second", 1000)
        await ledger.commit(note())
        raise AssertionError("unreachable: the store refuses")

    with pytest.raises(LeaseError, match="another executor has taken over"):
        await stage.begin(root)
    assert await stage.items() == [header_item()]
    assert not await free(stage), "the lease of the second is not the first one's to release"


async def complaints(doing: Coroutine[Any, Any, object]) -> list[str]:
    """What the loop complains of while something is done, and after it."""
    said: list[str] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _loop, context: said.append(f"{context['message']}: {context['exception']!r}"))
    await asyncio.wait([asyncio.create_task(doing)])
    gc.collect()
    return said


async def test_a_driver_whose_run_was_taken_over_raises_and_complains_of_nothing_else(stage: Stage) -> None:
    async def root(_ledger: RunLedger) -> Reply:
        await stage.store.release("run", 1)
        await stage.store.acquire("run", "second", 1000)
        await asyncio.sleep(100)
        return GOOD

    async def drive() -> None:
        with pytest.raises(LeaseError):
            await stage.begin(root)

    assert await complaints(drive()) == []


async def test_a_driver_that_is_cancelled_after_it_was_taken_over_complains_of_nothing(stage: Stage) -> None:
    async def root(_ledger: RunLedger) -> Reply:
        await stage.store.release("run", 1)
        await stage.store.acquire("run", "second", 1000)
        await asyncio.sleep(100)
        return GOOD

    async def drive() -> None:
        driving = asyncio.create_task(stage.begin(root))
        await asyncio.sleep(0.1)
        driving.cancel()
        await asyncio.wait([driving])
        assert driving.cancelled()

    assert await complaints(drive()) == []


class Late(InMemoryStore):
    """Answers to `acquire` late, as a database does."""

    async def acquire(
        self, run: str, executor: str, seconds: float, after: int = -1, opening: Sequence[Position] = ()
    ) -> AcquiredLease:
        try:
            return await super().acquire(run, executor, seconds, after, opening)
        finally:
            await asyncio.sleep(0.1)


async def cancelled_early(driving: asyncio.Task[Any]) -> None:
    await asyncio.sleep(0.05)
    driving.cancel()
    await asyncio.wait([driving])
    assert driving.cancelled()
    await asyncio.sleep(1)


async def test_a_driver_that_is_cancelled_while_it_opens_a_run_ends_it() -> None:
    clock = Clock()
    stage = Stage(Late(clock), clock)
    await cancelled_early(asyncio.create_task(stage.begin(never)))
    assert await stage.items() == [header_item(), RunFinished(call="run", status="cancelled")]
    assert stage.seen == await stage.store.read("run")
    assert await free(stage)


async def test_a_driver_that_is_cancelled_while_it_acquires_leaves_no_lease() -> None:
    clock = Clock()
    stage = Stage(Late(clock), clock)
    await stage.begin(asks("q1"))
    await cancelled_early(asyncio.create_task(stage.again(never)))
    assert await stage.kinds() == ["opened", "question", "suspended"]
    assert await free(stage)


async def test_a_driver_that_is_cancelled_while_its_run_is_refused_leaves_it_alone() -> None:
    clock = Clock()
    stage = Stage(Late(clock), clock)
    await stage.store.acquire("run", "other", 10)
    await cancelled_early(asyncio.create_task(stage.begin(never)))
    assert await stage.items() == []
    assert not await free(stage)


class Counted(InMemoryStore):
    """Counts what would be transactions in a database."""

    changes: Sequence[str] = ()

    def append(
        self, run: str, epoch: int, items: Sequence[Position], consumption: Consumption | None = None
    ) -> AppendFuture:
        self.changes = (*self.changes, "append " + " ".join(each.item.kind for each in items))
        return super().append(run, epoch, items, consumption)

    async def acquire(
        self, run: str, executor: str, seconds: float, after: int = -1, opening: Sequence[Position] = ()
    ) -> AcquiredLease:
        self.changes = (*self.changes, "acquire" + "".join(f" {each.item.kind}" for each in opening))
        return await super().acquire(run, executor, seconds, after, opening)

    async def release(self, run: str, epoch: int) -> None:
        self.changes = (*self.changes, "release")
        await super().release(run, epoch)


async def test_a_run_is_opened_and_ended_by_one_transaction_each() -> None:
    store = Counted(Clock())
    stage = Stage(store, Clock())
    await stage.begin(replying())
    assert store.changes == ("acquire opened", "append tool_output finished")


async def test_a_pause_takes_as_many_transactions_as_it_has_moments() -> None:
    store = Counted(Clock())
    stage = Stage(store, Clock())
    await stage.begin(asks("q1"))
    await store.decide(yes())
    await stage.again(asks("q1"))
    assert store.changes == (
        *("acquire opened", "append question", "append suspended"),
        *("acquire", "append resumed decision tool_output finished"),
    )


async def test_a_run_that_is_only_stored_takes_one_transaction_and_is_free() -> None:
    store = Counted(Clock())
    stage = Stage(store, Clock())
    await stage.driver().create_run("run", header_item(), note())
    assert store.changes == ("acquire opened note",)
    assert stage.seen == await store.read("run")
    assert await free(stage)
    with pytest.raises(RequestError, match="exists already"):
        await stage.driver().create_run("run", header_item())
    with pytest.raises(RequestError, match="exists already"):
        await stage.begin(never)


class Continued(InMemoryStore):
    """A store whose run another executor continues as soon as it is free, before anything else is read."""

    async def acquire(self, *given: Any, **named: Any) -> AcquiredLease:
        found = await super().acquire(*given, **named)
        if not found.is_opened:
            history, stored = found.items, list[Position]()
            ledger = RunLedger(self, "run", found.epoch, history=history, clock=Clock(), on_stored=stored.extend)
            ledger.add(note())
            await ledger.flush()
            ledger.close()
        return found


async def test_a_run_that_goes_on_when_it_is_stored_again_exists_and_is_not_broken() -> None:
    stage = Stage(Continued(Clock()), Clock())
    await stage.driver().create_run("run", header_item())
    with pytest.raises(RequestError, match="exists already"):
        await stage.driver().create_run("run", header_item())


async def test_a_run_whose_executor_died_before_it_was_stored_can_be_stored_all_the_same(stage: Stage) -> None:
    await stage.store.acquire("one", "dead", 0)
    await stage.store.acquire("two", "dead", 0)
    await stage.driver().create_run("one", header_item("one"))
    assert await stage.items("one") == [header_item("one")]
    assert (await stage.begin(replying(), run="two")).status == "done"
    assert await stage.kinds("two") == ["opened", "tool_output", "finished"]


async def test_a_second_drive_of_the_same_run_in_this_process_is_refused(stage: Stage) -> None:
    async def root(ledger: RunLedger) -> Reply:
        with pytest.raises(LeaseError, match="executed by me"):
            await stage.again(never, name="me")
        ledger.add(end_of(GOOD))
        return GOOD

    assert (await stage.begin(root)).status == "done"
    assert await stage.kinds() == ["opened", "tool_output", "finished"]


class Away(InMemoryStore):
    """A store that is away for a while each time that a lease is to be renewed."""

    renewals = 0

    async def renew(self, run: str, epoch: int, seconds: float) -> None:
        self.renewals += 1
        if self.renewals % 2:
            raise JournalError("the database is away")
        await super().renew(run, epoch, seconds)


async def test_a_lease_is_held_on_to_where_the_store_was_away_for_a_moment() -> None:
    now = asyncio.get_running_loop().time
    stage = Stage(Away(now), now)

    async def root(_ledger: RunLedger) -> Reply:
        for _ in range(100):
            await asyncio.sleep(3.1)
            assert not await free(stage)
        return GOOD

    assert (await stage.begin(root, seconds=30)).status == "done"


class Meanwhile(InMemoryStore):
    """A decision or a cancellation arrives just before a run rests, when its sender cannot execute the run."""

    def __init__(self, clock: Callable[[], float], meanwhile: Callable[[InMemoryStore], Awaitable[None]]) -> None:
        super().__init__(clock)
        self._meanwhile = [meanwhile]

    def append(
        self, run: str, epoch: int, items: Sequence[Position], consumption: Consumption | None = None
    ) -> AppendFuture:
        append = super().append

        async def storing() -> None:
            while self._meanwhile:
                await self._meanwhile.pop()(self)
            await append(run, epoch, items, consumption)

        return later(storing()) if isinstance(items[-1].item, RunSuspended) else append(run, epoch, items, consumption)


async def test_a_decision_that_comes_when_the_run_waits_and_its_lease_is_held_drives_it_on() -> None:
    now = asyncio.get_running_loop().time
    stage = Stage(Meanwhile(now, lambda store: store.decide(yes())), now)
    assert (await stage.begin(asks("q1"))).status == "done"
    assert await stage.kinds() == [
        "opened", "question", "suspended", "resumed", "decision", "tool_output", "finished"
    ]  # fmt: skip


async def test_a_cancel_that_comes_when_the_run_waits_and_its_lease_is_held_ends_it() -> None:
    now = asyncio.get_running_loop().time
    stage = Stage(Meanwhile(now, lambda store: store.request_cancel("run", "ada")), now)
    assert (await stage.begin(asks("q1"))).status == "cancelled"
    assert await stage.status() == "cancelled"


class Gone(InMemoryStore):
    """It accepts no questions after its lease was released."""

    async def cancel_requested_by(self, run: str) -> str:
        if not await self.is_held(run):
            raise JournalError("the database is away")
        return await super().cancel_requested_by(run)


async def test_a_run_waits_where_nobody_can_tell_whether_it_was_decided() -> None:
    now = asyncio.get_running_loop().time
    stage = Stage(Gone(now), now)
    assert (await stage.begin(asks("q1"))).status == "waiting"
