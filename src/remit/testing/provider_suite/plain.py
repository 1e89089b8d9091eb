"""Answers in one piece, as real endpoints give them according to providers' documentation and users' reports."""

from __future__ import annotations

from typing import Any, Final

from remit.schemas.jsontext import compact_json
from remit.testing.provider_suite.refusals import ERRORS
from remit.testing.provider_suite.shape import (
    DONE,
    GOOD,
    HttpAnswer,
    Shape,
    add_choice,
    as_events,
    chunk,
    completion,
    make_calls,
    nest,
    tool_call,
    whole,
)

_TEXT: Final = completion({"content": "all done"})
_NOTHING: Final[dict[str, Any]] = {"id": "", "type": "function", "function": {"name": "", "arguments": ""}}
_ERROR_FILTER: Final = {
    "code": "content_filter",
    "message": "The response was filtered",
    "innererror": {"content_filter_result": {"violence": {"filtered": True, "severity": "high"}}},
}


def _say(message: dict[str, Any], finish: object = "stop", **fields: Any) -> Shape:
    return Shape(answers=(whole(completion(message, finish, **fields)),))


def _call(*calls: dict[str, Any], made: tuple[str, ...] = ("look(a)",), **fields: Any) -> Shape:
    return Shape(answers=(whole(make_calls(*calls, **fields)), GOOD), calls=made)


def _two(first: dict[str, Any], second: dict[str, Any]) -> Shape:
    return _call(tool_call(**first), tool_call('{"what":"b"}', **second), made=("look(a)", "look(b)"))


def _rest(*answers: HttpAnswer, requests: int = 0) -> Shape:
    return Shape(answers=answers, rests=True, requests=requests)


def _with(**fields: Any) -> Shape:
    return Shape(answers=(whole({**_TEXT, **fields}),))


def _choice(**fields: Any) -> Shape:
    return _with(choices=[{**_TEXT["choices"][0], **fields}])


def _refuse(error: object, status: int = 400, **more: Any) -> Shape:
    return Shape(answers=(whole(error if isinstance(error, str) else {"error": error}, status),), **more)


