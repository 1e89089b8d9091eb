"""Attacks on a server with people, each against a new one; and the ordinary uses beside them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final

from starlette.testclient import TestClient

from remit import Principal
from remit.errors import RemitError
from remit.server.guard import GuardSettings
from remit.server.people.accounts import Person
from remit.server.people.administration import Administration
from tests.server.people.kit import PASSWORD, World, csrf_of, log_in, me, wait

Case = Callable[[], bool]

_EVIL: Final = "http://evil.example"
_HOSTS: Final = frozenset({"testserver"})
_LISTED: Final = "https://app.example"
_MANAGER: Final = Principal("max", "bakery", frozenset({"people:manage", "cms:*"}))
_READER: Final = Principal("rita", "bakery", frozenset({"cms:read"}))


def _changes(headers: Mapping[str, str], *, proof: str = "", content: bytes = b"{}") -> bool:
    """Whether a request of Ada's browser changes something. ``proof``: whose CSRF token it has."""
    world = World()
    browser = world.signed_in()
    tokens = {
        "own": me(browser)["csrf"],
        "other": me(world.signed_in("eve"))["csrf"],
        "cookie": browser.cookies["remit"],
        "": "",
    }
    sent = {**headers, "x-csrf-token": tokens.get(proof, proof)}
    browser.post("/api/change", content=content, headers={name: value for name, value in sent.items() if value})
    return bool(world.changed)


def _log_in_elsewhere() -> bool:
    """Another site signs its visitor in as the attacker, to read what they do."""
    world = World()
    token, victim = csrf_of(world.browser().get("/login")), world.browser()
    victim.get("/login")
    victim.post("/login", data={"name": "eve", "password": PASSWORD, "csrf": token})
    return me(victim) != {}


def _under_name(host: str) -> bool:
    return World().browser().get("/login", headers={"host": host}).status_code == 200


def _script_reads(origin: str) -> bool:
    world = World(GuardSettings(hosts=_HOSTS, origins=frozenset({_LISTED})))
    asked = {"origin": origin, "access-control-request-method": "POST"}
    answers = (world.browser().options("/api/change", headers=asked), world.browser().get("/api/me", headers=asked))
    return any("access-control-allow-origin" in each.headers for each in answers)


def _forwarded_guesses() -> bool:
    """The sender invents addresses, so that no limit counts the guesses together."""
    browser = World().browser()
    token = csrf_of(browser.get("/login"))
    form = {"name": "ada", "password": "guess", "csrf": token}
    statuses = [
        browser.post("/login", data=form, headers={"x-forwarded-for": f"198.51.100.{n}"}).status_code for n in range(11)
    ]
    return 429 not in statuses


REQUESTS: Final[Mapping[str, Case]] = {
    "no CSRF token": lambda: _changes({}),
    "a guessed CSRF token": lambda: _changes({}, proof="guess"),
    "the CSRF token of another session": lambda: _changes({}, proof="other"),
    "the cookie as CSRF token": lambda: _changes({}, proof="cookie"),
    "a form of another site": lambda: _changes({"content-type": "application/x-www-form-urlencoded"}, content=b"a=1"),
    "a text of another site": lambda: _changes({"content-type": "text/plain"}),
    **{
        f"the token, sent by {name}={value}": partial(_changes, {name: value}, proof="own")
        for name, value in (
            ("origin", _EVIL),
            ("origin", "null"),
            ("origin", "http://testserver.evil.example"),
            ("origin", "https://testserver"),
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "same-site"),
        )
    },
    "a sign-in by another site": _log_in_elsewhere,
    **{f"the name {host}": partial(_under_name, host) for host in ("evil.example", "testserver.evil.example", "")},
    **{f"a script of {each}": partial(_script_reads, each) for each in (_EVIL, "null", f"{_LISTED}.evil.example")},
    "invented addresses": _forwarded_guesses,
}


def _enters(name: str, password: str) -> bool:
    browser = World().browser()
    log_in(browser, name, password)
    return me(browser) != {}


def _goes_to(path: str) -> bool:
    world = World()
    places = (
        log_in(world.browser(), next=path),
        world.signed_in().get("/login", params={"next": path}),
    )
    return any(each.headers["location"] != "/" or "x" in each.cookies for each in places)


