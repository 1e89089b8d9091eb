"""A list of runs says what each has done so far, and usage is their sum; no items are read for it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from remit import Client, Effect, Principal, Risk, Runtime, tool
from remit.errors import ExternalError, RequestError
from remit.items import Position
from remit.runtime import ListedRun
from remit.stores import InMemoryStore, Store
from remit.testing import Scripted, calls
from remit.views import RunView
from tests.runtime.kit import Clock, World, runtime_of

ADA = Principal("ada", "bakery", frozenset({"approvals:decide"}))
BOB = Principal("bob", "bakery")
NOW = 2e9  # later than the clocks of stores


@tool(effect=Effect.PURE)
async def look(page: str) -> str:
    """Look at a page."""
    if page == "away":
        raise ExternalError("the page is away")
    return page


def runtime_for(store: Store, *script: Any, clock: Clock | None = None) -> Runtime:
    erase = World().write("erase", Effect.KEYED, Risk.HIGH)
    return runtime_of(Scripted(list(script)), erase, look, store=store, clock=clock or Clock(NOW), directory=None)


async def listed(client: Client, **filters: Any) -> list[ListedRun]:
    return list(await client.runs(**filters))


async def test_a_listed_run_says_what_its_view_and_its_details_say(store: Store) -> None:
    clock = Clock(NOW)
    looks = calls(("look", {"page": "a"}), ("look", {"page": "away"}))
    ada = runtime_for(store, looks, calls(("erase", {"text": "about"})), "done", clock=clock).client(ADA)
    waiting = await ada.run("Erase  the about page.")
    (row,) = await listed(ada)
    assert (row.run, row.status, row.title) == (waiting.run, "waiting", "Erase the about page.")
    assert (row.calls, row.open_questions, row.usage.requests) == (2, 1, 2)
    assert row.failure is not None
    assert (row.failure.tool, row.failure.code) == ("look", "EXTERNAL_SERVICE_ERROR")
    clock.now += 500
    await ada.decide(waiting.questions[0], approved=True, reason="fine")
    assert (await listed(ada))[0].open_questions == 0
    await ada.resume(waiting.run)
    (row,) = await listed(ada)
    view = RunView.of(await ada.items(waiting.run))
    assert (row.status, row.calls, row.waited) == ("done", 3, 500.0)
    assert (row.calls, row.worked, row.waited) == (view.totals.calls, view.totals.worked, view.totals.waited)
    assert (row.failure, row.usage) == (view.first_failure, (await ada.details(waiting.run)).usage)


async def test_a_run_that_executes_is_listed_with_what_is_stored_of_it(store: Store) -> None:
    ada = runtime_for(store, "done").client(ADA)
    run = await ada.submit("go")
    (row,) = await listed(ada)
    assert (row.run, row.status, row.title, row.calls) == (run, "running", "go", 0)
    assert row.failure is None


async def test_a_stalled_run_says_when_it_is_tried_again(store: Store) -> None:
    clock = Clock(NOW)
    ada = runtime_for(store, clock=clock).client(ADA)
    stalled = await ada.run("go")  # the script is empty
    (row,) = await listed(ada)
    assert (row.status, row.due) == (stalled.status, (await ada.details(stalled.run)).retry_at)


async def test_usage_of_the_targets_that_a_principal_reads_is_added_to_their_own(store: Store) -> None:
    runtime = runtime_for(store, *["done"] * 9)
    for by, target in ((BOB, "bakery/a"), (ADA, "bakery/b"), (ADA, "mill"), (BOB, "mill")):
        await runtime.client(by).run("go", target=target)
    reader = Principal("bob", "bakery", frozenset({"runs:read@bakery/*"}))
    boss = Principal("eve", "bakery", frozenset({"runs:read"}))
    for by, count in ((reader, 3), (boss, 4), (BOB, 2), (Principal("eve", "bakery"), 0)):
        seen = await runtime.client(by).usage(since=0, until=float("inf"))
        assert (seen.requests, len(await listed(runtime.client(by)))) == (count, count)


async def test_neither_reads_items() -> None:
    class Blind(InMemoryStore):
        async def read(self, run: str, after: int = -1) -> list[Position]:
            raise AssertionError(run, after)

    ada = runtime_for(Blind(), "done").client(ADA)
    await ada.run("go")
    assert (await listed(ada))[0].usage == await ada.usage(since=0, until=float("inf"))


async def test_the_usage_of_no_time_is_refused(store: Store) -> None:
    with pytest.raises(RequestError, match="since is nan; give a finite number"):
        await runtime_for(store).client(ADA).usage(since=float("nan"), until=1.0)


async def test_a_direct_call_has_the_first_text_among_its_arguments_as_title(store: Store) -> None:
    ada = runtime_for(store).client(ADA)
    await ada.call("look", json.dumps({"page": "the front page"}))
    assert [(row.title, row.calls) for row in await listed(ada)] == [("the front page", 1)]
