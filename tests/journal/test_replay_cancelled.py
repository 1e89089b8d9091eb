"""The ledger of a replay where the run was cancelled, or a call timed out: the recorded ends are not reached again."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from remit.call.reply import Reply
from remit.errors import CallCancelledError, CallError, ConflictError, DeadlineError, DivergedError, Suspended
from remit.journal.replay import ReplayLedger
from remit.record.items import Item, Note, RunFinished, ToolOutput
from remit.testing.store_suite.samples import header_item, positions, start_item

CANCELLED = RunFinished(call="run", status="cancelled")


def replaying(*known: Item) -> ReplayLedger:
    return ReplayLedger("run", positions("run", (header_item(), *known)))


def ended(call: str, *, parent: str = "root") -> ToolOutput:
    return ToolOutput(call=call, parent=parent, callee=f"tool_{call}", wire="", text="{}", outcome="ok")


def failed(call: str, error: CallError, *, parent: str = "root") -> ToolOutput:
    return replace(ended(call, parent=parent), outcome="error", text=Reply.from_error(error).content)


CUT_OFF = failed("a", CallCancelledError("the run was cancelled"))


async def test_a_call_that_was_cut_off_ends_otherwise_today_and_makes_the_replay_rest() -> None:
    ledger = replaying(CUT_OFF, CANCELLED)
    with pytest.raises(Suspended):
        ledger.add(ended("a"))
    assert (ledger.unclaimed_items(), ledger.compared_count) == ([], 1)


@pytest.mark.parametrize(
    ("known", "today"),
    [
        pytest.param([CUT_OFF], ended("a"), id="in a run that was not cancelled"),
        pytest.param([failed("a", ConflictError("no")), CANCELLED], ended("a"), id="a call that failed by itself"),
        pytest.param([ended("a"), CANCELLED], replace(ended("a"), text='""'), id="a call that ended well"),
        pytest.param([start_item("a"), CANCELLED], start_item("a", attempt=2), id="another item than an end"),
        pytest.param([CUT_OFF, CANCELLED], ended("b"), id="a call that was not made"),
    ],
)
async def test_another_end_than_the_recorded_one_is_a_difference(known: list[Item], today: Item) -> None:
    with pytest.raises(DivergedError):
        replaying(*known).add(today)


async def test_a_call_after_the_cancellation_makes_the_replay_rest() -> None:
    ledger = replaying(ended("a"), CANCELLED)
    ledger.order.claim("root", "a")
    with pytest.raises(Suspended):
        await ledger.order.wait("root", "new", lambda: False)


async def test_a_call_in_place_of_a_recorded_one_is_a_difference_in_a_cancelled_run_too() -> None:
    with pytest.raises(DivergedError, match="is not in the journal, which records tool_a in its place"):
        await replaying(ended("a"), CANCELLED).order.wait("root", "new", lambda: False)


async def test_a_body_is_expected_to_make_the_recorded_calls_that_it_has_not_made_yet() -> None:
    ledger = replaying(ended("a"))
    assert [ledger.order.expects("root"), ledger.order.expects("other")] == [True, False]
    ledger.order.claim("root", "a")
    assert not ledger.order.expects("root")


SAID = Note(call="a", name="log", data="{}")
LATE = failed("a", DeadlineError("too late"))


async def test_a_body_that_timed_out_does_not_run_again_and_what_it_did_counts_as_reached() -> None:
    ledger = replaying(SAID, ended("child", parent="a"), ended("deep", parent="child"), ended("other"), LATE)
    assert not ledger.should_run_body("a")
    assert ledger.unclaimed_items() == [ended("other"), LATE]


@pytest.mark.parametrize("end", [failed("a", ConflictError("no")), replace(LATE, outcome="ok")])
async def test_a_body_that_ended_otherwise_runs_again(end: ToolOutput) -> None:
    assert replaying(SAID, end).should_run_body("a")
