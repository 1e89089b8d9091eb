"""The API of people and tokens: for a person who has signed in, as far as their permissions reach."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from remit import App, Principal, Runtime
from remit.server import build_server
from remit.server.guard import GuardSettings
from remit.server.people.access import build_access
from remit.server.people.accounts import Person, Role
from remit.server.people.directory import InMemoryDirectory
from remit.server.people.passwords import Passwords
from remit.server.people.people import People
from remit.server.people.sign_in import SignIn
from remit.stores import InMemoryStore
from remit.users import UserDirectory
from tests.server.people.kit import FAST, PASSWORD, log_in


class Server:
    """A server that Olga runs: she manages people, Ada edits, and Eve is of another tenant."""

    def __init__(self) -> None:
        people = [
            Person(name, tenant, frozenset({role}), FAST.hash(PASSWORD))
            for name, tenant, role in (
                ("olga", "bakery", "owner"),
                ("ada", "bakery", "editor"),
                ("eve", "elsewhere", "owner"),
            )
        ]
        roles = [
            Role("owner", "bakery", frozenset({"*"})),
            Role("owner", "elsewhere", frozenset({"*"})),
            Role("editor", "bakery", frozenset({"cms:write"})),
        ]
        users = UserDirectory(
            path=Path("config.toml"),
            roles={"admin": frozenset({"*"})},
            principals={"op": Principal("op", "bakery", roles=frozenset({"admin"}))},
        )
        known = People(InMemoryDirectory(people, roles), users)
        store = InMemoryStore()
        sign_in = SignIn(known, store, passwords=Passwords(FAST))
        access = build_access(sign_in, GuardSettings(hosts=frozenset({"testserver"})))
        runtime = Runtime(App(name="shop"), store=store, directory=known.find_principal)
        self.app = build_server(
            runtime,
            access.authenticate,
            routes=access.routes,
            middleware=access.middleware,
            operations=access.operations,
        )

    def browser(self, name: str = "") -> TestClient:
        browser = TestClient(self.app, follow_redirects=False)
        if name:
            assert log_in(browser, name).status_code == 303
            browser.headers["x-csrf-token"] = browser.get("/api/me").json()["csrf"]
        return browser


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    with TestClient(made.app):
        yield made


def names(answer: Any) -> list[str]:
    return [each["name"] for each in answer.json()["items"]]


def test_a_new_person_signs_in_by_the_link_that_their_manager_made(server: Server) -> None:
    olga = server.browser("olga")
    made = olga.post("/api/people", json={"name": "bob", "roles": ["editor"]})
    assert (made.status_code, made.json()) == (
        201,
        {"name": "bob", "roles": ["editor"], "configured": False, "password": False},
    )
    bob = server.browser()
    assert bob.get(olga.post("/api/people/bob/link").json()["path"]).status_code == 303
    assert bob.get("/api/me").json()["permissions"] == ["cms:write"]
    assert olga.delete("/api/people/bob/roles/editor").json()["roles"] == []
    assert bob.get("/api/me").json()["permissions"] == []
    assert olga.post("/api/people/bob/roles", json={"role": "editor"}).json()["roles"] == ["editor"]
    assert olga.delete("/api/people/bob").json() == {"done": True}
    assert bob.get("/api/me").status_code == 401


def test_people_of_the_tenant_are_listed_with_those_of_the_configuration_and_nobody_else(server: Server) -> None:
    answer = server.browser("olga").get("/api/people")
    assert names(answer) == ["ada", "olga", "op"]
    assert [(each["configured"], each["password"]) for each in answer.json()["items"]] == [
        (False, True),
        (False, True),
        (True, False),
    ]


def test_roles_are_listed_replaced_and_removed_but_those_of_the_configuration(server: Server) -> None:
    olga = server.browser("olga")
    assert olga.post("/api/roles", json={"name": "reader", "permissions": ["cms:read"]}).status_code == 200
    listed = {each["name"]: each for each in olga.get("/api/roles").json()["items"]}
    assert (listed["reader"]["permissions"], listed["admin"]["configured"]) == (["cms:read"], True)
    assert olga.post("/api/roles", json={"name": "admin", "permissions": []}).status_code == 409
    assert olga.delete("/api/roles/reader").status_code == 200
    assert olga.delete("/api/roles/reader").status_code == 404


def test_a_token_is_shown_once_has_some_permissions_and_ends_when_it_is_revoked(server: Server) -> None:
    ada = server.browser("ada")
    made = ada.post("/api/people/ada/tokens", json={"label": "nightly", "permissions": ["cms:write"], "days": 7})
    secret, token = made.json()["secret"], made.json()["token"]
    assert (made.status_code, token["label"], token["permissions"], token["seen"]) == (201, "nightly", ["cms:write"], 0)
    program = server.browser()
    program.headers["authorization"] = f"Bearer {secret}"
    me = program.get("/api/me").json()
    assert (me["name"], me["account"], me["can"]["managePeople"]) == ("ada", False, False)
    listed = ada.get("/api/people/ada/tokens")
    assert ([each["id"] for each in listed.json()["items"]], secret in listed.text) == ([token["id"]], False)
    assert ada.delete(f"/api/people/ada/tokens/{token['id']}").json() == {"done": True}
    assert program.get("/api/me").status_code == 401


def test_a_token_changes_nothing_about_people(server: Server) -> None:
    olga = server.browser("olga")
    secret = olga.post("/api/people/olga/tokens", json={"label": "x", "permissions": ["*"]}).json()["secret"]
    program = server.browser()
    program.headers["authorization"] = f"Bearer {secret}"
    refused = [
        program.get("/api/people"),
        program.post("/api/people", json={"name": "bob"}),
        program.post("/api/people/olga/tokens", json={"label": "y"}),
        program.post("/api/people/ada/link"),
    ]
    assert [each.status_code for each in refused] == [403] * 4


def test_a_person_without_the_permission_manages_only_their_own_tokens(server: Server) -> None:
    ada = server.browser("ada")
    assert ada.get("/api/me").json()["account"] is True
    assert ada.get("/api/people/ada/tokens").json()["items"] == []
    refused = [
        ada.get("/api/people"),
        ada.post("/api/people", json={"name": "bob"}),
        ada.post("/api/people/ada/roles", json={"role": "owner"}),
        ada.get("/api/people/olga/tokens"),
        ada.delete("/api/people/olga"),
    ]
    assert [each.status_code for each in refused] == [403] * 5


def test_the_people_of_another_tenant_do_not_exist(server: Server) -> None:
    eve = server.browser("eve")
    for answer in (
        eve.get("/api/people/ada/tokens"),
        eve.post("/api/people/ada/link"),
        eve.delete("/api/people/ada"),
        eve.post("/api/people/ada/roles", json={"role": "editor"}),
    ):
        assert (answer.status_code, answer.json()["error"]) == (404, "there is no person 'ada'; see: remit people list")
    assert names(eve.get("/api/people")) == ["eve"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/people", {"name": " "}),
        ("/api/people", {"name": "a\u202eb"}),
        ("/api/people", {"name": "anonymous"}),
        ("/api/roles", {"name": "", "permissions": []}),
        ("/api/roles", {"name": "x", "permissions": ["a b"]}),
        ("/api/people/olga/tokens", {"label": "", "permissions": ["*"]}),
        ("/api/people/olga/tokens", {"label": "x", "days": 400}),
        ("/api/people/olga/tokens", {"label": "x", "permissions": ["no permission"]}),
    ],
)
def test_what_is_not_valid_is_refused_with_what_is_wrong(server: Server, path: str, body: dict[str, Any]) -> None:
    answer = server.browser("olga").post(path, json=body)
    assert (answer.status_code, bool(answer.json()["error"])) == (400, True)
    assert "log" not in answer.json()["error"]
