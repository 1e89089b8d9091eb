"""Streams of chat completions, as real endpoints send them."""

from __future__ import annotations

from typing import Any, Final

from remit.schemas.jsontext import compact_json
from remit.testing.provider_suite.shape import (
    DONE,
    EVENT_STREAM,
    GOOD,
    HttpAnswer,
    Shape,
    as_events,
    chunk,
    completion,
    make_calls,
    nest,
    piece,
    tool_call,
)

_TEXT: Final = (chunk({"role": "assistant", "content": ""}), chunk({"content": "all "}), chunk({"content": "done"}))
_END: Final = chunk({}, "stop")
_CALLS_END: Final = chunk({}, "tool_calls")
_COUNTS: Final = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
_USAGE: Final[dict[str, Any]] = {**chunk({}), "choices": [], "usage": _COUNTS}
_FILTER: Final[dict[str, Any]] = {"index": 0, "finish_reason": None, "content_filter_offsets": {}}
_GOOD: Final = as_events(*_TEXT, _END, _USAGE, DONE)
_COMMENT: Final = ": PROCESSING\n\n"
_A: Final = {"what": "a"}


def _say(*events: object, **expected: Any) -> Shape:
    return Shape(answers=(as_events(*events),), **expected)


def _call(*events: object, made: tuple[str, ...] = ("look(a)",)) -> Shape:
    return Shape(answers=(as_events(*events, _CALLS_END, _USAGE, DONE), _GOOD), calls=made)


def _two(first: dict[str, Any], second: dict[str, Any], made: tuple[str, ...] = ("look(a)", "look(b)")) -> Shape:
    """Two whole calls, a piece each."""
    one: dict[str, Any] = {"index": 0, "name": "look", "arguments": '{"what":"a"}', **first}
    other: dict[str, Any] = {"index": 0, "name": "look", "arguments": '{"what":"b"}', **second}
    return _call(piece(**one), piece(**other), made=made)


def _cut(*events: object) -> Shape:
    return Shape(answers=(as_events(*events, DONE), _GOOD))