CALLS: Final[dict[str, Shape]] = {
    "a call": _call(tool_call()),
    "reasoning_content": _call(tool_call(), content="", reasoning_content="Let me think."),
    "reasoning_details": _call(tool_call(), reasoning="Hm", reasoning_details=[{"type": "encrypted", "data": "x"}]),
    "a thought signature": _call(tool_call(extra_content={"google": {"thought_signature": "S=="}})),
    "three calls": _call(
        *(tool_call(f'{{"what":"{each}"}}', id=f"call_{each}") for each in "abc"),
        made=("look(a)", "look(b)", "look(c)"),
    ),
    "one id for two calls": _two({}, {}),
    "calls without ids": _two({"id": None}, {"id": None}),
    "empty ids": _two({"id": ""}, {"id": ""}),
    "arguments as an object": _call(tool_call({"what": "a"})),
    "no arguments, as no text": _call(tool_call("", "now"), made=("now()",)),
    "no arguments, as null": _call(tool_call(None, "now"), made=("now()",)),
    "no arguments, as the text null": _call(tool_call("null", "now"), made=("now()",)),
    "no arguments, as white space": _call(tool_call(" \n", "now"), made=("now()",)),
    "a call without a type": _call(tool_call(type=None)),
    "calls that end with stop": _call(tool_call(), finish="stop"),
    "the older function_call": Shape(
        answers=(
            whole(
                completion(
                    {"content": None, "function_call": {"name": "look", "arguments": '{"what":"a"}'}}, "function_call"
                )
            ),
            GOOD,
        ),
        calls=("look(a)",),
    ),
    "a text and a call": _call(tool_call(), content="I look."),
    "a tool that does not exist": _call(tool_call(name="nope"), made=()),
    "a name with a prefix": _call(tool_call(name="functions.look"), made=()),
    "a name with a special token": _call(tool_call(name="look<|channel|>commentary"), made=()),
    "a name with markup": _call(tool_call(name='look" />'), made=()),
    "a name of 80 letters": _call(tool_call(name="look" * 20), made=()),
    "no name": _call(tool_call(name=""), made=()),
    "arguments cut": _call(tool_call('{"what": "a"'), made=()),
    "arguments twice": _call(tool_call('{"what":"a"}{"what":"a"}'), made=()),
    "arguments as a list": _call(tool_call('["a"]'), made=()),
    "arguments in a fence": _call(tool_call('```json\n{"what":"a"}\n```'), made=()),
    "a call cut by length": _call(tool_call('{"what": "a'), made=(), finish="length"),
    "a call cut before its arguments": _call(tool_call("", "now"), made=(), finish="length"),
    "a call cut before its arguments, as an object": _call(tool_call("{}", "now"), made=(), finish="length"),
    "a call cut before its arguments, by another word": _call(tool_call("", "now"), made=(), finish="MAX_TOKENS"),
    "two calls cut before their arguments": _call(
        tool_call("", "now"), tool_call("", "now", id="call_2"), made=(), finish="length"
    ),
    "a call filtered before its arguments": _call(tool_call("", "now"), made=(), finish="content_filter"),
    "a call that an error ended before its arguments": _call(tool_call("", "now"), made=(), finish="error"),
    "a whole call in an answer that was cut": _call(tool_call(), finish="length"),
    "arguments as parameters": _call(tool_call(function={"name": "now", "parameters": {"what": "a"}}), made=()),
    "arguments beside the function": _call(tool_call(function={"name": "now"}, arguments='{"what":"a"}'), made=()),
    "white space as arguments beside parameters": _call(
        tool_call(function={"name": "now", "arguments": " ", "parameters": {"what": "a"}}), made=()
    ),
    "null as arguments beside parameters": _call(
        tool_call(function={"name": "now", "arguments": "null", "args": {"what": "a"}}), made=()
    ),
    "an empty object as arguments beside parameters": _call(
        tool_call(function={"name": "now", "arguments": {}, "parameters": {"what": "a"}}), made=()
    ),
    "no arguments beside the schema of the parameters": _call(
        tool_call(function={"name": "now", "arguments": "{}", "parameters": {"type": "object", "properties": {}}}),
        made=("now()",),
    ),
    "no arguments, left out": _call(tool_call(function={"name": "now"}), made=("now()",)),
    "arguments with NaN": _call(tool_call('{"what":NaN}'), made=()),
    "arguments with half an emoji": _call(tool_call('{"what":"\ud83d"}'), made=()),
    "arguments with half an emoji, escaped": _call(tool_call('{"what":"\\ud83d"}'), made=()),
    "a call of another type": _call(tool_call(type="tool")),
    "a call of a custom tool": _call(
        {"id": "call_1", "type": "custom", "custom": {"name": "look", "input": "a"}}, made=()
    ),
    "an id of 100 letters": _call(tool_call(id="c" * 100)),
    "an id of dots and colons": _call(tool_call(id="functions.look:0")),
    "an id with half an emoji": _call(tool_call(id="c\ud83d")),
    "an id with NUL": _call(tool_call(id="c\0")),
    "an id with spaces and umlauts": _call(tool_call(id="c 1/ü\n")),
    "an id as a number": _call(tool_call(id=7)),
    "a call that a filter cut off": _call(tool_call(), made=(), finish="content_filter"),
    "a call that a filter cut off, by another word": _call(tool_call(), made=(), finish="SAFETY"),
    "two calls, the last of them filtered": _call(
        tool_call(), tool_call('{"wh', id="call_2"), made=(), finish="content_filter"
    ),
    "a call beside a refusal": _call(tool_call(), made=(), finish="stop", refusal="I will not do that"),
    "a call beside an empty refusal": _call(tool_call(), finish="stop", refusal=""),
    "a call beside a refusal in parts": _call(
        tool_call(), made=(), content=[{"type": "refusal", "refusal": "I will not do that"}]
    ),
    "arguments that are nested too deeply": _call(tool_call(compact_json({"what": nest(900)})), made=()),
    "arguments that are nested too deeply, as an object": _call(tool_call({"what": nest(900)}), made=()),
    "a call after one of another choice": Shape(
        answers=(whole(add_choice(make_calls(tool_call()), 1, {"tool_calls": [tool_call('{"what":"b"}')]})), GOOD),
        calls=("look(a)",),
    ),
    "nothing before a call": Shape(
        answers=(whole(completion({"content": None, "tool_calls": [None, tool_call()]}, "tool_calls")), GOOD),
        calls=("look(a)",),
    ),
    "odd ids of two calls": _two({"id": "c\0"}, {"id": "c\ud83d"}),
}

