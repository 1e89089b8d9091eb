"""Legal messages in place of those that endpoints refuse."""

from __future__ import annotations

import json
from typing import Any

import pytest

import remit.chat.stand_in as contracts_stand_in
from remit.chat.chat import ChatRequest, History, encode_message
from remit.chat.stand_in import stand_in
from remit.chat.wire import ModelText, origin_of_text
from remit.schemas.jsontext import ascii_json
from remit.testing import read_only_ledger


def calling(name: str, arguments: object = "{}", **fields: Any) -> str:
    call = {"id": "a", "type": "function", "function": {"name": name, "arguments": arguments}, "extra": 1.50}
    return encode_message({"role": "assistant", "content": None, **fields, "tool_calls": [call]})


def called(text: str) -> tuple[str, object]:
    function = json.loads(text)["tool_calls"][0]["function"]
    return function["name"], function["arguments"]


@pytest.mark.parametrize(
    "text",
    [
        calling("look"),
        calling("look", '{"what":"\\ud83d\\ude00"}'),
        calling("look", '{"what":"a"}', refusal=None),
        '{"role":"assistant","content":"a","name":null}',
        encode_message({"role": "assistant", "content": "Well."}),
        encode_message({"role": "assistant", "content": None, "refusal": "No."}),
        encode_message({"role": "assistant", "content": None, "audio": {"id": "a"}}),
        encode_message({"role": "user", "content": "assistant"}),
        encode_message({"role": "tool", "tool_call_id": "a", "content": '"assistant"'}),
        r'{"role":"assistant","content":"\ud83d\ude00 \\ud83d \u00e9","refusal":null,"name":"clerk"}',
        '["assistant"]',
        'no JSON of the "assistant"',
        '{"role":"assistant","tool_calls":7}',
        '{"role":"system","content":"the \\"assistant\\""}',
        '"assistant"',
    ],
)
def test_nothing_stands_in_for_a_legal_message(text: str) -> None:
    assert stand_in(text) is None


