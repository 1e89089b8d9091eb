"""Signing in with an OpenID provider: who comes in, and each way to come in as somebody else."""

from __future__ import annotations

from collections.abc import Callable

import httpx2
import pytest

from remit.errors import RequestConflictError, RequestDeniedError, SetupError
from remit.server.people.administration import Administration
from remit.server.people.provider import Provider
from tests.server.people.fake_provider import FakeProvider
from tests.server.people.kit import OWNER, me, wait
from tests.server.people.provider_world import LIES, SignInWorld


def test_a_person_whom_the_provider_recognises_is_signed_in_and_goes_where_they_wanted_to_be() -> None:
    world = SignInWorld()
    browser = world.browser()
    assert "Sign in with Accounts" in browser.get("/login?next=/approvals").text
    answer = world.come(browser, following="/approvals")
    assert (answer.status_code, answer.headers["location"]) == (303, "/approvals")
    assert me(browser)["name"] == "ada"
    assert "remit-provider" not in browser.cookies


def test_the_session_is_like_any_other_and_ends_with_the_identity_of_the_next_one() -> None:
    world = SignInWorld()
    browser = world.browser()
    world.come(browser)
    (identity,) = world.credentials("ada", "identity")
    wait(Administration(world.people, OWNER).revoke("ada", "identity", identity.id))
    assert me(browser)["name"] == "ada"
    assert world.come(world.browser()).status_code == 403


def test_a_stranger_whom_the_provider_knows_is_told_what_to_ask_for() -> None:
    world = SignInWorld()
    browser = world.browser()
    answer = world.come(browser, "<b>mallory</b>@example.org")
    assert answer.status_code == 403
    assert "This server has no person &lt;b&gt;mallory&lt;/b&gt;@example.org." in answer.text
    assert "remit people identity add NAME IDENTITY" in answer.text
    assert me(browser) == {}


def test_a_person_who_was_removed_does_not_come_in() -> None:
    world = SignInWorld()
    wait(Administration(world.people, OWNER).remove_person("ada"))
    assert world.come(world.browser()).status_code == 403


@pytest.mark.parametrize("verified", [False, None, "true"])
def test_a_mail_address_counts_only_if_the_provider_has_verified_it(verified: object) -> None:
    world = SignInWorld()
    world.fake.claims = {"email_verified": verified}
    answer = world.come(world.browser())
    assert answer.status_code == 403
    assert "Accounts has not verified your mail address." in answer.text


def test_a_claim_that_is_not_in_the_token_is_asked_for() -> None:
    world = SignInWorld()
    world.fake.claims = {"email": None, "email_verified": None}
    world.fake.userinfo = {"sub": "1", "email": "ada@bakery.example", "email_verified": True}
    browser = world.browser()
    world.come(browser)
    assert me(browser)["name"] == "ada"


def test_what_the_token_says_counts_before_what_is_asked_for() -> None:
    world = SignInWorld()
    world.fake.claims = {"email": None, "email_verified": False}
    world.fake.userinfo = {"sub": "1", "email": "ada@bakery.example", "email_verified": True}
    assert world.come(world.browser()).status_code == 403


def test_another_claim_may_name_people_and_its_case_counts() -> None:
    world = SignInWorld(claim="sub")
    world.fake.claims = {"sub": "ada@bakery.example"}
    assert world.come(world.browser()).status_code == 403
    world.fake.claims = {"sub": "Ada@bakery.example"}
    assert world.come(world.browser()).status_code == 303


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_what_the_provider_does_not_vouch_for_signs_nobody_in(lie: Callable[[FakeProvider], object]) -> None:
    world = SignInWorld()
    lie(world.fake)
    browser = world.browser()
    begun = browser.get("/login/provider")
    answer = browser.get(world.back(begun.headers["location"])) if begun.status_code == 303 else begun
    assert answer.status_code == 502
    assert "Accounts does not answer as it must" in answer.text
    assert me(browser) == {}
    assert world.credentials("ada", "session") == []