def _guesses(browsers: Callable[[World, int], TestClient], names: Callable[[int], str]) -> bool:
    """Whether hundred guesses are all looked at."""
    world = World()
    return all(log_in(browsers(world, n), names(n), "guess").status_code == 401 for n in range(61))


def _keeps_planted_secret() -> bool:
    world = World()
    browser, other = world.browser(), world.browser()
    page = browser.get("/login")
    other.cookies.set("remit", browser.cookies["remit"])
    browser.post("/login", data={"name": "ada", "password": PASSWORD, "csrf": csrf_of(page)})
    return me(other) != {}


def _old_session_lives() -> bool:
    world = World()
    browser, other = world.signed_in(), world.browser()
    other.cookies.set("remit", browser.cookies["remit"])
    browser.post("/login", data={"name": "eve", "password": PASSWORD, "csrf": me(browser)["csrf"]})
    return me(other) != {}


def _is_told_of_names() -> bool:
    answers = [log_in(World().browser(), name, "guess") for name in ("ada", "nobody", "nopassword")]
    return len({(each.status_code, each.text.count("Wrong name or password.")) for each in answers}) != 1


PAGES: Final[Mapping[str, Case]] = {
    "a wrong password": lambda: _enters("ada", "wrong"),
    "no password": lambda: _enters("nopassword", ""),
    "an unknown name": lambda: _enters("nobody", PASSWORD),
    "a name with a header": lambda: _enters("ada\r\nSet-Cookie: remit=x", PASSWORD),
    "a look-alike": lambda: _enters("\u0430da", PASSWORD),
    "names can be told apart": _is_told_of_names,
    **{
        f"next={path!r}": partial(_goes_to, path)
        for path in (
            "https://evil.example/",
            "//evil.example",
            "/\\evil.example",
            "/\t/evil.example",
            "/ok\r\nSet-Cookie: x=y",
            "javascript:alert(1)",
        )
    },
    "guesses from one address": lambda: _guesses(lambda world, _: world.browser(), lambda n: f"name{n}"),
    "guesses of one name": lambda: _guesses(lambda world, n: world.browser(f"192.0.{n}.1"), lambda _: "ada"),
    "guesses from one IPv6 network": lambda: _guesses(
        lambda world, n: world.browser(f"2001:db8::{n + 1:x}"), lambda n: f"name{n}"
    ),
    "a planted cookie": _keeps_planted_secret,
    "the session before another sign-in": _old_session_lives,
}


def _session_after(change: Callable[[World], object]) -> bool:
    world = World()
    browser = world.signed_in()
    change(world)
    return "cms:write" in me(browser).get("permissions", [])


def _token_after(change: Callable[[World], object]) -> bool:
    world = World()
    token = world.token("ada", "cms:write")
    change(world)
    return "cms:write" in me(_bearer(world, token)).get("permissions", [])


def _bearer(world: World, token: str) -> TestClient:
    browser = world.browser()
    browser.headers["authorization"] = f"Bearer {token}"
    return browser


def _wait(seconds: float) -> Callable[[World], object]:
    def let_pass(world: World) -> None:
        world.clock.now += seconds

    return let_pass


def _administer(act: Callable[[Administration], Awaitable[object]]) -> Callable[[World], object]:
    return lambda world: wait(act(world.admin()))


def _move(world: World) -> None:
    wait(world.directory.remove_person("eve"))
    roles = frozenset({"editor"})
    wait(world.directory.change_person("ada", lambda each: Person("ada", "elsewhere", roles, each.password)))


def _link_enters(seconds: float = 0, uses: int = 1) -> bool:
    """Whether the last of some uses of a link, after some time, signs in."""
    world = World()
    secret = wait(world.sign_in.make_link(Principal("ada", "bakery")))
    world.clock.now += seconds
    browsers = [world.browser() for _ in range(uses)]
    for browser in browsers:
        browser.get(f"/login/link?secret={secret}")
    return me(browsers[-1]) != {}


def _token_as(use: str) -> bool:
    world = World()
    token, browser = world.token(), world.browser()
    if use == "session":
        browser.cookies.set("remit", token)
    else:
        browser.get(f"/login/link?secret={token}")
    return me(browser) != {}


def _falls_back() -> bool:
    browser = World().signed_in()
    browser.headers["authorization"] = "Bearer remit_guess"
    return me(browser) != {}


