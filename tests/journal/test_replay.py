"""The ledger of a replay: whatever today's code would write must be what the journal holds."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from remit.errors import DivergedError, Suspended
from remit.journal.replay import ReplayLedger
from remit.record.items import (
    DecisionItem,
    ErasedItem,
    Handoff,
    Item,
    Message,
    Mismatch,
    ModelUsage,
    RunFinished,
    ToolOutput,
)
from remit.record.ledger import Consumption, TurnRequest
from remit.record.question import Decision, Question
from remit.record.usage import UsageTotals
from remit.testing.store_suite.samples import header_item, note, positions, question, question_item, start_item, yes

USER = Message(call="root", agent="root", text='{"role":"user","content":"go"}')
ANSWER = Message(call="root:1", agent="root", text='{"role":"assistant","content":"done"}', request="digest")
END = ToolOutput(call="root", parent="", callee="editor", wire="", text="done", outcome="ok")


def replaying(*known: Item, prior: tuple[str, ...] = ()) -> ReplayLedger:
    return ReplayLedger("run", positions("run", known, at=1234.5), prior)


def decided(decision: Decision) -> DecisionItem:
    return DecisionItem(call="call", question=decision.question, body=decision.to_json())


async def test_it_replays_and_says_what_it_was_given() -> None:
    ledger = replaying(prior=("{}",))
    assert (ledger.run, list(ledger.prior_messages), ledger.execution.is_replaying, ledger.execution.is_stopping) == (
        "run",
        ["{}"],
        True,
        False,
    )


async def test_it_asks_no_person_and_so_needs_no_message_of_the_user() -> None:
    assert list(replaying(header_item()).recorded_items()) == []


async def test_the_time_is_that_of_the_run() -> None:
    assert replaying(header_item()).now() == 1234.5
    assert replaying().now() == 0.0


async def test_what_the_journal_knows_of_a_call_it_tells() -> None:
    ledger = replaying(USER, ANSWER, END)
    assert list(ledger.items_for("root")) == [USER, END]
    assert list(ledger.items_for("root:1")) == [ANSWER]
    assert list(ledger.items_for("nobody")) == []


async def test_messages_and_ends_that_nobody_came_to_are_left_over_in_order() -> None:
    assert replaying(header_item(), USER, start_item(), ANSWER, note(), END).unclaimed_items() == [USER, ANSWER, END]


async def test_whoever_asks_comes_to_the_completion_and_the_end_but_not_to_what_it_writes_itself() -> None:
    ledger = replaying(USER, ANSWER, END)
    ledger.items_for("root:1")
    assert (ledger.unclaimed_items(), ledger.compared_count) == ([USER, END], 1)
    ledger.items_for("root")
    assert (ledger.unclaimed_items(), ledger.compared_count) == ([USER], 2)
    ledger.items_for("root")
    assert ledger.compared_count == 2


@pytest.mark.parametrize(
    "item", [USER, END, start_item(), question_item(question()), decided(yes())], ids=lambda item: item.kind
)
async def test_an_item_that_the_journal_holds_may_be_written_again(item: Item) -> None:
    ledger = replaying(header_item(), item)
    ledger.add(item)
    await ledger.commit(item, Consumption(("q1",), "run", "call"))
    assert ledger.unclaimed_items() == []


async def test_each_message_and_end_is_counted_once() -> None:
    ledger = replaying(USER, END, start_item())
    for item in (USER, END, start_item(), USER):
        ledger.add(item)
    assert ledger.compared_count == 2


@pytest.mark.parametrize(
    ("today", "said"),
    [
        (
            Message(call="root", agent="root", text='{"role":"user","content":"stop"}'),
            "turn 1: the user message: recorded ",
        ),
        (
            ToolOutput(call="root", parent="", callee="editor", wire="", text="else", outcome="ok"),
            "the end of the call editor",
        ),
        (start_item(attempt=2), "started of call: recorded "),
    ],
    ids=["message", "end", "start"],
)
async def test_another_item_than_the_recorded_one_is_a_difference(today: Item, said: str) -> None:
    ledger = replaying(USER, END, start_item())
    with pytest.raises(DivergedError) as caught:
        ledger.add(today)
    assert caught.value.message.startswith(said)
    assert "today {" in caught.value.message


async def test_a_difference_shows_what_was_recorded_and_what_is_today() -> None:
    ledger = replaying(start_item())
    with pytest.raises(DivergedError, match=r'recorded \{.*"attempt":1\}, today \{.*"attempt":2\}'):
        await ledger.commit(start_item(attempt=2))


async def test_an_item_that_the_journal_does_not_hold_is_a_difference() -> None:
    ledger = replaying(header_item(), USER)
    with pytest.raises(DivergedError, match=r"the end of the call editor \(root\) is not in the journal: \{"):
        ledger.add(END)


@pytest.mark.parametrize(
    "item",
    [
        note("another time"),
        ModelUsage(call="root:1", model="m", finish="stop", prompt_tokens=1, completion_tokens=1, response=""),
        Mismatch(call="root", what="user message", recorded="a", today="b"),
    ],
    ids=lambda item: item.kind,
)
async def test_what_only_tells_about_the_run_is_not_compared(item: Item) -> None:
    ledger = replaying(header_item())
    ledger.add(item)
    assert ledger.compared_count == 0


CHILD = ToolOutput(call="child", parent="root", callee="read", wire="", text="a", outcome="error")


@pytest.mark.parametrize(
    ("sign", "call"),
    [
        (USER, "root"),
        (CHILD, "root"),
        (END, "root"),
        (start_item(), start_item().parent),
        (question_item(question()), question_item(question()).parent),
        (note(), note().call),
    ],
    ids=["message", "child", "good end", "start", "question", "note"],
)
async def test_a_body_has_begun_where_the_journal_holds_something_that_it_did(sign: Item, call: str) -> None:
    assert replaying(header_item(), sign).should_run_body(call)


async def test_a_call_that_was_refused_before_its_body_ran_has_not_begun() -> None:
    refused = replace(END, outcome="error", text="{}")
    assert not replaying(header_item(), refused, RunFinished(call="run", status="failed")).should_run_body("root")


async def test_of_two_equal_items_each_is_claimed() -> None:
    ledger = replaying(USER, replace(USER))
    ledger.add(USER)
    ledger.add(USER)
    assert (ledger.unclaimed_items(), ledger.compared_count) == ([], 2)


async def test_asking_the_model_once_more_is_a_difference() -> None:
    with pytest.raises(DivergedError, match="makes one more model request"):
        replaying(header_item()).start_flush()


async def test_asking_the_model_for_a_message_that_was_erased_is_told_as_that() -> None:
    ledger = replaying(header_item(), USER, ErasedItem(call="root:1", was="message"))
    ledger.items_for("root:1")
    with pytest.raises(DivergedError, match="a message was erased from the journal"):
        ledger.start_flush()


async def test_what_else_was_erased_does_not_explain_one_request_more() -> None:
    ledger = replaying(header_item(), ErasedItem(call="root:1", was="usage"), ErasedItem(call="root:2", was="message"))
    ledger.items_for("root:1")
    with pytest.raises(DivergedError, match="makes one more model request"):
        ledger.start_flush()


@pytest.mark.parametrize(
    ("item", "said"),
    [(USER, "turn 1: the user message"), (END, "the end of the call editor"), (start_item(), "started")],
    ids=["message", "end", "start"],
)
async def test_an_item_whose_recorded_one_was_erased_is_told_as_that(item: Item, said: str) -> None:
    ledger = replaying(header_item(), ErasedItem(call=item.call, was=item.kind))
    with pytest.raises(DivergedError, match=f"{said}.* was erased from the journal and cannot be compared"):
        ledger.add(item)


async def test_an_item_beside_one_that_was_erased_is_not_in_the_journal() -> None:
    with pytest.raises(DivergedError, match="is not in the journal"):
        replaying(header_item(), ErasedItem(call="root", was="tool_output")).add(USER)


async def test_where_a_run_was_cancelled_its_replay_comes_to_rest() -> None:
    with pytest.raises(Suspended):
        replaying(header_item(), RunFinished(call="run", status="cancelled")).start_flush()


async def test_nothing_is_spent_and_no_body_ends_too_early() -> None:
    """What was recorded was within its budget; a call that was not made is left over at the end."""
    ledger = replaying(start_item("a"))
    ledger.order.finish("root")
    assert ledger.reservations.reserve_call("call", 0)
    assert ledger.reservations.reserve_handoff("agent", 0)
    assert ledger.meter.totals() == UsageTotals()


# --- the order of calls -----------------------------------------------------------------------------------------


def ended(call: str, *, parent: str = "root") -> ToolOutput:
    return ToolOutput(call=call, parent=parent, callee=f"tool_{call}", wire="", text="{}", outcome="ok")


async def made(ledger: ReplayLedger, *calls: str, parent: str = "root") -> None:
    for call in calls:
        if not ledger.order.claim(parent, call):
            await ledger.order.wait(parent, call, lambda: False)


async def test_calls_may_be_made_in_the_order_in_which_they_were() -> None:
    await made(replaying(start_item("a"), ended("a"), start_item("b"), ended("b"), ended("c")), "a", "b", "c")


async def test_a_call_that_comes_before_one_that_had_ended_first_is_a_difference() -> None:
    ledger = replaying(start_item("a"), ended("a"), start_item("b"), ended("b"))
    with pytest.raises(
        DivergedError, match=r"a call of root comes before tool_a, but the journal records tool_a first"
    ):
        await made(ledger, "b")


async def test_the_first_that_was_left_out_is_named() -> None:
    ledger = replaying(ended("a"), ended("b"), ended("c"), ended("d"))
    with pytest.raises(DivergedError, match="tool_b"):
        await made(ledger, "a", "c")


@pytest.mark.parametrize("today", [("a", "b"), ("b", "a")])
async def test_calls_that_were_under_way_together_may_be_made_in_any_order(today: tuple[str, str]) -> None:
    await made(replaying(start_item("a"), start_item("b"), ended("b"), ended("a")), *today)


async def test_the_calls_of_other_bodies_do_not_matter() -> None:
    ledger = replaying(ended("x", parent="other"), ended("a"), ended("y", parent="other"))
    await made(ledger, "a")
    with pytest.raises(DivergedError, match="tool_x"):
        await made(ledger, "y", parent="other")


async def test_a_call_that_the_journal_does_not_know_has_no_place_in_the_order() -> None:
    """That it is not recorded is found when it ends."""
    await made(replaying(ended("a")), "new")


@pytest.mark.parametrize(
    ("known", "stands"),
    [
        ([], None),
        ([question_item(question())], (question(), None)),
        ([question_item(question()), decided(yes())], (question(), yes())),
        ([question_item(question()), decided(yes()), start_item(question="q1")], (question(), yes())),
        ([question_item(question(match="else")), decided(yes())], None),
        ([question_item(question()), decided(yes("q2"))], (question(), None)),
        (
            [question_item(question()), decided(yes()), question_item(question("q2")), decided(yes("q2"))],
            (question("q2"), yes("q2")),
        ),
    ],
    ids=["none", "open", "decided", "used", "another match", "another decision", "the newest"],
)
async def test_the_question_that_stands_is_the_one_that_the_run_recorded(
    known: list[Item], stands: tuple[Question, Decision | None] | None
) -> None:
    assert await replaying(header_item(), *known).decisions.find_usable_question("match") == stands


async def test_a_newer_question_does_not_stand_with_the_decision_on_an_older_one() -> None:
    ledger = replaying(question_item(question("old")), decided(yes("old")), question_item(question("new")))
    assert await ledger.decisions.find_usable_question("match") == (question("new"), None)


async def test_ends_of_the_run_itself_and_handoffs_are_nothing_to_come_to() -> None:
    handoff = Handoff(call="root", source="editor", target="writer")
    assert replaying(header_item(), handoff, RunFinished(call="run", status="done")).unclaimed_items() == []


async def test_what_a_grant_has_allowed_stands_and_it_allows_nothing_more() -> None:
    ledger = replaying(header_item())
    assert await ledger.decisions.is_grant_valid("t", "g")
    assert await ledger.decisions.usable_grants("t", "pay") == ()
    assert not await ledger.decisions.use_grant("g")
    assert not await ledger.decisions.is_used_elsewhere("q1", "call")
    assert await ledger.decisions.find_last_approval(tenant="t", asker="ada", target="", tool="pay", rule="r") is None


async def test_a_replay_finds_no_grant_and_uses_none() -> None:
    ledger = ReplayLedger("run", [])
    assert (await ledger.decisions.usable_grants("default", "pay"), await ledger.decisions.use_grant("g1")) == (
        (),
        False,
    )


async def test_a_replay_takes_no_turn_of_a_rate() -> None:
    assert await ReplayLedger("run", []).reservations.take_turn("call", 1, TurnRequest("rate", 0, 60.0, 0.0)) == 0


async def test_a_replay_stores_no_decision() -> None:
    assert await ReplayLedger("run", []).decisions.decide(yes()) == yes()
