"""What models send is kept as received, and other models get what all models know."""

from __future__ import annotations

import json
from typing import Any

import pytest

from remit.chat.chat import ChatRequest, History, completion_from_message
from remit.chat.wire import (
    ModelText,
    change_arguments,
    keep_tool_calls,
    kept_details,
    mark_origin,
    origin_of_text,
    plain_message,
    read_tool_calls,
    received_message,
    refusal_of_message,
    refusal_of_text,
    rename_tool_calls,
    response_to_text,
    text_of_message,
    to_request_text,
    with_tool_calls,
)
from remit.record.arguments import given_arguments, parse_arguments
from remit.testing import read_only_ledger

CALL: dict[str, Any] = {"id": "a", "type": "function", "function": {"name": "n", "arguments": "{}"}}
PLAIN = {"role": "assistant", "content": "x"}


def test_a_message_with_fields_of_a_vendor_is_marked_with_its_model() -> None:
    text = json.dumps({**PLAIN, "reasoning_content": "hm"})
    assert origin_of_text(mark_origin(text, "m at host")) == "m at host"
    assert mark_origin(text, "m at host") == text


@pytest.mark.parametrize(
    "message", [PLAIN, {**PLAIN, "tool_calls": [{**CALL, "id": "abcDEF123"}]}, {**PLAIN, "name": "n", "refusal": "no"}]
)
def test_a_message_that_all_models_know_is_not_marked(message: dict[str, Any]) -> None:
    assert origin_of_text(mark_origin(json.dumps(message), "m at host")) == ""


@pytest.mark.parametrize("text", ["[]", '"x"'])
def test_a_text_that_is_no_message_is_not_marked(text: str) -> None:
    assert origin_of_text(mark_origin(text, "m at host")) == ""


def test_a_message_of_a_model_without_a_name_is_not_marked() -> None:
    assert origin_of_text(mark_origin(json.dumps({**PLAIN, "reasoning": "hm"}), "")) == ""


def test_a_request_carries_fields_of_a_vendor_to_the_model_that_wrote_them_only() -> None:
    marked = ModelText(json.dumps({**PLAIN, "reasoning_content": "hm"}), "m at host")
    unmarked = json.dumps({**PLAIN, "reasoning_content": "other"})
    history = History([marked, unmarked])
    request = ChatRequest(agent_call_id="a", turn=1, ledger=read_only_ledger(()), history=history)
    assert request.for_model("m at host") is request
    assert list(request.for_model("m at other").history) == ['{"role":"assistant","content":"x"}', unmarked]


REDUCED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "reasoning": ({"content": "x", "reasoning_content": "hm", "annotations": []}, {"content": "x"}),
    "parts": ({"content": [{"type": "thinking"}, {"type": "text", "text": "x"}, "y", 1]}, {"content": "xy"}),
    "text parts": ({"content": [{"type": "text", "text": "x"}]}, {"content": [{"type": "text", "text": "x"}]}),
    "parts without text": ({"content": [{"type": "thinking"}]}, {"content": None}),
    "speech": ({"content": None, "audio": {"id": "a", "transcript": "hi"}}, {"content": "hi"}),
    "a refusal": ({"content": None, "refusal": "no"}, {"content": None, "refusal": "no"}),
    "a text and a refusal in parts": (
        {"content": [{"type": "text", "text": "x"}, {"type": "refusal", "refusal": "no"}]},
        {"content": "x", "refusal": "no"},
    ),
    "a refusal in parts": ({"content": [{"type": "refusal", "refusal": "no"}]}, {"content": "no"}),
    "calls": (
        {"content": None, "tool_calls": [{**CALL, "index": 0, "extra_content": {"google": {}}}]},
        {"content": None, "tool_calls": [CALL]},
    ),
    "calls without content": ({"tool_calls": [CALL]}, {"tool_calls": [CALL]}),
    "no calls": ({"content": "x", "tool_calls": []}, {"content": "x"}),
}