def _with_message(event: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
    """The event with the whole message of an answer so far, in addition to the new part."""
    return {**event, "choices": [{**event["choices"][0], "message": body["choices"][0]["message"]}]}


def _so_far(event: dict[str, Any], text: str) -> dict[str, Any]:
    return _with_message(event, completion({"content": text}))


def _rewritten(old: str, new: str) -> Shape:
    return Shape(answers=(HttpAnswer(_GOOD.body.replace(old, new), media_type=EVENT_STREAM),))


def _each(**fields: Any) -> list[dict[str, Any]]:
    return [{**event, **fields} for event in (*_TEXT, _END)]


def _other(delta: object, finish: str | None = None) -> dict[str, Any]:
    """An event of the second of two choices."""
    return chunk(delta, choices=[{"index": 1, "delta": delta, "finish_reason": finish}])


def _think(text: str) -> dict[str, Any]:
    """An event with a content part for thinking."""
    return chunk({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": text}]}]})


CALLS: Final[dict[str, Shape]] = {
    "a call in pieces": _call(piece(0, id="c1", type="function", name="look"), piece(0, '{"wh'), piece(0, 'at":"a"}')),
    "a call in one piece": _call(piece(0, '{"what":"a"}', id="c1", name="look")),
    "a call without an index": _call(piece(None, '{"what":"a"}', id="c1", name="look")),
    "an index from 1": _call(piece(1, '{"what":"a"}', id="c1", name="look")),
    "a call without an id": _call(piece(0, '{"wh', name="look"), piece(0, 'at":"a"}')),
    "an id that comes late": _call(piece(0, name="look"), piece(0, '{"what":"a"}', id="c1")),
    "the id again": _call(piece(0, '{"wh', id="c1", name="look"), piece(0, 'at":"a"}', id="c1")),
    "the name again": _call(piece(0, '{"wh', id="c1", name="look"), piece(0, 'at":"a"}', id="c1", name="look")),
    "another id in each piece": _call(piece(0, '{"wh', id="c1", name="look"), piece(0, 'at":"a"}', id="c2")),
    "neither id nor index after the first": _call(piece(0, id="c1", name="look"), piece(None, '{"what":"a"}')),
    "no index, by the id": _call(piece(None, id="c1", name="look"), piece(None, '{"what":"a"}', id="c1")),
    "arguments as an object": _call(piece(0, {"what": "a"}, id="c1", name="look")),
    "arguments as an object, twice": _call(piece(0, _A, id="c1", name="look"), piece(0, _A, id="c1", name="look")),
    "arguments as an object, twice without a name": _call(piece(0, _A, id="c1", name="look"), piece(0, _A)),
    "the older function_call": _call(
        chunk({"function_call": {"name": "look", "arguments": ""}}),
        chunk({"function_call": {"arguments": '{"wh'}}),
        chunk({"function_call": {"arguments": 'at":"a"}'}}),
    ),
    "the older function_call, as an object, twice": _call(
        chunk({"function_call": {"name": "look", "arguments": _A}}),
        chunk({"function_call": {"name": "look", "arguments": _A}}),
    ),
    "the older function_call of two tools": _call(
        chunk({"function_call": {"name": "look", "arguments": ""}}),
        chunk({"function_call": {"name": "now", "arguments": "{}"}}),
        made=(),
    ),
    "a refusal after a call": Shape(
        answers=(
            as_events(
                piece(0, '{"what":"a"}', id="c1", name="look"), chunk({"refusal": "I will not"}), _CALLS_END, DONE
            ),
            _GOOD,
        )
    ),
    "a filter after a call": Shape(
        answers=(as_events(piece(0, '{"what":"a"}', id="c1", name="look"), chunk({}, "content_filter"), DONE), _GOOD)
    ),
    "nothing among the pieces of a call": _call(
        chunk({"tool_calls": [None]}), piece(0, '{"what":"a"}', id="c1", name="look"), chunk({}, choices=[None])
    ),
    "a call of another choice first": _call(
        _other({"tool_calls": [tool_call('{"what":"b"}', id="c2")]}), piece(0, '{"what":"a"}', id="c1", name="look")
    ),
    "a call after the end": Shape(
        answers=(
            as_events(
                piece(0, '{"what":"a"}', id="c1", name="look"),
                _CALLS_END,
                DONE,
                piece(1, '{"what":"b"}', id="c2", name="look"),
                DONE,
            ),
            _GOOD,
        ),
        calls=("look(a)",),
    ),
    "calls that are empty after a call": _call(
        piece(0, '{"what":"a"}', id="c1", name="look"), chunk({"tool_calls": ""}), chunk({"tool_calls": {}})
    ),
    "thinking in parts before a call": _call(
        _TEXT[0], _think("Let me "), _think("think."), piece(0, '{"what":"a"}', id="c1", name="look")
    ),
    "reasoning before a call": _call(
        chunk({"role": "assistant", "content": None, "reasoning_content": "Let me "}),
        chunk({"reasoning_content": "think."}),
        piece(0, '{"what":"a"}', id="c1", name="look"),
    ),
    "a thought signature": _call(
        piece(0, '{"what":"a"}', id="c1", name="look", extra_content={"google": {"thought_signature": "S=="}})
    ),
    "two calls": _two({"id": "c1"}, {"id": "c2", "index": 1}),
    "two calls with one index": _two({"id": "c1"}, {"id": "c2"}),
    "two calls with one index, without ids": _two({}, {}),
    "two calls with one index, with empty ids": _two({"id": ""}, {"id": ""}),
    "two calls without an index": _two({"id": "c1", "index": None}, {"id": "c2", "index": None}),
    "two calls with one id": _two({"id": "c1"}, {"id": "c1", "index": 1}),
    "two tools with one index": _two(
        {"id": "c1", "name": "now", "arguments": "{}"}, {"id": "c2"}, ("now()", "look(b)")
    ),
    "two tools with one index, without ids": _two({"name": "now", "arguments": "{}"}, {}, ("now()", "look(b)")),
    "two calls in turn": _call(
        piece(0, id="c1", name="look"),
        piece(1, id="c2", name="now"),
        piece(0, '{"what":'),
        piece(1, "{}"),
        piece(0, '"a"}'),
        made=("look(a)", "now()"),
    ),
    "a call after one with its index, in pieces": _call(
        piece(0, id="c1", name="now"),
        piece(0, "{}"),
        piece(0, id="c2", name="look"),
        piece(0, '{"what":"b"}'),
        made=("now()", "look(b)"),
    ),
    "an index as a text": _call(piece("0", id="c1", name="look"), piece("0", '{"what":"a"}')),
    "another index in each piece": _call(piece(0, id="c1", name="now"), piece(1, "{}"), made=()),
    "no index, and then one": _call(piece(None, id="c1", name="now"), piece(0, "{}"), made=()),
    "an index and an id of its own for the arguments": _call(
        piece(0, id="c1", name="now"), piece(1, "{}", id="c2"), made=()
    ),
    "the name again, without an id and an index": _call(
        piece(None, id="c1", name="look"), piece(None, '{"what":', name="look"), piece(None, '"a"}', name="look")
    ),
    "the name in parts": _call(piece(0, id="c1", name="lo"), piece(0, name="ok"), piece(0, '{"what":"a"}')),
    "a name that begins as that of another tool": _call(
        piece(0, id="c1", name="now"), piece(0, name="_page"), piece(0, '{"what":"a"}'), made=()
    ),
    "arguments with an emoji in two pieces": _call(
        piece(0, '{"what":"\ud83d', id="c1", name="look"), piece(0, '\ude00"}'), made=("look(😀)",)
    ),
    "the whole message with the last": _call(
        piece(0, '{"what":"a"}', id="c1", name="look"), _with_message(chunk({}), make_calls(tool_call(id="c1")))
    ),
    "whole messages of a call each": _call(
        _with_message(chunk({}), make_calls(tool_call(id="c1"))),
        _with_message(chunk({}), make_calls(tool_call('{"what":"b"}', id="c2"))),
        made=("look(a)", "look(b)"),
    ),
    "a call, and then an empty whole message": _call(
        _with_message(chunk({}), make_calls(tool_call())), _so_far(_CALLS_END, "")
    ),
    "a call in pieces, and a whole message with another": _call(
        piece(0, '{"what":"a"}', id="c1", name="look"),
        _with_message(chunk({}), make_calls(tool_call(id="c1"), tool_call('{"what":"b"}', id="c2"))),
        made=("look(a)", "look(b)"),
    ),
    "a filter, and then another end": Shape(
        answers=(
            as_events(piece(0, '{"what":"a"}', id="c1", name="look"), chunk({}, "content_filter"), _END, DONE),
            _GOOD,
        )
    ),
    "a call filtered before its arguments": _cut(piece(0, id="c1", name="now"), chunk({}, "content_filter")),
    "a call cut before its arguments, by another word": _cut(piece(0, id="c1", name="now"), chunk({}, "max_tokens")),
    "a call that has no end": _cut(piece(0, id="c1", name="now")),
    "a tool that does not exist": _call(piece(0, "{}", id="c1", name="look<|channel|>"), made=()),
    "a call cut by length": Shape(
        answers=(as_events(piece(0, '{"what": "a', id="c1", name="look"), chunk({}, "length"), DONE), _GOOD)
    ),
}

TEXTS: Final[dict[str, Shape]] = {
    "a text": Shape(answers=(_GOOD,)),
    "no usage": _say(*_TEXT, _END, DONE),
    "no end": _say(*_TEXT, _END, _USAGE),
    "no space after data": _rewritten("data: ", "data:"),
    "carriage returns": _rewritten("\n", "\r\n"),
    "comments": _say(_COMMENT, *_TEXT[:2], _COMMENT, *_TEXT[2:], _END, _USAGE, DONE),
    "events of another name": _say(*_TEXT[:2], 'event: ping\ndata: {"type":"ping"}\n\n', *_TEXT[2:], _END, DONE),
    "ids and times to retry": _say("retry: 3000\n\n", "id: 1\nevent: message\n", *_TEXT, _END, _USAGE, DONE),
    "empty events": _say("data: \n\n", "data:\n\n", *_TEXT, _END, _USAGE, DONE),
    "data in two lines": _rewritten('"object"', '\ndata: "object"'),
    "a first event without choices": _say({**chunk({}), "choices": [], "id": ""}, *_TEXT, _END, _USAGE, DONE),
    "results of a filter between": _say(
        *_TEXT,
        {**chunk({}), "choices": [_FILTER]},
        _END,
        DONE,
    ),
    "usage in the last": _say(*_TEXT, chunk({}, "stop", usage=_COUNTS), DONE),
    "usage in each": _say(*_each(usage=_COUNTS), DONE),
    "usage null": _say(*_each(usage=None), _USAGE, DONE),
    "the end with a text": _say(*_TEXT[:2], chunk({"content": "done"}, "stop"), _USAGE, DONE),
    "two ends": _say(*_TEXT, _END, _END, _USAGE, DONE),
    "delta null": _say(*_TEXT, chunk(None, "stop"), _USAGE, DONE),
    "no delta": _say(*_TEXT, {**_END, "choices": [{"index": 0, "finish_reason": "stop"}]}, _USAGE, DONE),
    "one answer instead of a stream": Shape(answers=(GOOD,)),
    "events of a plain text": Shape(answers=(HttpAnswer(_GOOD.body, media_type="text/plain"),)),
    "cut by length": _say(*_TEXT[:2], chunk({}, "length"), _USAGE, DONE, text="all", requests=1),
    "filtered in half": _say(*_TEXT[:2], chunk({}, "content_filter"), _USAGE, DONE, text="filter", requests=1),
    "a refusal after half a text": _say(
        *_TEXT[:2], chunk({"refusal": "I "}), chunk({"refusal": "cannot"}), _END, DONE, text="all\n\n(the model refused"
    ),
    "the whole message in each": _say(
        _so_far(_TEXT[1], "all "), _so_far(_TEXT[2], "all done"), _so_far(_END, "all done"), DONE
    ),
    "the whole message alone": _say(_so_far({**_END, "choices": [{"finish_reason": "stop"}]}, "all done"), DONE),
    "an emoji in two pieces": _say(
        *_TEXT, chunk({"content": " \ud83d"}), chunk({"content": "\ude00"}), _END, DONE, text="all done 😀"
    ),
    "half an emoji": _say(*_TEXT, chunk({"content": " \ud83d"}), _END, DONE),
    "a byte order mark": Shape(answers=(HttpAnswer(f"\ufeff{_GOOD.body}", media_type=EVENT_STREAM),)),
    "carriage returns alone": _rewritten("\n", "\r"),
    "no finish": _say(*_TEXT, DONE, text="may not be whole", requests=1),
    "ended by an error": _say(*_TEXT[:2], chunk({}, "error"), DONE, text="may not be whole", requests=1),
    "thinking in parts, and texts": _say(_TEXT[0], _think("Let me "), _think("think."), *_TEXT[1:], _END, DONE),
    "a text, and then parts": _say(
        chunk({"content": "not "}),
        chunk({"content": [{"type": "text", "text": "all done"}]}),
        _END,
        DONE,
        text="not all",
    ),
    "parts, and then texts": _say(
        chunk({"content": [{"type": "text", "text": "not "}]}),
        *_TEXT[1:],
        chunk({"content": ""}, "stop"),
        DONE,
        text="not all done",
    ),
    "a text and an empty call": _say(*_TEXT, chunk({"tool_calls": [{"index": 0}]}), _END, DONE),
    "a text and a call of nothing": _say(
        *_TEXT, chunk({"tool_calls": [{"index": 0, "id": "", "function": {"name": "", "arguments": ""}}]}), _END, DONE
    ),
    "a text and a function_call of nothing": _say(
        *_TEXT, chunk({"function_call": {"name": "", "arguments": ""}}), _END, DONE
    ),
    "a piece that is nested too deeply": _say(
        chunk({"content": "all ", "extra": nest(800)}), chunk({"content": "done"}), _END, DONE
    ),
    "another choice first": _say(_other({"content": "no"}), *_TEXT, _END, _other({}, "stop"), DONE),
    "another choice between": _say(*_TEXT[:2], _other({"content": "no"}), _TEXT[2], _other({}, "length"), _END, DONE),
    "another choice that cannot be read": _say(_other({"content": {"x": 1}}), _other("no"), *_TEXT, _END, DONE),
    "a choice with another number alone": _say(_other({"content": "all "}), _other({"content": "done"}, "stop"), DONE),
    "an empty end": _say(chunk({"role": "assistant", "content": ""}), _END, DONE, text="no answer"),
}

OUTAGES: Final[dict[str, Shape]] = {
    "two objects of arguments": _say(
        piece(0, _A, id="c1", name="look"), piece(0, {"what": "b"}, id="c1"), _CALLS_END, DONE, rests=True
    ),
    "a function, and then a text": _say(
        chunk({"tool_calls": [tool_call(), {"index": 0, "id": "call_1", "function": "look"}]}),
        _CALLS_END,
        DONE,
        rests=True,
    ),
    "arguments as a text and an object": _say(
        piece(0, '{"what":"b"}', id="c1", name="look"), piece(0, _A, id="c1"), _CALLS_END, DONE, rests=True
    ),
    "parts, and then another content": _say(
        _think("hm"), chunk({"content": {"text": "all done"}}), _END, DONE, rests=True
    ),
    "cut": _say(*_TEXT, rests=True),
    "cut within an event": Shape(
        answers=(HttpAnswer(compact_json(_TEXT[1])[:30], media_type=EVENT_STREAM),), rests=True
    ),
    "cut within a call": _say(piece(0, '{"wh', id="c1", name="look"), rests=True),
    "an error on the way": _say(*_TEXT[:2], {"error": {"message": "disconnected", "code": 502}}, DONE, rests=True),
    "an error on the way to a normal end": _say(
        *_TEXT[:2], {"error": {"message": "disconnected", "code": 502}}, chunk({}, "stop"), DONE, rests=True
    ),
    "an error on the way to the end of a call": _say(
        piece(0, id="c1", name="now", arguments="{}"),
        {"error": {"message": "disconnected", "code": 502}},
        chunk({}, "tool_calls"),
        DONE,
        rests=True,
    ),
    "an error in a choice": _say(
        *_TEXT[:2], chunk({"content": ""}, "error", error={"code": "server_error", "message": "gone"}), DONE, rests=True
    ),
    "a call that the provider could not read": Shape(
        answers=(
            as_events(
                chunk({"role": "assistant", "content": ""}),
                'event: error\ndata: {"error":{"message":"Failed to call a function.","type":"invalid_request_error",'
                '"code":"tool_use_failed","status_code":400}}\n\n',
            ),
            _GOOD,
        ),
        requests=2,
    ),
    "an error without a code": _say(*_TEXT[:2], {"error": {"message": "Provider returned error"}}, DONE, rests=True),
    "an event of an error": _say(*_TEXT[:2], 'event: error\ndata: {"message":"disconnected"}\n\n', DONE, rests=True),
    "an error as an object": _say(*_TEXT[:2], {"object": "error", "message": "disconnected"}, DONE, rests=True),
    "an error within a call": _say(
        piece(0, id="c1", name="now"), {"object": "error", "message": "disconnected"}, DONE, rests=True
    ),
    "calls that are no list": _say(
        chunk({"tool_calls": {"index": 0, "id": "c1", "function": {"name": "now", "arguments": ""}}}),
        _CALLS_END,
        DONE,
        rests=True,
    ),
    "only the end": _say(DONE, rests=True),
    "nothing": _say(rests=True),
    "no JSON": _say("data: <html>\n\n", DONE, rests=True),
}

STREAMS: Final[dict[str, Shape]] = {**CALLS, **TEXTS, **OUTAGES}
"""Every shape of a stream."""
