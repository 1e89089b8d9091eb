"""Streams of model endpoints as strangers send them: bytes of events, and the answer that they are."""

from __future__ import annotations

from json import dumps
from typing import Any, Final, NamedTuple


class StrangeStream(NamedTuple):
    """The bytes of a stream, and its answer: its text, and its calls as names with arguments.

    ``says``: what is said of one that is no answer. ``followed``: the text that is seen as it is written, if it is
    another than the text of the answer.
    """

    body: bytes
    text: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    says: str = ""
    followed: str | None = None


END: Final = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


def say(*deltas: object, **fields: Any) -> bytes:
    """Events with these deltas of the one choice, which has ``fields``."""
    choices = [{"index": 0, "delta": delta, **fields} for delta in deltas]
    return b"".join(b"data: %b\n\n" % dumps({"choices": [each]}).encode() for each in choices)


def text(*pieces: object) -> bytes:
    """Events with pieces of text."""
    return say(*({"content": piece} for piece in pieces))


def call(arguments: object, name: str = "", **fields: Any) -> bytes:
    """An event with a piece of a call."""
    function = {**({"name": name} if name else {}), "arguments": arguments}
    return say({"tool_calls": [{**fields, "function": function}]})


def part(value: str) -> dict[str, str]:
    """A part of a content that is a list."""
    return {"type": "text", "text": value}


_HELLO: Final = text("Grüße ", "😀, 日本")
_ESCAPED: Final = _HELLO + END
_RAW: Final = b"".join(
    b"data: %b\n\n" % dumps({"choices": [{"delta": {"content": each}}]}, ensure_ascii=False).encode()
    for each in ("Grüße ", "😀, 日本")
)
_GREETING: Final = "Grüße 😀, 日本"
_LOOKED: Final = (("look", '{"what":"a"}'),)

LINES: Final[dict[str, StrangeStream]] = {
    "letters in UTF-8": StrangeStream(_RAW + END, _GREETING),
    "no blank line between events": StrangeStream((_RAW + END).replace(b"\n\n", b"\n") + b"\n", _GREETING),
    "no blank line before the end": StrangeStream(_ESCAPED.replace(b"\n\ndata: [", b"\ndata: ["), _GREETING),
    "three kinds of line ends": StrangeStream(
        _HELLO.replace(b"\n\n", b"\r\r", 1) + b": x\r\n\r\n" + END.replace(b"\n", b"\r\n", 1), _GREETING
    ),
    "more blank lines than one": StrangeStream(_ESCAPED.replace(b"\n\n", b"\n\r\n\n\r\r"), _GREETING),
    "a byte order mark before each event": StrangeStream(_RAW.replace(b"data", b"\xef\xbb\xbfdata") + END, _GREETING),
    "comments within an event": StrangeStream(
        _ESCAPED.replace(b'{"choices"', b'{\n: keep-alive\n:\ndata:"choices"'), _GREETING
    ),
    "names of fields alone": StrangeStream(b"data\n\nevent\nid\nretry\n\n" + _ESCAPED, _GREETING),
    "fields that no one knows": StrangeStream(b"x-trace: 1\nDATA: 2\ndata2: 3\n" + _ESCAPED, _GREETING),
    "an event of an error without data": StrangeStream(b"event: error\n\n" + _ESCAPED, _GREETING),
    "events of a name after one of an error": StrangeStream(b"event: error\n\nevent: message\n" + _ESCAPED, _GREETING),
    "each event in lines of one token": StrangeStream(
        b'data: {"choices":\ndata: [{"delta":\ndata: {"content":\ndata: "a:\\n b"\ndata: }}]}\n\n' + END, "a:\n b"
    ),
    "a tab behind the colon": StrangeStream(_ESCAPED.replace(b"data: {", b"data:\t{"), _GREETING),
    "separators of records in a text": StrangeStream(
        text("a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\r\nh").replace(b"\\u2028", "\u2028".encode()) + END,
        "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\r\nh",
    ),
    "the word of the end in the text": StrangeStream(
        text("say [DONE] ", "[DONE]", "data: x\n\n") + END, "say [DONE] [DONE]data: x\n\n"
    ),
    "events after the end": StrangeStream(_ESCAPED + b": bye\n\nevent: close\ndata:\n\n", _GREETING),
    "no line end behind the last event": StrangeStream(_ESCAPED.rstrip(), _GREETING),
    "null between events": StrangeStream(_HELLO + b"data: null\n\n" + END, _GREETING),
    "an object without members between events": StrangeStream(_HELLO + b"data: {}\n\n" + END, _GREETING),
    "an error without a field": StrangeStream(
        text("Gr") + b'{"error":{"message":"over quota","code":429}}\n', says="over quota", followed="Gr"
    ),
    "an error in lines": StrangeStream(
        text("Gr") + b'event: error\ndata: {"message":\ndata: "over quota"}\n\n', says="over quota", followed="Gr"
    ),
    "letters that are not UTF-8": StrangeStream(
        b'data: {"choices":[{"delta":{"content":"Gr\xfc\xdfe"}}]}\n\n' + END, says="utf-8"
    ),
    "a letter cut in two events": StrangeStream(
        _RAW.replace("😀".encode(), b'\xf0\x9f"}}]}\n\ndata: {"choices":[{"delta":{"content":"\x98\x80') + END,
        says="utf-8",
        followed="Grüße ",
    ),
    "a stream that is cut in a letter": StrangeStream(_RAW[:-20], says="cut off", followed="Grüße "),
    "a page": StrangeStream(b"<html>\n<h1>502 Bad Gateway</h1>\n\n", says="cut off"),
}
"""Events whose lines are odd."""

