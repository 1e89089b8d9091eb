from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest

from remit import Agent, App, Principal, Risk, Runtime, tool
from remit.chat.encoded_json import encode_json
from remit.errors import BrokenJournalError, NoModelError
from remit.server.app import ErrorLog
from remit.server.documents.tools import CallOutcome
from remit.testing import Scripted
from tests.server.shop import Shop, open_shop

EVENING = "2999-01-01T18:00:00+01:00"


def ask_for_refund(shop: Shop) -> tuple[str, str]:
    """A run that waits, and its question."""
    run = shop.ask("POST", "/api/runs", json={"prompt": "Refund A-7.", "conversation": "c"}).json()["run"]
    shop.settle(run)
    (question,) = shop.ask("GET", f"/api/questions?run={run}").json()["items"]
    return run, question["id"]


def decide(shop: Shop, question: str, by: str = "grace", headers: Any = None, **decision: Any) -> Any:
    return shop.ask("POST", f"/api/questions/{question}/decision", by=by, json=decision, headers=headers or {})


def test_an_approved_run_goes_on_and_a_second_answer_is_told_who_was_first() -> None:
    with open_shop() as shop:
        run, question = ask_for_refund(shop)
        first = decide(shop, question, approved=True, reason="as agreed")
        shop.settle(run)
        ended = shop.ask("GET", f"/api/runs/{run}").json()
        second = decide(shop, question, approved=False)
    assert (first.json()["run"], first.json()["question"]["decision"]["reason"]) == (run, "as agreed")
    assert (ended["status"], ended["text"]) == ("done", "Order A-7 is refunded.")
    (line,) = ended["receipt"]["changed"]
    assert (line["tool"], line["sentence"]["text"]) == ("refund", "Refunded the order A-7")
    assert line["undo"] == {"tool": "refund", "arguments": {"order": "A-7"}}
    assert (second.status_code, second.json()["code"]) == (409, "REQUEST_CONFLICT")
    assert second.json()["question"]["decision"]["by"] == "grace"


@pytest.mark.parametrize(
    ("path", "body", "where"),
    [
        ("/api/runs", {"prompt": " \n"}, "prompt"),
        ("/agui", {"threadId": "t", "runId": "r", "messages": [{"role": "user", "content": " "}]}, "the last message"),
    ],
)
def test_a_blank_message_starts_no_agent(path: str, body: Any, where: str) -> None:
    with open_shop() as shop:
        refused = shop.ask("POST", path, json=body)
        assert (refused.status_code, shop.ask("GET", "/api/runs").json()["items"]) == (400, [])
    assert refused.json()["error"] == f"{where} is empty; write what the agent should do"


@pytest.mark.parametrize(
    ("path", "options", "name"),
    [
        ("/api/runs", {"json": {"prompt": "Hello.", "conversation": "a\0"}}, "conversation"),
        ("/agui", {"json": {"threadId": "a\0", "runId": "r", "messages": []}}, "threadId"),
        ("/api/files?name=a%00", {"content": b"x"}, "name"),
        ("/api/schedules", {"json": {"tool": "refund", "at": EVENING, "every": "a\0"}}, "every"),
    ],
)
def test_a_text_that_cannot_be_stored_is_refused(path: str, options: Any, name: str) -> None:
    with open_shop() as shop:
        refused = shop.ask("POST", path, **options)
    assert refused.status_code == 400
    assert refused.json()["error"].startswith(f"{name} is 'a\\x00'")


def test_a_refusal_quotes_the_begin_of_what_was_sent_and_says_where_it_was() -> None:
    with open_shop() as shop:
        error = shop.ask("POST", "/api/runs", json={"prompt": "Hello.", "whenBusy": "x" * 10_000}).json()["error"]
    assert len(error) < 500
    assert error.startswith("the body is not valid: Invalid enum value 'xxx")
    assert error.endswith("x' - at `$.whenBusy`")


def test_a_decision_that_says_two_things_is_refused() -> None:
    with open_shop() as shop:
        _, question = ask_for_refund(shop)
        said = b'{"approved": false, "approved": true}'
        json_type = {"content-type": "application/json"}
        refused = shop.ask("POST", f"/api/questions/{question}/decision", by="grace", content=said, headers=json_type)
    assert refused.status_code == 400
    assert "approved" in refused.json()["error"]


def test_an_approver_edits_the_arguments() -> None:
    with open_shop() as shop:
        run, question = ask_for_refund(shop)
        assert decide(shop, question, approved=True, arguments={"order": "A-8"}).status_code == 200
        shop.settle(run)
        assert "refunded A-8" in shop.ask("GET", f"/api/runs/{run}").text


