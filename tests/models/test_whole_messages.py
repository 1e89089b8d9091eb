"""The whole messages of a stream are joined: each adds its calls, and replaces only what it repeats."""

from __future__ import annotations

from typing import Any

import pytest

from remit.chat.wire import read_tool_calls
from remit.models import whole_messages
from remit.models.answer_stream import AnswerStream
from remit.models.whole_messages import WholeMessages
from tests.strangers.streams import say


def call(arguments: object = '{"what":"a"}', name: str = "look", **fields: Any) -> dict[str, Any]:
    return {**fields, "function": {"name": name, "arguments": arguments}}


A, B = call(id="c1"), call('{"what":"b"}', id="c2")
BARE_A, BARE_B = call(), call('{"what":"b"}')

JOINED: dict[str, tuple[list[dict[str, Any]], list[list[Any]], list[str]]] = {
    "one each": ([], [[A], [B]], ["a", "b"]),
    "the calls so far": ([], [[A], [A, B], [A, B]], ["a", "b"]),
    "the calls so far, without ids": ([], [[BARE_A], [BARE_A, BARE_B], [BARE_B]], ["a", "b"]),
    "in another order": ([], [[A, B], [B, A]], ["a", "b"]),
    "one id for two calls": ([], [[A], [call('{"what":"b"}', id="c1")]], ["a", "b"]),
    "another id for the same call": ([A], [[call(id="x1")], [call(id="x2")]], ["a"]),
    "the same call twice in a message": ([], [[BARE_A, BARE_A], [BARE_A, BARE_A]], ["a", "a"]),
    "the same arguments by index": ([], [[call(index=0)], [call(index=1)]], ["a", "a"]),
    "indexes alone": ([call('{"what"', index=0)], [[call(index=1), call(index=0)]], ["a", "a"]),
    "arguments that grow": ([], [[call("", id="c1")], [call('{"what"', id="c1")], [A]], ["a"]),
    "arguments that are missing in the last": ([], [[A], [call(None, id="c1")], [call({}, id="c1")]], ["a"]),
    "a placeholder in pieces": ([call("{}", id="c1")], [[A]], ["a"]),
    "other white space": ([call('{"what": "a"}', id="c1")], [[A], [call({"what": "a"}, id="c1")]], ["a"]),
    "another tool": ([], [[A], [call(name="list", id="c1")]], ["a", "a"]),
    "a name that comes late": ([call(name="", id="c1")], [[A]], ["a"]),
    "null among them": ([], [[None, A]], ["a"]),
}


@pytest.mark.parametrize("name", JOINED)
def test_whole_messages_add_their_calls_to_those_in_pieces(name: str) -> None:
    streamed, messages, made = JOINED[name]
    whole = WholeMessages(lambda _: None)
    for calls in messages:
        whole.add({"content": None, "tool_calls": calls})
        whole.add({"content": "", "tool_calls": []})
    joined = whole.join({"tool_calls": streamed} if streamed else {})
    found = [each.arguments.replace(" ", "") for each in read_tool_calls(joined)]
    assert found == [f'{{"what":"{each}"}}' for each in made]


def test_an_empty_field_replaces_nothing() -> None:
    whole = WholeMessages(lambda _: None)
    for message in ({"content": "Hel", "refusal": None}, {"content": None, "refusal": "no"}, {"content": "Hello"}):
        whole.add(message)
    assert whole.join({"content": "", "role": "assistant"}) == {
        "role": "assistant",
        "content": "Hello",
        "refusal": "no",
    }
    assert not whole.differ


def test_the_older_function_call_may_be_repeated_but_not_be_another() -> None:
    whole = WholeMessages(lambda _: None)
    for arguments in ('{"wh', '{"what":"a"}', ""):
        whole.add({"function_call": {"name": "look", "arguments": arguments}})
    assert whole.join({}) == {"function_call": {"name": "look", "arguments": '{"what":"a"}'}}
    with pytest.raises(TypeError, match="two whole messages in the stream have different calls"):
        whole.add({"function_call": {"name": "look", "arguments": '{"what":"b"}'}})


def test_calls_that_are_no_list_are_refused() -> None:
    with pytest.raises(TypeError, match="its tool calls are not a list"):
        WholeMessages(lambda _: None).add({"tool_calls": {"0": A}})


def test_the_text_of_a_whole_message_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[object] = []
    text_of_message = whole_messages.text_of_message

    def count(message: dict[str, Any]) -> str:
        read.append(message)
        return text_of_message(message)

    monkeypatch.setattr(whole_messages, "text_of_message", count)
    stream = AnswerStream(lambda _: None)
    stream.add_bytes(say({}, message={"content": "Hello"}))
    for _ in range(20):
        stream.add_bytes(say({"content": "x"}))
    assert len(read) == 1


def test_a_filter_is_the_end_whatever_a_later_event_says() -> None:
    stream = AnswerStream(lambda _: None)
    stream.add_bytes(say({"content": "half"}) + say({}, finish_reason="Content Filter") + say({}, finish_reason="stop"))
    assert '"finish_reason":"Content Filter"' in stream.body()
