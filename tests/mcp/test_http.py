"""``/mcp`` as it is on the wire: who may send what, and how each revision is told what is wrong."""

from __future__ import annotations

import base64
import json
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import pytest
from starlette.requests import Request
from starlette.testclient import TestClient

from remit import Principal, Runtime
from remit.mcp.peers import REVISION, SERVER_INFO, SESSION_REVISIONS
from remit.mcp.settings import McpSettings
from remit.server import Identity, build_server
from tests.mcp.kit import ADA, GRACE, KEY, Desk

_META: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": REVISION,
    "io.modelcontextprotocol/clientCapabilities": {},
}
_EVE = Principal("eve", "bakery")


async def _authenticate(request: Request) -> Identity | None:
    found = {f"Bearer {each.name}": each for each in (ADA, GRACE, _EVE)}.get(request.headers.get("authorization", ""))
    return None if found is None else Identity(found)


@contextmanager
def _browser(desk: Desk | None = None, *, key: bytes = KEY, **settings: Any) -> Generator[TestClient]:
    desk = desk or Desk(clock=lambda: 1_000_000.0)
    runtime = Runtime(desk.app(), store=desk.store, clock=desk.clock)
    runtime.add_principals(ADA, GRACE, _EVE)
    times = {"hold_seconds": 0, **settings}
    with TestClient(build_server(runtime, _authenticate, mcp=McpSettings(key=key, **times))) as browser:
        browser.headers["authorization"] = "Bearer ada"
        yield browser


def _request(method: str, params: dict[str, Any] | None = None, ident: Any = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": ident, "method": method, "params": {"_meta": _META, **(params or {})}}


def _headers(method: str, name: str = "") -> dict[str, str]:
    headers = {"mcp-protocol-version": REVISION, "mcp-method": method}
    return {**headers, "mcp-name": name} if name else headers


def _post(browser: TestClient, body: Any, headers: dict[str, str]) -> Any:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return browser.post("/mcp", content=content, headers={"content-type": "application/json", **headers})


def test_a_request_that_says_who_sends_it_needs_no_session() -> None:
    with _browser() as browser:
        found = _post(browser, _request("server/discover"), _headers("server/discover"))
        listed = _post(browser, _request("tools/list"), _headers("tools/list"))
    assert (found.status_code, found.json()["id"]) == (200, 1)
    result = found.json()["result"]
    assert result["resultType"] == "complete"
    assert result["supportedVersions"] == [REVISION, *SESSION_REVISIONS]
    assert result["capabilities"]["extensions"] == {"io.modelcontextprotocol/tasks": {}}
    assert result["_meta"][SERVER_INFO]["name"] == "desk"
    assert (result["cacheScope"], result["ttlMs"] > 0) == ("private", True)
    assert [each["name"] for each in listed.json()["result"]["tools"]] == ["erase", "launch", "look"]
    assert "mcp-session-id" not in listed.headers


def test_nobody_but_a_person_with_a_token_or_session_is_served() -> None:
    with _browser() as browser:
        refused = _post(browser, _request("tools/list"), {**_headers("tools/list"), "authorization": "Bearer mallory"})
        assert refused.status_code == 401
        assert {browser.get("/mcp").status_code, browser.delete("/mcp").status_code} == {405}


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":"\xff"}}', 400, -32700),
        (b"[" * 50_000, 400, -32600),
        (b"[]", 400, -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"tools/list"}', 400, -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}', 400, -32600),
        (b'{"jsonrpc":"1.0","id":1,"method":"tools/list"}', 400, -32600),
        (b'{"jsonrpc":"2.0","id":1,"result":{}}', 400, -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}', 400, -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}', 400, -32602),
        (json.dumps(_request("nothing")).encode(), 404, -32601),
        (json.dumps(_request("ping")).encode(), 404, -32601),
        (json.dumps(_request("tools/call")).encode(), 400, -32602),
        (json.dumps(_request("tasks/get", {"taskId": "x"})).encode(), 400, -32021),
    ],
)
def test_what_is_not_a_request_of_the_revision_is_refused(body: bytes, status: int, code: int) -> None:
    try:
        sent = json.loads(body)
        method, name = sent.get("method", ""), sent.get("params", {}).get("taskId", "")
    except (ValueError, AttributeError, RecursionError):
        method, name = "tools/list", ""
    with _browser() as browser:
        refused = _post(browser, body, _headers(method, name))
    assert (refused.status_code, refused.json()["error"]["code"]) == (status, code)


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({}, -32020),
        ({"mcp-protocol-version": "1900-01-01"}, -32020),
        ({"mcp-protocol-version": REVISION}, -32020),
        (_headers("tools/list"), -32020),
        (_headers("tools/call"), -32020),
        (_headers("tools/call", "look"), -32020),
        (_headers("tools/call", "=?base64?bG9v!?="), -32020),
    ],
)
def test_headers_that_say_something_else_than_the_body_are_refused(headers: dict[str, str], code: int) -> None:
    with _browser() as browser:
        body = _request("tools/call", {"name": "erase", "arguments": {"text": "about"}})
        refused = _post(browser, body, headers)
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, code)


def test_a_revision_that_is_not_spoken_is_refused_with_those_that_are() -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    with _browser() as browser:
        refused = _post(browser, body, {"mcp-protocol-version": "1900-01-01"}).json()["error"]
    assert (refused["code"], refused["data"]["supported"]) == (-32022, [REVISION, *SESSION_REVISIONS])


def test_a_client_without_sessions_cannot_begin_one() -> None:
    with _browser() as browser:
        refused = _post(browser, _request("initialize"), _headers("initialize"))
    assert (refused.status_code, refused.json()["error"]["code"]) == (404, -32601)


