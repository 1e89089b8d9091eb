"""What a step is asked and gives, and what a run has used, are values that do not change."""

from __future__ import annotations

from typing import Any

import pytest

from remit.call.reply import Reply
from remit.call.step import Done, Next, StepUsage
from remit.record.ledger import Consumption


def test_a_step_that_used_nothing_used_nothing() -> None:
    assert StepUsage() == StepUsage(prompt_tokens=0, completion_tokens=0, tool_calls=0)


def test_an_agent_is_done_without_a_final_reply_unless_there_is_one() -> None:
    assert Done(messages=(), usage=StepUsage()).final_reply is None
    assert Done(messages=(), usage=StepUsage(), final_reply=Reply.final(1)).final_reply == Reply.final(1)


def test_a_step_to_be_continued_is_no_end() -> None:
    following: object = Next(messages=("a",), usage=StepUsage())
    assert following != Done(messages=("a",), usage=StepUsage())


def test_an_outcome_does_not_change() -> None:
    outcome: Any = Next(messages=(), usage=StepUsage())
    with pytest.raises(AttributeError):
        outcome.messages = ("a",)


def test_an_approval_is_taken_by_a_call_of_a_run() -> None:
    assert Consumption(("q",), "r", "c") == Consumption(questions=("q",), run="r", call="c")
