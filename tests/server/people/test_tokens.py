"""API tokens: limited to their permissions, expiring, and judged by themselves alone."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from remit.errors import RemitError, RequestDeniedError, RequestNotFoundError
from remit.server.people.accounts import NEVER, digest_secret
from tests.server.people.kit import OWNER, World, me, wait


def bearer(world: World, token: str, scheme: str = "Bearer") -> TestClient:
    browser = world.browser()
    browser.headers["authorization"] = f"{scheme} {token}"
    return browser


def test_a_token_has_those_of_its_permissions_that_its_person_still_has() -> None:
    world = World()
    token = world.token("ada", "cms:read", "cms:write")
    assert me(bearer(world, token))["permissions"] == ["cms:read", "cms:write"]
    assert me(bearer(world, world.token("ada", "cms:read")))["permissions"] == ["cms:read"]
    assert me(bearer(world, world.token("ada")))["permissions"] == []
    wait(world.admin().give_role("ada", "reader"))
    wait(world.admin().take_role("ada", "editor"))
    assert me(bearer(world, token))["permissions"] == ["cms:read"]
    wait(world.admin().remove_person("ada"))
    assert me(bearer(world, token)) == {}


def test_a_token_cannot_have_what_its_person_lacks() -> None:
    with pytest.raises(RemitError, match="ada lacks the permission approvals:decide, so a token cannot have it"):
        World().token("ada", "cms:read", "approvals:decide")


def test_every_token_can_have_what_its_person_may_do_with_their_own() -> None:
    world = World()
    token = world.token("ada", "runs:cancel", "conversations:manage")
    assert me(bearer(world, token))["permissions"] == []


@pytest.mark.parametrize("days", [0, -1, 400, float("nan"), float("inf")])
def test_a_token_expires_within_a_year(days: float) -> None:
    with pytest.raises(RemitError, match="a token lasts more than 0 and at most 366 days"):
        World().token("ada", days=days)


def test_an_expired_or_revoked_token_is_none() -> None:
    world = World()
    token = world.token("ada", days=1)
    world.clock.now += 86400 - 1
    assert me(bearer(world, token))["name"] == "ada"
    world.clock.now += 1
    assert me(bearer(world, token)) == {}
    token = world.token("ada")
    (row,) = wait(world.admin().list_credentials("ada", "token"))
    assert (row.label, row.permissions, row.seen) == ("script", frozenset(), NEVER)
    assert me(bearer(world, token))["name"] == "ada"
    assert [each.seen for each in wait(world.admin().list_credentials("ada", "token"))] == [world.clock.now]
    assert wait(world.admin().revoke("ada", "token", row.id)) == 1
    assert me(bearer(world, token)) == {}
    with pytest.raises(RequestNotFoundError, match="ada has no token"):
        wait(world.admin().revoke("ada", "token", row.id))


def test_a_token_is_stored_as_a_digest_and_is_recognised_by_its_prefix() -> None:
    world = World()
    token = world.token()
    (row,) = world.credentials("ada", "token")
    assert token.startswith("remit_")
    assert len(token) == len("remit_") + 43
    assert row.digest == digest_secret(token)
    assert token not in repr(row)


@pytest.mark.parametrize("scheme", ["Basic", "bearer ", "Token", "", "Bearer,"])
def test_another_scheme_is_nobody(scheme: str) -> None:
    world = World()
    browser = bearer(world, world.token(), scheme)
    assert (me(browser) == {}) is (scheme != "bearer ")


def test_a_wrong_token_is_not_replaced_by_the_session_of_the_browser() -> None:
    world = World()
    browser = world.signed_in()
    assert me(browser)["name"] == "ada"
    browser.headers["authorization"] = "Bearer remit_guess"
    assert me(browser) == {}
    browser.headers["authorization"] = f"Bearer {browser.cookies['remit']}"
    assert me(browser) == {}


def test_two_authorization_headers_are_nobody() -> None:
    world = World()
    token = world.token()
    headers = [("authorization", f"Bearer {token}"), ("authorization", "Bearer other")]
    assert world.browser().get("/api/me", headers=headers).json() == {}


def test_a_token_is_no_session_and_no_link() -> None:
    world = World()
    token = world.token()
    browser = world.browser()
    browser.cookies.set("remit", token)
    assert me(browser) == {}
    assert browser.get(f"/login/link?secret={token}").status_code == 403
    assert me(bearer(world, token))["name"] == "ada"


def test_a_token_needs_no_csrf_token_and_changes_something() -> None:
    world = World()
    assert bearer(world, world.token()).post("/api/change", json={}).status_code == 200
    assert world.changed == ["ada"]


def test_a_token_makes_no_further_token_and_changes_no_people() -> None:
    world = World()
    found = wait(world.sign_in.find_token(world.token("eve", "*")))
    assert found is not None
    assert found.permissions == {"*"}
    for act in (
        lambda: world.admin(found).add_token("eve", label="more", permissions=[], days=1),
        lambda: world.admin(found).set_password("eve", "another long password"),
        lambda: world.admin(found).add_person("mallory"),
    ):
        with pytest.raises(RequestDeniedError, match="an API token may not"):
            wait(act())


def test_the_tokens_of_a_person_are_nobody_elses_to_see_or_revoke() -> None:
    world = World()
    world.token("ada")
    eve = world.people.find_by_name("eve")
    assert eve is not None
    (row,) = world.credentials("ada", "token")
    for act in (
        lambda: world.admin(eve).list_credentials("ada", "token"),
        lambda: world.admin(eve).revoke("ada", "token", row.id),
    ):
        with pytest.raises(RequestNotFoundError, match="there is no person 'ada'"):
            wait(act())
    assert len(wait(world.admin(OWNER).list_credentials("ada", "token"))) == 1
