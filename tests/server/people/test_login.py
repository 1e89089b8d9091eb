"""Sessions: how they begin, what they may do, and how they end. Each case is an attack or a mistake of a person."""

from __future__ import annotations

import re

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from remit import Principal
from remit.server.guard import GuardSettings
from remit.server.people.accounts import digest_secret
from remit.server.people.sign_in import Attempts
from tests.server.people.kit import FAST, PASSWORD, World, csrf_of, log_in, me, wait


def test_a_person_signs_in_by_name_and_password_and_gets_the_permissions_of_their_roles() -> None:
    browser = World().signed_in()
    assert me(browser)["name"] == "ada"
    assert me(browser)["permissions"] == ["cms:read", "cms:write"]


@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("ada", "wrong"),
        ("ada", ""),
        ("ada", "x" * 2_000),
        ("ADA", PASSWORD),
        ("nobody", PASSWORD),
        ("nopassword", ""),
        ("nopassword", PASSWORD),
        ("", ""),
        ("ada\r\nSet-Cookie: remit=x", PASSWORD),
        ("a\u0434a", PASSWORD),
    ],
)
def test_a_wrong_name_and_a_wrong_password_look_alike(name: str, password: str) -> None:
    world = World()
    browser = world.browser()
    answer = log_in(browser, name, password)
    assert answer.status_code == 401
    assert "Wrong name or password." in answer.text
    assert me(browser) == {}
    assert world.credentials("ada", "session") == []


def test_equivalent_spellings_of_a_name_are_one_person() -> None:
    assert me(World().signed_in("\uff41da "))["name"] == "ada"


def test_the_session_has_another_secret_than_the_visit_before_so_that_nobody_can_plant_one() -> None:
    world = World()
    browser = world.browser()
    page = browser.get("/login")
    planted = browser.cookies["remit"]
    browser.post("/login", data={"name": "ada", "password": PASSWORD, "csrf": csrf_of(page)})
    assert browser.cookies["remit"] != planted
    other = world.browser()
    other.cookies.set("remit", planted)
    assert me(other) == {}


def test_signing_in_again_ends_the_session_of_this_browser() -> None:
    world = World()
    browser = world.signed_in()
    old = browser.cookies["remit"]
    form = {"name": "eve", "password": PASSWORD, "csrf": me(browser)["csrf"]}
    assert browser.post("/login", data=form).status_code == 303
    assert me(browser)["name"] == "eve"
    other = world.browser()
    other.cookies.set("remit", old)
    assert me(other) == {}


def test_secrets_are_stored_as_digests_only() -> None:
    world = World()
    secret = world.signed_in().cookies["remit"]
    (session,) = world.credentials("ada", "session")
    assert session.digest == digest_secret(secret)
    assert secret not in repr(session)
    account = world.directory.find_account("ada")
    assert account is not None
    assert account.person.password.startswith("$argon2id$")
    assert "argon2" not in repr(account.person)


def test_the_cookie_is_bound_to_the_host_and_hidden_from_scripts() -> None:
    world = World(GuardSettings(hosts=frozenset({"testserver"}), tls=True))
    browser = world.browser(scheme="https")
    cookie = log_in(browser).headers["set-cookie"]
    assert cookie.startswith("__Host-remit=")
    for part in ("HttpOnly", "Secure", "SameSite=lax", "Path=/"):
        assert part in cookie
    assert "Domain" not in cookie
    plain = World().browser().get("/login").headers["set-cookie"]
    assert plain.startswith("remit=")
    assert "HttpOnly" in plain
    assert "Secure" not in plain


def test_a_session_ends_when_it_is_idle_and_at_its_absolute_end() -> None:
    world = World()
    browser = world.signed_in()
    for _ in range(14):
        world.clock.now += 12 * 3600 - 1
        assert me(browser)["name"] == "ada"
    world.clock.now += 14
    assert me(browser) == {}
    browser = world.signed_in()
    world.clock.now += 12 * 3600
    assert me(browser) == {}


