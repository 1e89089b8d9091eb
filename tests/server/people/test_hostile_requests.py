"""Whatever a request contains, it is answered, and never with an error of the server."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote_from_bytes

import pytest

from tests.server.people.kit import World, csrf_of, me

TEXTS: Final = (
    b"",
    b" ",
    b"\xff\xfe",
    b"\xc3\xa9",
    b"\x7f",
    b"a\tb",
    b"remit=",
    b"remit=\xff; remit=a",
    b";;;=;",
    b"Bearer",
    b"Bearer ",
    b"Bearer \xff\xfe",
    b"Bearer remit_" + b"a" * 5000,
    b"bearer bearer bearer",
    b"%00%ff%F0%9F",
    b"'; DROP TABLE remit_people; --",
    b"\xf0\x9f\x92\xa9" * 50,
    b"\xed\xa0\x80",
    b"a" * 20_000,
)
HEADERS: Final = (
    "authorization",
    "cookie",
    "x-csrf-token",
    "origin",
    "host",
    "content-type",
    "content-length",
    "sec-fetch-site",
    "sec-purpose",
    "user-agent",
    "accept",
    "x-forwarded-for",
    "x-forwarded-proto",
    "access-control-request-method",
)


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("signed_in", [True, False], ids=["signed in", "unknown"])
def test_any_header_is_answered(header: str, *, signed_in: bool) -> None:
    world = World()
    for text in TEXTS:
        browser = world.signed_in("eve") if signed_in else world.browser()
        for method, path in (("GET", "/login"), ("POST", "/login"), ("POST", "/api/change"), ("OPTIONS", "/api/me")):
            answer = browser.request(method, path, headers=[(header.encode(), text)], content=b"a=1")
            assert answer.status_code < 500, (header, text, method, path)
        world.clock.now += 301
    assert set(world.changed) <= {"eve"}


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_any_text_of_a_form_or_an_address_is_answered(text: bytes) -> None:
    world = World()
    browser = world.browser()
    token, sent = csrf_of(browser.get("/login")), quote_from_bytes(text)
    for field in ("name", "password", "next", "csrf"):
        body = f"csrf={token}&name=ada&password=x&{field}={sent}" if field != "csrf" else f"csrf={sent}&name=ada"
        headers = {"content-type": "application/x-www-form-urlencoded"}
        assert browser.post("/login", content=body.encode(), headers=headers).status_code < 500
        assert browser.post("/login", content=text, headers=headers).status_code < 500
    for path in ("/login?next=", "/login/link?secret=", "/login/link?next="):
        assert browser.get(f"{path}{sent}").status_code < 500
    assert me(browser) == {}
