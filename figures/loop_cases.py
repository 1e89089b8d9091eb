"""The hostile inputs of the figure about the event loop, by what they are."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

import httpx2

from remit import Agent, App, Effect, Runtime, tool
from remit.engine.schedule import Schedule
from remit.layers import Redact, Reply
from remit.markup import read_html
from remit.models.answer_stream import AnswerStream
from remit.models.bounded_http import BoundedHttp
from remit.models.chat_completion import parse_completion
from remit.record.arguments import Limits, canonical_json, parse_arguments
from remit.record.grant import LIKE_KEY, matches_pattern
from remit.record.secret import Secret
from remit.schemas.schema_binding import SchemaBinder
from remit.schemas.suggestions import suggest
from remit.testing import Scripted, calls, superuser
from remit.workers.prompt import Template
from remit_casefile.google.mime import MAX_CHARACTERS

_LONG: Final = 1 << 20
_ALL_DAYS: Final = "BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=" + ",".join(map(str, range(24)))
_NO_ARGUMENTS: Final[dict[str, Any]] = {}
_NOW: Final = 1_790_000_000.0


def _rule(text: str) -> Callable[[], Awaitable[object]]:
    async def case() -> object:
        recurrence = Schedule(datetime(1970, 1, 2, tzinfo=UTC), text).to_recurrence("run")
        return [recurrence.next_after(after) for after in (_NOW, 1.2e8)]

    return case


def _chain(length: int, link: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    named = {f"d{index}": link({"$ref": f"#/$defs/d{index + 1}"}) for index in range(length)}
    return {"$defs": {**named, f"d{length}": {}}, "properties": {"v": {"$ref": "#/$defs/d0"}}}


def _schema(schema: dict[str, Any], value: object) -> Callable[[], Awaitable[object]]:
    async def case() -> object:
        return SchemaBinder(schema).bind(value, strict=True)

    return case


def _nested(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {"a": value}
    return {"v": value}


def _with_defaults(reference: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {**reference, "default": {}} for name in "ab"}}


def _template(text: str) -> Callable[[], Awaitable[object]]:
    async def case() -> object:
        return Template(text).render({})

    return case


def _check_template(text: str) -> Callable[[], Awaitable[object]]:
    async def case() -> object:
        return Template(text).check(["name"])

    return case


def _often(statement: str) -> str:
    return "{% set n = namespace(s='xx', a=[1]) %}{% for i in range(60) %}" + statement + "{% endfor %}"


async def _read_endless_answer() -> object:
    async def spaces() -> AsyncIterator[bytes]:
        while True:
            yield b" " * 65_536

    transport = httpx2.MockTransport(lambda _request: httpx2.Response(200, content=spaces()))
    async with BoundedHttp(transport=transport) as client:
        return await client.post("http://model/v1")


def _answer(text: str) -> Callable[[], Awaitable[object]]:
    async def case() -> object:
        return parse_completion(text.encode())

    return case


async def _read_many_calls() -> object:
    stream = AnswerStream(lambda _delta: None)
    made = [{"index": index, "function": {"name": "a"}} for index in range(100_000)]
    chunks = ({"choices": [{"index": 0, "delta": {"tool_calls": [each]}}]} for each in made)
    try:
        stream.add_bytes("".join(f"data: {json.dumps(each)}\n\n" for each in chunks).encode())
    except TypeError:  # which models tell as an answer that is none
        return None
    return stream.body()


@tool(effect=Effect.PURE)
async def _add(numbers: list[int]) -> int:
    """Add numbers."""
    return sum(numbers)


def _arguments(text: str) -> Callable[[], Awaitable[object]]:
    async def case() -> object:
        arguments = parse_arguments(text, Limits())
        if arguments.value is not None:
            canonical_json(arguments.value)
        return _add.schema_in.bind(arguments, strict=True)

    return case


async def _run_many_calls(name: str) -> object:
    model = Scripted([calls(*((name, {"numbers": [number]}) for number in range(25_000))), "done"])
    runtime = Runtime(App(name="loop", agents=(Agent("agent", instructions="x", tools=[_add]),)), model=model)
    return await runtime.run("go", by=superuser())


async def _export_many_calls() -> object:
    model = Scripted([calls(*[("x", _NO_ARGUMENTS)] * 4_000), "done"])
    app = App(name="loop", agents=(Agent("agent", instructions="x", tools=[_add]),))
    runtime = Runtime(app, model=model, limits=Limits(answer_calls=4_000))
    result = await runtime.run("go", by=superuser())
    return await runtime.client(superuser()).export_run(result.run, format="html")


def _fetch(text: str) -> Callable[[], Awaitable[object]]:
    @tool(effect=Effect.PURE)
    async def fetch() -> str:
        """Fetch a page."""
        return text

    async def case() -> object:
        for number in range(200):
            Secret(f"env:KEY{number}", f"sk_live_{number:06}")
        return await Runtime(App(name="loop", tools=(fetch,))).call(fetch, superuser())

    return case


async def _match_grant() -> object:
    pattern = json.dumps({"to": {LIKE_KEY: "*a" * 12 + "*b"}})
    return matches_pattern(pattern, json.dumps({"to": "a" * 5_000}))


async def _redact() -> object:
    redaction = Redact(patterns=[r"(a+)+$", r"[\w.]+@"]).redaction
    return [redaction.redact_text(text) for text in ("a" * 250_000 + "!", "ab." * 80_000)]


async def _redact_often() -> object:
    redaction = Redact(patterns=["a", r"\d", r"\w"]).redaction
    texts = ("a " * (_LONG // 2), "1" * _LONG, json.dumps(["a"] * 200_000), json.dumps(dict.fromkeys(range(90_000), 1)))
    replies = [redaction.redact_reply(Reply(text)) for text in texts]
    return replies, Redact(patterns=[r"\d*"])


def _mail(piece: str) -> Callable[[], Awaitable[object]]:
    async def case() -> object:
        return read_html(piece * (MAX_CHARACTERS // len(piece)))

    return case


async def _suggest() -> object:
    names = [f"find_page_number_{number}" for number in range(20_000)]
    return suggest("x" * _LONG, ["x" * _LONG]), suggest("find_page_number_of_x", names)


CASES: Final[dict[str, Callable[[], Awaitable[object]]]] = {
    "a rule that counts minutes from 1970": _rule("FREQ=MINUTELY;COUNT=10000"),
    "a rule of minutes that never matches": _rule("FREQ=MINUTELY;INTERVAL=7;BYHOUR=3;BYMINUTE=5;BYDAY=MO;COUNT=99"),
    "a rule of years that never matches": _rule("FREQ=YEARLY;BYWEEKNO=53;BYMONTH=6;BYSETPOS=1,2,3,4,5,6,7,8"),
    "a rule with all times of all days": _rule(f"FREQ=YEARLY;{_ALL_DAYS};BYMINUTE=0,15,30,45;COUNT=10000"),
    "definitions that double": _schema(_chain(26, lambda each: {"allOf": [each] * 2}), {"v": {}}),
    "a long chain of references": _schema(_chain(6_000, lambda each: each), {"v": {}}),
    "parts that are described twice": _schema(
        _chain(40, lambda each: {"allOf": [{"properties": {"a": each}}] * 2}), _nested(39)
    ),
    "parts that are shared": _schema(_chain(2_000, lambda each: {"properties": {"a": each, "b": each}}), _nested(90)),
    "defaults that double": _schema(_chain(22, _with_defaults), {"v": {}}),
    "alternatives of a list": _schema(
        {"properties": {"v": {"items": {"anyOf": [{"const": number} for number in range(4_990)]}}}},
        {"v": [4_980] * 190},
    ),
    "names that are all wrong": _schema({"propertyNames": {"maxLength": 2}}, {f"ab{i}": 1 for i in range(4_000)}),
    "names that are all missing": _schema(
        {"required": [f"r{i}" for i in range(300)]}, {f"q{i}": "v" * 30 for i in range(15_000)}
    ),
    "alternatives of a long text": _schema(
        {"anyOf": [{"required": [f"r{i}"]} for i in range(4_000)]}, {"v": "v" * 1_000_000}
    ),
    "a list of wrong items": _schema({"properties": {"v": {"items": {"type": "integer"}}}}, {"v": ["a"] * 200_000}),
    "a pattern that backtracks": _schema({"properties": {"v": {"pattern": "^(a+)+$"}}}, {"v": "a" * 500_000 + "!"}),
    "patterns that are many": _schema(
        {"properties": {f"{i:x}": {"pattern": "\\w{2000}" + f"{i:x}"} for i in range(7_000)}}, {"1": "a"}
    ),
    "a width in a template": _template("{{ 'x'|center(2000000000) }}"),
    "a text that doubles in a template": _template(_often("{% set n.s = n.s ~ n.s %}")),
    "a graph in a template": _template(_often("{% set n.a = [n.a, n.a] %}") + "{{ n.a|string|length }}"),
    "loops in a template": _template("{% for a in range(99) %}{% for b in 'x' * 9999 %}{% endfor %}{% endfor %}"),
    "a macro that calls itself": _template("{% macro m(n) %}{{ m(n - 1) ~ m(n - 1) if n }}{% endmacro %}{{ m(60) }}"),
    "a template of fields that do not exist": _check_template(
        " ".join(f"{{{{ f{number} }}}}" for number in range(4_000))
    ),
    "a template of braces and quotes that do not end": _check_template("{{\\'" * 60_000),
    "a template of tags and quotes that do not end": _check_template("{%\\'" * 60_000),
    "an answer without end": _read_endless_answer,
    "an answer of many lines": _answer('{"choices": [\n' + "[],\n" * _LONG + "[]]}"),
    "an answer with half a surrogate pair": _answer('{"a": "\\ud800", "choices": [\n' + "[]," * _LONG + "[]]}"),
    "a stream of 100,000 calls": _read_many_calls,
    "an answer with 25,000 calls of no tool": partial(_run_many_calls, "x"),
    "an answer with 25,000 calls of a tool": partial(_run_many_calls, "_add"),
    "the page of a run with 4,000 calls": _export_many_calls,
    "arguments of many numbers": _arguments('{"numbers":[' + "1," * 500_000 + "1]}"),
    "arguments of many wrong numbers": _arguments('{"numbers":[' + '"a",' * 250_000 + "1]}"),
    "arguments of many keys": _arguments("{" + ",".join(f'"{number:x}":1' for number in range(90_000)) + "}"),
    "arguments that nest": _arguments('{"numbers":' + "[" * 500_000),
    "arguments of many digits": _arguments('{"numbers":[' + ",".join(["9" * 4_000] * 250) + "]}"),
    "a page of backslashes": _fetch("\\" * 4_000_000),
    "a page of all escapes": _fetch('\\"%41&amp;\\xc3\\xa9' * 100_000),
    "a grant with many wildcards": _match_grant,
    "names that are like others": _suggest,
    "mail of tags that do not end": _mail("<script"),
    "mail of quotes that do not end": _mail('<a b=">"'),
    "mail of many tags": _mail("<p>"),
    "patterns of Redact": _redact,
    "patterns of Redact that match everywhere": _redact_often,
}