CHOICES: Final[dict[str, StrangeStream]] = {
    "the index as a text": StrangeStream(
        _HELLO.replace(b'"index": 0', b'"index": "0"') + END.replace(b'"index":0', b'"index":"0"'), _GREETING
    ),
    "an index from 1": StrangeStream(
        _HELLO.replace(b'"index": 0', b'"index": 1') + END.replace(b'"index":0', b'"index":1'), _GREETING
    ),
    "no index, and then one": StrangeStream(_HELLO.replace(b'"index": 0, ', b"") + END, _GREETING),
    "a refusal in pieces": StrangeStream(say({"refusal": "I "}, {"refusal": "cannot"}) + END, "I cannot"),
    "a refusal after half a text": StrangeStream(
        say({"content": "half"}, {"refusal": "I cannot"}, {"content": " an"}) + END, "half an"
    ),
    "an index that is null": StrangeStream(_HELLO.replace(b'"index": 0', b'"index": null') + END, _GREETING),
    "two answers in turn": StrangeStream(
        b'data: {"choices":[{"index":0,"delta":{"content":"a"}},{"index":1,"delta":{"content":"x"}}]}\n\n'
        b'data: {"choices":[{"index":1,"delta":{"content":"y"}},{"index":0,"delta":{"content":"b"}}]}\n\n' + END,
        "ab",
    ),
    "choices null": StrangeStream(b'data: {"choices":null}\n\n' + _ESCAPED, _GREETING),
    "choices as an object": StrangeStream(b'data: {"choices":{"0":{"delta":{"content":"a"}}}}\n\n' + END, says="str"),
    "the text of a completion": StrangeStream(
        b'data: {"choices":[{"index":0,"text":"Hello"}]}\n\ndata: {"choices":[{"index":0,"text":"","finish_reason":'
        b'"stop"}]}\n\ndata: [DONE]\n\n',
        says="text",
    ),
    "a text beside the delta": StrangeStream(
        say({"content": "Hel"}, text="Hel") + say({"content": "lo"}, text="lo") + END, "Hello"
    ),
    "the message so far in each": StrangeStream(
        say({}, message={"content": "Hel"}) + say({}, message={"content": "Hello"}) + END, "Hello", followed=""
    ),
    "pieces that are called messages": StrangeStream(
        say({}, message={"content": "Hel"}) + say({}, message={"content": "lo"}) + END,
        says="two whole messages",
        followed="",
    ),
    "a delta that is a text": StrangeStream(say("Hello") + END, says="str"),
    "an event that is a list": StrangeStream(b'data: [{"choices":[]}]\n\n' + END, says="list"),
    "an event that is a text": StrangeStream(b'data: "Hello"\n\n' + END, says="str"),
    "numbers that JSON has not": StrangeStream(b'data: {"choices":[{"logprobs":NaN}]}\n\n' + END, says="NaN"),
    "an event that is nested too deeply": StrangeStream(b"data: " + b"[" * 100_000 + b"\n\n" + END, says="deep"),
}
"""Events whose choices are odd."""