TEXTS: Final[dict[str, Shape]] = {
    "a text": _with(),
    "a stream in place of an answer": Shape(
        answers=(as_events(chunk({"content": "all "}), chunk({"content": "done"}), chunk({}, "stop"), DONE),)
    ),
    "finish null": _say({"content": "all done"}, None),
    "an unknown finish": _say({"content": "all done"}, "eos"),
    "content in parts": _say({"content": [{"type": "text", "text": "all "}, {"type": "text", "text": "done"}]}),
    "tool_calls null": _say({"content": "all done", "tool_calls": None}),
    "tool_calls empty": _say({"content": "all done", "tool_calls": []}),
    "a text and an empty call": _say({"content": "all done", "tool_calls": [{}]}),
    "a text and calls of nothing": _say({"content": "all done", "tool_calls": [_NOTHING, {**_NOTHING, "id": None}]}),
    "a text and an empty function_call": _say({"content": "all done", "function_call": {}}),
    "a text and a function_call of nothing": _say({"content": "all done", "function_call": _NOTHING["function"]}),
    "a text and a function_call of nulls": _say(
        {"content": "all done", "function_call": {"name": None, "arguments": None}}
    ),
    "tool_calls with nothing": _say({"content": "all done", "tool_calls": [None]}),
    "tool_calls as an object": _say({"content": "all done", "tool_calls": {}}),
    "tool_calls as a text": _say({"content": "all done", "tool_calls": ""}),
    "a function_call as a text": _say({"content": "all done", "function_call": "look"}),
    "speech without an id": _say({"content": None, "audio": {"transcript": "all done"}}),
    "parts of nothing, and texts": _say({"content": [None, {"type": "text", "text": None}, "all ", "done"]}),
    "two choices": _with(choices=_TEXT["choices"] * 2),
    "another choice first": Shape(answers=(whole(add_choice(_TEXT, 1, {"content": "no"})),)),
    "another choice that cannot be read": Shape(answers=(whole(add_choice(_TEXT, "1", {"content": {"x": 1}})),)),
    "nothing before the choice": _with(choices=[None, *_TEXT["choices"]]),
    "a choice with another number": _choice(index=7),
    "a choice without a number": _with(choices=[{"message": _TEXT["choices"][0]["message"], "finish_reason": "stop"}]),
    "no role": _choice(message={"content": "all done"}),
    "role empty": _choice(message={"content": "all done", "role": ""}),
    "role null": _choice(message={"content": "all done", "role": None}),
    "created as a fraction": _with(created=1.5, id=None),
    "model null": _with(model=None),
    "nothing but choices": Shape(answers=(whole({"choices": _TEXT["choices"]}),)),
    "annotations": _say({"content": "all done", "annotations": [{"type": "url_citation", "url_citation": {}}]}),
    "a native finish": _choice(native_finish_reason="STOP", logprobs=None),
    "usage missing": _say({"content": "all done"}, usage=None),
    "usage in part": _with(usage={"prompt_tokens": 7}),
    "usage with null details": _with(usage={"prompt_tokens": 7, "completion_tokens": 1, "prompt_tokens_details": None}),
    "usage as fractions": _with(usage={"prompt_tokens": 7.0, "completion_tokens": 1.0, "total_tokens": 8.0}),
    "usage as texts": _with(usage={"prompt_tokens": "7", "completion_tokens": "1", "total_tokens": "8"}),
    "usage in parts of tokens": _with(usage={"prompt_tokens": 7.5, "completion_tokens": 1.5, "total_tokens": 9.0}),
    "usage as a list": _with(usage=[7, 1]),
    "usage that is negative": _with(usage={"prompt_tokens": -7, "completion_tokens": 1, "total_tokens": -6}),
    "details of usage in other forms": _with(
        usage={
            "prompt_tokens": 7,
            "completion_tokens": 1,
            "total_tokens": 8,
            "prompt_tokens_details": [7],
            "completion_tokens_details": {"reasoning_tokens": 1, "audio_tokens": "none"},
        }
    ),
    "finish empty": _say({"content": "all done"}, ""),
    "finish as a number": _say({"content": "all done"}, 5),
    "created in another age": _with(created=10**30),
    "probabilities in another form": _choice(logprobs={"content": [{"tokens": ["all"]}]}),
    "fields in other forms": _with(service_tier=5, system_fingerprint=7, metadata=[1], moderation={"x": 1}),
    "a field that is nested too deeply": _say({"content": "all done", "extra": nest(800)}),
    "a field whose name has half an emoji": _say({"content": "all done", "x\ud83d": 1}),
    "results of a filter": _with(prompt_filter_results=[{"content_filter_results": {"hate": {"filtered": False}}}]),
    "thinking in tags": _say({"content": "<think>Hm</think>all done"}),
    "half an emoji": _say({"content": "all done \ud83d"}),
    "a name with a space": _say({"content": "all done", "name": "Model 5"}),
    "a name with half an emoji": _say({"content": "all done", "name": "x\ud83d"}),
    "a refusal as a list": _say({"content": "all done", "refusal": ["no"]}),
    "a refusal": Shape(answers=(whole(completion({"content": None, "refusal": "I cannot help"})),), text="I cannot"),
}

