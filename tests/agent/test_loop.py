"""The loop repeats the step, each time with what was said before, until the agent is done or its turns are."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.agent import AgentLoop, StepOutcome, StepRequest
from remit.call.step import Done, Next, StepUsage
from remit.chat.chat import encode_message
from remit.errors import MaxTurnsError, ModelBusyError, SetupError
from remit.journal.codec import messages_from_items, tool_message_text
from remit.layers import Reply
from remit.models import ModelSettings
from remit.record.items import Message, ToolOutput
from tests.agent.kit import USER, Desk, asks, request


class Steps:
    """A step that answers from a list, and remembers what it was asked."""

    def __init__(self, *outcomes: StepOutcome | Exception) -> None:
        self._left = list(outcomes)
        self.asked: list[StepRequest] = []

    async def __call__(self, asked: StepRequest, /) -> StepOutcome:
        self.asked.append(asked)
        outcome = self._left.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


def answer_text(text: str) -> str:
    return encode_message({"role": "assistant", "content": text})


def more(wire: str, aux: StepUsage | None = None) -> Next:
    return Next(
        messages=(encode_message({"role": "assistant", **asks(wire)}), tool_message_text(wire, "ok")),
        usage=aux or StepUsage(),
    )


DONE = Done(messages=(answer_text("done"),), usage=StepUsage(1, 1, 0))
START = StepRequest(chat=request(settings=ModelSettings(temperature=0.5, max_tokens=9)), calls=Desk())


async def test_a_step_that_is_done_is_the_whole_run() -> None:
    run = await AgentLoop()(Steps(DONE))(START)
    assert list(run.messages) == [USER, answer_text("done")]
    assert (run.turns, run.usage, run.final, run.agent) == (1, StepUsage(1, 1, 0), None, "agent")


async def test_each_step_is_asked_with_everything_that_was_said_before() -> None:
    steps = Steps(more("a"), more("b"), DONE)
    run = await AgentLoop()(steps)(START)
    assert [len(asked.chat.history) for asked in steps.asked] == [1, 3, 5]
    assert list(steps.asked[2].chat.history) == [USER, *more("a").messages, *more("b").messages]
    assert list(run.messages) == [*steps.asked[2].chat.history, answer_text("done")]


async def test_the_turns_are_counted_and_everything_else_of_the_request_stays() -> None:
    steps = Steps(more("a"), DONE)
    run = await AgentLoop()(steps)(START)
    assert [asked.chat.turn for asked in steps.asked] == [1, 2]
    assert {(asked.chat.settings.temperature, asked.chat.max_tokens) for asked in steps.asked} == {(0.5, 9)}
    assert all(asked.calls is START.calls for asked in steps.asked)
    assert run.turns == 2


async def test_what_the_steps_used_adds_up() -> None:
    run = await AgentLoop()(Steps(more("a", StepUsage(10, 2, 1)), more("b", StepUsage(20, 3, 4)), DONE))(START)
    assert run.usage == StepUsage(prompt_tokens=31, completion_tokens=6, tool_calls=5)


@pytest.mark.parametrize("most", [1, 3])
async def test_an_agent_that_is_not_done_within_its_turns_has_failed(most: int) -> None:
    steps = Steps(*(more(str(turn)) for turn in range(9)))
    with pytest.raises(MaxTurnsError, match=f"the agent did not finish within {most} turns"):
        await AgentLoop(max_turns=most)(steps)(START)
    assert len(steps.asked) == most


async def test_the_last_turn_counts() -> None:
    assert (await AgentLoop(max_turns=2)(Steps(more("a"), DONE))(START)).turns == 2


@pytest.mark.parametrize("most", [0, -1])
def test_a_loop_without_turns_is_refused(most: int) -> None:
    with pytest.raises(SetupError, match=f"max_turns={most}.*at least one turn"):
        AgentLoop(max_turns=most)


async def test_a_reply_that_ends_the_run_is_told() -> None:
    final = Reply.final("over")
    run = await AgentLoop()(Steps(Done(messages=more("a").messages, usage=StepUsage(), final_reply=final)))(START)
    assert run.final is final
    assert list(run.messages) == [USER, *more("a").messages]


async def test_an_error_of_a_step_is_the_error_of_the_loop() -> None:
    with pytest.raises(ModelBusyError):
        await AgentLoop()(Steps(more("a"), ModelBusyError("later")))(START)


async def test_two_runs_of_one_loop_share_nothing() -> None:
    loop = AgentLoop()
    first, second = await loop(Steps(more("a"), DONE))(START), await loop(Steps(DONE))(START)
    assert (len(first.messages), len(second.messages)) == (4, 2)


@given(st.lists(st.lists(st.text(max_size=5), max_size=3), max_size=4), st.text(max_size=5))
async def test_the_events_of_a_run_are_its_messages_one_to_one(turns: list[list[str]], last: str) -> None:
    steps = list[StepOutcome]()
    for number, contents in enumerate(turns):
        ids = [f"{number}-{index}" for index in range(len(contents))]
        replies = [tool_message_text(wire, content) for wire, content in zip(ids, contents, strict=True)]
        steps.append(Next(messages=(encode_message({"role": "assistant", **asks(*ids)}), *replies), usage=StepUsage()))
    run = await AgentLoop()(Steps(*steps, Done(messages=(answer_text(last),), usage=StepUsage())))(START)
    events = run.events
    assert messages_from_items(events) == list(run.messages)
    assert len({event.call for event in events}) == len(events)
    for event, text in zip(events, run.messages, strict=True):
        assert isinstance(event, ToolOutput if json.loads(text)["role"] == "tool" else Message)
