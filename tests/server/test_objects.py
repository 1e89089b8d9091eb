"""A person sees the objects of an application through its views, and their pages in a sandbox."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from remit import App, Runtime, tool
from remit.object_views import (
    ObjectAction,
    ObjectDetail,
    ObjectEvent,
    ObjectPage,
    ObjectRow,
    ObjectSection,
    ObjectView,
    Viewer,
)
from remit.server import build_server
from remit.server.guard import Guard
from remit.tools import Change
from tests.server.shop import PEOPLE, authenticate, refund

CAKE = ObjectDetail(
    name="Cake",
    note="a draft",
    pages=[ObjectPage(title="Cake", before="", after="/cake")],
    sections=[ObjectSection(title="Orders", columns=("Who",), rows=[("ann",)])],
    changes=[Change("price", "3", "4")],
    actions=[
        ObjectAction(label="Refund…", tool="refund", arguments={"order": "A-7"}, destructive=True),
        ObjectAction(label="Bake", tool="bake"),
    ],
    blocked="",
)


@tool(effect="pure", permissions={"cake:bake"})
async def bake() -> str:
    """Bake."""
    return "baked"


async def list_cakes(viewer: Viewer, search: str, limit: int) -> Sequence[ObjectRow]:
    rows = [ObjectRow(id="1", name="Cake", group="Open"), ObjectRow(id="2", name="Bread", needs_person=True, at=5.0)]
    return [each for each in rows if search in each.name and viewer.principal.tenant == "bakery"]


async def open_cake(viewer: Viewer, id: str) -> ObjectDetail | None:  # noqa: A002 - as views name it
    return CAKE if (viewer.principal.tenant, id) == ("bakery", "1") else None


async def list_bakings(viewer: Viewer, start: float, end: float, limit: int) -> Sequence[ObjectEvent]:
    at = 1_800_000_000.0
    events = [
        ObjectEvent(id="1", name="Cake", at=at, label="Bake", note="by ann", needs_person=True),
        ObjectEvent(id="2", name="Bread", at=at + 7200),
    ]
    return [each for each in events if start <= each.at < end and viewer.principal.tenant == "bakery"][:limit]


class Site:
    """A site that says what it got, and sets what a page must not have."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, list[bytes]]] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.asked.append((scope["path"].removeprefix(scope["root_path"]), [name for name, _ in scope["headers"]]))
        headers = [
            (b"content-type", b"text/html"),
            (b"content-security-policy", b"default-src 'self'; script-src 'unsafe-inline'; frame-ancestors 'none'"),
            (b"x-frame-options", b"DENY"),
            (b"set-cookie", b"a=b"),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"<h1>Cake</h1>"})


@contextmanager
def serve(site: Site) -> Generator[TestClient]:
    """A server of an application with a view, as the guard lets it out."""
    view = ObjectView(kind="cake", title="Cakes", open=open_cake, list=list_cakes, events=list_bakings, site=site)
    same = ObjectView(kind="bread", title="Breads", open=open_cake, site=site)
    runtime = Runtime(App(name="shop", tools=[refund, bake], views=[view, same]))
    runtime.add_principals(*PEOPLE.values())
    with TestClient(build_server(runtime, authenticate, middleware=[Middleware(Guard)]), "http://localhost") as browser:
        yield browser


def ask(browser: TestClient, path: str, by: str = "ada") -> Any:
    return browser.get(path, headers={"authorization": f"Bearer {by}"})


def test_objects_are_listed_for_the_person() -> None:
    with serve(Site()) as browser:
        listed = ask(browser, "/api/views/cake").json()["items"]
        found = ask(browser, "/api/views/cake?search=Bre&limit=1").json()["items"]
        hidden = ask(browser, "/api/views/cake", by="eve").json()["items"]
        unlisted = ask(browser, "/api/views/bread").json()["items"]
    assert [each["name"] for each in listed] == ["Cake", "Bread"]
    assert found == [{"id": "2", "name": "Bread", "note": "", "group": "", "needsPerson": True, "at": 5.0}]
    assert (hidden, unlisted) == ([], [])


def test_objects_are_listed_page_by_page() -> None:
    with serve(Site()) as browser:
        first = ask(browser, "/api/views/cake?limit=1").json()
        second = ask(browser, f"/api/views/cake?limit=1&after={first['next']}").json()
        beyond = ask(browser, "/api/views/cake?limit=1&after=9").json()
    assert [each["name"] for each in (*first["items"], *second["items"])] == ["Cake", "Bread"]
    assert (second["next"], beyond) == ("", {"items": [], "next": ""})