def test_expired_credentials_are_removed_at_the_next_sign_in() -> None:
    world = World()
    world.signed_in()
    world.clock.now += 8 * 86400
    world.signed_in("eve")
    assert world.credentials("ada", "session") == []


def test_a_role_taken_away_is_missing_at_the_next_request() -> None:
    world = World()
    browser = world.signed_in()
    wait(world.admin().take_role("ada", "editor"))
    assert me(browser)["permissions"] == []
    wait(world.admin().remove_person("ada"))
    assert me(browser) == {}


def test_a_role_that_does_not_exist_any_more_permits_nothing() -> None:
    world = World()
    browser = world.signed_in()
    wait(world.admin().remove_role("editor"))
    assert me(browser)["permissions"] == []


def test_a_session_does_not_outlive_the_move_of_its_name_to_another_tenant() -> None:
    world = World()
    browser = world.signed_in()
    wait(world.directory.change_person("ada", lambda person: type(person)("ada", "elsewhere", frozenset({"owner"}))))
    assert me(browser) == {}


def test_signing_out_ends_the_session_for_every_copy_of_its_cookie() -> None:
    world = World()
    browser = world.signed_in()
    copy = world.browser()
    copy.cookies.set("remit", browser.cookies["remit"])
    assert me(copy)["name"] == "ada"
    assert me(browser)["name"] == "ada"
    page = browser.get("/logout")
    assert me(browser)["name"] == "ada"
    assert "You are signed out" in browser.post("/logout", data={"csrf": csrf_of(page)}).text
    assert me(copy) == me(browser) == {}
    assert "remit" not in browser.cookies


def test_a_person_sees_and_ends_their_own_sessions_everywhere() -> None:
    world = World()
    browser, other = world.signed_in(), world.signed_in()
    page = browser.get("/account")
    assert page.text.count("Sign out everywhere") == 1
    assert page.text.count("(this browser)") == 1
    assert browser.post("/account/sessions", data={"csrf": csrf_of(page)}).status_code == 303
    assert me(browser) == me(other) == {}
    assert browser.get("/account").headers["location"] == "/login?next=/account"


def test_nobody_ends_or_sees_the_sessions_and_tokens_of_others_on_their_own_page() -> None:
    world = World()
    browser, eve = world.signed_in(), world.signed_in("eve")
    world.token("eve")
    (session,), (token,) = world.credentials("eve", "session"), world.credentials("eve", "token")
    page = browser.get("/account")
    assert session.id not in page.text
    assert token.id not in page.text
    for path, of_eve in (("sessions", session), ("tokens", token)):
        answer = browser.post(f"/account/{path}", data={"csrf": csrf_of(page), "id": of_eve.id})
        assert answer.status_code == 404
    assert me(eve)["name"] == "eve"
    assert len(world.credentials("eve", "token")) == 1


def test_a_new_password_needs_the_present_one_and_ends_all_other_sessions() -> None:
    world = World()
    browser, other = world.signed_in(), world.signed_in()
    page = browser.get("/account")
    for fields, problem in (
        ({"password": "guessed", "new": "another long password"}, "The present password is wrong."),
        ({"password": PASSWORD, "new": "short"}, "The password has 5 characters"),
    ):
        answer = browser.post("/account/password", data={"csrf": csrf_of(page), **fields})
        assert answer.status_code == 400
        assert problem in answer.text
    form = {"csrf": csrf_of(page), "password": PASSWORD, "new": "another long password"}
    assert browser.post("/account/password", data=form).status_code == 303
    assert me(browser)["name"] == "ada"
    assert me(other) == {}
    assert log_in(world.browser()).status_code == 401
    assert me(world.signed_in(password="another long password"))["name"] == "ada"


def test_whoever_came_by_a_link_sets_a_first_password() -> None:
    world = World()
    browser = world.browser()
    person = world.people.find_by_name("nopassword")
    assert person is not None
    secret = wait(world.sign_in.make_link(person))
    assert browser.get(f"/login/link?secret={secret}").status_code == 303
    page = browser.get("/account")
    assert "Present password" not in page.text
    form = {"csrf": csrf_of(page), "new": "the first password"}
    assert browser.post("/account/password", data=form).status_code == 303
    assert me(world.signed_in("nopassword", "the first password"))["name"] == "nopassword"


