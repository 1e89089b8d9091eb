"""Attacks on the way to an OpenID provider and back, and the ordinary use beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from tests.server.people.fake_provider import FakeProvider
from tests.server.people.kit import me
from tests.server.people.provider_world import LIES, SignInWorld

_Lie = Callable[[FakeProvider], object]


def _comes_in(lie: _Lie, identity: str = "ada@bakery.example", claim: str = "email") -> bool:
    """Whether a browser is signed in by a provider that says something untrue."""
    world = SignInWorld(claim)
    lie(world.fake)
    browser = world.browser()
    begun = browser.get("/login/provider")
    if begun.status_code == 303:
        browser.get(world.back(begun.headers["location"], identity))
    return me(browser) != {}


def _comes_in_elsewhere() -> bool:
    """The way back of one browser, opened in another that has begun as well."""
    world = SignInWorld()
    attacker, victim = world.browser(), world.browser()
    planted = world.back(world.go(attacker))
    world.go(victim)
    victim.get(planted)
    return me(victim) != {}


def _leads_away() -> bool:
    world = SignInWorld()
    answer = world.come(world.browser(), following="https://evil.example")
    return "evil" in answer.headers["location"]


ATTACKS: Final[Mapping[str, Callable[[], bool]]] = {
    **{f"an ID token with a lie: {name}": partial(_comes_in, lie) for name, lie in LIES.items()},
    "an address that nobody verified": partial(_comes_in, lambda fake: fake.claims.update(email_verified=False)),
    "an identity of nobody": partial(_comes_in, lambda _: None, "mallory@bakery.example"),
    "an address whose letters look alike": partial(_comes_in, lambda _: None, "ada@ba\u212aery.example"),
    "another spelling of an identifier": partial(
        _comes_in, lambda fake: fake.claims.update(sub="ada@bakery.example"), claim="sub"
    ),
    "the way back of another browser": _comes_in_elsewhere,
    "a way back that leads away": _leads_away,
}
"""Attacks by name; each returns whether it succeeded."""

USES: Final[Mapping[str, Callable[[], bool]]] = {
    "a person comes from the provider": partial(_comes_in, lambda _: None),
}
"""Ordinary uses by name; each returns whether it succeeded."""