ENDS: Final[dict[str, Shape]] = {
    "cut by length": Shape(answers=(whole(completion({"content": "It is "}, "length")),), text="It is", requests=1),
    "cut while thinking": Shape(answers=(whole(completion({"content": ""}, "length")),), text="cut", requests=1),
    "filtered in half": Shape(
        answers=(whole(completion({"content": "half an"}, "content_filter")),), text="filter", requests=1
    ),
    "filtered whole": Shape(answers=(whole(completion({"content": ""}, "content_filter")),), text="filter", requests=1),
    "cut, by another word": Shape(
        answers=(whole(completion({"content": "It is "}, "MAX_TOKENS")),), text="cut at", requests=1
    ),
    "filtered, by another word": Shape(
        answers=(whole(completion({"content": "half an"}, "SAFETY")),), text="filter", requests=1
    ),
    "ended by an error": Shape(
        answers=(whole(completion({"content": "half an"}, "network_error")),), text="may not be whole", requests=1
    ),
    "filtered with a reason": Shape(
        answers=(
            whole(
                {
                    **_TEXT,
                    "choices": [
                        {
                            "index": 0,
                            "message": {"role": "assistant", "content": ""},
                            "finish_reason": "content_filter",
                            "content_filter_results": {"violence": {"filtered": True, "severity": "high"}},
                        }
                    ],
                }
            ),
        ),
        text="violence",
    ),
    "a prompt that is filtered": _refuse(_ERROR_FILTER, text="violence", requests=1),
    "a text and a refusal": Shape(
        answers=(whole(completion({"content": "half an", "refusal": "I cannot"})),),
        text="half an\n\n(the model refused",
    ),
    "a text and a refusal in parts": Shape(
        answers=(
            whole(
                completion(
                    {"content": [{"type": "text", "text": "half an"}, {"type": "refusal", "refusal": "I cannot"}]}
                )
            ),
        ),
        text="half an\n\n(the model refused",
    ),
    "a text that is the refusal": Shape(
        answers=(whole(completion({"content": "I cannot", "refusal": "I cannot"})),), text="I cannot"
    ),
    "content null": Shape(answers=(whole(completion({"content": None})),), text="no answer"),
    "no content": Shape(answers=(whole(completion({})),), text="no answer"),
    "nothing after a call": Shape(
        answers=(whole(make_calls(tool_call())), whole(completion({"content": ""}))),
        calls=("look(a)",),
        text="no answer",
        requests=2,
    ),
    "null after a call": Shape(
        answers=(whole(make_calls(tool_call())), whole(completion({"content": None}))),
        calls=("look(a)",),
        text="no answer",
        requests=2,
    ),
}

