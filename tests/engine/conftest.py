"""What a driver drives on, a store in memory and a clock that stands still; and engines over real stores."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from remit.adapters.dbos import DbosEngine
from remit.engine.local import LocalEngine
from remit.journal.memory import InMemoryStore
from remit.journal.sql.store import SqlStore
from remit.testing.store_suite.samples import Clock
from tests.engine.engines import Making, dbos, local
from tests.engine.office import Office
from tests.engine.roots import Stage


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def stage(clock: Clock) -> Stage:
    return Stage(InMemoryStore(clock), clock)


@pytest.fixture(params=["local", pytest.param("dbos", marks=pytest.mark.process)])
async def office(request: pytest.FixtureRequest) -> AsyncIterator[Office]:
    """An office over the store that goes with an engine."""
    if request.param == "dbos":
        store = SqlStore(request.getfixturevalue("queue_url"))
    else:
        store = SqlStore.at(request.getfixturevalue("file"))
    yield Office(store)
    await store.close()


@pytest.fixture
async def making(request: pytest.FixtureRequest, office: Office) -> AsyncIterator[Making]:
    """Makes engines of the kind that goes with the office, and closes them."""
    made: list[DbosEngine] = []
    kind = request.node.callspec.params["office"]

    def make(*, concurrency: int = 4, grace: float = 5.0) -> LocalEngine | DbosEngine:
        if kind == "local":
            return local(office, concurrency, grace)
        made.append(dbos(office, request.getfixturevalue("queue_url"), concurrency, grace))
        return made[-1]

    yield make
    for engine in made:
        await engine.close()
