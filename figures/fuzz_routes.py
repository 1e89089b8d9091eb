"""Hostile requests to every operation of a server: it does what they say, or refuses them in a known way.

A request that is refused has changed nothing, and neither has one that reads.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import httpx

from figures.fuzz_values import ODD_STRINGS
from figures.served import Served, serve
from remit import Agent, App, Principal, Risk, Runtime, tool
from remit.server.operations import OPERATIONS
from remit.server.rest.operation import Operation
from remit.testing import Scripted, calls

_OWNER: Final = Principal("owner", "bakery", frozenset({"*"}))
_STREAM_SECONDS: Final = 0.1
"""Seconds after which a stream that stays open is ended."""

_MOST_ERROR_CHARS: Final = 2_000

_TEXTS: Final = (*ODD_STRINGS, "a" * 20_000, "\x7f", "a|b|c~1*2=3", "1.1.1.1~~", "%00%ff", "\u2028", "-1", "1e999")
_VALUES: Final[tuple[Any, ...]] = (None, True, 0, -1, 10**400, 1e308, [], {}, [[]], {"": None}, *_TEXTS)
_BODIES: Final = (
    b"",
    b"{",
    b"null",
    b"[]",
    b'"x"',
    b"NaN",
    b"-",
    b"\xff\xfe",
    b'{"a": "\xff"}',
    b'{"prompt": "\\ud800", "arguments": {"order": "\\ud800"}}',
    b'{"arguments": {"order": 1, "order": 2}}',
    b'{"arguments": NaN}',
    b"\xef\xbb\xbf{}",
    '{"prompt": "x"}'.encode("utf-16"),
    b"[" * 50_000,
    b'{"arguments":' * 20_000,
    b'{"' + b"a" * 2_000_000 + b'": 1}',
    b'{"constructor": {}, "__proto__": {}}',
)
_HEADERS: Final[tuple[tuple[str, bytes], ...]] = (
    ("content-type", b"text/html"),
    ("content-type", b"multipart/form-data; boundary="),
    ("content-length", b"-1"),
    ("content-length", b"9" * 400),
    ("content-encoding", b"gzip"),
    ("idempotency-key", b"k" * 10_000),
    ("idempotency-key", b"\xff\xfe"),
    ("idempotency-key", b" "),
    ("last-event-id", b"|||"),
    ("last-event-id", b"9" * 5_000),
    ("last-event-id", b"\xff"),
    ("accept", b"text/html, \xff"),
    ("accept-encoding", b"\xff"),
    ("cookie", b"remit=\xff; =;;remit"),
    ("range", b"bytes=9-1"),
    ("x-forwarded-for", b"\xff, 1.1.1.1"),
    ("origin", b"null"),
)


@dataclass
class RoutesReport:
    """What was wrong, out of how many requests."""

    problems: list[str] = field(default_factory=list[str])
    requests: int = 0


@tool(risk=Risk.HIGH)
async def refund(order: str) -> str:
    """Refund an order."""
    return f"refunded {order}"


def fuzz_routes(stride: int = 1, only: Collection[str] = ()) -> RoutesReport:
    """Send every ``stride``-th hostile request to each operation, or to those of these names."""
    return asyncio.run(_fuzz(stride, [each for each in OPERATIONS if not only or each.name in only]))


async def _fuzz(stride: int, operations: Sequence[Operation]) -> RoutesReport:
    script = Scripted([calls(("refund", {"order": "A-7"})), *["Done."] * 10_000])
    clerk = Agent("clerk", instructions="Help.", tools=[refund], model=script)
    runtime = Runtime(App(name="shop", agents=[clerk]))
    runtime.add_principals(_OWNER)
    found, number = RoutesReport(), 0
    async with serve(runtime, executes=False) as server:
        names = await _open_objects(runtime, server)
        for operation in operations:
            for options in _requests(operation, names):
                number += 1
                if number % stride == 0:
                    found.requests += 1
                    wrong = await _judge(runtime, server, operation, options)
                    found.problems += [f"{operation.method} {str(options)[:300]}: {each}" for each in wrong]
    return found


async def _open_objects(runtime: Runtime, server: Served) -> dict[str, str]:
    """The ids of objects of each kind."""
    asked = await runtime.run("Refund A-7.", by=_OWNER, conversation="talk")
    granted = await server.ask(_OWNER, "POST", "/api/grants", json=_VALID["create_grant"])
    file = await server.ask(_OWNER, "POST", "/api/files", params={"name": "a.txt"}, content=b"text")
    return {
        "run": asked.run,
        "question": asked.questions[0],
        "conversation": "talk",
        "grant": granted.json()["id"],
        "digest": file.json()["digest"],
        "tool": "refund",
        "kind": "page",
        "id": "1",
    }


def _requests(operation: Operation, names: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Requests with one hostile part each: in the path, the query, the headers or the body."""
    path, valid = operation.path.format_map(names), _VALID.get(operation.name, {})
    base = {"path": path, "json": valid} if operation.body is not None else {"path": path}
    for name in names:
        if f"{{{name}}}" in operation.path:
            for text in _TEXTS:
                yield {**base, "path": operation.path.format_map({**names, name: _quote(text)})}
    for name in (*operation.query.__struct_encode_fields__, "unknown"):
        for text in _TEXTS:
            yield {**base, "params": {name: text}}
    yield {**base, "params": [("after", "1"), ("after", "2")]}
    for name, value in _HEADERS:
        yield {**base, "headers": {name.encode(): value}}
    if operation.body is not None or operation.takes_content:
        for body in _BODIES:
            yield {"path": path, "content": body}
    for name in valid:
        for value in _VALUES:
            yield {"path": path, "json": {**valid, name: value}}


