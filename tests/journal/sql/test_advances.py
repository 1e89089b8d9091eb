"""An append is one statement on Postgres, whatever waits together, and only the executor of a run appends."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy import event
from sqlalchemy.pool import Pool

from remit.errors import LeaseError
from remit.journal.sql.store import SqlStore
from remit.record.items import ModelUsage
from remit.testing.crash import record_crash_points
from remit.testing.store_suite.samples import Run, begin, header_item, note, positions

Opening = Callable[[Path | str], SqlStore]

USAGE: Final = ModelUsage(
    call="call", model="m", requested="m", finish="stop", prompt_tokens=10, completion_tokens=2, response=""
)


@pytest.fixture
def own(url: str, opening: Opening) -> SqlStore:
    return opening(url)


@pytest.fixture
def sent(tmp_path: Path) -> Iterator[Callable[[], str]]:
    """What connections that are opened from now on send and receive, as the driver writes it down."""
    path = tmp_path / "sent"
    with path.open("w") as file:

        def trace(connection: Any, *_more: object) -> None:
            connection.pgconn.trace(file.fileno())

        event.listen(Pool, "checkout", trace)
        yield path.read_text
        event.remove(Pool, "checkout", trace)


async def test_an_append_takes_three_messages_and_an_opened_run_five(
    url: str, opening: Opening, sent: Callable[[], str]
) -> None:
    """They are what a transaction in Postgres costs: each is a message, and a wait for its answer."""
    store = opening(url)
    for name in (f"run{index}" for index in range(12)):  # the driver prepares the statements of the first runs
        placed = positions(name, [header_item(name), note(), note(), USAGE, note()])
        await store.acquire(name, "driver", 60.0, opening=placed[:2])
        await store.append(name, 1, placed[2:])
    await store.close()
    messages = re.findall(r"\tF\t\d+\t(Query\t \"BEGIN ISOLATION|Query|Sync)", sent())
    begins = [index for index, message in enumerate(messages) if "BEGIN" in message]
    assert (begins[-1] - begins[-2], len(messages) - begins[-1]) == (5, 3)


async def requests_of(store: SqlStore) -> int:
    """The requests to models that the journal counts."""
    return sum(row.counts.requests for row in await store.read_usage(tenant="default", since=0.0, until=1e9))


async def test_appends_of_one_run_that_wait_together_are_stored_in_order_and_counted_once(own: SqlStore) -> None:
    items = {
        name: positions(name, [header_item(name), *(item for n in range(20) for item in (note(str(n)), USAGE))])
        for name in ("run", "other")
    }
    for name, placed in items.items():
        await own.acquire(name, "driver", 1e6, opening=placed[:1])
    with record_crash_points() as points:
        await asyncio.gather(
            *(own.append(name, 1, placed[at : at + 2]) for at in range(1, 41, 2) for name, placed in items.items())
        )
    assert points.count("after commit") < 20
    for name, placed in items.items():
        assert await own.read(name) == placed
    assert await requests_of(own) == 40


async def test_an_executor_that_has_lost_its_lease_adds_nothing_whatever_the_next_one_has_written(
    own: SqlStore, url: str, opening: Opening
) -> None:
    late, alone = await begin(own), await begin(own, "alone")
    await own.release("run", late.epoch)
    current = Run(opening(url), "run", (await own.acquire("run", "next", 1e6)).epoch)
    current.next = late.next
    await current.append(note("next"), USAGE)
    for tries in ([late.append(note("late"), USAGE)], [alone.append(note()), late.append(note("late"), USAGE)]):
        outcomes = await asyncio.gather(*tries, return_exceptions=True)
        assert [type(each) for each in outcomes if isinstance(each, BaseException)] == [LeaseError]
    assert [position.item for position in await own.read("run")] == [header_item(), note("next"), USAGE]
    assert [position.item for position in await own.read("alone")] == [header_item("alone"), note()]
    assert await requests_of(own) == 1