def test_an_object_has_the_actions_that_the_person_may_take() -> None:
    with serve(Site()) as browser:
        shown = ask(browser, "/api/views/cake/1").json()
    assert shown == {
        "name": "Cake",
        "note": "a draft",
        "pages": [{"title": "Cake", "before": "", "after": "/sites/0/cake", "note": ""}],
        "sections": [{"title": "Orders", "text": "", "columns": ["Who"], "rows": [["ann"]]}],
        "changes": [{"where": "price", "before": "3", "after": "4"}],
        "actions": [{"label": "Refund…", "tool": "refund", "arguments": {"order": "A-7"}, "destructive": True}],
        "files": [],
        "blocked": "",
        "isPast": False,
    }


def test_the_calendar_of_a_kind_has_what_happens_in_a_span_of_time() -> None:
    with serve(Site()) as browser:
        found = ask(browser, "/api/events/cake?start=1799999999&end=1800000001").json()["items"]
        empty = [
            ask(browser, f"/api/events/{query}").json()["items"]
            for query in ("cake?start=0&end=1800000000", "bread?start=0&end=1900000000")
        ]
        hidden = ask(browser, "/api/events/cake?start=0&end=1900000000", by="eve").json()["items"]
        views = ask(browser, "/api/me").json()["application"]["views"]
    event = {"id": "1", "name": "Cake", "at": 1_800_000_000.0, "label": "Bake", "note": "by ann"}
    assert (found, empty, hidden) == ([{**event, "needsPerson": True, "isOver": False}], [[], []], [])
    assert [(each["kind"], each["hasEvents"]) for each in views] == [("cake", True), ("bread", False)]


def test_the_events_of_a_calendar_are_listed_page_by_page() -> None:
    query = "/api/events/cake?start=1799999999&end=1900000000&limit=1"
    with serve(Site()) as browser:
        first = ask(browser, query).json()
        second = ask(browser, f"{query}&after={first['next']}").json()
    assert [each["name"] for each in (*first["items"], *second["items"])] == ["Cake", "Bread"]
    assert second["next"] == ""


@pytest.mark.parametrize(
    "path", ["/api/events/pie?start=0&end=1", "/api/views/cake/2", "/api/views/pie", "/api/views/pie/1"]
)
def test_what_does_not_exist_is_not_found(path: str) -> None:
    with serve(Site()) as browser:
        answer = ask(browser, path)
    assert (answer.status_code, answer.json()["code"]) == (404, "REQUEST_NOT_FOUND")


@pytest.mark.parametrize(
    "path", ["cake?limit=-1", "cake?limit=99999999999999999999", f"cake?target={'x' * 2000}", "cake/1?target=*"]
)
def test_a_query_that_no_view_takes_is_refused(path: str) -> None:
    with serve(Site()) as browser:
        answer = ask(browser, f"/api/views/{path}")
    assert (answer.status_code, answer.json()["code"]) == (400, "BAD_REQUEST")


def test_an_object_of_another_tenant_looks_like_one_that_does_not_exist() -> None:
    with serve(Site()) as browser:
        assert ask(browser, "/api/views/cake/1", by="eve").text == ask(
            browser, "/api/views/cake/9", by="eve"
        ).text.replace("'9'", "'1'")


def test_a_page_can_be_framed_here_and_can_do_nothing() -> None:
    with serve(site := Site()) as browser:
        answer = browser.get("/sites/0/cake", headers={"cookie": "session=1", "authorization": "Bearer ada"})
    assert (answer.status_code, answer.text) == (200, "<h1>Cake</h1>")
    assert answer.headers["content-security-policy"] == (
        "default-src 'self'; script-src 'none'; form-action 'none'; frame-ancestors 'self'; sandbox"
    )
    assert (answer.headers["x-frame-options"], answer.headers["cross-origin-resource-policy"]) == (
        "SAMEORIGIN",
        "cross-origin",
    )
    assert "set-cookie" not in answer.headers
    ((path, names),) = site.asked
    assert path == "/cake"
    assert {b"cookie", b"authorization"}.isdisjoint(names)


def test_a_page_is_only_read_and_each_site_is_served_once() -> None:
    with serve(site := Site()) as browser:
        posted = browser.post("/sites/0/cake", headers={"authorization": "Bearer ada"})
        other = browser.get("/sites/1/cake", headers={"authorization": "Bearer ada"})
    assert (posted.status_code, other.status_code, site.asked) == (405, 404, [])