def test_the_page_to_sign_in_says_how_to_sign_in_without_a_password() -> None:
    page = World().browser().get("/login").text
    assert "<code>remit people link</code>" in page[page.index("Open the sign-in link that the server printed") :]


def test_a_link_signs_in_once() -> None:
    world = World()
    person = world.people.find_by_name("ada")
    assert person is not None
    secret = wait(world.sign_in.make_link(person))
    browser, other = world.browser(), world.browser()
    assert browser.head(f"/login/link?secret={secret}").status_code == 204
    assert browser.get(f"/login/link?secret={secret}", headers={"sec-purpose": "prefetch;prerender"}).status_code == 204
    entered = browser.get(f"/login/link?secret={secret}&next=/runs/7")
    assert (entered.status_code, entered.headers["location"]) == (303, "/runs/7")
    assert me(browser)["name"] == "ada"
    used = other.get(f"/login/link?secret={secret}")
    assert used.status_code == 403
    assert "This link was used or has expired" in used.text
    assert me(other) == {}


def test_a_link_exchanges_no_session_and_is_not_used_in_a_browser_that_is_signed_in() -> None:
    world = World()
    ada, eve = (world.people.find_by_name(name) for name in ("ada", "eve"))
    assert ada is not None
    assert eve is not None
    own, other = wait(world.sign_in.make_link(ada)), wait(world.sign_in.make_link(eve))
    browser = world.signed_in()
    session = browser.cookies["remit"]
    assert browser.get(f"/login/link?secret={own}&next=/runs").headers["location"] == "/runs"
    refused = browser.get(f"/login/link?secret={other}")
    assert refused.status_code == 409
    assert "You are signed in as ada" in refused.text
    assert "To sign in as eve, sign out first" in refused.text
    assert browser.get("/login/link?secret=guess&next=/runs").headers["location"] == "/runs"
    assert (me(browser)["name"], browser.cookies["remit"]) == ("ada", session)
    browser.post("/logout", data={"csrf": csrf_of(browser.get("/logout"))})
    assert browser.get(f"/login/link?secret={other}").status_code == 303
    assert me(browser)["name"] == "eve"


def test_below_a_prefix_all_addresses_have_it() -> None:
    world = World()
    outer = Starlette(routes=[Mount("/remit", world.app)])
    browser = TestClient(outer, follow_redirects=False)
    page = browser.get("/remit/login")
    assert 'action="/remit/login"' in page.text
    form = {"name": "ada", "password": PASSWORD, "csrf": csrf_of(page)}
    assert browser.post("/remit/login", data=form).headers["location"] == "/remit/"
    assert browser.get("/remit/api/me").json()["name"] == "ada"
    account = browser.get("/remit/account").text
    assert set(re.findall(r'(?:action|href)="([^"]+)"', account)) == {
        "/remit/account/password",
        "/remit/account/sessions",
        "/remit/",
    }


def test_a_link_expires_and_a_guess_is_none() -> None:
    world = World()
    person = world.people.find_by_name("ada")
    assert person is not None
    secret = wait(world.sign_in.make_link(person))
    world.clock.now += 900
    for each in (secret, "", "guess", world.token()):
        browser = world.browser()
        assert browser.get("/login/link", params={"secret": each}).status_code == 403
        assert me(browser) == {}


@pytest.mark.parametrize(
    "path",
    [
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "/\t/evil.example",
        "/\n/evil.example",
        "/ok\r\nSet-Cookie: x=y",
        "javascript:alert(1)",
        "evil.example",
        " /runs",
        "/a\\b",
        "/" + "a" * 3000,
        "",
    ],
)
def test_only_paths_of_this_server_are_gone_to_after_the_sign_in(path: str) -> None:
    world = World()
    assert log_in(world.browser(), next=path).headers["location"] == "/"
    browser = world.signed_in()
    assert browser.get("/login", params={"next": path}).headers["location"] == "/"


