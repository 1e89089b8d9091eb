from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from msgspec import Raw
from msgspec.structs import replace
from starlette.testclient import TestClient

from remit import App, Runtime
from remit.chat.encoded_json import encode_json
from remit.errors import SetupError
from remit.server import ServerSettings, build_server
from remit.server.documents.document import Listed
from remit.server.documents.runs import OpenedRun
from remit.stores import InMemoryStore
from remit.testing import calls
from remit.testing.store_suite.samples import acquire_run, header_item
from tests.server.shop import authenticate, open_shop

TALK = "/api/conversations/talk"
EVERY = ("/api/me", "/api/runs", "/api/runs/none", "/api/questions", "/api/questions/none")


@pytest.mark.parametrize("path", EVERY)
def test_nobody_reads_anything_without_signing_in(path: str) -> None:
    with open_shop() as shop:
        answer = shop.ask("GET", path, by="nobody")
    assert (answer.status_code, answer.json()["code"]) == (401, "SIGN_IN")


def test_a_person_learns_who_they_are_and_what_they_can_do() -> None:
    with open_shop() as shop:
        me = shop.ask("GET", "/api/me", by="grace").json()
        assert shop.ask("HEAD", "/api/watch", params={"after": me["place"]}, by="grace").status_code == 200
    assert (me["name"], me["tenant"], me["can"]["decide"], me["can"]["cancelAll"]) == ("grace", "bakery", True, False)
    assert [(each["name"], each["model"]) for each in me["application"]["agents"]] == [("clerk", ""), ("reader", "")]


def test_permissions_are_told_in_words_of_remit_and_of_the_application() -> None:
    words = {"orders:refund": "refund orders", "runs:read": "see what others do"}
    runtime = Runtime(App(name="shop", permissions=words))
    with TestClient(build_server(runtime, authenticate)) as browser:
        me = browser.get("/api/me", headers={"authorization": "Bearer ada"}).json()
    told = {each["name"]: each["meaning"] for each in me["application"]["permissions"]}
    assert (told["orders:refund"], told["runs:read"], told["*"]) == (
        "refund orders",
        "see what others do",
        "everything",
    )


@pytest.mark.parametrize("words", [{"refund": "refund orders"}, {"orders:refund": " "}, "orders:refund"])
def test_words_for_what_is_no_permission_are_refused(words: Any) -> None:
    with pytest.raises(SetupError, match="permissions"):
        App(name="shop", permissions=words)


def test_a_run_that_waits_shows_its_calls_and_its_question() -> None:
    with open_shop() as shop:
        run = shop.ask("POST", "/api/runs", json={"prompt": "Refund A-7."}).json()["run"]
        shop.settle(run)
        seen = shop.ask("GET", f"/api/runs/{run}").json()
        (listed,) = shop.ask("GET", "/api/runs").json()["items"]
        (question,) = shop.ask("GET", "/api/questions", by="grace").json()["items"]
    assert (seen["status"], listed["status"], listed["title"], listed["openQuestions"]) == (
        *("waiting", "waiting", "Refund A-7."),
        1,
    )
    (call,) = seen["root"]["calls"]
    assert (call["tool"], call["by"], call["questions"]) == ("refund", "clerk", [question["id"]])
    assert (question["may"]["approve"], seen["questions"][0]["may"]["approve"]) == (True, False)
    assert (question["why"], question["quote"]) == ("refund is high-risk", "Refund A-7.")


def test_a_run_of_another_tenant_looks_like_one_that_does_not_exist() -> None:
    with open_shop() as shop:
        run = shop.ask("POST", "/api/runs", json={"prompt": "Refund A-7."}).json()["run"]
        hidden = shop.ask("GET", f"/api/runs/{run}", by="eve")
        absent = shop.ask("GET", "/api/runs/none", by="eve")
    assert (hidden.status_code, hidden.text.replace(run, "none")) == (404, absent.text)


def test_files_of_a_conversation_are_read_by_those_with_whom_it_is_shared() -> None:
    with open_shop(["I have read it."]) as shop:
        file = shop.ask("POST", "/api/files?name=menu.txt", content=b"bread").json()
        request = {"prompt": "Read it.", "agent": "reader", "conversation": "talk", "files": [file]}
        shop.settle(shop.ask("POST", "/api/runs", json=request).json()["run"])
        (listed,) = shop.ask("GET", "/api/conversations/talk/files").json()["items"]
        remembered = shop.ask("GET", "/api/conversations/talk/memory").json()["items"]
        query = {"size": file["size"], "name": "menu.txt", "conversation": "talk"}
        path = f"/api/files/{file['digest']}"
        hidden = [shop.ask("GET", path, by="eve", params=query), shop.ask("GET", f"{TALK}/memory", by="eve")]
        read = shop.ask("GET", path, by="grace", params=query)
    assert (listed["file"], listed["by"], listed["call"], remembered) == (file, "ada", "", [])
    assert ([each.status_code for each in hidden], read.content) == ([404, 404], b"bread")


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/api/runs?limit=many", "limit"),
        ("/api/runs?limit=0", ">= 1"),
        ("/api/grants?limit=9999999999999999999999", "<= 1000"),
        ("/api/runs?colour=red", "colour"),
        ("/api/runs?limit=5&limit=6", "twice"),
        ("/api/me?" + "&".join(map(str, range(101))), "at most 100 names"),
        ("/api/me?a=" + "b" * 49152, "49,152 bytes"),
        ("/api/runs?since=nan", "since"),
        ("/api/watch?after=9:9::1.0", "another journal"),
    ],
)
def test_a_query_that_is_not_valid_is_refused_with_what_is_wrong(path: str, words: str) -> None:
    with open_shop() as shop:
        answer = shop.ask("GET", path)
    assert answer.status_code == 400
    assert words in answer.json()["error"]