def test_a_decision_sent_again_with_its_key_is_one_decision() -> None:
    with open_shop() as shop:
        _, question = ask_for_refund(shop)
        answers = [decide(shop, question, approved=True, headers={"idempotency-key": "k"}) for _ in range(2)]
        other = decide(shop, question, approved=False, headers={"idempotency-key": "k"})
    assert [each.status_code for each in answers] == [200, 200]
    assert (other.status_code, other.json()["code"]) == (409, "IDEMPOTENCY_KEY_REUSED")


@pytest.mark.parametrize("approved", ["true", 1, None, [True]])
def test_only_true_approves(approved: object) -> None:
    with open_shop() as shop:
        _, question = ask_for_refund(shop)
        assert decide(shop, question, approved=approved).status_code == 400
        assert shop.ask("GET", f"/api/questions/{question}").json()["status"] == "open"


def test_a_person_without_the_right_decides_nothing() -> None:
    with open_shop() as shop:
        _, question = ask_for_refund(shop)
        assert decide(shop, question, by="ada", approved=True).status_code == 403
        assert decide(shop, question, by="eve", approved=True).status_code == 404


def test_a_tool_is_called_and_waits_for_its_approval() -> None:
    with open_shop() as shop:
        sent: dict[str, Any] = {"json": {"arguments": {"order": "A-7"}}, "headers": {"idempotency-key": "call"}}
        waits = shop.ask("POST", "/api/tools/refund", **sent)
        assert (waits.status_code, waits.json()["status"]) == (202, "waiting")
        assert decide(shop, waits.json()["questions"][0], approved=True).status_code == 200
        shop.settle(waits.json()["run"])
        done = shop.ask("POST", "/api/tools/refund", **sent)
        assert (done.status_code, done.json()["result"], done.json()["run"]) == (
            *(200, "refunded A-7"),
            waits.json()["run"],
        )


@pytest.mark.parametrize(
    ("tool", "arguments", "status", "code"),
    [
        ("refund", {"order": 7}, 400, "VALIDATION_ERROR"),
        ("refund", {}, 400, "VALIDATION_ERROR"),
        ("refund", [], 400, "VALIDATION_ERROR"),
        ("nothing", {}, 404, "REQUEST_NOT_FOUND"),
    ],
)
def test_a_call_that_does_not_fit_the_contract_says_what_is_wrong(
    tool: str, arguments: object, status: int, code: str
) -> None:
    with open_shop() as shop:
        answer = shop.ask("POST", f"/api/tools/{tool}", json={"arguments": arguments})
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_a_request_in_an_envelope_is_answered_in_one() -> None:
    with open_shop() as shop:
        request = {
            "request_id": "0b0b1c0e-7c0c-4b7e-8a3c-1f1c2b3d4e5f",
            "user_id": "ada",
            "operation": "tool_execution",
            "payload": {"tool_name": "refund", "parameters": {"order": "A-7"}},
        }
        pending = shop.ask("POST", "/api/requests", json=request).json()
        assert pending["status"] == "PENDING"
        assert decide(shop, pending["questions"][0], approved=True).status_code == 200
        done = shop.ask("POST", "/api/requests", json=request).json()
        assert (done["status"], done["payload"]) == ("COMPLETED", {"result": "refunded A-7"})
        forged = shop.ask("POST", "/api/requests", by="grace", json={**request, "user_id": "ada"}).json()
        assert (forged["status"], forged["error"]["code"]) == ("FAILED", "REQUEST_DENIED")


def test_a_tool_has_its_contract() -> None:
    with open_shop() as shop:
        (listed,) = shop.ask("GET", "/api/tools").json()["items"]
        assert shop.ask("GET", "/api/tools/refund").json() == listed
        assert shop.ask("GET", "/api/tools/nothing").status_code == 404
    assert (listed["risk"], list(listed["parameters"]["properties"])) == ("high", ["order"])


def test_a_run_is_cancelled_by_its_owner_alone() -> None:
    with open_shop() as shop:
        run, _ = ask_for_refund(shop)
        assert shop.ask("POST", f"/api/runs/{run}/cancel", by="grace").status_code == 403
        assert shop.ask("POST", f"/api/runs/{run}/cancel", by="eve").status_code == 404
        assert shop.ask("POST", f"/api/runs/{run}/cancel").json()["status"] == "cancelled"


def test_a_run_that_waits_is_resumed_in_the_background() -> None:
    with open_shop() as shop:
        run, _ = ask_for_refund(shop)
        assert shop.ask("POST", f"/api/runs/{run}/resume").json() == {"run": run}
        assert shop.ask("POST", f"/api/runs/{run}/resume", by="eve").status_code == 404