@pytest.mark.parametrize("name", REDUCED)
def test_of_a_message_other_models_get_text_refusal_and_calls(name: str) -> None:
    message, expected = REDUCED[name]
    assert plain_message({"role": "assistant", **message}) == {"role": "assistant", **expected}


def test_a_call_is_renamed_and_the_rest_of_its_message_kept_to_the_letter() -> None:
    text = '{"n":1.10,"tool_calls":[{"x":1E2,"id":"a","function":{"name":"n","arguments":{}}},{"type":"function"}]}'
    assert rename_tool_calls(text, iter(["b", "c"])) == (
        '{"n":1.10,"tool_calls":[{"x":1E2,"id":"b","function":{"name":"n","arguments":{}}},'
        '{"type":"function","id":"c","function":{"arguments":"\\"\\"","name":"unnamed"}}]}'.replace('"\\"\\""', '""')
    )
    assert rename_tool_calls('{"content":"x"}', iter(())) == '{"content":"x"}'


@pytest.mark.parametrize(
    "call", [{"function": {"name": ""}}, {"custom": {"name": None, "input": "x"}}, {"function": 1}]
)
def test_a_call_without_a_name_gets_one(call: dict[str, Any]) -> None:
    text = rename_tool_calls(json.dumps({"tool_calls": [call]}), iter(["a"]))
    assert [(each.id, each.name) for each in read_tool_calls(json.loads(text))] == [("a", "unnamed")]


def test_the_name_of_a_call_with_half_a_character_becomes_readable() -> None:
    text = rename_tool_calls(json.dumps({"tool_calls": [{"function": {"name": "a\ud83d"}}]}), iter(["a"]))
    assert [each.name for each in read_tool_calls(json.loads(text))] == ["a\ufffd"]


def test_the_text_of_a_message_is_its_content_refusal_or_transcript() -> None:
    assert text_of_message({"content": "", "audio": {"transcript": "hi"}}) == "hi"
    assert text_of_message({"audio": {"transcript": 1}, "content": 5}) == ""
    assert text_of_message({"content": " ", "refusal": "no"}) == "no"
    assert text_of_message({"content": " "}) == " "


REFUSED: dict[str, tuple[dict[str, Any], str, str]] = {
    "alone": ({"content": None, "refusal": "no"}, "no", "no"),
    "next to a text": ({"content": "half", "refusal": "no"}, "half", "no"),
    "as a part": ({"content": [{"type": "refusal", "refusal": "no"}]}, "no", "no"),
    "as parts after a text": (
        {"content": [{"type": "text", "text": "half"}, {"refusal": "n"}, {"refusal": "o"}, "."]},
        "half.",
        "no",
    ),
    "none": ({"content": "whole", "refusal": None}, "whole", ""),
    "no text": ({"content": "whole", "refusal": ["no"]}, "whole", ""),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_is_never_joined_to_a_text(name: str) -> None:
    message, text, refusal = REFUSED[name]
    assert (text_of_message(message), refusal_of_message(message)) == (text, refusal)
    assert refusal_of_text(json.dumps(message)) == refusal


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ('{"refusal":true}', "it gives no reason"),
        ('{"refusal": {"reason": "no", "codes": [5, " x "], "is_final": true}}', "no, x, it gives no reason"),
        ('{"content":[{"type":"refusal","refusal":true}, "a"]}', "it gives no reason"),
        ('{"refus\\u0061l":"no"}', "no"),
        ('{"\\u0072efusal":true}', "it gives no reason"),
        ('{"content":"\\u00e9","refusal":false}', ""),
        ('{"refusal":" "}', ""),
        ('{"refusal":" ","content":[{"refusal":"no"}]}', "no"),
        ('{"refusal":{"reason":" ","code":null}}', ""),
        ('{"refusal":{}}', ""),
    ],
)
def test_a_refusal_counts_in_any_form_that_says_something(text: str, refusal: str) -> None:
    assert refusal_of_text(text) == refusal