def test_a_provider_that_is_away_is_said_so_and_tried_again() -> None:
    world = SignInWorld()
    browser = world.browser()
    world.fake.is_away = True
    assert browser.get("/login/provider").status_code == 502
    world.fake.is_away = False
    assert world.come(browser).status_code == 303


def test_a_way_back_that_another_browser_began_signs_nobody_in() -> None:
    world = SignInWorld()
    attacker, victim = world.browser(), world.browser()
    planted = world.back(world.go(attacker))
    world.go(victim)
    assert victim.get(planted).status_code == 403
    assert me(victim) == {}
    assert world.fake.token_requests == 0


def test_a_way_back_counts_once() -> None:
    world = SignInWorld()
    browser = world.browser()
    back = world.back(world.go(browser))
    kept = browser.cookies["remit-provider"]
    assert browser.get(back).status_code == 303
    browser.cookies.set("remit-provider", kept)
    assert browser.get(back).status_code == 502


@pytest.mark.parametrize("query", ["", "code=x", "state=x", "code=x&state=", "error=access_denied", "code=&state=x"])
@pytest.mark.parametrize("cookie", ["", "x", "e30=", "W10=", "\u00e4", "bnVsbA=="])
def test_a_way_back_that_nobody_began_is_refused(query: str, cookie: str) -> None:
    world = SignInWorld()
    answer = world.browser().get(
        f"/login/provider/back?{query}", headers=[(b"cookie", f"remit-provider={cookie}".encode())]
    )
    assert answer.status_code == 403


def test_a_person_who_refuses_at_the_provider_is_not_signed_in() -> None:
    world = SignInWorld()
    browser = world.browser()
    state = httpx2.URL(world.go(browser)).params["state"]
    answer = browser.get("/login/provider/back", params={"state": state, "error": "access_denied"})
    assert answer.status_code == 403
    assert "refused or given up" in answer.text


@pytest.mark.parametrize("following", ["https://evil.example/", "//evil.example", "/\\evil.example"])
def test_the_way_back_leads_to_this_server_alone(following: str) -> None:
    world = SignInWorld()
    assert world.come(world.browser(), following=following).headers["location"] == "/"


@pytest.mark.parametrize(
    "other", ["ada@bakery.exa\u017fple", "\u212ada@bakery.example", "kim.stra\u00dfe@bakery.example"]
)
def test_an_address_whose_letters_only_look_alike_is_of_nobody(other: str) -> None:
    world = SignInWorld()
    for identity in ("ada@bakery.exasple", "kda@bakery.example", "kim.strasse@bakery.example"):
        wait(Administration(world.people, OWNER).add_identity("ada", world.provider, identity))
    assert world.come(world.browser(), other).status_code == 403


def test_an_identity_is_of_one_person() -> None:
    world = SignInWorld()
    administration = Administration(world.people, OWNER)
    with pytest.raises(RequestConflictError, match=r"has the identity 'ADA@bakery\.example' already"):
        wait(administration.add_identity("nopassword", world.provider, "ADA@bakery.example"))


def test_nobody_arranges_a_sign_in_for_a_person_who_may_more() -> None:
    world = SignInWorld()
    weak = OWNER.__class__("bob", "bakery", frozenset({"people:manage"}))
    with pytest.raises(RequestDeniedError, match="bob lacks cms:read"):
        wait(Administration(world.people, weak).add_identity("ada", world.provider, "bob@bakery.example"))


@pytest.mark.parametrize(
    "issuer", ["http://accounts.example", "accounts.example", "https://", "https://a.example?x=1", ""]
)
def test_an_issuer_is_an_https_address(issuer: str) -> None:
    with pytest.raises(SetupError):
        Provider(issuer=issuer, client_id="remit")


def test_a_provider_on_this_machine_needs_no_tls_and_is_named_by_its_host() -> None:
    assert Provider(issuer="http://127.0.0.1:9000", client_id="remit").name == "127.0.0.1"
