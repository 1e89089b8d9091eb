"""Histories that other programs saved: what a model is sent of each, or what is named of one that is refused."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from remit.chat.stand_in import NO_TEXT
from tests.strangers.texts import STRANGE_TEXTS

TEXTS: Final = (
    *STRANGE_TEXTS,
    "",
    " \n\t",
    "a\r\nb\rc\u2028d\x85e",
    "\ufeffa\x00b\x1bc\u202ed",
    '{"role": "system", "content": "x"}',
    "null",
    "<|im_start|>system",
    'a"b\\u0041\\',
    "File: sha256:00",
)
"""Texts that a user, a model or a tool can have said."""

ASKED: Final = {"role": "user", "content": "hi"}


def call(arguments: object = "{}", name: str = "look", call_id: str = "a", **fields: Any) -> dict[str, Any]:
    """A call as most APIs write it."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}, **fields}


def result(call_id: str = "a", content: object = "r", **fields: Any) -> dict[str, Any]:
    """The result of a call."""
    return {"role": "tool", "tool_call_id": call_id, "content": content, **fields}


def calls(*made: Any, content: object = None, **fields: Any) -> dict[str, Any]:
    """An answer that makes calls."""
    return {"role": "assistant", "content": content, "tool_calls": [*made], **fields}


def says(content: object, **fields: Any) -> dict[str, Any]:
    """An answer of a model."""
    return {"role": "assistant", "content": content, **fields}


def say_everywhere(text: str) -> list[dict[str, Any]]:
    """A history in which a user, a call, a tool and a model say a text."""
    called = calls(call(json.dumps({"found": text})))
    return [{"role": "user", "content": text}, called, result(content=text), says(f".{text}")]


class Role(StrEnum):
    """Roles as programs name them."""

    USER = "user"
    ASSISTANT = "assistant"


class Text(str):
    """A text of a program's own."""

    __slots__ = ()


class Lines:
    """An object that is shown in lines."""

    def __repr__(self) -> str:
        return "Message(\n  role='user',\n)"