def test_arguments_that_name_a_refusal_are_none() -> None:
    message = {"content": None, "tool_calls": [{**CALL, "function": {"name": "n", "arguments": '{"refusal":"no"}'}}]}
    assert refusal_of_text(json.dumps(message)) == ""


def test_speech_is_sent_back_as_its_id() -> None:
    assert to_request_text('{"audio":{"data":"x","id":"a"},"b":1.0}') == '{"audio":{"id":"a"},"b":1.0}'


@pytest.mark.parametrize("text", ['{"content":"x"}', '{"audio":null}', '{"audio":{"data":"x"}}', '{"a":"\\"audio\\""}'])
def test_other_messages_are_sent_back_as_they_are(text: str) -> None:
    assert to_request_text(text) == text


def test_a_response_of_pydantic_ai_keeps_what_a_message_cannot_hold() -> None:
    parts = [{"part_kind": "thinking", "content": "hm", "signature": "s"}, {"part_kind": "text", "content": "x"}]
    details = {**kept_details("", "m at host"), "finish_reason": "stop"}
    text = response_to_text({"parts": parts, "provider_name": "p", "provider_details": details}, PLAIN)
    assert origin_of_text(text) == "m at host"
    kept = {"parts": parts, "provider_name": "p", "provider_details": {"finish_reason": "stop"}}
    assert json.loads(text) == {**PLAIN, "pydantic_ai": kept}


def test_a_part_of_a_vendor_alone_is_kept_too() -> None:
    parts = [{"part_kind": "text", "content": "x", "id": "msg_1"}]
    text = response_to_text({"parts": parts, "provider_details": kept_details("", "m at host")}, PLAIN)
    assert json.loads(text)["pydantic_ai"] == {"parts": parts}


@pytest.mark.parametrize("details", [None, {}, kept_details("", "m at host")])
def test_a_response_that_a_message_can_hold_is_that_message(details: dict[str, Any] | None) -> None:
    response = {"parts": [{"part_kind": "text", "content": "x"}], "provider_details": details}
    assert response_to_text(response, PLAIN) == '{"role":"assistant","content":"x"}'


def test_a_response_with_half_a_surrogate_pair_can_be_written() -> None:
    assert response_to_text({"parts": []}, {"content": "\ud83d"}) == '{"content":"\\ud83d"}'


def test_arguments_are_changed_and_all_else_is_kept_as_received() -> None:
    custom = {"id": "b", "type": "custom", "custom": {"input": "print", "name": "code"}, "seal": 1.0e3}
    text = json.dumps({"role": "assistant", "tool_calls": [CALL, custom], "seal": "s"}, separators=(" ,", " :"))
    changed = change_arguments(text, lambda call: call.arguments if call.name == "n" else "no")
    assert json.loads(changed) == json.loads(text.replace("print", "no"))
    assert [each.arguments for each in read_tool_calls(json.loads(changed))] == ["{}", "no"]
    assert change_arguments(text, lambda call: call.arguments) is text


def test_a_message_as_received_is_the_text_of_its_response() -> None:
    details = kept_details('{"z":1}', "m at host")
    assert received_message(details) == ('{"z":1}', "m at host")
    assert response_to_text({"parts": [], "provider_details": details}, PLAIN) == '{"z":1}'


def test_an_answer_with_another_text_keeps_its_calls_and_its_model() -> None:
    calls = [{**CALL, "extra_content": {"google": {"thought_signature": "s"}}}]
    text = mark_origin(json.dumps({"role": "assistant", "content": "secret", "tool_calls": calls}), "m at host")
    changed = completion_from_message(text).with_text("x")
    assert origin_of_text(changed.message) == "m at host"
    assert json.loads(changed.message) == {**PLAIN, "tool_calls": calls}