def test_a_header_may_be_encoded() -> None:
    encoded = base64.b64encode(b"look").decode()
    with _browser() as browser:
        body = _request("tools/call", {"name": "look", "arguments": {"text": "about"}})
        answered = _post(browser, body, _headers("tools/call", f"=?base64?{encoded}?="))
    assert answered.json()["result"]["content"] == [{"type": "text", "text": "about is there"}]


@pytest.mark.parametrize("changes", [{"name": "look"}, {"arguments": {"text": "home"}}, {"requestState": "forged.x"}])
def test_a_state_belongs_to_one_call_of_one_person(changes: dict[str, Any]) -> None:
    call = {"name": "erase", "arguments": {"text": "about"}}
    with _browser() as browser:
        held = _post(browser, _request("tools/call", call), _headers("tools/call", "erase")).json()["result"]
        state = held["requestState"]
        changed: dict[str, Any] = {**call, "requestState": state, **changes}
        refused = _post(browser, _request("tools/call", changed), _headers("tools/call", changed["name"]))
        assert (refused.status_code, refused.json()["error"]["code"]) == (400, -32602)
        eves = {**_headers("tools/call", "erase"), "authorization": "Bearer eve"}
        assert _post(browser, _request("tools/call", {**call, "requestState": state}), eves).status_code == 400
        again = _request("tools/call", {**call, "requestState": state})
        assert _post(browser, again, _headers("tools/call", "erase")).status_code == 200


def _begin(browser: TestClient, revision: str = SESSION_REVISIONS[0], by: str = "ada", **capabilities: Any) -> Any:
    params = {"protocolVersion": revision, "capabilities": capabilities, "clientInfo": {"name": "x", "version": "1"}}
    body = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
    return _post(browser, body, {"authorization": f"Bearer {by}"})


def _in_session(begun: Any) -> dict[str, str]:
    revision = begun.json()["result"]["protocolVersion"]
    return {"mcp-protocol-version": revision, "mcp-session-id": begun.headers["mcp-session-id"]}


@pytest.mark.parametrize(
    ("asked", "spoken"), [(each, each) for each in SESSION_REVISIONS] + [("2024-11-05", SESSION_REVISIONS[0])]
)
def test_a_session_has_the_revision_of_the_client_or_the_newest(asked: str, spoken: str) -> None:
    with _browser() as browser:
        begun = _begin(browser, asked)
        assert begun.json()["result"]["protocolVersion"] == spoken
        headers = _in_session(begun)
        ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        assert _post(browser, ready, headers).status_code == 202
        listed = _post(browser, {"jsonrpc": "2.0", "id": "a", "method": "tools/list"}, headers).json()
    assert (listed["id"], [*listed["result"]]) == ("a", ["tools"])


def test_a_session_outlives_its_process_and_belongs_to_its_person_and_key() -> None:
    desk = Desk(clock=lambda: 1_000_000.0)
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    with _browser(desk) as browser:
        headers = _in_session(_begin(browser))
        eves = _in_session(_begin(browser, by="eve"))
        assert _post(browser, ping, {**eves}).status_code == 404
        assert _post(browser, ping, {**headers, "mcp-session-id": "x"}).status_code == 404
    with _browser(desk) as browser:
        assert _post(browser, ping, headers).json() == {"jsonrpc": "2.0", "id": 1, "result": {}}
    with _browser(desk, key=b"o" * 32) as browser:
        assert _post(browser, ping, headers).status_code == 404


def _answer(browser: TestClient, headers: dict[str, str], ident: str, action: str) -> int:
    result = {"action": action, "content": {"approve": True}}
    status: int = _post(browser, {"jsonrpc": "2.0", "id": ident, "result": result}, headers).status_code
    return status


def _events(response: Any) -> list[dict[str, Any]]:
    lines: list[str] = response.text.splitlines()
    return [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]


def test_a_form_is_sent_on_the_stream_of_its_call_and_any_process_takes_the_answer() -> None:
    desk = Desk("confirm", clock=lambda: 1_000_000.0)
    body = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "erase", "arguments": {"text": "a"}}}
    with _browser(desk, ask_seconds=0) as browser:
        headers = _in_session(_begin(browser, elicitation={}))
        asked, waiting = _events(_post(browser, body, headers))
    assert (asked["method"], asked["params"]["mode"]) == ("elicitation/create", "form")
    assert waiting["result"]["structuredContent"]["status"] == "waiting"
    with _browser(desk) as browser:
        eves = _in_session(_begin(browser, by="eve"))
        assert _answer(browser, {**eves, "authorization": "Bearer eve"}, asked["id"], "accept") == 202
        assert _answer(browser, headers, "forged", "accept") == 202
        again = _events(_post(browser, body, headers))[-1]
        assert again["result"]["structuredContent"]["status"] == "waiting"
        assert _answer(browser, headers, asked["id"], "accept") == 202
        done = _post(browser, body, headers).json()
    assert (done["id"], done["result"]["structuredContent"], desk.erased) == (7, {"erased": "a"}, ["a"])


def test_what_a_client_says_of_an_address_decides_nothing() -> None:
    desk = Desk("confirm", clock=lambda: 1_000_000.0)
    body = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "erase", "arguments": {"text": "a"}}}
    with _browser(desk, ask_seconds=0) as browser:
        headers = _in_session(_begin(browser, elicitation={"url": {}}))
        asked, _ = _events(_post(browser, body, headers))
        assert asked["params"]["url"].startswith("http://testserver/approvals/")
        for action in ("accept", "decline"):
            assert _answer(browser, headers, asked["id"], action) == 202
        assert browser.get("/api/questions").json()["items"][0]["status"] == "open"
    assert desk.erased == []