def _quote(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())


async def _judge(runtime: Runtime, server: Served, operation: Operation, options: Mapping[str, Any]) -> Sequence[str]:
    """What is wrong with the answer to a request."""
    before = await _state(runtime)
    sending = asyncio.create_task(_send(server, operation, options))
    if not (await asyncio.wait({sending}, timeout=_STREAM_SECONDS))[0]:
        server.end_streams()
    response = await sending
    server.begin_streams()
    wrong = list[str]()
    if response.status_code >= 500:
        wrong.append(f"it is answered {response.status_code}")
    if response.status_code >= 400:
        wrong += _why_no_refusal(response)
    is_recorded = operation.name == "call_tool"  # a call of wrong arguments is one that failed
    changes_nothing = operation.method == "GET" or (response.status_code >= 400 and not is_recorded)
    if changes_nothing and await _state(runtime) != before:
        wrong.append(f"it is answered {response.status_code} and changed something")
    return wrong


async def _send(server: Served, operation: Operation, options: Mapping[str, Any]) -> httpx.Response:
    rest = dict(options)
    path = rest.pop("path")
    if "json" in rest:
        rest["content"] = json.dumps(rest.pop("json")).encode()
    return await server.ask(_OWNER, operation.method, path, **rest)


def _why_no_refusal(response: httpx.Response) -> Iterator[str]:
    try:
        problem = response.json()
        error, code = problem["error"], problem["code"]
    except (ValueError, KeyError, TypeError):
        yield f"its refusal is no problem: {response.text[:200]!r}"
        return
    if not code or not error or len(error) > _MOST_ERROR_CHARS or "\n" in error or "Traceback" in error:
        yield f"its refusal says {error[:200]!r}, {code!r}"


async def _state(runtime: Runtime) -> object:
    """The rows of all objects."""
    store, tenant = runtime.store, _OWNER.tenant
    return (
        await store.list_runs(tenant=tenant),
        await store.list_questions(tenant=tenant, limit=1000),
        await store.list_grants(tenant=tenant, limit=1000),
    )


_VALID: Final[Mapping[str, dict[str, Any]]] = {
    "decide_question": {
        "approved": False,
        "kind": "approve",
        "reason": "no",
        "arguments": {"order": "B"},
        "result": "",
    },
    "rename_conversation": {"title": "talk"},
    "share_conversation": {"principal": "ada", "access": "read"},
    "start_run": {"prompt": "Hello.", "agent": "", "conversation": "", "target": "", "files": [], "whenBusy": "refuse"},
    "call_tool": {"arguments": {"order": "A-7"}, "conversation": "", "target": ""},
    "create_grant": {"tool": "refund", "principal": "owner", "count": 1, "expiresIn": 60, "reason": "", "target": ""},
    "create_schedule": {"tool": "refund", "arguments": {"order": "A-7"}, "at": "2999-01-01T00:00:00Z", "every": ""},
    "handle_request": {"operation": "tool_execution", "user_id": "owner", "request_id": "x", "payload": {}},
    "run_agent": {"threadId": "talk", "runId": "r", "messages": [{"role": "user", "content": "Hi."}], "resume": None},
}
"""Valid bodies, by the operation."""
