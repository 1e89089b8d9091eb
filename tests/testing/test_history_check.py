"""The oracle finds every way in which a history can be broken, and none in one that is not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.chat.chat import encode_message
from remit.testing.history_check import HistoryError, HistoryErrorKind, history_errors

SYSTEM = encode_message({"role": "system", "content": "Work."})
USER = encode_message({"role": "user", "content": "go"})
SAID = encode_message({"role": "assistant", "content": "done"})


def asks(*ids: str, name: str = "double") -> str:
    calls = [{"id": each, "type": "function", "function": {"name": name, "arguments": "{}"}} for each in ids]
    return encode_message({"role": "assistant", "content": None, "tool_calls": calls})


def reply(to: str) -> str:
    return encode_message({"role": "tool", "tool_call_id": to, "content": "8"})


VALID = {
    "empty": [],
    "system alone": [SYSTEM],
    "no system": [USER, SAID],
    "text in parts": [encode_message({"role": "user", "content": [{"type": "text", "text": "go"}]}), SAID],
    "one call": [SYSTEM, USER, asks("a"), reply("a"), SAID],
    "two calls in order": [USER, asks("a", "b"), reply("a"), reply("b"), SAID],
    "calls of two turns": [USER, asks("a"), reply("a"), asks("b"), reply("b"), SAID],
    "a user after the replies": [USER, asks("a"), reply("a"), USER],
    "an answer without content": [USER, encode_message({"role": "assistant", "content": None}), USER],
    "a refusal": [USER, encode_message({"role": "assistant", "content": "", "refusal": "I will not"})],
}


@pytest.mark.parametrize("name", VALID)
def test_a_valid_history_has_no_fault(name: str) -> None:
    assert history_errors(VALID[name]) == []


BROKEN: dict[str, tuple[list[str], list[HistoryError]]] = {
    "no JSON": ([USER, "{"], [HistoryError(HistoryErrorKind.NOT_JSON, 1)]),
    "no message": ([USER, '{"role":"narrator","content":"x"}'], [HistoryError(HistoryErrorKind.NOT_A_MESSAGE, 1)]),
    "an array": (["[1]"], [HistoryError(HistoryErrorKind.NOT_A_MESSAGE, 0)]),
    "a number of calls": (
        ['{"role":"assistant","tool_calls":5}'],
        [HistoryError(HistoryErrorKind.NOT_A_MESSAGE, 0)],
    ),
    "a call that is a number": (
        ['{"role":"assistant","tool_calls":[3]}'],
        [HistoryError(HistoryErrorKind.NOT_A_MESSAGE, 0)],
    ),
    "a tool message that replies to nothing named": (
        [encode_message({"role": "tool", "content": "8"})],
        [HistoryError(HistoryErrorKind.NOT_A_MESSAGE, 0)],
    ),
    "a system message in the middle": ([USER, SYSTEM], [HistoryError(HistoryErrorKind.SYSTEM_NOT_FIRST, 1)]),
    "no reply at the end": ([USER, asks("a")], [HistoryError(HistoryErrorKind.UNPAIRED_CALL, 1)]),
    "one of two replies": ([USER, asks("a", "b"), reply("a"), SAID], [HistoryError(HistoryErrorKind.UNPAIRED_CALL, 1)]),
    "no reply before the next answer": ([USER, asks("a"), SAID], [HistoryError(HistoryErrorKind.UNPAIRED_CALL, 1)]),
    "a reply to nobody": ([USER, reply("a")], [HistoryError(HistoryErrorKind.UNKNOWN_REPLY, 1)]),
    "a reply to an older turn": (
        [USER, asks("a"), reply("a"), asks("b"), reply("b"), SAID, reply("a")],
        [HistoryError(HistoryErrorKind.UNKNOWN_REPLY, 6)],
    ),
    "two replies": ([USER, asks("a"), reply("a"), reply("a"), SAID], [HistoryError(HistoryErrorKind.REPLIED_TWICE, 3)]),
    "replies in another order": (
        [USER, asks("a", "b"), reply("b"), reply("a")],
        [HistoryError(HistoryErrorKind.OUT_OF_ORDER, 2), HistoryError(HistoryErrorKind.OUT_OF_ORDER, 3)],
    ),
    "a user between a call and its reply": (
        [asks("a"), USER, reply("a")],
        [
            HistoryError(HistoryErrorKind.UNPAIRED_CALL, 0),
            HistoryError(HistoryErrorKind.NOT_CONTIGUOUS, 1),
            HistoryError(HistoryErrorKind.UNKNOWN_REPLY, 2),
        ],
    ),
    "an empty id": ([asks(""), reply("")], [HistoryError(HistoryErrorKind.EMPTY_ID, 0)]),
    "one id twice in a turn": ([asks("a", "a"), reply("a")], [HistoryError(HistoryErrorKind.DUPLICATE_ID, 0)]),
    "one id in two turns": (
        [asks("a"), reply("a"), asks("a"), reply("a")],
        [HistoryError(HistoryErrorKind.DUPLICATE_ID, 2)],
    ),
    "an empty name": ([asks("a", name=""), reply("a")], [HistoryError(HistoryErrorKind.EMPTY_NAME, 0)]),
    "an empty list of calls": (
        [encode_message({"role": "assistant", "content": "x", "tool_calls": []})],
        [HistoryError(HistoryErrorKind.EMPTY_CALLS, 0)],
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_each_fault_is_named_with_its_message(name: str) -> None:
    texts, expected = BROKEN[name]
    assert history_errors(texts) == expected


def test_every_kind_of_fault_has_a_history_above_that_shows_it() -> None:
    assert {fault.kind for _, found in BROKEN.values() for fault in found} == set(HistoryErrorKind)


def test_the_faults_are_told_in_the_order_of_their_messages() -> None:
    found = history_errors([asks("a"), "{", reply("b"), reply("a"), asks("a")])
    assert [fault.message_index for fault in found] == sorted(fault.message_index for fault in found)


def test_a_history_is_read_as_it_comes() -> None:
    assert history_errors(text for text in (USER, asks("a"), reply("a"))) == []


@st.composite
def histories(draw: st.DrawFn) -> list[str]:
    """Histories that are valid by the way they are built."""
    texts, count = [SYSTEM] if draw(st.booleans()) else [], 0
    for _ in range(draw(st.integers(1, 4))):
        texts.append(USER)
        for calls in draw(st.lists(st.integers(1, 3), max_size=3)):
            ids = [f"call_{count + index}" for index in range(calls)]
            count += calls
            texts += [asks(*ids), *map(reply, ids)]
        texts.append(SAID)
    return texts


@given(histories())
def test_histories_built_by_the_rules_have_no_fault(texts: list[str]) -> None:
    assert history_errors(texts) == []


@given(histories(), st.data())
def test_a_history_without_one_of_its_replies_is_broken(texts: list[str], data: st.DataObject) -> None:
    replies = [index for index, text in enumerate(texts) if json.loads(text)["role"] == "tool"]
    if replies:
        cut = data.draw(st.sampled_from(replies))
        assert HistoryErrorKind.UNPAIRED_CALL in {
            fault.kind for fault in history_errors(texts[:cut] + texts[cut + 1 :])
        }


@given(histories(), st.data())
def test_a_history_with_two_of_its_neighbours_swapped_is_broken_wherever_it_had_calls(
    texts: list[str], data: st.DataObject
) -> None:
    calls = [index for index, text in enumerate(texts) if "tool_calls" in json.loads(text)]
    if calls:
        at = data.draw(st.sampled_from(calls))
        swapped: list[Any] = [*texts[:at], texts[at + 1], texts[at], *texts[at + 2 :]]
        assert history_errors(swapped) != []