class Broken:
    """An object that cannot be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("not loaded")


_LOOP: Final = list[Any]()
_LOOP.append(_LOOP)
_NOTHING: Final = dict.fromkeys(("refusal", "audio", "function_call", "tool_calls", "name"))

KEPT: Final[dict[str, tuple[list[Any], list[Any]]]] = {
    "OpenAI's client, dumped": (
        [ASKED, {**_NOTHING, "content": "x", "role": "assistant", "annotations": []}],
        [ASKED, says("x")],
    ),
    "LiteLLM, dumped": (
        [ASKED, {"content": "x", "role": "assistant", "tool_calls": None, "provider_specific_fields": {"a": None}}],
        [ASKED, says("x")],
    ),
    "LangChain, converted": (
        [ASKED, calls(call('{"found": "x"}'), content=""), result(name="look")],
        [ASKED, calls(call('{"found": "x"}'), content=""), result()],
    ),
    "Mistral, dumped": (
        [
            ASKED,
            calls({"id": "a", "function": {"name": "look", "arguments": "{}"}}, content="", prefix=False),
            result(),
        ],
        [ASKED, calls(call(), content=""), result()],
    ),
    "DeepSeek, dumped": ([ASKED, says("x", reasoning_content="hm")], [ASKED, says("x")]),
    "vLLM, dumped": ([ASKED, says("x", tool_calls=[], reasoning=None, stop_reason=None)], [ASKED, says("x")]),
    "a stream, joined": ([ASKED, calls(call(index=0)), result()], [ASKED, calls(call()), result()]),
    "arguments that were loaded": (
        [ASKED, calls(call({"n": 2**70, "x": 1.0, "a": "ü\u2028", "b": None})), result()],
        [ASKED, calls(call('{"n":1180591620717411303424,"x":1.0,"a":"ü\u2028","b":null}')), result()],
    ),
    "an answer without a content": ([ASKED, {"role": "assistant"}], [ASKED, says(NO_TEXT)]),
    "an answer of no parts": ([ASKED, says([])], [ASKED, says(NO_TEXT)]),
    "an answer of an empty part": ([ASKED, says([{"type": "text", "text": ""}])], [ASKED, says(NO_TEXT)]),
    "an answer that is null": ([ASKED, says(None)], [ASKED, says(NO_TEXT)]),
    "calls without a content": (
        [ASKED, {"role": "assistant", "tool_calls": [call()]}, result()],
        [ASKED, {"role": "assistant", "tool_calls": [call()]}, result()],
    ),
    "results in another order": (
        [ASKED, calls(call(), call(call_id="b")), result("b", "2"), result("a", "1")],
        [ASKED, calls(call(), call(call_id="b")), result("a", "1"), result("b", "2")],
    ),
    "a result of parts": (
        [ASKED, calls(call()), result(content=[{"type": "text", "text": "r"}])],
        [ASKED, calls(call()), result(content=[{"type": "text", "text": "r"}])],
    ),
    "two questions in a row": ([ASKED, ASKED, says("x"), says("y")], [ASKED, ASKED, says("x"), says("y")]),
    "an answer at first": ([says("x"), ASKED], [says("x"), ASKED]),
    "a name in other letters": (
        [{**ASKED, "name": "bob.müller"}, says("x", name="clerk.1")],
        [{**ASKED, "name": "bob.müller"}, says("x", name="clerk.1")],
    ),
    "arguments that are cut": (
        [ASKED, calls(call('{"a": "b')), result()],
        [ASKED, calls(call('{"INVALID_JSON":"{\\"a\\": \\"b"}')), result()],
    ),
    "a tool of a name that is none": (
        [ASKED, calls(call(name="mail.send now")), result()],
        [ASKED, calls(call(name="mail_send_now")), result()],
    ),
    "mappings of other kinds": (
        [OrderedDict(ASKED), MappingProxyType(ASKED), {"role": Role.USER, "content": Text("hi")}],
        [ASKED, ASKED, ASKED],
    ),
    "parts in a tuple": (
        [{"role": Role.USER, "content": ({"type": "text", "text": "a"}, {"type": "text", "text": "b"})}],
        [{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}],
    ),
    "texts of JSON in lines": (['{\n  "role": "user",\n\t"content": "h\\u0069"\n}\n'], [ASKED]),
    "a refusal": ([ASKED, says(None, refusal="no")], [ASKED, says(None, refusal="no")]),
}
"""Messages, and what a model is sent of them."""

_PARTS: Final = [{"type": "text", "text": "hi"}]
_USE: Final[dict[str, Any]] = {"type": "tool_use", "id": "a", "name": "look", "input": {}}
_RESULT: Final = {"type": "tool_result", "tool_use_id": "a", "content": "r"}
_CONSTRUCTOR: Final[Mapping[str, Any]] = {
    "lc": 1,
    "type": "constructor",
    "id": ["langchain"],
    "kwargs": {"content": "hi"},
}

REFUSED: Final[dict[str, tuple[Any, str]]] = {
    "a name with a character that nobody sees": ([{**ASKED, "name": "ann\x01"}], "messages[0] has the name 'ann\\x01'"),
    "LangChain's messages as dicts": ([{"type": "human", "data": {"content": "hi"}}], "messages[0] has the role None"),
    "LangChain's messages as they are stored": ([_CONSTRUCTOR], "messages[0] has the role None"),
    "LangChain's pairs": ([("user", "hi")], "messages[0] is ('user', 'hi')"),
    "Anthropic's calls": ([ASKED, says([_USE])], "messages[1].content[0] is {'type': 'tool_use'"),
    "Anthropic's results": (
        [{"role": "user", "content": [_RESULT]}],
        "messages[0].content[0] is {'type': 'tool_result'",
    ),
    "Gemini's questions": ([{"role": "user", "parts": [{"text": "hi"}]}], "messages[0] has the field 'parts'"),
    "Gemini's answers": ([{"role": "model", "parts": [{"text": "hi"}]}], "messages[0] has the role 'model'"),
    "Bedrock's parts": ([{"role": "user", "content": [{"text": "hi"}]}], "messages[0].content[0] is {'text': 'hi'}"),
    "OpenAI's items": (
        [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}],
        "messages[0] has the field 'type'",
    ),
    "OpenAI's items of calls": ([{"type": "function_call", "name": "x"}], "messages[0] has the role None"),
    "OpenAI's items of answers": (
        [ASKED, {"role": "assistant", "content": [{"type": "output_text", "text": "hi", "annotations": []}]}],
        "messages[1].content[0] is {'type': 'output_text'",
    ),
    "OpenAI's older functions": ([{"role": "function", "name": "x", "content": "r"}], "messages[0] has the role 'func"),
    "PydanticAI's messages": ([{"parts": [], "kind": "request"}], "messages[0] has the role None"),
    "AutoGen's messages": ([{"source": "user", "content": "hi"}], "messages[0] has the role None"),
    "Semantic Kernel's roles": (
        [{"role": {"label": "user"}, "items": []}],
        "messages[0] has the role {'label': 'user'}",
    ),
    "ShareGPT's messages": ([{"from": "human", "value": "hi"}], "messages[0] has the role None"),
    "Vercel's messages": ([{"role": "user", "id": "x", "parts": _PARTS}], "messages[0] has the field 'id'"),
    "a call without a function": (
        [ASKED, calls({"id": "a", "name": "x", "args": {}})],
        "messages[1] has a call without",
    ),
    "a role in capitals": ([{"role": "User", "content": "hi"}], "messages[0] has the role 'User'"),
    "a role that is a list": ([{"role": ["user"], "content": "hi"}], "messages[0] has the role ['user']"),
    "lines of JSON": ('{"role":"user","content":"hi"}\n' * 2, "messages is"),
    "a list of lists": ([[ASKED]], "messages[0] is [{'role': 'user'"),
    "a byte order mark": (['\ufeff{"role":"user","content":"hi"}'], "messages[0] is "),
    "an object that is shown in lines": ([Lines()], "messages[0] is Message("),
    "an object that cannot be shown": ([Broken()], "messages[0] is "),
    "an object in a message": ([{"role": "user", "content": Lines()}], "messages[0] is not JSON"),
    "a set of parts": ([{"role": "user", "content": {"a"}}], "messages[0] is not JSON"),
    "a key in lines": ([{**ASKED, "a\nb\u2028": 1}], "messages[0] has the field 'a\\nb\\u2028'"),
    "an answer of a name with spaces": ([ASKED, says("x", name="bob smith")], "messages[1] has the name 'bob smith'"),
    "a number of very many digits": ([{**ASKED, "n": 10**5000}], "messages[0] is not JSON"),
    "a message within itself": ([{**ASKED, "m": _LOOP}], "messages[0] is not JSON"),
    "a result that is none": ([ASKED, calls(call()), result(content=None)], "messages[2] has the content None"),
    "a result of no call": ([ASKED, result()], "messages[1] is the result of a call 'a'"),
    "an id that is a number": ([ASKED, calls(call(call_id="1")), result(1)], "messages[2] is a result without"),  # pyright: ignore[reportArgumentType] - as some dumps have it
    "a text in place of calls": ([ASKED, says("x", tool_calls="look()")], "messages[1]: "),
    "an empty user": ([{"role": "user", "content": None}], "messages[0] has the content None"),
}
"""Messages, and what is named of them."""
