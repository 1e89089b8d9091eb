"""A server whose people may come from an OpenID provider, and what that provider may say that is not so."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import urlsplit

import httpx2
from starlette.testclient import TestClient

from remit.secrets import Secret
from remit.server.people.administration import Administration
from remit.server.people.provider import Provider
from remit.server.people.provider_client import ProviderClient
from tests.server.people.fake_provider import CLIENT_SECRET, ISSUER, FakeProvider
from tests.server.people.kit import OWNER, World, wait


class SignInWorld(World):
    """The world of the kit, whose people may also come from a provider, where Ada is ada@bakery.example."""

    def __init__(self, claim: str = "email") -> None:
        self.fake = FakeProvider(time.time())
        secret = Secret("env:SIGN_IN_SECRET", CLIENT_SECRET)
        self.provider = Provider(issuer=ISSUER, client_id="remit", client_secret=secret, claim=claim, label="Accounts")
        super().__init__(provider=ProviderClient(self.provider, httpx2.ASGITransport(app=self.fake.app)))
        wait(Administration(self.people, OWNER).add_identity("ada", self.provider, "Ada@bakery.example"))

    def go(self, browser: TestClient, following: str = "") -> str:
        """Follow the link on the page to sign in; returns the address at the provider."""
        answer = browser.get("/login/provider", params={"next": following} if following else None)
        assert answer.status_code == 303, answer.text
        return answer.headers["location"]

    def come(self, browser: TestClient, identity: str = "ada@bakery.example", following: str = "") -> httpx2.Response:
        """Sign in at the provider and come back."""
        return browser.get(self.back(self.go(browser, following), identity))

    def back(self, url: str, identity: str = "ada@bakery.example") -> str:
        """The path and query of the way back, for the browser."""
        parts = urlsplit(self.fake.authorize(url, identity))
        return f"{parts.path}?{parts.query}"


LIES: Final[Mapping[str, Callable[[FakeProvider], object]]] = {
    "issuer": lambda fake: fake.claims.update(iss="https://evil.example"),
    "no issuer": lambda fake: fake.claims.update(iss=None),
    "audience": lambda fake: fake.claims.update(aud="another"),
    "no audience": lambda fake: fake.claims.update(aud=None),
    "expired": lambda fake: fake.claims.update(exp=time.time() - 3600),
    "without an end": lambda fake: fake.claims.update(exp=None),
    "nonce": lambda fake: fake.claims.update(nonce="of another sign-in"),
    "no nonce": lambda fake: fake.claims.update(nonce=None),
    "no claim": lambda fake: fake.claims.update(email=None),
    "claims of another person": lambda fake: (
        fake.claims.update(email=None),
        fake.userinfo.update(sub="2", email="ada@bakery.example", email_verified=True),
    ),
    "a list as claim": lambda fake: fake.claims.update(email=["ada@bakery.example"]),
    "unsigned": lambda fake: setattr(fake, "algorithm", "none"),
    "signed with the public key": lambda fake: setattr(fake, "algorithm", "HS256"),
    "another key": lambda fake: setattr(fake, "key", FakeProvider(0.0).key),
    "another issuer of itself": lambda fake: fake.metadata.update(issuer="https://evil.example"),
    "no keys": lambda fake: fake.metadata.update(jwks_uri=None),
    "no token": lambda fake: fake.metadata.update(token_endpoint=f"{ISSUER}/keys"),
    "metadata that is no object": lambda fake: fake.metadata.update(id_token_signing_alg_values_supported=7),
}
"""What a provider may say that it does not vouch for, by name."""
