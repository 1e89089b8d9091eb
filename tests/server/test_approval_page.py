from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Mount
from starlette.testclient import TestClient

from remit import Agent, App, LeafContext, Runtime
from remit.object_views import ObjectDetail, ObjectPage, ObjectView, Viewer
from remit.server import Identity, build_server
from remit.server.documents.questions import QuestionDocument
from remit.server.pages.approvals import show_facts
from remit.testing import Scripted
from remit.tools import Preview, ShownObject
from tests.server.shop import PEOPLE, REFUND, Shop, authenticate, make_runtime, open_shop, refund


def ask(shop: Shop) -> str:
    """The id of an open question."""
    run = shop.ask("POST", "/api/runs", json={"prompt": "Refund <b>A-7</b>."}).json()["run"]
    shop.settle(run)
    (question,) = shop.ask("GET", f"/api/questions?run={run}").json()["items"]
    return question["id"]


def test_the_page_says_what_would_happen_and_its_opening_decides_nothing() -> None:
    with open_shop() as shop:
        question = ask(shop)
        page = shop.ask("GET", f"/approvals/{question}", by="grace")
        assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
        for text in (
            "Refund the order A-7?",
            "It can be undone.",
            "Asked because it is high-risk. Asked for ada.",
            "Approve once",
            "Deny",
        ):
            assert text in page.text
        assert "<b>A-7" not in page.text
        assert "<script" not in page.text
        assert shop.ask("GET", f"/api/questions/{question}").json()["status"] == "open"


def test_each_line_of_a_summary_stands_by_itself_before_all_arguments() -> None:
    with open_shop() as shop:
        portal, client = shop.browser.portal, shop.runtime.client(PEOPLE["grace"])
        assert portal is not None
        row = QuestionDocument.of(portal.call(client.question, ask(shop)), client)
    shown = "“jobs” is the page “Jobs”, revision 1\nWith 2 sections"
    before, exact = "".join(show_facts(structs.replace(row, summary=shown))).split("<details>")
    assert "<p>“jobs” is the page “Jobs”, revision 1</p><p>With 2 sections</p>" in before
    assert exact == '<summary>All arguments of refund</summary><p class="whole">order: A-7</p></details>'


async def open_order(viewer: Viewer, id: str) -> ObjectDetail | None:  # noqa: A002 - as views name it
    if viewer.principal.name != "grace" or id == "none":
        return None
    pages = [ObjectPage(title="Order <1>", before="/old", after="/new"), ObjectPage(title="Bill", before="/bill")]
    return ObjectDetail(name="Order", pages=pages, blocked="It was changed since." if id == "2" else "")


async def serve_nothing(_scope: Any, _receive: Any, _send: Any) -> None:
    """The site of the view, which this page only links to."""


@pytest.mark.parametrize(
    ("preview", "has", "lacks"),
    [
        (
            Preview("", shows=ShownObject("order", "1")),
            ['<a href="/sites/0/new">See Order &lt;1&gt; as'],
            ["Bill", "alert"],
        ),
        (Preview("", shows=ShownObject("order", "2")), ["/sites/0/new", "It was changed since."], []),
        (Preview("", shows=ShownObject("order", "none")), [], ["See ", "/sites/0"]),
        (Preview("", link="https://shop.example/?a&b"), ['<a href="https://shop.example/?a&amp;b">See what'], []),
        (Preview("", link="javascript:alert(1)"), [], ["javascript"]),
        (Preview("", link="https://shop.example/", shows=ShownObject("bill", "1")), ["https://shop.example/"], []),
    ],
)
def test_the_page_links_to_what_the_call_would_do(preview: Preview, has: list[str], lacks: list[str]) -> None:
    async def describe(_ctx: LeafContext, _payload: Any) -> Preview:
        return preview

    clerk = Agent("clerk", instructions="Help.", tools=[refund.with_preview(describe)])
    view = ObjectView(kind="order", title="Orders", open=open_order, site=serve_nothing)
    runtime = Runtime(App(name="shop", agents=[clerk], views=[view]), model=Scripted(list(REFUND)))
    runtime.add_principals(*PEOPLE.values())
    with TestClient(build_server(runtime, authenticate)) as browser:
        shop = Shop(runtime, browser)
        page = shop.ask("GET", f"/approvals/{ask(shop)}", by="grace").text
    assert [each for each in has if each not in page] == []
    assert [each for each in lacks if each in page] == []


@pytest.mark.parametrize(("decision", "status"), [("approve", "approved"), ("deny", "denied")])
def test_a_decision_on_the_page_is_one_and_the_page_says_so(decision: str, status: str) -> None:
    with open_shop() as shop:
        question = ask(shop)
        form = {"decision": decision, "reason": "as <agreed>"}
        page = shop.ask("POST", f"/approvals/{question}", by="grace", data=form)
        assert page.url.path == f"/approvals/{question}"
        assert f"grace {status} this at" in page.text
        assert "as &lt;agreed&gt;" in page.text
        late = shop.ask("POST", f"/approvals/{question}", by="grace", data={"decision": "deny"})
        assert late.status_code == 409
        assert f"grace {status} this at" in late.text


def test_who_may_not_decide_sees_no_button_and_decides_nothing() -> None:
    with open_shop() as shop:
        question = ask(shop)
        assert "<form" not in shop.ask("GET", f"/approvals/{question}").text
        assert shop.ask("POST", f"/approvals/{question}", data={"decision": "approve"}).status_code == 403
        assert shop.ask("GET", f"/approvals/{question}", by="eve").status_code == 404
        assert shop.ask("POST", f"/approvals/{question}", by="eve", data={"decision": "approve"}).status_code == 404
        assert shop.ask("POST", f"/approvals/{question}", by="grace", data={"decision": "yes"}).status_code == 403
        assert shop.ask("GET", f"/api/questions/{question}").json()["status"] == "open"


def test_below_a_prefix_the_login_leads_back_below_it() -> None:
    with open_shop() as shop:
        outer = Starlette(routes=[Mount("/remit", app=shop.browser.app)])
        led = TestClient(outer).get("/remit/approvals/q1", follow_redirects=False)
    assert led.headers["location"] == "/remit/login?next=/remit/approvals/q1"


def test_a_reader_who_is_not_signed_in_is_led_to_the_login_and_back() -> None:
    with open_shop() as shop:
        led = shop.browser.get("/approvals/q1", follow_redirects=False)
        assert (led.status_code, led.headers["location"]) == (303, "/login?next=/approvals/q1")
        assert shop.browser.post("/approvals/q1", data={"decision": "approve"}).status_code == 401


@pytest.mark.parametrize(("token", "status"), [("secret", 200), ("other", 403), ("", 403)])
def test_a_form_of_another_site_decides_nothing_for_a_cookie(token: str, status: int) -> None:
    async def by_cookie(request: Request) -> Identity | None:
        name = request.cookies.get("person", "")
        return Identity(PEOPLE[name], "secret") if name in PEOPLE else None

    runtime = make_runtime(Scripted(list(REFUND)))
    with TestClient(build_server(runtime, by_cookie)) as browser:
        shop = Shop(runtime, browser)
        browser.cookies.set("person", "ada")
        question = ask(shop)
        browser.cookies.set("person", "grace")
        form: dict[str, Any] = {"decision": "approve", "csrf": token}
        assert browser.post(f"/approvals/{question}", data=form).status_code == status
        expected = "open" if status == 403 else "taken"
        if status == 200:
            (row,) = browser.get("/api/questions?status=all").json()["items"]
            shop.settle(row["run"])
        assert browser.get(f"/api/questions/{question}").json()["status"] == expected