OUTAGES: Final[dict[str, Shape]] = {
    "no choices": _rest(whole({**_TEXT, "choices": []})),
    "choices null": _rest(whole({**_TEXT, "choices": None})),
    "no choices, once": Shape(answers=(whole({**_TEXT, "choices": []}), GOOD)),
    "a choice without a message": _rest(whole({**_TEXT, "choices": [{"index": 0}]})),
    "an error in a success": _rest(whole({"error": {"message": "Provider returned error", "code": 502}})),
    "an error in a choice": _rest(
        whole(
            {
                **_TEXT,
                "choices": [
                    {"message": {"role": "assistant", "content": ""}, "error": {"code": 502, "message": "overloaded"}}
                ],
            }
        )
    ),
    "HTML": _rest(HttpAnswer("<html>Welcome</html>", media_type="text/html")),
    "HTML, once": Shape(answers=(HttpAnswer("<html>Welcome</html>", media_type="text/html"), GOOD)),
    "a cut body": _rest(whole(GOOD.body[:80])),
    "no body": _rest(whole("")),
    "a list": _rest(whole([])),
    "a bad gateway": _rest(HttpAnswer("<html>Bad gateway</html>", 502, media_type="text/html"), requests=3),
    "overloaded": _rest(whole({"error": {"message": "overloaded"}}, 503), requests=3),
    "overloaded, once": Shape(answers=(whole({"error": {"message": "overloaded"}}, 503), GOOD)),
    "529": _rest(whole({"type": "error", "error": {"type": "overloaded_error"}}, 529)),
    "a rate limit for an hour": _rest(whole({"error": {"message": "slow"}}, 429, retry_after="3600"), requests=1),
    "a used quota": _rest(whole({"error": {"message": "quota", "code": "insufficient_quota"}}, 429)),
    "a wrong key": _refuse({"message": "Incorrect API key"}, 401, rests=True, requests=1),
    "no credit": _refuse({"message": "Insufficient credits"}, 402, rests=True, requests=1),
    "no access": _refuse({"message": "Your key may not use this model"}, 403, rests=True, requests=1),
    "a redirect": _rest(HttpAnswer("", 302, headers=(("location", "https://login.example/?next=/v1"),)), requests=1),
    "a redirect to the same path": _rest(HttpAnswer("", 308, headers=(("location", "/v1/"),)), requests=1),
    "tools that the model does not take": _refuse("model m does not support tools", 400, rests=True, requests=1),
    "a setting that the model does not take": _refuse(
        {"message": "Unsupported parameter: 'temperature'", "code": "unsupported_parameter"}, rests=True, requests=1
    ),
    "no such model": _refuse({"message": "The model does not exist"}, 404, rests=True, requests=1),
}

PLAIN: Final[dict[str, Shape]] = {**CALLS, **TEXTS, **ENDS, **OUTAGES, **ERRORS}
"""Every shape of an answer in one piece."""