@pytest.mark.parametrize("name", ["look", "no name", "", "a" * 65, "é"])
@pytest.mark.parametrize(
    "value",
    [
        *(
            '"a\nb"',
            r'"\x"',
            r'"\ud800"',
            r'"\ud83d\ude00"',
            "'a'",
            '"abc',
            '"\u2028"',
            '"\x7f"',
            '"\x00"',
            "1e999",
            "NaN",
        ),
        *("-Infinity", '"INF"', "01", "1.", ".5", "+1", "-0", "123456789012345678901234567890", "tru", "null", "[1,]"),
        *('{"a":1,}', '{"a":1,"a":2}', "{}", "[]", "[" * 2_000, "é"),
    ],
)
def test_what_is_legal_at_first_sight_is_legal_when_it_is_read_with_care(
    value: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["", value, f'{{"k":{value}}}', f' {{"k":{value}}}', f'{{"k":{value}}}x', f"{{{value}}}"]
    answers = ['{"role":"assistant","content":%s}', '{"content":"a","other":%s,"role":"assistant"}']
    answers += ['{"role":"assistant","content":"a","content":%s}', '{"role":"user","role":"assistant","content":%s}']
    answers += ['{"role":"assistant","content":"a","name":%s}', '{"role":"assistant","content":"a","refusal":%s}']
    answers += ['{"role":"assistant","tool_calls":[{"type":%s,"function":{"name":"look","arguments":"{}"}}]}']
    answers += ['{"role":"assistant","tool_calls":[{"type":"function","function":{"name":"look","arguments":%s}}]}']
    texts = [*(calling(name, each) for each in arguments), *(each % value for each in answers)]
    at_first_sight = [stand_in(text) for text in texts]

    def reads_with_care(_text: str) -> bool:
        return False

    monkeypatch.setattr(contracts_stand_in, "_is_plainly_legal", reads_with_care)
    assert [stand_in(text) for text in texts] == at_first_sight


@pytest.mark.parametrize(
    ("name", "legal"),
    [
        ("look<|channel|>", "look__channel__"),
        ("functions.look", "functions_look"),
        ("a" * 70, "a" * 64),
        ("", "unnamed"),
        ("é", "_"),
    ],
)
def test_a_name_that_no_tool_can_have_goes_back_as_one_that_it_can(name: str, legal: str) -> None:
    found = stand_in(calling(name))
    assert found is not None
    assert called(found) == (legal, "{}")
    assert '"extra":1.5' in found


@pytest.mark.parametrize("arguments", ['{"a"', "[1]", "{}{}", '{"a":NaN}', "[" * 100_000])
def test_arguments_that_are_no_object_go_back_as_one_that_holds_them(arguments: str) -> None:
    found = stand_in(calling("look", arguments))
    assert found is not None
    assert json.loads(str(called(found)[1])) == {"INVALID_JSON": arguments}


@pytest.mark.parametrize("arguments", ["", " \n", "null", " null ", None, {}])
def test_blank_arguments_go_back_as_an_empty_object(arguments: object) -> None:
    found = stand_in(calling("look", arguments))
    assert found is not None
    assert called(found) == ("look", "{}")


@pytest.mark.parametrize("fields", [{"content": None}, {"content": " "}, {"content": []}, {}])
def test_an_empty_answer_goes_back_as_one_that_says_so(fields: dict[str, Any]) -> None:
    found = stand_in(encode_message({"role": "assistant", **fields, "reasoning": "Hm."}))
    assert found is not None
    assert json.loads(found) == {"role": "assistant", "content": "(no answer)", "reasoning": "Hm."}


def test_a_call_without_a_function_goes_back_with_one() -> None:
    found = stand_in('{"role":"assistant","tool_calls":[{"id":"a","type":"function"}]}')
    assert found is not None
    function = {"name": "unnamed", "arguments": "{}"}
    assert json.loads(found)["tool_calls"] == [{"id": "a", "type": "function", "function": function}]


def test_arguments_that_are_an_object_go_back_as_its_text() -> None:
    found = stand_in(calling("look", {"what": "a\ud83d", "n": [1]}))
    assert found is not None
    assert json.loads(str(called(found)[1])) == {"what": "a\ufffd", "n": [1]}


@pytest.mark.parametrize("kind", ["", '"type":null,', '"type":"tool",'])
def test_a_call_without_the_type_of_a_function_goes_back_with_it(kind: str) -> None:
    made = '{"role":"assistant","tool_calls":[{%s"id":"a","x":1e5,"function":{"name":"look","arguments":"{ }"}}]}'
    found = stand_in(made % kind)
    assert found is not None
    (call,) = json.loads(found)["tool_calls"]
    assert call == {"type": "function", "id": "a", "x": 1e5, "function": {"name": "look", "arguments": "{ }"}}
    assert '"x":1e5' in found, "all else is kept as it is written"


def test_only_the_calls_that_are_not_legal_are_written_anew() -> None:
    legal = '{"function":{"arguments":"{}","name":"look"},"id":"a","type":"function"}'
    found = stand_in(f'{{"role":"assistant","tool_calls":[{legal},{legal.replace("look", "a b")}]}}')
    assert found == f'{{"role":"assistant","tool_calls":[{legal},{legal.replace("look", "a_b")}]}}'


@pytest.mark.parametrize(("given", "arguments"), [("not JSON", {"input": "not JSON"}), ('{"a":1}', {"a": 1})])
def test_a_call_of_a_custom_tool_goes_back_as_one_of_a_function(given: str, arguments: dict[str, Any]) -> None:
    call = {"id": "a", "type": "custom", "custom": {"name": "run it", "input": given}}
    found = stand_in(encode_message({"role": "assistant", "content": None, "tool_calls": [call]}))
    assert found is not None
    (other,) = json.loads(found)["tool_calls"]
    assert set(other) == {"id", "type", "function"}
    assert (called(found)[0], json.loads(str(called(found)[1]))) == ("run_it", arguments)


@pytest.mark.parametrize(
    ("fields", "legal"),
    [
        ({"content": "a", "name": "GPT 5"}, {"content": "a"}),
        ({"content": "a", "name": 5}, {"content": "a"}),
        ({"content": "a", "refusal": ["no"]}, {"content": "a"}),
        ({"content": None, "refusal": ["no"]}, {"content": "(no answer)"}),
        ({"content": "cut \ud83d"}, {"content": "cut \ufffd"}),
        ({"content": "a", "reasoning": "\ude00\ud83d\ud83d\ude00"}, {"content": "a", "reasoning": "\ufffd\ufffd😀"}),
    ],
)
def test_fields_that_a_strict_endpoint_refuses_go_back_as_others_or_not(
    fields: dict[str, Any], legal: dict[str, Any]
) -> None:
    found = stand_in(ascii_json({"role": "assistant", **fields}))
    assert found is not None
    assert json.loads(found) == {"role": "assistant", **legal}


@pytest.mark.parametrize("half", ["\ud83d", r"\ud83d"])
def test_arguments_with_half_a_surrogate_pair_go_back_without_it(half: str) -> None:
    found = stand_in(calling("look", f'{{"what":"{half}","more":"\\ud83d\\ude00"}}'))
    assert found is not None
    assert json.loads(str(called(found)[1])) == {"what": "\ufffd", "more": "😀"}


def test_what_pydantic_ai_keeps_of_an_answer_names_the_same_calls() -> None:
    parts = [
        {"part_kind": "thinking", "content": "Hm."},
        {"part_kind": "tool-call", "tool_name": "a b", "args": "[", "tool_call_id": "a"},
    ]
    found = stand_in(calling("a b", "[", pydantic_ai={"parts": parts}))
    assert found is not None
    kept = json.loads(found)["pydantic_ai"]["parts"]
    assert kept[0] == parts[0]
    assert (kept[1]["tool_name"], json.loads(kept[1]["args"])) == ("a_b", {"INVALID_JSON": "["})


def test_a_request_has_the_legal_message_and_its_digest_is_of_the_original() -> None:
    text = ModelText(calling("a b"), "m at here")
    request = ChatRequest(agent_call_id="a", turn=1, ledger=read_only_ledger(()), history=History([text]))
    assert not request.history.is_legal
    sent = request.for_model("m at here")
    assert called(sent.history[0])[0] == "a_b"
    assert origin_of_text(sent.history[0]) == "m at here", "it goes back to its model with all its fields"
    assert called(request.history[0])[0] == "a b"
    other = request.for_model("n at there").history[0]
    assert (called(other)[0], "extra" in other) == ("a_b", False)


def test_a_longer_history_is_legal_only_if_all_of_it_is() -> None:
    history = History([encode_message({"role": "user", "content": "go"})])
    assert history.is_legal
    assert not history.with_messages(calling("a b")).with_messages(calling("look")).is_legal
    assert history.with_messages(calling("look")).is_legal


@pytest.mark.parametrize(
    ("fields", "legal"),
    [
        ({"content": "x", "tool_calls": {}}, {"content": "x"}),
        ({"content": "x", "tool_calls": ""}, {"content": "x"}),
        ({"content": "x", "tool_calls": False}, {"content": "x"}),
        ({"content": "x", "function_call": "look"}, {"content": "x"}),
        ({"content": "", "function_call": ["look"]}, {"content": "(no answer)"}),
        ({"content": "", "audio": "x"}, {"content": "(no answer)"}),
        ({"content": None, "audio": {"transcript": "Hello"}}, {"content": "Hello"}),
        ({"content": "x", "audio": {"id": 5}}, {"content": "x"}),
        ({"content": [None, "a", {"text": "b"}]}, {"content": [{"type": "text", "text": each} for each in "ab"]}),
        ({"content": [{"type": "text", "text": None}, 5]}, {"content": "(no answer)"}),
        ({"content": [{"type": "text"}, {"type": "text", "text": "a"}]}, {"content": [{"type": "text", "text": "a"}]}),
    ],
)
def test_members_of_other_forms_are_left_out_and_texts_stay(fields: dict[str, Any], legal: dict[str, Any]) -> None:
    made = stand_in(encode_message({"role": "assistant", **fields}))
    assert made is not None
    assert json.loads(made) == {"role": "assistant", **legal}


KNOWN_FORMS: list[dict[str, Any]] = [
    {"content": None, "audio": {"id": "a", "transcript": "Hello"}},
    {"content": "x", "function_call": None, "audio": None},
    {"content": [{"type": "thinking", "thinking": []}, {"type": "text", "text": "x"}]},
]


@pytest.mark.parametrize("fields", KNOWN_FORMS)
def test_members_of_known_forms_stay(fields: dict[str, Any]) -> None:
    assert stand_in(encode_message({"role": "assistant", **fields})) is None


def test_a_call_beside_parts_of_nothing_stays() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    made = stand_in(encode_message({"role": "assistant", "content": [None], "tool_calls": [call]}))
    assert made is not None
    assert json.loads(made) == {"role": "assistant", "content": None, "tool_calls": [call]}
