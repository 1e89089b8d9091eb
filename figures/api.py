"""Tenants over HTTP: what another tenant, and a person without rights, get from every operation of the server."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from starlette.requests import Request
from starlette.testclient import TestClient

from figures.figure import Figure, no_violations
from remit import Agent, App, Principal, Risk, Runtime, tool
from remit.server import Identity, build_server
from remit.server.operations import OPERATIONS
from remit.server.rest.operation import Operation
from remit.testing import Scripted, calls

_CANARY: Final = "canary-7f3a"
_PEOPLE: Final = {
    "owner": Principal("owner", "bakery"),
    "approver": Principal("approver", "bakery", frozenset({"approvals:decide", "runs:read"})),
    "stranger": Principal("stranger", "elsewhere", frozenset({"*"})),
    "neighbour": Principal("neighbour", "bakery"),
}
_INTRUDERS: Final = ("stranger", "neighbour")
_ABSENT: Final[Mapping[str, str]] = {
    **dict.fromkeys(("run", "question", "grant", "conversation"), "absent"),
    "digest": f"sha256:{'0' * 64}",
    "tool": "absent",
    "kind": "absent",
    "id": "absent",
}
_ID: Final = re.compile(r"sha256:[0-9a-f]+…")


@tool(risk=Risk.HIGH)
async def refund(order: str) -> str:
    """Refund an order."""
    return f"refunded {order}"


def figures(*, short: bool) -> Iterator[Figure]:  # noqa: ARG001 - it is short
    """Operations that tell an intruder something of another person's objects, or change them."""
    with TestClient(_build()) as browser:
        world = _World(browser)
        cases = [(each, by, where) for each in OPERATIONS for by in _INTRUDERS for where in _places(each)]
        leaks = [
            f"{each.method} {each.path} {where} by {by}" for each, by, where in cases if world.leaks(each, by, where)
        ]
        changed = world.fingerprint() != world.before
    how = (
        "operations of the server, with the ids of a run, question, conversation, grant, schedule and file of another "
        "person in path, body and query, asked by a superuser of another tenant and by a person without rights: "
        f"{', '.join(leaks) or 'none'}; each answer is that for ids that do not exist"
    )
    yield no_violations("tenants.api.leaks", len(leaks) + changed, len(cases), how)


def _build() -> Any:
    script = [calls(("refund", {"order": _CANARY})), f"{_CANARY} is refunded."]
    runtime = Runtime(
        App(name="shop", agents=[Agent("clerk", instructions="Help.", tools=[refund])]), model=Scripted(script)
    )
    runtime.add_principals(*_PEOPLE.values())
    return build_server(runtime, _authenticate)


async def _authenticate(request: Request) -> Identity | None:
    principal = _PEOPLE.get(request.headers.get("authorization", ""))
    return None if principal is None else Identity(principal)


class _World:
    """A server with objects of its owner."""

    def __init__(self, browser: TestClient) -> None:
        self._browser = browser
        message = {"id": "m", "role": "user", "content": f"Refund {_CANARY}."}
        stream = self._ask("POST", "/agui", "owner", json={"threadId": _CANARY, "runId": "r", "messages": [message]})
        run = stream.text.partition("id: ")[2].partition("|")[0]
        (question,) = self._ask("GET", f"/api/questions?run={run}", "owner").json()["items"]
        grant = {"tool": "refund", "principal": "owner", "count": 1, "expiresIn": 600, "reason": _CANARY}
        granted = self._ask("POST", "/api/grants", "approver", json=grant).json()
        file = self._ask("POST", f"/api/files?name={_CANARY}.txt", "owner", content=_CANARY.encode()).json()
        self._file = {"size": file["size"], "name": "file.txt"}
        self._present = {
            "run": run,
            "question": question["id"],
            "conversation": _CANARY,
            "grant": granted["id"],
            "digest": file["digest"],
        }
        self.before = self.fingerprint()

    def fingerprint(self) -> str:
        """The state of the owner's objects."""
        paths = ("/api/runs", "/api/questions?status=all", "/api/conversations", "/api/grants")
        return "".join(self._ask("GET", each, "owner").text for each in paths)

    def leaks(self, operation: Operation, by: str, where: str = "") -> bool:
        """Whether an operation tells an intruder of an object, or answers otherwise than if it did not exist.

        The object is named in the path and the body, or in the field ``where`` of the query.
        """
        present, absent = (self._send(operation, by, names, where) for names in (self._present, _ABSENT))
        told = present.text
        for name, value in self._present.items():
            told = told.replace(value, _ABSENT[name])
        same = present.status_code == absent.status_code and _ID.sub("", told) == _ID.sub("", absent.text)
        return _CANARY in told or (("{" in operation.path or bool(where)) and not same)

    def _send(self, operation: Operation, by: str, names: Mapping[str, str], where: str) -> Any:
        path = operation.path.format_map({**_ABSENT, **names})
        query = {"a": names["run"], "b": names["run"]} if operation.path == "/api/compare" else {}
        if "digest" in operation.path:
            query = self._file
        if operation.path == "/api/watch":
            query = {"after": "no place"}  # what it tells is a figure of its own
        body = _BODIES.get(operation.name)
        if operation.name == "run_agent":
            entry = {"interruptId": names["question"], "status": "resolved", "payload": {"approved": True}}
            body = {"threadId": names["conversation"], "runId": "x", "messages": [], "resume": [entry]}
        if where:
            query = {**query, where: names[_IDS.get((operation.name, where), where)]}
        return self._ask(operation.method, path, by, params=query, content=b"" if body is None else json.dumps(body))

    def _ask(self, method: str, path: str, by: str, **options: Any) -> Any:
        return self._browser.request(method, path, headers={"authorization": by}, **options)


_IDS: Final[Mapping[tuple[str, str], str]] = {
    ("list_runs", "before"): "run",
    ("list_questions", "after"): "question",
    ("list_grants", "after"): "grant",
}
"""What the fields of queries name that are not called by it."""


def _places(operation: Operation) -> Iterator[str]:
    """Where a request names objects: in its path and body, or in a field of its query."""
    yield ""
    for name in operation.query.__struct_encode_fields__:
        if name in ("run", "conversation") or (operation.name, name) in _IDS:
            yield name


_BODIES: Final[Mapping[str, dict[str, Any]]] = {
    "decide_question": {"approved": True},
    "rename_conversation": {"title": "stolen"},
    "share_conversation": {"principal": "*"},
    "start_run": {"prompt": ""},
    "call_tool": {"arguments": {}},
    "create_grant": {"tool": "absent", "principal": "owner", "count": 1, "expiresIn": 60},
    "create_schedule": {"tool": "absent", "at": "2999-01-01T00:00:00Z"},
    "handle_request": {"operation": "none"},
}
