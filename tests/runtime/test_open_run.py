"""An open run: its calls come from outside, each is on record once, and the run rests between them."""

from __future__ import annotations

import asyncio
import json

import pytest

from remit import App, Context, Effect, Runtime, tool
from remit.errors import RequestError, RequestNotFoundError
from remit.record.items import CallReceived, RunFinished, RunSuspended, ToolOutput
from remit.stores import Store
from remit.views import RunView
from tests.runtime.kit import items_of
from tests.runtime.open_desk import Desk


@pytest.mark.every_store
async def test_calls_of_a_run_are_made_as_they_come_and_their_numbers_are_its_result(store: Store) -> None:
    desk = Desk(store)
    async with desk.client().open_run(target="bakery/main", metadata={"by": "shell"}) as run:
        assert (await run.call("read", {"page": "home"})).value() == "text of home"
        assert (await run.call("write", '{"page": "home"}')).value() == "wrote home"
        failed = await run.call("write", {"pages": 1})
        assert (failed.status, failed.reply and failed.reply.error and failed.reply.error.code) == (
            "failed",
            "VALIDATION_ERROR",
        )
        result = await run.close()
    assert (result.status, result.value()) == ("done", {"calls": 3, "failed": 1, "denied": 0})
    items = await items_of(store, run.id)
    received = [each for each in items if isinstance(each, CallReceived)]
    assert [(each.callee, json.loads(each.arguments)) for each in received] == [
        ("read", {"page": "home"}),
        ("write", {"page": "home"}),
        ("write", {"pages": 1}),
    ]
    assert len([each for each in items if isinstance(each, ToolOutput)]) == 4
    assert isinstance(items[-1], RunFinished)
    assert desk.ran == ["read home", "write home"]


@pytest.mark.every_store
async def test_a_replay_makes_the_recorded_calls_in_their_order_and_finds_no_difference(store: Store) -> None:
    desk = Desk(store)
    async with desk.client().open_run() as run:
        await asyncio.gather(*(run.call("copy", {"page": each}) for each in ("home", "about", "home")))
        await run.call("read", {"page": "home"})
        await run.close()
    ran = list(desk.ran)
    report = await desk.process().replay(run.id)
    assert (report.difference, report.compared_count) == ("", 11)
    assert desk.ran == ran


async def test_a_replay_of_a_run_that_is_not_closed_compares_what_it_has() -> None:
    desk = Desk()
    async with desk.client().open_run() as run:
        await run.call("copy", {"page": "home"})
    assert (await desk.process().replay(run.id)).is_identical


async def test_a_replay_names_the_call_that_the_present_code_makes_in_another_way() -> None:
    desk = Desk()
    async with desk.client().open_run() as run:
        await run.call("copy", {"page": "home"})
        await run.close()
    other = Desk(desk.store)

    @tool(effect=Effect.COMPOSED)
    async def copy(ctx: Context, page: str) -> str:
        """Copy a page."""
        return "not copied"

    tools = [*other.tools()[:-1], copy]
    report = await Runtime(App(name="test", tools=tools), store=desk.store).replay(run.id)
    assert "copy" in report.difference


async def test_between_its_calls_a_run_rests_with_the_status_open() -> None:
    desk = Desk()
    async with desk.client().open_run() as run:
        (row,) = await desk.store.list_runs()
        assert (row.status, row.callee) == ("open", "open run")
        await run.call("read", {"page": "home"})
    (row,) = await desk.store.list_runs()
    assert row.status == "open"
    assert [type(each) for each in await items_of(desk.store, run.id)][-1] is RunSuspended


async def test_a_view_has_the_calls_from_outside_with_their_arguments() -> None:
    desk = Desk()
    async with desk.client().open_run() as run:
        await run.call("copy", {"page": "home"})
        asked = await run.call("erase", {"page": "home"})
    view = RunView.of(await desk.store.read(run.id))
    assert view.root is not None
    assert (view.status, view.root.tool) == ("waiting", "open run")
    assert [(each.tool, each.arguments, each.state) for each in view.root.calls] == [
        ("copy", '{"page":"home"}', "done"),
        ("erase", '{"page":"home"}', "asked"),
    ]
    assert view.root.calls[1].id == asked.call
    assert [each.tool for each in view.root.calls[0].calls] == ["read", "write"]


async def test_the_block_is_what_opens_a_run() -> None:
    run = Desk().client().open_run()
    with pytest.raises(RequestError, match="async with"):
        await run.call("read", {"page": "home"})


async def test_an_unknown_tool_a_bad_key_and_a_long_one_are_refused_before_they_are_received() -> None:
    desk = Desk()
    async with desk.client().open_run() as run:
        with pytest.raises(RequestNotFoundError, match="no tool"):
            await run.call("reed", {})
        with pytest.raises(RequestError, match="too long"):
            await run.call("read", {"page": "home"}, key="k" * 1001)
    assert not [each for each in await items_of(desk.store, run.id) if isinstance(each, CallReceived)]
