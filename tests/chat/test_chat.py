"""A wire text says a message exactly; requests digest what can change the answer; completions are read from texts."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.chat.chat import (
    ChatMessage,
    ChatRequest,
    Completion,
    History,
    ToolCallRequest,
    ToolDefinitions,
    completion_from_message,
    decode_message,
    encode_message,
)
from remit.chat.provider_tool import ProviderTool
from remit.chat.wire import ModelText
from remit.errors import SetupError
from remit.models import ModelSettings
from remit.testing import memory_ledger
from tests.call.json_values import any_objects, any_text

DEFINITION: dict[str, Any] = {
    "type": "function",
    "function": {"name": "find", "description": "Find é.", "parameters": {"type": "object"}},
}


def test_a_wire_text_is_compact_and_keeps_characters_and_the_order_of_keys() -> None:
    assert encode_message({"role": "user", "content": "café 😀"}) == '{"role":"user","content":"café 😀"}'
    assert encode_message({"content": "a", "role": "user"}) == '{"content":"a","role":"user"}'


def test_half_of_a_surrogate_pair_stays_escaped_so_that_utf_8_can_hold_the_text() -> None:
    said = encode_message({"role": "user", "content": "é\ud800"})
    assert said == '{"role":"user","content":"\\u00e9\\ud800"}'
    assert decode_message(said) == {"role": "user", "content": "é\ud800"}


@given(any_objects)
def test_reading_a_wire_text_gives_the_message_back(message: dict[str, Any]) -> None:
    assert decode_message(encode_message(message)) == message


@given(st.text(st.characters(), max_size=20).filter(lambda said: not any("\ud800" <= c <= "\udbff" for c in said)))
def test_any_text_of_a_tool_fits_into_utf_8(content: str) -> None:
    message: ChatMessage = {"role": "tool", "tool_call_id": "c1", "content": content}
    said = encode_message(message)
    assert decode_message(said.encode().decode()) == message


def test_a_completion_is_text() -> None:
    message = encode_message({"role": "assistant", "content": "done"})
    completion = completion_from_message(
        message, finish_reason="length", model="m", prompt_tokens=3, completion_tokens=1
    )
    assert completion == Completion(
        message=message, content="done", finish_reason="length", model="m", prompt_tokens=3, completion_tokens=1
    )


def test_a_completion_wants_calls_in_the_models_order_with_its_raw_arguments() -> None:
    calls = [
        {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"a": 1 }'}},
        {"id": "c2", "type": "function", "function": {"name": "find", "arguments": ""}},
    ]
    completion = completion_from_message(encode_message({"role": "assistant", "content": None, "tool_calls": calls}))
    assert completion.tool_calls == (ToolCallRequest("c1", "find", '{"a": 1 }'), ToolCallRequest("c2", "find", ""))
    assert completion.content is None


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ({"role": "assistant", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "ab"),
        ({"role": "assistant", "content": ""}, None),
        ({"role": "assistant", "content": []}, None),
        ({"role": "assistant", "content": None}, None),
        ({"role": "assistant"}, None),
        ({"role": "assistant", "content": "x", "tool_calls": None}, "x"),
    ],
)
def test_the_content_of_a_completion_is_its_text_or_none(message: dict[str, Any], content: str | None) -> None:
    completion = completion_from_message(json.dumps(message))
    assert (completion.content, completion.tool_calls) == (content, ())


def test_tool_texts_are_the_definitions_as_one_array() -> None:
    tools = ToolDefinitions([DEFINITION])
    assert json.loads(tools.text) == [DEFINITION]
    assert (tools.names, len(tools)) == (("find",), 1)
    assert "é" in tools.text
    assert " " not in tools.text.replace("Find é.", "")


def test_no_tools_are_an_empty_array() -> None:
    assert (ToolDefinitions().text, ToolDefinitions().names, len(ToolDefinitions())) == ("[]", (), 0)


def test_tool_texts_are_read_from_any_iterable_once() -> None:
    assert ToolDefinitions(iter([DEFINITION])).text == ToolDefinitions([DEFINITION]).text


async def request(**changed: Any) -> ChatRequest:
    known: dict[str, Any] = {
        "agent_call_id": "a",
        "turn": 2,
        "ledger": await memory_ledger(),
        "history": History(["x"]),
    }
    return ChatRequest(**{**known, **changed})


async def test_the_answer_to_a_request_is_filed_under_agent_and_turn() -> None:
    assert (await request()).call_id == "a:2"


@pytest.mark.parametrize(
    "changed",
    [
        {"history": History(["y"])},
        {"history": History(["x", "x"])},
        {"history": History()},
        {"tools": ToolDefinitions([DEFINITION])},
        {"provider_tools": (ProviderTool(name="web_search"),)},
        {"provider_tools": (ProviderTool(name="web_search", max_uses=2),)},
        {"settings": ModelSettings(temperature=0.0)},
        {"settings": ModelSettings(temperature=0.5)},
        {"settings": ModelSettings(max_tokens=5)},
        {"settings": ModelSettings(max_completion_tokens=5)},
        {"settings": ModelSettings(top_p=0.5)},
        {"settings": ModelSettings(seed=5)},
        {"settings": ModelSettings(stop=(".",))},
        {"settings": ModelSettings(reasoning_effort="low")},
        {"settings": ModelSettings(tool_choice="none")},
        {"settings": ModelSettings(parallel_tool_calls=False)},
        {"settings": ModelSettings(response_format={"type": "json_object"})},
        {"settings": ModelSettings(extra_body={"top_k": 5})},
        {"settings": ModelSettings(extra_headers={"X-Route": "env:ROUTE"})},
    ],
)
async def test_a_request_digests_everything_that_can_change_the_answer(changed: dict[str, Any]) -> None:
    assert (await request(**changed)).digest() != (await request()).digest()


async def test_no_two_changes_of_a_request_have_one_digest() -> None:
    changes: list[dict[str, Any]] = [
        {},
        {"settings": ModelSettings(temperature=5)},
        {"settings": ModelSettings(max_tokens=5)},
        {"settings": ModelSettings(max_completion_tokens=5)},
        {"settings": ModelSettings(seed=5)},
        {"tools": ToolDefinitions([DEFINITION])},
    ]
    digests = [(await request(**changed)).digest() for changed in changes]
    assert len(set(digests)) == len(changes)


@pytest.mark.parametrize("changed", [{"agent_call_id": "b"}, {"turn": 3}, {"used_call_ids": {"c1"}}])
async def test_what_cannot_change_the_answer_is_not_in_the_digest(changed: dict[str, Any]) -> None:
    assert (await request(**changed)).digest() == (await request()).digest()


async def test_two_requests_share_no_used_ids() -> None:
    first, second = await request(), await request()
    first.used_call_ids.add("c1")
    assert second.used_call_ids == set()


@given(st.lists(any_text, max_size=4), st.lists(any_text, max_size=4))
def test_two_histories_share_a_digest_only_if_they_are_one(one: list[str], other: list[str]) -> None:
    assert (History(one).digest == History(other).digest) == (one == other)


@pytest.mark.parametrize("text", ["", "{", "[]", None])
def test_a_text_that_is_no_message_is_refused(text: Any) -> None:
    with pytest.raises(SetupError, match="give the JSON text of a message"):
        decode_message(text)


@pytest.mark.parametrize("definition", ["save", {}, {"function": "save"}])
def test_what_defines_no_function_is_refused(definition: Any) -> None:
    with pytest.raises(SetupError, match="give definitions of functions"):
        ToolDefinitions([definition])


def test_a_history_knows_which_models_wrote_it_and_whether_it_names_artifacts_without_being_read_again() -> None:
    plain = History(['{"role":"user"}'])
    marked = plain.with_messages(ModelText('{"x":1}', "a"), ModelText('{"x":2}', "b"))
    naming = marked.with_messages('{"content":"sha256:0"}')
    assert (plain.origins, marked.origins, naming.origins) == (frozenset(), {"a", "b"}, {"a", "b"})
    assert (plain.names_artifacts, marked.names_artifacts, naming.names_artifacts) == (False, False, True)
    assert not plain.with_messages("{}").names_artifacts


def test_a_completion_with_another_text_keeps_its_calls_and_nothing_else_of_its_message() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    raw = {"role": "assistant", "content": "secret", "reasoning": "secret", "tool_calls": [call]}
    completion = completion_from_message(encode_message(raw), response="secret", prompt_tokens=3)
    changed = completion.with_text("[x]")
    assert json.loads(changed.message) == {"role": "assistant", "content": "[x]", "tool_calls": [call]}
    assert (changed.content, changed.tool_calls, changed.prompt_tokens) == ("[x]", completion.tool_calls, 3)
    assert "secret" not in repr(changed)
    plain = completion_from_message(encode_message({"role": "assistant", "content": "a"})).with_text("")
    assert (json.loads(plain.message), plain.content) == ({"role": "assistant", "content": ""}, None)


async def test_the_request_of_the_next_turn_has_every_field_of_this_one_but_the_turn_and_the_history() -> None:
    first = await request(
        turn=3,
        tools=ToolDefinitions([DEFINITION]),
        provider_tools=(ProviderTool(name="web_search"),),
        settings=ModelSettings(temperature=0.5),
        used_call_ids={"call"},
    )
    following = first.next_turn(History(["{}", "[]"]))
    changed = {"turn", "history", "call_id"}
    kept = [each.name for each in fields(ChatRequest) if each.name not in changed]
    assert [getattr(following, name) for name in kept] == [getattr(first, name) for name in kept]
    assert (following.turn, len(following.history), following.call_id) == (4, 2, "a:4")


def test_a_part_of_a_history_is_a_list_of_texts() -> None:
    history = History(["x", "y", "z"])
    longer = history.with_messages("w")
    assert (history[1:], history[-2:], history[:-1], longer[::2]) == (["y", "z"], ["y", "z"], ["x", "y"], ["x", "z"])
    assert (history[0], history[-1], longer[-1]) == ("x", "z", "w")
