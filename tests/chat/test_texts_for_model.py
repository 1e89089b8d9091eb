"""Messages of one model, as another may get them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from remit.chat.call_ids import portable_id
from remit.chat.chat import ChatRequest, History, encode_message
from remit.chat.foreign_texts import texts_for_model
from remit.chat.wire import ModelText, mark_origin, origin_of_text
from remit.testing import history_errors, read_only_ledger

PLAIN = '{"role":"user","content":"Hi"}'


def test_texts_that_no_vendor_marked_stay_as_they_are() -> None:
    assert texts_for_model([PLAIN], "other") is None


def asking(*ids: str, **fields: Any) -> str:
    calls = [{"id": each, "type": "function", "function": {"name": "look", "arguments": "{}"}} for each in ids]
    return encode_message({"role": "assistant", "content": None, "tool_calls": calls, **fields})


def reply(ident: str) -> str:
    return encode_message({"role": "tool", "tool_call_id": ident, "content": f"saw {ident}"})


def ids_in(texts: list[str]) -> list[str]:
    """The ids of calls and of replies, in order."""
    messages = list(map(json.loads, texts))
    return [
        each
        for message in messages
        for each in (message.get("tool_call_id"), *(call["id"] for call in message.get("tool_calls", ())))
        if each
    ]


FOREIGN = ("functions.look:0", "call_AbC", "toolu_01-x", "9")


@pytest.mark.parametrize("origin", ["m at here", ""])
def test_an_answer_whose_ids_not_all_providers_take_is_marked(origin: str) -> None:
    marked = mark_origin(asking(*FOREIGN), origin)
    assert origin_of_text(marked) == origin
    assert origin_of_text(mark_origin(asking("abcDEF123"), origin)) == ""


@pytest.mark.parametrize("author", ["m at here", ""])
def test_another_model_gets_portable_ids_in_calls_and_replies(author: str) -> None:
    texts = [
        PLAIN,
        mark_origin(asking(*FOREIGN), author),
        *map(reply, FOREIGN),
        reply("abcDEF123"),
        asking("abcDEF124"),
    ]
    made = texts_for_model(texts, "other at there")
    assert made is not None
    portable = list(map(portable_id, FOREIGN))
    assert ids_in(made) == [*portable, *portable, "abcDEF123", "abcDEF124"]
    assert (made[0], made[-2:]) == (PLAIN, texts[-2:])
    assert [json.loads(each)["content"] for each in made[2:6]] == [f"saw {each}" for each in FOREIGN]
    assert texts_for_model(made, "third") is None
    assert texts_for_model(texts, author) is None


def test_an_answer_as_it_was_received_gets_portable_ids_too() -> None:
    text = ModelText('{"role": "assistant", "x": 1, "tool_calls": [{"id" : "c:1", "function": {"name": "f"}}]}', "m")
    made = texts_for_model([text, reply("c:1")], "other")
    assert made is not None
    assert (ids_in(made), "x" in json.loads(made[0])) == ([portable_id("c:1")] * 2, False)


def test_a_text_about_calls_stays_as_it_is() -> None:
    texts = [encode_message({"role": "user", "content": '"tool_calls" "id":"x"', "name": "tool_calls"}), asking("a:1")]
    said = encode_message({"role": "user", "content": "x", "tool_call_id": 5})
    made = texts_for_model([*texts, said, reply("b:1")], "other")
    assert made is not None
    assert (made[0], made[2:]) == (texts[0], [said, reply("b:1")])


def test_the_request_keeps_its_digest_and_what_its_own_model_gave() -> None:
    own, other = mark_origin(asking("call_1"), "m at here"), mark_origin(asking("call_2"), "n at there")
    history = History([PLAIN, own, reply("call_1"), other, reply("call_2"), asking("call_3"), reply("call_3"), PLAIN])
    request = ChatRequest(agent_call_id="a", turn=1, ledger=read_only_ledger(()), history=history)
    sent = request.for_model("m at here").history
    assert ids_in(list(sent)) == ["call_1"] * 2 + [portable_id("call_2")] * 2 + [portable_id("call_3")] * 2
    assert not list(history_errors(sent))
    assert (list(request.history), history.origins) == (list(history), {"m at here", "n at there", ""})
    assert ids_in(list(request.for_model("").history))[-2:] == ["call_3"] * 2


def test_a_history_with_calls_of_no_known_model_says_so_however_it_grew() -> None:
    assert History([PLAIN]).origins == frozenset()
    assert History([PLAIN]).with_messages(asking("a"), reply("a"), asking("b")).origins == {""}


def test_a_call_whose_arguments_stand_elsewhere_is_legal_for_another_model() -> None:
    function = {"name": "look", "arguments": "{}", "input": {"page": 1}}
    text = ModelText(
        encode_message({"role": "assistant", "tool_calls": [{"id": "abcDEF123", "function": function}]}), "m"
    )
    (made,) = texts_for_model([text], "other") or [""]
    (call,) = json.loads(made)["tool_calls"]
    assert "INVALID_JSON" in json.loads(call["function"]["arguments"])
