"""A request is judged by its cookie or by its ``Authorization`` header, and by both never."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.server.people.kit import PASSWORD, World, log_in, wait

FOREIGN_PAGE = {"authorization": "Basic eDp5", "origin": "https://evil.example", "sec-fetch-site": "cross-site"}


@pytest.mark.parametrize("path", ["/account/sessions", "/account/tokens", "/account/password", "/logout"])
def test_a_request_with_another_sign_in_does_nothing_with_the_cookie(path: str) -> None:
    world = World()
    browser, token = world.signed_in(), world.token("ada", "cms:read")
    form = {"password": PASSWORD, "new": "a password of the attacker"}
    browser.post(path, data=form, headers=FOREIGN_PAGE)
    browser = world.browser()
    assert log_in(browser).status_code == 303
    assert len(world.credentials("ada", "session")) == 2
    assert wait(world.sign_in.find_token(token)) is not None


def test_a_page_shows_nothing_of_the_cookie_to_a_request_with_another_sign_in() -> None:
    browser = World().signed_in()
    assert browser.get("/account").status_code == 200
    assert browser.get("/account", headers={"authorization": "Basic eDp5"}).status_code == 303


@pytest.mark.parametrize("headers", [{}, {"authorization": "x"}])
def test_a_form_to_sign_in_is_small_whoever_sends_it(headers: dict[str, str]) -> None:
    def pieces() -> Iterator[bytes]:
        for _ in range(100):
            yield b"x" * 10_000

    sent = {"content-type": "application/x-www-form-urlencoded", **headers}
    answer = World().browser().post("/login", content=pieces(), headers=sent)
    assert (answer.status_code, answer.json()["code"]) == (413, "TOO_LARGE")
    assert "at most 65,536 bytes" in answer.json()["error"]