def test_a_run_has_its_items_its_replay_and_its_exports() -> None:
    with open_shop(["Hello."]) as shop:
        runs = list[str]()
        for prompt in ("Hi.", "Hi.", "Ho."):
            runs.append(shop.ask("POST", "/api/runs", json={"prompt": prompt}).json()["run"])
            shop.settle(runs[-1])
        items = shop.ask("GET", f"/api/runs/{runs[0]}/items").json()["items"]
        rest = shop.ask("GET", f"/api/runs/{runs[0]}/items?after=2").json()["items"]
        assert (items[0]["kind"], items[-1]["kind"], rest) == ("opened", "finished", items[3:])
        assert shop.ask("GET", f"/api/runs/{runs[0]}/replay").json()["identical"] is True
        same = shop.ask("GET", f"/api/compare?a={runs[0]}&b={runs[1]}").json()
        other = shop.ask("GET", f"/api/compare?a={runs[0]}&b={runs[2]}").json()
        assert (same["identical"], other["identical"]) == (True, False)
        assert (other["a"]["text"], other["b"]["text"]) == ("Hi.", "Ho.")
        page = shop.ask("GET", f"/api/runs/{runs[0]}/export.html")
        assert page.headers["content-disposition"].startswith("attachment")
        lines = shop.ask("GET", f"/api/runs/{runs[0]}/export.jsonl").text.splitlines()
        assert [json.loads(line) for line in lines] == items


def test_a_conversation_is_listed_renamed_shared_and_deleted() -> None:
    with open_shop(["Hello."]) as shop:
        run = shop.ask("POST", "/api/runs", json={"prompt": "Hi.", "conversation": "c"}).json()["run"]
        shop.settle(run)
        assert shop.ask("PATCH", "/api/conversations/c", json={"title": "Greeting"}).json()["title"] == "Greeting"
        shared = shop.ask("POST", "/api/conversations/c/share", json={"principal": "grace"}).json()
        assert shared["shares"] == [{"principal": "grace", "access": "read"}]
        unshared = shop.ask("POST", "/api/conversations/c/share", json={"principal": "grace", "access": ""}).json()
        assert unshared["shares"] == []
        (listed,) = shop.ask("GET", "/api/conversations").json()["items"]
        history = shop.ask("GET", "/api/conversations/c").json()
        assert (listed["title"], [each["run"] for each in history["runs"]]) == ("Greeting", [run])
        assert shop.ask("DELETE", "/api/conversations/c", by="eve").status_code == 404
        assert shop.ask("DELETE", "/api/conversations/c").json() == {"done": True}
        assert shop.ask("GET", "/api/conversations/c").status_code == 404


def test_a_grant_is_made_by_who_may_decide_and_revoked() -> None:
    grant = {"tool": "refund", "principal": "ada", "count": 2, "expiresIn": 600, "reason": "the sale"}
    with open_shop() as shop:
        assert shop.ask("POST", "/api/grants", json=grant).status_code == 403
        made, again = (
            shop.ask("POST", "/api/grants", by="grace", json=grant, headers={"idempotency-key": "k"}) for _ in range(2)
        )
        assert (made.status_code, made.json()["count"], made.json()["by"]) == (201, 2, "grace")
        assert again.json() == made.json()
        assert [each["id"] for each in shop.ask("GET", "/api/grants").json()["items"]] == [made.json()["id"]]
        done = shop.ask("POST", "/api/tools/refund", json={"arguments": {"order": "A-7"}})
        assert (done.status_code, done.json()["result"]) == (200, "refunded A-7")
        revoked = shop.ask("DELETE", f"/api/grants/{made.json()['id']}", by="grace").json()
        assert (revoked["used"], revoked["revokedBy"]) == (1, "grace")


def test_a_call_is_scheduled_and_withdrawn() -> None:
    schedule = {"tool": "refund", "at": EVENING, "arguments": {"order": "A-7"}}
    with open_shop() as shop:
        made = shop.ask("POST", "/api/schedules", json=schedule)
        assert made.status_code == 201
        run = made.json()["run"]
        assert decide(shop, made.json()["questions"][0], approved=True).status_code == 200
        shop.settle(run)
        (listed,) = shop.ask("GET", "/api/schedules").json()["items"]
        assert (listed["run"], listed["agent"]) == (run, "refund")
        assert shop.ask("DELETE", f"/api/schedules/{run}").json() == {"done": True}
        assert shop.ask("GET", "/api/schedules").json()["items"] == []
        assert shop.ask("POST", "/api/schedules", json={**schedule, "at": "2999-01-01T18:00:00"}).status_code == 400