def test_a_path_of_this_server_is_gone_to_after_the_sign_in() -> None:
    browser = World().browser()
    page = browser.get("/login?next=/approvals/7%3Fa%3D1")
    assert 'name="next" value="/approvals/7?a=1"' in page.text
    assert log_in(browser, next="/approvals/7?a=1").headers["location"] == "/approvals/7?a=1"


def test_what_is_given_back_on_a_page_is_escaped() -> None:
    page = log_in(World().browser(), '"><script>alert(1)</script>', "x", next='/"><script>')
    assert "<script" not in page.text


def test_guessing_the_password_of_one_name_is_throttled_even_for_the_right_one() -> None:
    world = World()
    browser = world.browser()
    for _ in range(10):
        assert log_in(browser, "ada", "guess").status_code == 401
    refused = log_in(browser)
    assert refused.status_code == 429
    assert "Too many attempts to sign in" in refused.text
    assert me(browser) == {}
    assert log_in(world.browser("192.0.2.2")).status_code == 303
    world.clock.now += 301
    assert log_in(browser).status_code == 303


def test_guessing_from_many_addresses_and_of_many_names_is_throttled() -> None:
    world = World(attempts=Attempts(of_name=5, of_address=7))
    statuses = [log_in(world.browser(f"192.0.2.{n}"), "ada", "guess").status_code for n in range(7)]
    assert statuses == [401] * 5 + [429] * 2
    world = World(attempts=Attempts(of_name=5, of_address=7))
    statuses = [log_in(world.browser("2001:db8::1"), f"name{n}", "guess").status_code for n in range(7)]
    assert statuses == [401] * 7
    assert log_in(world.browser("2001:db8::ffff"), "ada").status_code == 429
    assert log_in(world.browser("2001:db8:1::1"), "ada").status_code == 303


def test_the_hash_of_a_password_gets_the_parameters_of_today_at_the_next_sign_in() -> None:
    world = World()
    old = FAST.__class__(time_cost=2, memory_cost=16, parallelism=1).hash(PASSWORD)
    person = world.directory.find_account("ada")
    assert person is not None
    wait(world.directory.change_person("ada", lambda each: type(each)(each.name, each.tenant, each.roles, old)))
    world.signed_in()
    account = world.directory.find_account("ada")
    assert account is not None
    assert not FAST.check_needs_rehash(account.person.password)
    assert me(world.signed_in())["name"] == "ada"


def test_a_user_of_config_toml_takes_precedence_and_a_name_is_never_two_people() -> None:
    world = World()
    configured = Principal("ada", "other-tenant", frozenset({"*"}))
    vars(world.people)["_users"] = {"ada": configured}
    assert world.people.find_by_name("ada") is configured
    assert world.people.find_principal("ada", "bakery") is None
    assert log_in(world.browser()).status_code == 401


@pytest.mark.parametrize("path", ["password", "sessions", "tokens"])
def test_an_account_is_changed_only_by_a_person_who_is_signed_in(path: str) -> None:
    world = World()
    browser = world.browser()
    token = csrf_of(browser.get("/login"))
    answer = browser.post(f"/account/{path}", data={"csrf": token, "new": "another long password"})
    assert answer.status_code == 303
    assert log_in(browser).status_code == 303
    assert "Sign out?" in browser.get("/logout").text
    assert "You are signed out" in world.browser().get("/logout").text


def test_two_servers_on_one_machine_keep_a_person_signed_in_at_both() -> None:
    """Browsers send the cookies of one host to all of its ports."""
    one, two = World(), World()
    browser, other = one.browser(), two.browser()
    browser.headers["host"], other.headers["host"] = "testserver:8420", "testserver:8421"
    log_in(browser)
    other.cookies.update(browser.cookies)
    log_in(other)
    browser.cookies.update(other.cookies)
    assert sorted(browser.cookies) == ["remit-8420", "remit-8421"]
    assert me(browser)["name"] == me(other)["name"] == "ada"
    other.post("/logout", data={"csrf": me(other)["csrf"]})
    assert (me(browser)["name"], me(other)) == ("ada", {})