def test_a_thousand_conversations_of_others_hide_none_of_ones_own() -> None:
    store = InMemoryStore()

    async def fill() -> None:
        for at in range(1001):
            run = await acquire_run(store, f"r{at}")
            owner = "grace" if at == 0 else "ada"
            header = replace(header_item(run.run, conversation=run.run, application="shop"), tenant="bakery")
            await run.append(replace(header, principal=owner), at=float(at))

    asyncio.run(fill())
    with open_shop(store=store) as shop:
        own, others = [
            shop.ask("GET", f"/api/conversations?owner={owner}", by="grace").json() for owner in ("self", "others")
        ]
        following = shop.ask("GET", "/api/conversations", by="grace", params={"before": others["next"]}).json()
    assert ([each["conversation"] for each in own["items"]], own["next"]) == (["r0"], "")
    assert [each["conversation"] for each in (*others["items"], *following["items"])] == [
        f"r{at}" for at in range(1000, 900, -1)
    ]


def test_a_run_has_all_of_its_questions_however_many_are_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("remit.server.rest.runs._BATCH", 1)
    script = [calls(("refund", {"order": "A-7"}), ("refund", {"order": "A-8"}))]
    with open_shop(script) as shop:
        run = shop.ask("POST", "/api/runs", json={"prompt": "Refund both."}).json()["run"]
        shop.settle(run)
        questions = shop.ask("GET", f"/api/runs/{run}").json()["questions"]
    assert [each["arguments"] for each in questions] == ['{"order":"A-7"}', '{"order":"A-8"}']


def test_scheduled_calls_are_listed_by_nothing_that_would_be_ignored() -> None:
    with open_shop() as shop:
        answer = shop.ask("GET", "/api/schedules?status=failed")
    assert (answer.status_code, "status" in answer.json()["error"]) == (400, True)


def test_the_head_of_a_stream_ends_at_once() -> None:
    with open_shop() as shop:
        answer = shop.ask("HEAD", "/api/watch")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")


def test_a_name_of_a_tool_with_half_a_character_closes_no_list() -> None:
    with open_shop([calls(("no\ud83dtool", {})), "Done \ud83d."]) as shop:
        run = shop.ask("POST", "/api/runs", json={"prompt": "Go."}).json()["run"]
        shop.settle(run)
        answers = [shop.ask("GET", path) for path in ("/api/runs", f"/api/runs/{run}", f"/api/runs/{run}/events")]
    assert [each.status_code for each in answers] == [200, 200, 200]
    assert (answers[0].json()["items"][0]["failure"]["tool"], answers[1].json()["text"]) == (
        "no\ufffdtool",
        "Done \ufffd.",
    )


def test_a_document_with_half_a_character_is_written_all_the_same() -> None:
    inner = OpenedRun(run="a\ud83d")
    page = Listed(items=(inner, Raw(b'{"b":1}'), {"c\ud83d": ("\ud83d", 1)}))
    assert json.loads(encode_json(page)) == {
        "items": [{"run": "a\ufffd"}, {"b": 1}, {"c\ufffd": ["\ufffd", 1]}],
        "next": "",
    }


@pytest.mark.parametrize(
    "content", [b"{", b"[]", b"", b'{"prompt": 5}', b'{"prompt": "a", "by": "eve"}', b"\xff", b"[" * 9999]
)
def test_a_body_that_is_not_valid_is_refused_and_nothing_runs(content: bytes) -> None:
    with open_shop() as shop:
        answer = shop.ask("POST", "/api/runs", content=content)
        assert shop.ask("GET", "/api/runs").json()["items"] == []
    assert (answer.status_code, answer.json()["code"]) == (400, "BAD_REQUEST")


def test_a_body_beyond_the_limit_is_refused() -> None:
    with open_shop(settings=ServerSettings(body_bytes=100)) as shop:
        answer = shop.ask("POST", "/api/runs", json={"prompt": "x" * 200})
    assert (answer.status_code, answer.json()["code"]) == (413, "TOO_LARGE")


def test_a_repeated_request_with_a_key_opens_one_run() -> None:
    with open_shop() as shop:
        sent = [
            shop.ask("POST", "/api/runs", json={"prompt": "Refund."}, headers={"idempotency-key": "one"}).json()
            for _ in range(2)
        ]
        other = shop.ask("POST", "/api/runs", json={"prompt": "Other."}, headers={"idempotency-key": "one"})
    assert sent[0] == sent[1]
    assert (other.status_code, other.json()["code"]) == (409, "IDEMPOTENCY_KEY_REUSED")


def test_health_and_readiness_need_no_sign_in_and_an_unknown_address_says_so() -> None:
    with open_shop() as shop:
        assert shop.browser.get("/health").json() == shop.browser.get("/ready").json() == {"status": "ok"}
        assert shop.browser.get("/nothing").json() == {"error": "there is nothing here", "code": "NO_ROUTE"}
        assert shop.browser.post("/health").status_code == 405
