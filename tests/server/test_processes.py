"""Several servers of one journal, and a server that stops while it executes."""

from __future__ import annotations

import asyncio
from typing import Self

import pytest
from starlette.testclient import TestClient

from figures.agui_reader import read_frames
from remit import SqlStore
from remit.server import ServerSettings, build_server
from remit.stores import InMemoryStore
from remit.testing import Scripted
from tests.server.agui import fold
from tests.server.shop import PEOPLE, Shop, authenticate, make_runtime, open_shop

MESSAGE = {"id": "m1", "role": "user", "content": "Refund A-7."}


def close(shop: Shop, store: SqlStore) -> None:
    assert shop.browser.portal is not None
    shop.browser.portal.call(store.close)


@pytest.mark.slow
@pytest.mark.every_store
def test_a_stream_reaches_its_reader_whichever_process_executes_the_run(where: str) -> None:
    idle, working = SqlStore(where), SqlStore(where)
    with (
        open_shop(store=idle, settings=ServerSettings(concurrency=0, poll_seconds=0.05)) as here,
        open_shop(store=working, settings=ServerSettings(poll_seconds=0.05)) as there,
    ):
        first = read_frames(here.ask("POST", "/agui", json={"threadId": "t", "runId": "r", "messages": [MESSAGE]}).text)
        (interrupt,) = first[-1][1]["outcome"]["interrupts"]
        run = first[0][0].partition("|")[0]
        decided = there.ask("POST", f"/api/questions/{interrupt['id']}/decision", by="grace", json={"approved": True})
        rest = read_frames(here.ask("GET", f"/api/runs/{run}/events", headers={"last-event-id": first[-1][0]}).text)
        whole = read_frames(there.ask("GET", f"/api/runs/{run}/events").text)
        close(here, idle)
        close(there, working)
    assert decided.status_code == 200
    assert rest[-1][1]["outcome"] == {"type": "success"}
    told = fold(event for _, event in whole if event.get("messageId") != "m1")
    joined = fold(event for _, event in [*first[:-2], *rest])
    assert {name: value for name, value in told.items() if name not in joined} == {}


@pytest.mark.looptime
async def test_a_server_that_stops_releases_its_run_and_another_one_finishes_it() -> None:
    store = InMemoryStore(lambda: 1e9 + asyncio.get_running_loop().time())
    slow = make_runtime(Scripted(["We bake bread. " * 20], piece_chars=4, delay=1.0), store)
    server = build_server(slow, authenticate)
    async with server.router.lifespan_context(server):
        run = await slow.client(PEOPLE["ada"]).submit("What do you do?")
        stream = slow.client(PEOPLE["ada"]).stream(run)
        while not hasattr(await anext(stream), "text"):
            pass
        await stream.aclose()
        assert (await slow.client(PEOPLE["ada"]).status(run)).status == "running"
    assert server.state.serving.stopping.is_set()
    next_runtime = make_runtime(Scripted(["We bake bread. " * 20]), store)
    next_server = build_server(next_runtime, authenticate)
    async with next_server.router.lifespan_context(next_server):
        details = await next_runtime.client(PEOPLE["ada"]).settled(run, 600)
    assert (details.row.status, details.text) == ("done", ("We bake bread. " * 20))


class ToldEngine:
    """An engine that remembers what it was told, and whether it executed."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str]] = []
        self.executed = self.is_closed = False

    async def start(self, run: str) -> None:
        self.told.append(("start", run))

    async def wake(self, run: str) -> None:
        self.told.append(("wake", run))

    async def wake_later(self, run: str, seconds: float) -> None:
        raise NotImplementedError

    async def close(self) -> None:
        self.is_closed = True

    async def __aenter__(self) -> Self:
        self.executed = True
        return self

    async def __aexit__(self, *_: object) -> None:
        pass


@pytest.mark.parametrize("concurrency", [0, 1])
def test_an_engine_is_told_about_runs_and_executes_them_only_if_the_server_does(concurrency: int) -> None:
    engine, runtime = ToldEngine(), make_runtime(Scripted(["Hello."]))
    server = build_server(runtime, authenticate, ServerSettings(concurrency=concurrency), engine=engine)
    with TestClient(server) as browser:
        headers = {"authorization": "Bearer ada"}
        run = browser.post("/api/runs", json={"prompt": "Hello."}, headers=headers).json()["run"]
        browser.post(f"/api/runs/{run}/resume", headers=headers)
    assert engine.told == [("start", run), ("wake", run)]
    assert (engine.executed, engine.is_closed) == (bool(concurrency), not concurrency)


def test_a_server_without_executions_leaves_runs_to_others() -> None:
    with open_shop(settings=ServerSettings(concurrency=0)) as shop:
        run = shop.ask("POST", "/api/runs", json={"prompt": "Refund A-7."}).json()["run"]
        shop.ask("POST", f"/api/runs/{run}/resume")
        assert shop.ask("GET", f"/api/runs/{run}").json()["messages"] == []