def _has_more_than_allowed() -> bool:
    world = World()
    return me(_bearer(world, world.token("ada", "cms:read")))["permissions"] != ["cms:read"]


_LOSSES: Final[Mapping[str, Callable[[World], object]]] = {
    "the role was taken": _administer(lambda admin: admin.take_role("ada", "editor")),
    "the role was removed": _administer(lambda admin: admin.remove_role("editor")),
    "the person was removed": _administer(lambda admin: admin.remove_person("ada")),
    "the name moved to another tenant": _move,
}
CREDENTIALS: Final[Mapping[str, Case]] = {
    **{f"a session after {name}": partial(_session_after, change) for name, change in _LOSSES.items()},
    **{f"a token after {name}": partial(_token_after, change) for name, change in _LOSSES.items()},
    "an idle session": lambda: _session_after(_wait(12 * 3600)),
    "a session after a new password": lambda: _session_after(
        _administer(lambda admin: admin.set_password("ada", "another long password"))
    ),
    "a session that was ended": lambda: _session_after(_administer(lambda admin: admin.revoke("ada", "session"))),
    "an expired token": lambda: _token_after(_wait(86400)),
    "a revoked token": lambda: _token_after(_administer(lambda admin: admin.revoke("ada", "token"))),
    "an expired link": lambda: _link_enters(seconds=900),
    "a used link": lambda: _link_enters(uses=2),
    "a token as a session": lambda: _token_as("session"),
    "a token as a link": lambda: _token_as("link"),
    "a session for a wrong token": _falls_back,
    "more than a token allows": _has_more_than_allowed,
}


def _is_done(by: Principal, act: Callable[[Administration], Awaitable[object]]) -> bool:
    """Whether a principal may do something to Ada, an editor, or to Olaf, an owner of the same tenant."""
    world = World()
    wait(world.directory.add_person(Person("olaf", "bakery", frozenset({"owner"}))))
    try:
        wait(act(world.admin(by)))
    except RemitError:
        return False
    return True


_ACTS: Final[Mapping[str, Callable[[Administration], Awaitable[object]]]] = {
    "gives a role": lambda admin: admin.give_role("ada", "reader"),
    "sets a password": lambda admin: admin.set_password("ada", PASSWORD),
    "makes a token": lambda admin: admin.add_token("ada", label="x", permissions=[], days=1),
    "ends sessions": lambda admin: admin.revoke("ada", "session"),
}
_GAINS: Final[Mapping[str, Callable[[Administration], Awaitable[object]]]] = {
    "gives the owner's role": lambda admin: admin.give_role("ada", "owner"),
    "defines a greater role": lambda admin: admin.put_role("boss", ["approvals:decide"]),
    "sets the owner's password": lambda admin: admin.set_password("olaf", PASSWORD),
    "makes a link of the owner": lambda admin: admin.check_link("olaf"),
}
_FOREIGN: Final = Principal("finn", "elsewhere", frozenset({"*"}))
_TOKEN: Final = Principal("olga", "bakery", frozenset({"*"})).limit_to(frozenset({"*"}))
ACCOUNTS: Final[Mapping[str, Case]] = {
    **{f"a reader {name}": partial(_is_done, _READER, act) for name, act in _ACTS.items()},
    **{f"another tenant {name}": partial(_is_done, _FOREIGN, act) for name, act in _ACTS.items()},
    **{f"an API token {name}": partial(_is_done, _TOKEN, act) for name, act in _ACTS.items()},
    **{f"a manager {name}": partial(_is_done, _MANAGER, act) for name, act in _GAINS.items()},
}


def _uses_token() -> bool:
    world = World()
    answer: Any = _bearer(world, world.token("ada", "cms:read")).post("/api/change", data={"a": "b"})
    return answer.status_code == 200


USES: Final[Mapping[str, Case]] = {
    "a sign-in": lambda: _enters("ada", PASSWORD),
    "a change with the token of the page": lambda: _changes({"origin": "http://testserver"}, proof="own"),
    "a change by an API token": _uses_token,
    "a link": _link_enters,
    "a session after eleven hours": lambda: _session_after(_wait(11 * 3600)),
    "a token after an hour": lambda: _token_after(_wait(3600)),
    "a script of a listed origin": lambda: _script_reads(_LISTED),
    **{f"a manager {name}": partial(_is_done, _MANAGER, act) for name, act in _ACTS.items()},
}
