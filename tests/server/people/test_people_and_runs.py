"""A server whose people are rows beside its journal, from the sign-in to the decision and the loss of a role."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from remit import Agent, App, Principal, Risk, Runtime, tool
from remit.server import build_server
from remit.server.guard import GuardSettings
from remit.server.people.access import build_access
from remit.server.people.accounts import Person, Role
from remit.server.people.administration import Administration
from remit.server.people.passwords import Passwords
from remit.server.people.people import People
from remit.server.people.sign_in import SignIn
from remit.server.people.sql_directory import SqlDirectory
from remit.stores import SqlStore
from remit.testing import Scripted, calls
from tests.server.people.kit import FAST, OWNER, PASSWORD, csrf_of, log_in, me, wait

SCRIPT = (calls(("note", {"text": "late"})), calls(("refund", {"order": "A-7"})), "Done.")


class Shop:
    """A server over a file, with its people and what its tools have done."""

    def __init__(self, file: Path) -> None:
        self.done = list[str]()
        self.directory, self.store = SqlDirectory(f"sqlite:///{file}"), SqlStore.at(file)
        wait(self._add_people())
        people = People(self.directory)
        self.admin = Administration(people, OWNER, passwords=Passwords(FAST))
        self.app = self._app()
        self.runtime = Runtime(
            self.app, model=Scripted(list(SCRIPT)), store=self.store, directory=people.find_principal
        )
        self.sign_in = SignIn(people, self.store, passwords=Passwords(FAST))
        access = build_access(self.sign_in, GuardSettings(hosts=frozenset({"testserver"})))
        routes, middleware = access.routes, access.middleware
        self.server = build_server(self.runtime, access.authenticate, routes=routes, middleware=middleware)

    async def _add_people(self) -> None:
        await self.directory.put_role(Role("clerk", "bakery", frozenset({"shop:note"})))
        await self.directory.put_role(Role("approver", "bakery", frozenset({"approvals:decide", "runs:read"})))
        for name, role in (("ada", "clerk"), ("grace", "approver")):
            await self.directory.add_person(Person(name, "bakery", frozenset({role}), FAST.hash(PASSWORD)))

    def _app(self) -> App:
        @tool(risk=Risk.SAFE, permissions={"shop:note"})
        async def note(text: str) -> str:
            """Note something."""
            self.done.append(f"note {text}")
            return "noted"

        @tool(risk=Risk.HIGH)
        async def refund(order: str) -> str:
            """Refund an order."""
            self.done.append(f"refund {order}")
            return "refunded"

        return App(name="shop", agents=[Agent("clerk", instructions="Help customers.", tools=[note, refund])])

    def settle(self, first: TestClient, run: str) -> str:
        """Wait until a run rests or has ended; its status."""
        reader = self.runtime.client(Principal("grace", "bakery", frozenset({"runs:read"})))
        portal = first.portal
        assert portal is not None
        portal.call(reader.settled, run, 60)
        return portal.call(reader.status, run).status

    def browser(self, name: str) -> TestClient:
        """A browser in which a person is signed in, beside the first one, which runs the server."""
        browser = TestClient(self.server, follow_redirects=False)
        assert log_in(browser, name).status_code == 303
        return browser


@pytest.fixture
def shop(file: Path) -> Iterator[Shop]:
    made = Shop(file)
    yield made
    wait(made.directory.close())
    wait(made.store.close())


def test_ada_asks_and_grace_approves_each_in_a_session_of_their_own(shop: Shop) -> None:
    with TestClient(shop.server, follow_redirects=False) as first:
        assert log_in(first, "ada").status_code == 303
        headers = {"x-csrf-token": me(first)["csrf"]}
        assert first.post("/api/runs", json={"prompt": "Refund A-7."}).status_code == 403
        run = first.post("/api/runs", json={"prompt": "Refund A-7."}, headers=headers).json()["run"]
        assert shop.settle(first, run) == "waiting"
        assert shop.done == ["note late"]
        grace = shop.browser("grace")
        (question,) = grace.get(f"/api/questions?run={run}").json()["items"]
        page = grace.get(f"/approvals/{question['id']}", headers={"accept": "text/html"})
        form = {"decision": "approve", "csrf": csrf_of(page)}
        assert grace.post(f"/approvals/{question['id']}", data={"decision": "approve"}).status_code == 403
        assert grace.post(f"/approvals/{question['id']}", data=form).status_code in {200, 303}
        assert shop.settle(first, run) == "done"
        assert shop.done == ["note late", "refund A-7"]


def test_a_run_that_a_token_started_has_its_limits_in_the_engine(shop: Shop) -> None:
    with TestClient(shop.server) as first:
        by = Principal("ada", "bakery", frozenset({"shop:note"}))
        admin = Administration(People(shop.directory), by, passwords=Passwords(FAST))
        _, token = wait(admin.add_token("ada", label="script", permissions=(), days=1))
        headers = {"authorization": f"Bearer {token}"}
        run = first.post("/api/runs", json={"prompt": "Refund A-7."}, headers=headers).json()["run"]
        assert shop.settle(first, run) == "waiting"
        assert shop.done == []


def test_an_approver_whose_role_was_taken_decides_nothing(shop: Shop) -> None:
    with TestClient(shop.server, follow_redirects=False) as first:
        assert log_in(first, "ada").status_code == 303
        headers = {"x-csrf-token": me(first)["csrf"]}
        run = first.post("/api/runs", json={"prompt": "Refund A-7."}, headers=headers).json()["run"]
        assert shop.settle(first, run) == "waiting"
        grace = shop.browser("grace")
        (question,) = grace.get(f"/api/questions?run={run}").json()["items"]
        wait(shop.admin.take_role("grace", "approver"))
        sent = {"x-csrf-token": me(grace)["csrf"]}
        decision = grace.post(f"/api/questions/{question['id']}/decision", json={"approved": True}, headers=sent)
        assert decision.status_code in {403, 404}
        assert shop.settle(first, run) == "waiting"
        assert shop.done == ["note late"]