def test_the_first_tool_calls_are_kept_with_their_parts_of_a_response() -> None:
    calls = [{"id": name, "function": {"name": name, "arguments": "{}"}} for name in "abc"]
    parts = [
        {"part_kind": "thinking", "content": "x"},
        *({"part_kind": "tool-call", "tool_name": name} for name in "abc"),
        {"part_kind": "text", "content": "y"},
    ]
    message = {"role": "assistant", "tool_calls": calls, "pydantic_ai": {"parts": parts, "model_name": "m"}}
    kept = json.loads(keep_tool_calls(json.dumps(message), 2))
    assert kept["tool_calls"] == calls[:2]
    assert kept["pydantic_ai"] == {"parts": [*parts[:3], parts[4]], "model_name": "m"}
    assert json.loads(keep_tool_calls(json.dumps({"tool_calls": calls}), 1)) == {"tool_calls": calls[:1]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"content":"a"}', '{"content":"a"}'),
        ('{"content":"a","function_call":null}', '{"content":"a","function_call":null}'),
        (
            '{"function_call":{"name":"f"},"tool_calls":[{"id":"a"}]}',
            '{"function_call":{"name":"f"},"tool_calls":[{"id":"a"}]}',
        ),
        (
            '{"content":null,"function_call":{"name":"f","arguments":"{}"},"tool_calls":[]}',
            '{"content":null,"tool_calls":[{"type":"function","function":{"name":"f","arguments":"{}"}}]}',
        ),
        (
            '{"function_call":{"name":"f","arguments":"1.0"}}',
            '{"tool_calls":[{"type":"function","function":{"name":"f","arguments":"1.0"}}]}',
        ),
    ],
)
def test_the_older_function_call_is_read_as_one_of_tool_calls(text: str, expected: str) -> None:
    assert with_tool_calls(text) == expected


@pytest.mark.parametrize(
    ("call", "place"),
    [
        ({"function": {"name": "look", "parameters": {"page": "a"}}}, "parameters"),
        ({"function": {"name": "look", "arguments": "", "args": "x"}}, "args"),
        ({"function": {"name": "look", "arguments": None, "input": "x"}}, "input"),
        ({"function": {"name": "look"}, "arguments": '{"page":"a"}'}, "arguments"),
        ({"custom": {"name": "look", "params": [0]}}, "params"),
        ({"function": {"name": "look", "parameters": {}, "args": "", "input": None}}, ""),
        ({"function": {"name": "look", "arguments": "{}", "parameters": {"type": "object"}}}, ""),
        ({"function": {"name": "look", "arguments": {}, "parameters": {"type": "object", "properties": {}}}}, ""),
        ({"function": {"name": "look", "arguments": "", "parameters": {"type": "object"}}}, "parameters"),
        ({"function": {"name": "look", "arguments": "{}", "parameters": {"type": "object", "page": 1}}}, "parameters"),
        ({"function": {"name": "look", "arguments": "{}", "parameters": {"page": "a"}}}, "parameters"),
        ({"function": {"name": "look", "arguments": "{ }", "parameters": ["a"]}}, "parameters"),
        ({"function": {"name": "look", "arguments": {}, "args": "a"}}, "args"),
        ({"function": {"name": "look", "arguments": " \n", "params": {"page": "a"}}}, "params"),
        ({"function": {"name": "look", "arguments": "null", "input": {"page": "a"}}}, "input"),
        ({"function": {"name": "look", "arguments": " ", "args": "null", "input": "{ }"}, "arguments": " "}, ""),
        ({"custom": {"name": "look", "input": " ", "args": "a"}}, "args"),
    ],
)
def test_what_may_be_meant_as_arguments_is_neither_dropped_nor_taken_for_them(call: dict[str, Any], place: str) -> None:
    (read,) = read_tool_calls({"tool_calls": [call]})
    error = parse_arguments(given_arguments(read.arguments)).error
    assert error == (
        f"the arguments stand in another place of the call: {place!r}; write function.arguments" if place else ""
    )
