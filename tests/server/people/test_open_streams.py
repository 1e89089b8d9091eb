"""Streams of people who are signed in by a session."""

from __future__ import annotations

from starlette.requests import Request

from remit.server.identity import remember_open_stream
from tests.server.people.kit import World, me, wait


def test_an_open_stream_is_no_use_of_a_session() -> None:
    world = World()
    browser = world.signed_in()
    request = Request({"type": "http", "headers": [(b"cookie", f"remit={browser.cookies['remit']}".encode())]})
    remember_open_stream(request)
    world.clock.now += 6 * 3600
    assert wait(world.access.authenticate(request)) is not None
    world.clock.now += 6 * 3600
    assert me(browser) == {}
