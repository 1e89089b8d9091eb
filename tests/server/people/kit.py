"""A server with people, in one process, on a clock to set."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Coroutine
from typing import Any, TypeVar, cast

from argon2 import PasswordHasher
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from remit import Principal
from remit.journal.memory import InMemoryStore
from remit.server.guard import GuardSettings
from remit.server.people.access import build_access
from remit.server.people.accounts import Credential, CredentialKind, Person, Role
from remit.server.people.administration import Administration
from remit.server.people.directory import InMemoryDirectory
from remit.server.people.passwords import Passwords
from remit.server.people.people import People
from remit.server.people.provider_client import ProviderClient
from remit.server.people.sign_in import Attempts, SignIn

T = TypeVar("T")

PASSWORD = "correct horse battery"
FAST = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
OWNER = Principal("olga", "bakery", frozenset({"*"}))


class Clock:
    """A clock to set."""

    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class World:
    """A server with Ada, an editor of the bakery, and Eve, who owns another tenant."""

    def __init__(
        self,
        guard: GuardSettings | None = None,
        attempts: Attempts | None = None,
        provider: ProviderClient | None = None,
    ) -> None:
        self.clock = Clock()
        people = [
            Person("ada", "bakery", frozenset({"editor"}), FAST.hash(PASSWORD)),
            Person("eve", "elsewhere", frozenset({"owner"}), FAST.hash(PASSWORD)),
            Person("nopassword", "bakery", frozenset({"editor"})),
        ]
        roles = [
            Role("editor", "bakery", frozenset({"cms:read", "cms:write"})),
            Role("reader", "bakery", frozenset({"cms:read"})),
            Role("owner", "bakery", frozenset({"*"})),
            Role("owner", "elsewhere", frozenset({"*"})),
        ]
        self.directory = InMemoryDirectory(people, roles)
        self.people = People(self.directory)
        self.passwords = Passwords(FAST)
        self.sign_in = SignIn(
            self.people,
            InMemoryStore(self.clock),
            passwords=self.passwords,
            attempts=attempts or Attempts(),
            clock=self.clock,
        )
        self.settings = guard or GuardSettings(hosts=frozenset({"testserver"}))
        self.access = build_access(self.sign_in, self.settings, provider)
        self.changed = list[str]()
        routes = [*self.access.routes, Route("/api/me", self._me), Route("/api/change", self._change, methods=["POST"])]
        self.app = Starlette(routes=[*routes, Route("/crash", _crash)], middleware=self.access.middleware)

    async def _me(self, request: Request) -> Response:
        identity = await self.access.authenticate(request)
        if identity is None:
            return JSONResponse({}, 401)
        who = identity.principal
        return JSONResponse(
            {"name": who.name, "tenant": who.tenant, "permissions": sorted(who.permissions), "csrf": identity.csrf}
        )

    async def _change(self, request: Request) -> Response:
        identity = await self.access.authenticate(request)
        if identity is None:
            return PlainTextResponse("sign in", 401)
        body = await request.body()
        self.changed.append(identity.principal.name)
        return JSONResponse({"bytes": len(body)})

    def admin(self, by: Principal = OWNER) -> Administration:
        return Administration(self.people, by, passwords=self.passwords, clock=self.clock)

    def browser(self, address: str = "192.0.2.1", scheme: str = "http") -> TestClient:
        return TestClient(self.app, base_url=f"{scheme}://testserver", follow_redirects=False, client=(address, 50000))

    def signed_in(self, name: str = "ada", password: str = PASSWORD, scheme: str = "http") -> TestClient:
        browser = self.browser(scheme=scheme)
        assert log_in(browser, name, password).status_code == 303
        return browser

    def token(self, name: str = "ada", *permissions: str, days: float = 1) -> str:
        by = self.people.find_by_name(name)
        assert by is not None
        return wait(self.admin(by).add_token(name, label="script", permissions=permissions, days=days))[1]

    def credentials(self, name: str, kind: CredentialKind) -> list[Credential]:
        return wait(self.directory.list_credentials(name, kind))


async def _crash(request: Request) -> Response:
    raise RuntimeError("the key is hunter2")


def wait(awaited: Awaitable[T]) -> T:
    """Run a coroutine to its end."""
    return asyncio.run(cast("Coroutine[Any, Any, T]", awaited))


def csrf_of(page: Any) -> str:
    """The token in the first form of a page."""
    found = re.search(r'name="csrf" value="([^"]+)"', page.text)
    assert found, page.text
    return found[1]


def log_in(browser: TestClient, name: str = "ada", password: str = PASSWORD, **fields: str) -> Any:
    """Load the page to sign in and send its form."""
    form = {"name": name, "password": password, "csrf": csrf_of(browser.get("/login")), **fields}
    return browser.post("/login", data=form)


def me(browser: TestClient) -> dict[str, Any]:
    """Who a browser is."""
    return browser.get("/api/me").json()
