"""Which answers are asked for again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from remit.chat.chat import ChatRequest, Completion, History, completion_from_message, encode_message
from remit.layers.retry_model import RetryModel, is_incomplete
from tests.layers.asked import REQUEST

TOOL = encode_message({"role": "tool", "tool_call_id": "a", "content": "x"})
CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}


def answer(finish: str = "stop", **message: Any) -> Completion:
    return completion_from_message(encode_message({"role": "assistant", **message}), finish_reason=finish)


@pytest.mark.parametrize(
    ("given", "history", "expected"),
    [
        (answer(content=""), REQUEST.history, True),
        (answer(content=" \n"), REQUEST.history, True),
        (answer(content=""), History(), True),
        (answer(content=""), REQUEST.history.with_messages(TOOL), False),
        (answer(content="a"), REQUEST.history, False),
        (answer(content=None, tool_calls=[CALL]), REQUEST.history, False),
        (answer("length", content=""), REQUEST.history, False),
        (answer("length", content="a"), REQUEST.history, False),
        (answer("content_filter", content=""), REQUEST.history, False),
        (answer("MAX_TOKENS", content=""), REQUEST.history, False),
        (answer("error", content=""), REQUEST.history, True),
    ],
)
def test_only_an_empty_answer_that_ends_no_turn_with_calls_is_asked_for_again(
    given: Completion, history: History, expected: bool
) -> None:
    assert is_incomplete(replace(REQUEST, history=history), given) is expected


@pytest.mark.looptime
async def test_an_answer_that_is_empty_every_time_is_returned_in_the_end() -> None:
    requests = 0

    async def ask(_request: ChatRequest, /) -> Completion:
        nonlocal requests
        requests += 1
        return answer(content="")

    assert await RetryModel(attempts=3)(ask)(REQUEST) == answer(content="")
    assert requests == 3