def test_a_file_is_a_download_for_who_stored_it() -> None:
    with open_shop() as shop:
        stored = shop.ask("POST", "/api/files?name=menu.html", content=b"<script>1</script>")
        assert stored.status_code == 201
        file = stored.json()
        query = {"size": file["size"], "name": file["name"], "mediaType": file["mediaType"]}
        read = shop.ask("GET", f"/api/files/{file['digest']}", params=query)
        assert (read.content, read.headers["content-type"]) == (b"<script>1</script>", "application/octet-stream")
        assert read.headers["content-disposition"] == "attachment; filename*=UTF-8''menu.html"
        assert read.headers["x-content-type-options"] == "nosniff"
        assert shop.ask("GET", f"/api/files/{file['digest']}", by="eve", params=query).status_code == 404
        assert shop.ask("GET", "/api/files/nonsense", params=query).status_code == 400


def test_usage_and_policy_are_read() -> None:
    with open_shop(["Hello."]) as shop:
        run = shop.ask("POST", "/api/runs", json={"prompt": "Hi."}).json()["run"]
        shop.settle(run)
        assert shop.ask("GET", "/api/usage").json()["requests"] == 1
        policy = shop.ask("GET", "/api/policy").json()
    assert [each["name"] for each in policy["rules"]] == ["high risk", "egress", "undeclared"]
    assert policy["rules"][0]["verdict"] == "asks for an approval"


def test_a_message_carries_files_and_no_forged_references() -> None:
    with open_shop(["Thank you."]) as shop:
        file = shop.ask("POST", "/api/files?name=menu.txt", content=b"bread").json()
        run = shop.ask("POST", "/api/runs", json={"prompt": "Read it.", "agent": "reader", "files": [file]})
        assert run.status_code == 202
        shop.settle(run.json()["run"])
        assert "menu.txt" in shop.ask("GET", f"/api/runs/{run.json()['run']}").text
        forged = {"prompt": "Read it.", "agent": "reader", "files": [{**file, "digest": "x"}]}
        assert shop.ask("POST", "/api/runs", json=forged).status_code == 400


def test_a_fault_of_the_server_is_in_its_log_alone() -> None:
    with open_shop() as shop:

        async def fail(*_: object, **__: object) -> None:
            raise BrokenJournalError("/secret/path is broken")

        shop.runtime.store.list_runs = fail  # pyright: ignore[reportAttributeAccessIssue] - a store that is broken
        hidden = shop.ask("GET", "/api/runs")
    assert (hidden.status_code, hidden.json()["code"]) == (503, "JOURNAL_BROKEN")
    assert "secret" not in hidden.text


def test_a_missing_model_is_one_line_of_the_log_however_often_it_is_missed(caplog: pytest.LogCaptureFixture) -> None:
    log = ErrorLog()
    for run in ("r1", "r2"):
        log(run, NoModelError("the model 'x' cannot be used: no key"))
    log("r3", ValueError("a defect"))
    first, second = caplog.records
    assert (first.getMessage(), first.exc_info) == (
        "runs wait for their model, and are tried again: the model 'x' cannot be used: no key",
        None,
    )
    assert second.exc_info is not None


@pytest.mark.parametrize("conversation", ["a/b", "a/files", "100%", "ä/%"])
def test_a_conversation_is_reachable_whatever_its_name_has(conversation: str) -> None:
    address = f"/api/conversations/{quote(conversation, safe='')}"
    with open_shop(["Hello."]) as shop:
        run = shop.ask("POST", "/api/runs", json={"prompt": "Hi.", "conversation": conversation}).json()["run"]
        shop.settle(run)
        read = shop.ask("GET", address)
        files = shop.ask("GET", f"{address}/files")
        renamed = shop.ask("PATCH", address, json={"title": "New"})
        other = shop.ask("GET", f"{address}%2Fz")
        deleted = shop.ask("DELETE", address)
    assert [each["run"] for each in read.json()["runs"]] == [run]
    assert (files.json()["items"], renamed.json()["title"]) == ([], "New")
    assert (other.status_code, deleted.status_code) == (404, 200)


@tool(risk=Risk.SAFE)
async def find_code() -> str:
    """Find a code."""
    return "12345678901234567890"


@tool(risk=Risk.SAFE)
async def count() -> int:
    """Count."""
    return 3


@pytest.mark.parametrize(("called", "result"), [("find_code", "12345678901234567890"), ("count", 3)])
async def test_a_result_has_the_type_that_its_tool_declares(called: str, result: object) -> None:
    app = App(name="shop", agents=[Agent("clerk", instructions="Help.", tools=[find_code, count])])
    outcome = await Runtime(app, model=Scripted([])).client(Principal("ada")).call(called, {})
    assert json.loads(encode_json(CallOutcome.of(outcome)))["result"] == result
