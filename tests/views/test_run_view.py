"""A view says what its items say: at any point of a run, in one go or as they come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from remit import Agent, App, Context, Effect, Risk, Runtime, tool
from remit.chat.chat import encode_message
from remit.client.following import ItemEvent
from remit.errors import SetupError
from remit.record.items import (
    AttemptEnded,
    AttemptStarted,
    CallAllowed,
    CallEntered,
    ErasedItem,
    Item,
    Message,
    Note,
    Position,
    RunFinished,
    RunOpened,
    RunResumed,
    RunSuspended,
    ToolOutput,
)
from remit.testing import Scripted, calls, superuser
from remit.views import CallState, RunView
from tests.runtime.kit import find_superuser

WANTED = Message(
    call="a:1",
    agent="a",
    text=encode_message({"role": "assistant", "content": None, **calls(("save", {"n": 1}))}),
)
WIRE = calls(("save", {"n": 1}))["tool_calls"][0]["id"]
PLACE: dict[str, Any] = {"call": "c", "parent": "a", "callee": "save", "wire": WIRE}
OPENED: dict[str, Any] = {
    "call": "r",
    "format": 1,
    "tenant": "t",
    "principal": "p",
    "application": "app",
    "agent": "",
    "callee": "a",
    "arguments": "{}",
    "conversation": "",
    "after": "",
}
STARTED = AttemptStarted(**PLACE, attempt=1)
STARTED_TO_READ = AttemptStarted(**PLACE, attempt=1, pure=True)


def ended(outcome: Any = "ok", content: str = '"x"') -> AttemptEnded:
    return AttemptEnded(call="c", attempt=1, outcome=outcome, content=content)


def output(outcome: Any = "ok", content: str = "x") -> ToolOutput:
    return ToolOutput(**PLACE, outcome=outcome, text=encode_message({"role": "tool", "content": content}))


def fold(*items: Item) -> RunView:
    view = RunView()
    for number, item in enumerate(items):
        view.add(item, float(number))
    return view


def test_an_event_in_place_of_its_item_is_refused_in_one_line() -> None:
    event = ItemEvent("1", Position("r", 1, 1, 0.0, STARTED, "", b"", b""))
    with pytest.raises(
        SetupError, match=r"^RunView.add: item is of type ItemEvent; pass event.item, or position.item$"
    ):
        RunView().add(event)  # type: ignore[arg-type]


FAILED = '{"success":false,"error":"no","errorCode":"TOOL_FAILED"}'
STOPPED = '{"success":false,"error":"stopped","errorCode":"CANCELLED"}'


@pytest.mark.parametrize(
    ("items", "state"),
    [
        ([], "asked"),
        ([STARTED], "running"),
        ([STARTED, ended()], "running"),
        ([STARTED, ended(), output()], "done"),
        ([CallEntered(**PLACE)], "running"),
        ([output("denied")], "denied"),
        ([STARTED, ended("error", FAILED), output("error", FAILED)], "failed"),
        ([STARTED, ended("error", STOPPED), output("error", STOPPED)], "unknown"),
        ([STARTED, RunFinished(call="r", status="failed")], "unknown"),
        ([STARTED_TO_READ], "running"),
        ([STARTED_TO_READ, ended("error", STOPPED), output("error", STOPPED)], "failed"),
        ([STARTED_TO_READ, RunFinished(call="r", status="failed")], "failed"),
    ],
)
def test_a_call_is_as_far_as_its_items_say(items: Sequence[Item], state: CallState) -> None:
    (call,) = fold(WANTED, *items).messages[0].calls
    assert (call.state, call.tool, call.arguments, call.wire) == (state, "save", '{"n": 1}', WIRE)


def test_a_call_has_its_times_attempts_and_notes() -> None:
    note = Note(call="c", name="log", data="{}")
    view = fold(WANTED, STARTED, note, ended("error", FAILED), AttemptStarted(**PLACE, attempt=2), output())
    call = view.calls["c"]
    assert (call.asked_at, call.started_at, call.ended_at, call.seconds) == (0.0, 1.0, 5.0, 4.0)
    assert [(each.number, each.outcome) for each in call.attempts] == [(1, "error"), (2, None)]
    assert [each.note for each in call.notes] == [note]


def test_a_call_names_the_rules_that_allowed_it() -> None:
    assert fold(WANTED, STARTED, CallAllowed(call="c", rule="drafts")).calls["c"].rules == ["drafts"]


def test_the_first_failure_is_that_which_came_first() -> None:
    view = fold(
        WANTED,
        STARTED,
        output("error", FAILED),
        ToolOutput(call="a", parent="", callee="clerk", text=FAILED, outcome="error"),
    )
    assert view.first_failure is not None
    assert (view.first_failure.call, view.first_failure.tool, view.first_failure.at) == ("c", "save", 2.0)


def test_calls_whose_caller_is_placed_later_are_below_it_all_the_same() -> None:
    below = ToolOutput(call="d", parent="c", callee="look", text="x", outcome="ok")
    view = fold(WANTED, below, output())
    (call,) = view.messages[0].calls
    assert call is view.calls["c"]
    assert (call.arguments, [each.id for each in call.calls]) == ('{"n": 1}', ["d"])
    assert [each.id for each in view.calls["a"].calls] == ["c"]
    assert view.depth(view.calls["d"]) == 2


def test_an_answer_that_is_written_is_replaced_by_its_message() -> None:
    view = RunView()
    view.write("a:1", "Let me ")
    view.write("a:1", "see.")
    view.write("a:1", '{"n"', "arguments", 0, "save")
    view.write("a:1", ":1}", "arguments", 0)
    view.write("b:1", "gone")
    view.drop("b:1")
    assert {name: (each.text, each.calls) for name, each in view.writing.items()} == {
        "a:1": ("Let me see.", {0: ("save", '{"n":1}')})
    }
    view.add(WANTED)
    assert view.writing == {}


def test_a_run_that_was_resumed_without_having_rested_was_interrupted() -> None:
    opened, resumed = RunOpened(**OPENED), RunResumed(call="r", driver="d")
    assert fold(opened, resumed, STARTED).continued_at == 0, "an executor begins what was only stored"
    assert fold(opened, STARTED, resumed).continued_at == 2
    assert fold(resumed, STARTED, RunSuspended(call="r", questions=("q",)), resumed).continued_at == 0
    assert fold(resumed, STARTED, resumed, STARTED).continued_at == 2


def test_an_erased_end_of_a_run_is_an_end() -> None:
    assert fold(WANTED, ErasedItem(call="r", was="finished")).status == "done"


@tool(effect=Effect.PURE)
async def look(where: str) -> str:
    """Look."""
    return where


@tool(effect=Effect.UNSAFE, risk=Risk.HIGH)
async def send(text: str) -> str:
    """Send."""
    return text


@tool(effect=Effect.COMPOSED)
async def both(ctx: Context) -> str:
    """Look and send."""
    await ctx.call(look, where="here")
    return str(await ctx.call(send, text="hello"))


def make_office() -> Runtime:
    """A clerk whose helper calls a tool that calls another, about which a person is asked."""
    helper = Agent("helper", instructions="Help.", tools=[both], model=Scripted([calls(("both", {})), "helped"]))
    clerk = Agent("clerk", instructions="Work.", tools=[helper, look])
    script = Scripted([calls(("look", {"where": "a"}), ("helper", {"prompt": "go"})), "done"])
    return Runtime(App(name="office", agents=(clerk,), tools=(look, send)), model=script, directory=find_superuser)


async def test_calls_stand_below_their_agents_while_these_still_work() -> None:
    office = make_office()
    result = await office.run("go", by=superuser())
    view = RunView.of(await office.store.read(result.run))
    assert view.root is not None
    assert view.status == "waiting"
    tree = [(view.depth(each), each.tool, each.state) for each in view.root.walk()]
    assert tree == [
        (0, "clerk", "running"),
        (1, "look", "done"),
        (1, "helper", "running"),
        (2, "both", "running"),
        (3, "look", "done"),
        (3, "send", "asked"),
    ]
    helper = next(each for each in view.root.walk() if each.tool == "helper")
    assert [(each.role, each.by) for each in helper.messages][:2] == [("system", "instructions"), ("user", "caller")]
    (waiting,) = (each for each in view.root.walk() if each.open_question is not None)
    assert waiting.open_question is view.questions[result.questions[0]]


async def test_a_view_is_the_same_whether_its_items_came_at_once_or_in_two_parts() -> None:
    office = make_office()
    result = await office.run("go", by=superuser())
    await office.decide(result.questions[0], approved=True, by=superuser())
    await office.resume(result.run)
    positions = await office.store.read(result.run)
    whole = RunView.of(positions)
    assert whole.status == "done"
    for cut in range(len(positions)):
        view = RunView.of(positions[:cut])
        assert view.count == cut
        for position in positions[cut:]:
            view.add(position.item, position.at)
        assert vars(view) == vars(whole)
