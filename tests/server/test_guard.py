"""The guard: which requests it refuses, and what every response has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from remit.errors import SetupError
from remit.server.guard import Guard, GuardSettings
from remit.server.rates import RequestRates, find_source
from tests.server.people.kit import Clock, World, csrf_of, me, wait

HOST = frozenset({"testserver"})
FORM = "application/x-www-form-urlencoded"


def change(browser: TestClient, **options: Any) -> int:
    return browser.post("/api/change", **options).status_code


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 403),
        ({"x-csrf-token": "TOKEN"}, 200),
        ({"x-csrf-token": "TOKEN", "origin": "http://testserver", "sec-fetch-site": "same-origin"}, 200),
        ({"x-csrf-token": "TOKEN", "origin": "HTTP://TestServer"}, 200),
        ({"x-csrf-token": ""}, 403),
        ({"x-csrf-token": "guess"}, 403),
        ({"x-csrf-token": "OTHER"}, 403),
        ({"x-csrf-token": "SECRET"}, 403),
        ({"x-csrf-token": "TOKEN", "origin": "http://evil.example"}, 403),
        ({"x-csrf-token": "TOKEN", "origin": "https://testserver"}, 403),
        ({"x-csrf-token": "TOKEN", "origin": "http://testserver:81"}, 403),
        ({"x-csrf-token": "TOKEN", "origin": "http://testserver.evil.example"}, 403),
        ({"x-csrf-token": "TOKEN", "origin": "null"}, 403),
        ({"x-csrf-token": "TOKEN", "sec-fetch-site": "cross-site"}, 403),
        ({"x-csrf-token": "TOKEN", "sec-fetch-site": "same-site"}, 403),
        ({"content-type": "text/plain"}, 403),
        ({"content-type": "multipart/form-data; boundary=x"}, 403),
    ],
    ids=range(17),
)
def test_a_request_with_a_cookie_changes_something_only_from_a_page_of_this_server(
    headers: dict[str, str], status: int
) -> None:
    world = World()
    browser = world.signed_in()
    other = me(world.signed_in("eve"))["csrf"]
    tokens = {"TOKEN": me(browser)["csrf"], "OTHER": other, "SECRET": browser.cookies["remit"]}
    sent = {name: tokens.get(value, value) for name, value in headers.items()}
    assert change(browser, headers=sent, content=b"{}") == status
    assert world.changed == (["ada"] if status == 200 else [])


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "QUERY", "post"])
def test_every_method_that_may_change_something_needs_the_token(method: str) -> None:
    assert World().signed_in().request(method, "/api/me").status_code == 403


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_reading_needs_no_token(method: str) -> None:
    assert World().signed_in().request(method, "/api/me").status_code == 200


def test_a_form_carries_the_token_as_a_field_and_the_route_reads_it_whole() -> None:
    world = World()
    browser = world.signed_in()
    token = me(browser)["csrf"]
    body = f"csrf={token}&text={'a' * 5000}".encode()
    answer = browser.post("/api/change", content=body, headers={"content-type": FORM})
    assert answer.json() == {"bytes": len(body)}
    for wrong in (b"csrf=guess", b"text=1", b"csrf=guess&csrf=" + token.encode(), b"csrf=%ff", b"&" * 500, b""):
        assert change(browser, content=wrong, headers={"content-type": f"{FORM}; charset=utf-8"}) == 403
    huge = b"csrf=" + token.encode() + b"&text=" + b"a" * 70_000
    assert change(browser, content=huge, headers={"content-type": FORM}) == 413


def test_nobody_is_signed_in_by_another_site() -> None:
    world = World()
    form = {"name": "eve", "password": "correct horse battery"}
    assert world.browser().post("/login", data=form).status_code == 403
    attacker = csrf_of(world.browser().get("/login"))
    victim = world.browser()
    victim.get("/login")
    assert victim.post("/login", data={**form, "csrf": attacker}).status_code == 403
    own = csrf_of(victim.get("/login"))
    foreign = {"origin": "http://evil.example"}
    assert victim.post("/login", data={**form, "csrf": own}, headers=foreign).status_code == 403
    assert me(victim) == {}


def test_the_token_of_the_visit_before_is_none_of_the_session() -> None:
    world = World()
    browser = world.browser()
    before = csrf_of(browser.get("/login"))
    browser.post("/login", data={"name": "ada", "password": "correct horse battery", "csrf": before})
    assert me(browser)["name"] == "ada"
    assert change(browser, headers={"x-csrf-token": before}, json={}) == 403


def test_without_cookie_and_token_a_program_is_told_to_sign_in() -> None:
    assert change(World().browser(), json={}) == 401


def test_every_response_has_the_headers_of_protection() -> None:
    world = World()
    browser = world.browser()
    for path in ("/login", "/api/me", "/nothing", "/crash"):
        headers = browser.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "same-origin"
        assert headers["cache-control"] == "no-store"
        assert "strict-transport-security" not in headers
        assert "access-control-allow-origin" not in headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
    over_tls = World(GuardSettings(hosts=HOST, tls=True)).browser(scheme="https").get("/login")
    assert over_tls.headers["strict-transport-security"] == "max-age=31536000"


def test_each_response_has_a_nonce_of_its_own_and_its_page_uses_it() -> None:
    browser = World().browser()
    pages = [browser.get("/login") for _ in range(2)]
    nonces = [re.findall(r"'nonce-([\w-]{20,})'", page.headers["content-security-policy"]) for page in pages]
    assert len({nonce for found in nonces for nonce in found}) == 2
    for page, found in zip(pages, nonces, strict=True):
        assert f'<style nonce="{found[0]}">' in page.text
        assert "<script" not in page.text
        assert not re.search(r"\s(style|on\w+)=", page.text)


def test_a_page_may_show_only_listed_origins_in_a_frame() -> None:
    world = World(GuardSettings(hosts=HOST, frames=("http://localhost:8080",)))
    assert "frame-src 'self' http://localhost:8080;" in world.browser().get("/login").headers["content-security-policy"]


def test_an_error_says_nothing_of_its_cause(caplog: pytest.LogCaptureFixture) -> None:
    answer = World().browser().get("/crash")
    assert answer.status_code == 500
    assert answer.json() == {"error": "the server met an error; its log says which", "code": "INTERNAL_ERROR"}
    assert "hunter2" in caplog.text
    page = World().browser().get("/crash", headers={"accept": "text/html,*/*"})
    assert page.headers["content-type"].startswith("text/html")
    assert "hunter2" not in page.text


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("testserver", 200),
        ("TestServer:8000", 200),
        ("testserver.", 200),
        ("evil.example", 421),
        ("testserver.evil.example", 421),
        ("127.0.0.1", 421),
        ("testserver@evil.example", 421),
        ("", 421),
    ],
)
def test_a_server_answers_only_under_its_own_names(host: str, status: int) -> None:
    assert World().browser().get("/login", headers={"host": host}).status_code == status


def test_a_load_balancer_asks_by_address_whether_the_server_is_well() -> None:
    browser = World().browser()
    for path in ("/health", "/ready"):
        assert browser.get(path, headers={"host": "10.0.0.9:8420"}).status_code == 404  # another has the route
    assert browser.get("/healthy", headers={"host": "10.0.0.9:8420"}).status_code == 421


@pytest.mark.parametrize("host", ["localhost", "localhost:8000", "127.0.0.1:8000", "[::1]:8000", "[::1]"])
def test_by_default_those_are_the_names_of_this_machine(host: str) -> None:
    browser = World(GuardSettings()).browser()
    assert browser.get("/login", headers={"host": host}).status_code == 200
    assert browser.get("/login").status_code == 421


def test_scripts_of_listed_origins_use_tokens_but_no_cookies() -> None:
    world = World(GuardSettings(hosts=HOST, origins=frozenset({"https://app.example"})))
    browser, token = world.signed_in(), world.token()
    asked = {"origin": "https://app.example", "access-control-request-method": "POST"}
    preflight = browser.options("/api/change", headers=asked)
    assert preflight.status_code == 204
    assert preflight.headers["access-control-allow-origin"] == "https://app.example"
    assert "authorization" in preflight.headers["access-control-allow-headers"]
    assert "access-control-allow-credentials" not in preflight.headers
    answer = world.browser().post(
        "/api/change", json={}, headers={"origin": "https://app.example", "authorization": f"Bearer {token}"}
    )
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == "https://app.example"
    with_cookie = {"origin": "https://app.example", "x-csrf-token": me(browser)["csrf"]}
    assert change(browser, json={}, headers=with_cookie) == 403
    assert world.changed == ["ada"]


@pytest.mark.parametrize("origin", ["https://evil.example", "https://app.example.evil.example", "null", "*"])
def test_scripts_of_other_origins_may_call_nothing(origin: str) -> None:
    world = World(GuardSettings(hosts=HOST, origins=frozenset({"https://app.example"})))
    asked = {"origin": origin, "access-control-request-method": "POST"}
    preflight = world.browser().options("/api/change", headers=asked)
    assert preflight.status_code == 403
    assert "access-control-allow-origin" not in preflight.headers
    assert "access-control-allow-origin" not in world.browser().get("/api/me", headers={"origin": origin}).headers


def test_a_body_that_is_too_large_is_refused_whether_or_not_its_length_is_said() -> None:
    world = World(GuardSettings(hosts=HOST, body_bytes=1000))
    headers = {"authorization": f"Bearer {world.token()}"}

    def pieces() -> Iterator[bytes]:
        for _ in range(11):
            yield b"a" * 100

    assert change(world.browser(), content=b"a" * 1000, headers=headers) == 200
    assert change(world.browser(), content=b"a" * 1001, headers=headers) == 413
    assert change(world.browser(), content=pieces(), headers=headers) == 413
    for length in ("-1", "1e9", "9" * 400, "\u0661"):
        sent = {**headers, "content-length": length.encode()}
        assert change(world.browser(), content=b"a", headers=sent) == 413


def test_an_address_that_sends_too_many_requests_waits() -> None:
    clock = Clock()
    rates = RequestRates(60, burst=3, clock=clock)
    assert [rates.take("a") for _ in range(3)] == [0.0] * 3
    assert rates.take("a") == 1.0
    assert rates.take("b") == 0.0
    clock.now += 1
    assert rates.take("a") == 0.0
    assert rates.take("a") > 0
    clock.now += 3600
    assert [rates.take("a") for _ in range(4)] == [0.0, 0.0, 0.0, 1.0]
    assert [RequestRates(0).take("a") for _ in range(5)] == [0.0] * 5


@pytest.mark.parametrize(
    ("address", "source"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8::1", "2001:db8::"),
        ("2001:db8:0:0:ffff::9", "2001:db8::"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("testclient", "testclient"),
        ("", ""),
    ],
)
def test_the_addresses_of_one_customer_are_one_source(address: str, source: str) -> None:
    assert find_source(address) == source
    rates = RequestRates(60, burst=1, clock=Clock())
    assert rates.take(source) == 0
    assert rates.take(address) == 1


def test_the_refusal_says_when_to_come_again() -> None:
    world = World(GuardSettings(hosts=HOST, requests_per_minute=3))
    browser = world.browser()
    assert browser.get("/api/me").status_code == 401
    refused = browser.get("/api/me")
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "20")
    assert world.browser("192.0.2.2").get("/api/me").status_code == 401


def test_addresses_that_come_and_go_are_forgotten() -> None:
    rates = RequestRates(60, burst=1, clock=Clock())
    for number in range(10_100):
        rates.take(str(number))
    assert len(vars(rates)["_left"]) == 10_000


async def test_other_protocols_pass() -> None:
    seen = list[str]()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope["type"])

    await Guard(app)({"type": "lifespan"}, None, None)  # type: ignore[arg-type]
    assert seen == ["lifespan"]


@pytest.mark.parametrize("origin", ["*", "app.example", "https://app.example/", "https://", "ftp://x", "https://a b"])
def test_an_origin_is_spelt_as_browsers_send_it(origin: str) -> None:
    with pytest.raises(SetupError, match=r"is not an origin; write it like https://app\.example"):
        GuardSettings(origins=frozenset({origin}))


def test_two_servers_know_nothing_of_each_others_sessions() -> None:
    one, two = World(), World()
    browser = two.browser()
    browser.cookies.set("remit", one.signed_in().cookies["remit"])
    assert me(browser) == {}
    assert wait(two.directory.list_credentials("ada", "session")) == []


async def test_a_response_that_fails_in_the_middle_breaks_off(caplog: pytest.LogCaptureFixture) -> None:
    sent = list[Any]()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise RuntimeError("in the middle")

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": [(b"host", b"localhost")]}
    await Guard(app)({**scope, "scheme": "http", "client": ("127.0.0.1", 1)}, receive, send)
    assert [message["type"] for message in sent] == ["http.response.start"]
    assert "in the middle" in caplog.text


async def test_a_form_whose_sender_leaves_before_its_end_changes_nothing() -> None:
    """The rest may say which session is to be ended; without it, all are."""
    world = World()
    browser = world.signed_in()
    token, secret = me(browser)["csrf"], browser.cookies["remit"]
    parts = iter([{"type": "http.request", "body": f"csrf={token}&i".encode(), "more_body": True}])
    sent = list[Any]()

    async def receive() -> Any:
        return next(parts, {"type": "http.disconnect"})

    async def send(message: Any) -> None:
        sent.append(message)

    form = [(b"host", b"testserver"), (b"content-type", FORM.encode()), (b"cookie", f"remit={secret}".encode())]
    scope = {"type": "http", "method": "POST", "path": "/account/sessions", "query_string": b"", "headers": form}
    await world.app({**scope, "scheme": "http", "client": None}, receive, send)
    assert sent == []
    assert len(await world.directory.list_credentials("ada", "session")) == 1