TEXTS: Final[dict[str, StrangeStream]] = {
    "half a character in each piece": StrangeStream(text("a\ud83d", "\ude00b") + END, "a😀b"),
    "pieces that are one letter": StrangeStream(text(*"e\u0301 \u200d\ufeff\x00") + END, "e\u0301 \u200d\ufeff\x00"),
    "white space alone": StrangeStream(text(" ", "\n", "\t") + END, " \n\t"),
    "null and empty pieces": StrangeStream(text(None, "", "a", None, "", "b", None) + END, "ab"),
    "lists of parts": StrangeStream(text([part("Hel")], [part("lo"), part("!")]) + END, "Hello!"),
    "a list of parts behind a text": StrangeStream(text("Hel", [part("lo")]) + END, "Hello"),
    "a text behind a list of parts": StrangeStream(text([part("Hel")], "lo", "!") + END, "Hello!"),
    "thoughts as parts before a text": StrangeStream(
        text(
            "", [{"type": "thinking", "thinking": [part("Hm")]}], [{"type": "thinking", "thinking": [part(".")]}], "Yes"
        )
        + END,
        "Yes",
    ),
    "a refusal in pieces": StrangeStream(say({"refusal": "I "}, {"refusal": "won't"}) + END, "I won't"),
    "speech in pieces": StrangeStream(
        say({"audio": {"id": "s", "transcript": "Hel"}}, {"audio": {"transcript": "lo"}}) + END, "Hello"
    ),
    "thoughts of another name": StrangeStream(
        say({"reasoning": "Hm"}, {"thinking": "."}, {"content": "Yes"}) + END, "Yes"
    ),
    "a number": StrangeStream(text("a", 5) + END, says="content", followed="a"),
    "an object": StrangeStream(text("a", {"text": "b"}) + END, says="content", followed="a"),
    "a role that is no assistant's": StrangeStream(
        say({"role": "user", "content": "a"}) + END, says="role", followed="a"
    ),
}
"""Pieces of text that are odd."""

CALLS: Final[dict[str, StrangeStream]] = {
    "escapes cut in two": StrangeStream(
        call('{"what":"\\u00', "look", id="1", index=0) + call("fc\\", index=0) + call('n"}', index=0) + END,
        calls=(("look", '{"what":"\\u00fc\\n"}'),),
    ),
    "arguments that look like another call's": StrangeStream(
        call('{"what":"', "look", id="1", index=0) + call("{}", index=0) + call('"}', index=0) + END,
        calls=(("look", '{"what":"{}"}'),),
    ),
    "an object and then a text": StrangeStream(
        call({"what": "a"}, "look", id="1", index=0) + call('{"more":1}', index=0) + END, says="arguments"
    ),
    "a text and then an object": StrangeStream(
        call('{"what":', "look", id="1", index=0) + call({"what": "a"}, index=0) + END, says="arguments"
    ),
    "an empty object and then a text": StrangeStream(
        call({}, "look", id="1", index=0) + call('{"what":"a"}', index=0) + END, calls=_LOOKED
    ),
    "an object twice": StrangeStream(
        call({"what": "a"}, "look", id="1", index=0) + call({"what": "a"}, "look", id="1", index=0) + END, calls=_LOOKED
    ),
    "an object, and another": StrangeStream(
        call({"what": "a"}, "look", id="1", index=0) + call({"what": "b"}, index=0) + END, says="arguments"
    ),
    "a list twice": StrangeStream(
        call(["a"], "look", id="1", index=0) + call(["a"], index=0) + END, calls=(("look", '["a"]'),)
    ),
    "calls that are empty behind a call": StrangeStream(
        call('{"what":"a"}', "look", id="1", index=0) + say({"tool_calls": ""}, {"tool_calls": {}}) + END, calls=_LOOKED
    ),
    "calls that are a text behind a call": StrangeStream(
        call('{"what":"a"}', "look", id="1", index=0) + say({"tool_calls": "none"}) + END, says="tool_calls"
    ),
    "the older function_call of two tools": StrangeStream(
        say({"function_call": {"name": "look", "arguments": ""}}, {"function_call": {"name": "now", "arguments": "{}"}})
        + END,
        calls=(("looknow", "{}"),),
    ),
    "a call beside a text": StrangeStream(
        text("Wait. ") + call('{"what":"a"}', "look", id="1", index=0) + END, "Wait. ", _LOOKED
    ),
    "calls that are null in between": StrangeStream(
        call('{"what":', "look", id="1", index=0) + say({"tool_calls": None}) + call('"a"}', index=0) + END,
        calls=_LOOKED,
    ),
    "an index as a fraction": StrangeStream(
        call('{"what":', "look", id="1", index=0) + call('"a"}', index=0.0) + END, calls=_LOOKED
    ),
    "a text in place of a call": StrangeStream(say({"tool_calls": ["look"]}) + END, says="str"),
    "the older function_call in pieces": StrangeStream(
        say({"function_call": {"name": "look", "arguments": '{"what":'}}, {"function_call": {"arguments": '"a"}'}})
        + END,
        calls=_LOOKED,
    ),
}
"""Pieces of calls that are odd."""

STREAMS: Final = {**LINES, **CHOICES, **TEXTS, **CALLS}
SIZES: Final = (1, 2, 3, 7, 64, 1 << 20)
"""How many bytes come at once."""
