"""A driver holds the lease of its run for as long as it drives, and no longer."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Coroutine
from typing import Any

import pytest

from remit.contracts.reply import Reply
from remit.engine.drive import Root
from remit.errors import CallCancelledError, DivergedError, LeaseError
from remit.journal.in_process import InProcessStore
from remit.journal.ledger import RunLedger
from remit.journal.ports import Held
from tests.engine.roots import GOOD, Crash, Stage, asks, end_of, never, raising, replying
from tests.journal.samples import Clock, note, opened

pytestmark = pytest.mark.looptime


@pytest.fixture
def stage() -> Stage:
    """The clock of the store is the loop's."""

    def now() -> float:
        return asyncio.get_running_loop().time()

    return Stage(InProcessStore(now), now)


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
    with pytest.raises(LeaseError, match="driven by other"):
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
        (replying(Reply.failed(CallCancelledError("no"))), None),
        (asks("q1"), None),
        (raising(DivergedError("other code")), DivergedError),
        (raising(ZeroDivisionError()), ZeroDivisionError),
        (raising(Crash()), Crash),
    ],
    ids=["done", "failed", "waiting", "diverged", "raised", "crashed"],
)
async def test_the_lease_is_released_on_every_way_out(
    stage: Stage, root: Root, error: type[BaseException] | None
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

    with pytest.raises(LeaseError, match="another driver has taken over"):
        await stage.begin(root)
    assert await stage.items() == [opened()]
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


class Late(InProcessStore):
    """Answers to `acquire` late, as a database does."""

    async def acquire(self, run: str, driver: str, seconds: float, after: int = -1) -> Held:
        held = await super().acquire(run, driver, seconds, after)
        await asyncio.sleep(0.1)
        return held


async def test_a_driver_that_is_cancelled_while_it_acquires_leaves_no_lease() -> None:
    clock = Clock()
    stage = Stage(Late(clock), clock)
    driving = asyncio.create_task(stage.begin(never))
    await asyncio.sleep(0.05)
    driving.cancel()
    await asyncio.wait([driving])
    await asyncio.sleep(1)
    assert await free(stage)


async def test_a_second_drive_of_the_same_run_in_this_process_is_refused(stage: Stage) -> None:
    async def root(ledger: RunLedger) -> Reply:
        with pytest.raises(LeaseError, match="driven by me"):
            await stage.again(never, name="me")
        ledger.add(end_of(GOOD))
        return GOOD

    assert (await stage.begin(root)).status == "done"
    assert await stage.kinds() == ["opened", "tool_output", "finished"]
