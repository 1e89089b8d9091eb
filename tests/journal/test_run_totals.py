"""The totals of a run are one fold of its items, whole or in parts."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from remit.journal.run_totals import RunTotals
from remit.record.items import (
    DETACHED,
    OPEN_RUN,
    ErasedItem,
    Item,
    ModelFailure,
    ModelUsage,
    RunFinished,
    RunOpened,
    RunResumed,
    RunStalled,
    RunSuspended,
    ToolOutput,
)
from remit.record.usage import ModelName, Price, TokenCounts
from remit.testing.store_suite.samples import header_item, note, positions

USAGE = ModelUsage(
    call="a:1",
    model="gpt-5",
    requested="openai:gpt-5",
    finish="stop",
    prompt_tokens=10,
    completion_tokens=2,
    response="",
)


def total(*items: tuple[float, Item]) -> RunTotals:
    totals = RunTotals()
    for number, (at, item) in enumerate(items):
        totals.add(item, at, number)
    return totals


def test_an_execution_lasts_until_its_last_item_and_what_follows_is_waiting() -> None:
    opened, resumed = header_item(), RunResumed(call="run", driver="d")
    crashed = total((10.0, opened), (13.0, note()), (100.0, resumed), (101.0, note()))
    assert (crashed.worked, crashed.waited, crashed.untold) == (4.0, 87.0, 0.0)
    rests = total((10.0, opened), (12.0, RunSuspended(call="run", questions=())), (50.0, note()), (60.0, resumed))
    assert (rests.worked, rests.waited) == (2.0, 48.0)
    queued = total((10.0, replace(opened, queued=True)), (30.0, resumed))
    assert (queued.status, queued.worked, queued.waited) == ("running", 0.0, 20.0)


def test_seconds_before_an_item_that_tells_whether_the_run_executes_are_untold() -> None:
    part = total((10.0, note()), (12.0, note()), (15.0, RunSuspended(call="run", questions=())), (16.0, note()))
    assert (part.untold, part.worked, part.waited) == (5.0, 0.0, 1.0)
    assert total((10.0, note()), (12.0, RunResumed(call="run", driver="d"))).waited == 2.0


def test_a_clock_that_goes_back_takes_no_seconds_away() -> None:
    back = total((10.0, header_item()), (8.0, note()), (9.0, note()))
    assert (back.worked, back.since) == (1.0, 9.0)


def test_a_run_that_ends_is_no_longer_due() -> None:
    stalled = (11.0, RunStalled(call="run", reason="away", retry_at=99.0))
    assert total((10.0, header_item()), stalled).due == 99.0
    ended = total((10.0, header_item()), stalled, (12.0, RunFinished(call="run", status="failed", error="away")))
    assert (ended.due, ended.status, ended.error) == (0.0, "failed", "away")


@pytest.mark.parametrize(("was", "status"), [(RunFinished.kind, "done"), (RunOpened.kind, "running")])
def test_a_run_whose_end_was_erased_has_ended(was: str, status: str) -> None:
    assert total((10.0, header_item()), (11.0, ErasedItem(call="run", was=was))).status == status


def test_calls_count_when_they_have_ended_without_that_of_the_run() -> None:
    failed = ToolOutput(call="c", parent="root", callee="save", text="{}", outcome="error")
    denied, root = replace(failed, call="d", outcome="denied"), replace(failed, call="root", parent="")
    totals = total((10.0, header_item()), (11.0, denied), (12.0, failed), (13.0, root))
    assert (totals.calls, totals.failure, totals.failed, totals.failed_at) == (2, failed, 2, 12.0)
    retried = ModelFailure(call="a:1", content="{}", retry_at=20.0)
    assert total((10.0, header_item()), (11.0, retried)).failure is None
    assert total((10.0, header_item()), (11.0, replace(retried, retry_at=None))).failed == 1


def test_a_direct_call_counts_itself_but_neither_an_agent_nor_an_open_run_does() -> None:
    direct = header_item(after=DETACHED)
    root = ToolOutput(call="root", parent="", callee="save", text="{}", outcome="ok")
    child = replace(root, call="child", parent="root")
    assert total((10.0, direct), (11.0, root)).calls == 1
    assert total((10.0, direct), (11.0, child), (12.0, root)).calls == 2
    assert total((10.0, replace(direct, callee=OPEN_RUN)), (11.0, child), (12.0, root)).calls == 1
    assert total((10.0, header_item()), (11.0, root)).calls == 0


def test_an_open_run_has_the_first_text_of_its_metadata_as_its_title() -> None:
    opened = replace(header_item(), callee=OPEN_RUN, arguments="{}", metadata='{"number":5,"session":"till"}')
    assert total((10.0, opened)).title == "till"
    assert total((10.0, replace(opened, metadata=""))).title == OPEN_RUN


def test_a_run_without_a_text_has_the_title_of_its_callee() -> None:
    assert total((10.0, replace(header_item(), arguments='{"number":5}'))).title == "cms_createPage"


def test_usage_adds_up_by_the_model_asked_and_the_one_that_answered() -> None:
    totals = RunTotals.of(positions("run", [header_item(), USAGE, USAGE, replace(USAGE, model="gpt-5-mini")]))
    asked = "openai:gpt-5"
    assert totals.used == {
        ModelName(asked, "gpt-5"): TokenCounts(2, 20, 4),
        ModelName(asked, "gpt-5-mini"): TokenCounts(1, 10, 2),
    }
    usage = totals.usage({"gpt-5": Price(1.0, 10.0), "gpt-5-mini": Price(2.0, 1.0)})
    assert (usage.tokens, usage.requests, usage.cost) == (36, 3, pytest.approx(100e-6))
    assert totals.usage({}).cost is None


def test_what_is_no_text_to_a_database_is_replaced() -> None:
    header = replace(header_item(), arguments='{"prompt":"a \\ud800 b \\u0000"}')
    totals = total((10.0, header), (11.0, replace(USAGE, model="x\x00", requested="\ud800")))
    assert (totals.title, [*totals.used]) == ("a � b �", [ModelName("�", "x�")])
