"""A client that can fetch results later gets a task, which any process knows."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from remit.mcp.peers import REVISION, Peer
from remit.mcp.wire import ProtocolError
from tests.mcp.kit import ADA, GRACE, PLAIN, TASKS, Desk, Host, ask

pytestmark = pytest.mark.looptime
_BOTH = Peer(revision=REVISION, can_form=True, can_fetch=True)
_CALL = {"name": "erase", "arguments": {"text": "about"}}


async def _begin(desk: Desk, host: Host) -> str:
    server = desk.process(hold_seconds=0)
    task = await ask(server, host.sender(server), "tools/call", _CALL)
    assert (task["resultType"], task["status"], task["ttlMs"]) == ("task", "working", None)
    return task["taskId"]


async def _get(desk: Desk, host: Host, task: str, method: str = "tasks/get", **params: Any) -> dict[str, Any]:
    server = desk.process(hold_seconds=0)
    return await ask(server, host.sender(server), method, {"taskId": task, **params})


async def test_a_task_says_what_it_waits_for_and_has_its_result_as_often_as_it_is_fetched() -> None:
    desk, host = Desk(), Host(TASKS)
    task = await _begin(desk, host)
    waiting = await _get(desk, host, task)
    assert (waiting["status"], waiting["statusMessage"].splitlines()[0]) == ("working", "Erase about?")
    (question,) = await desk.questions()
    await desk.client().decide(question, approved=True)
    for _ in range(2):
        ended = await _get(desk, host, task)
        assert (ended["status"], ended["result"]["structuredContent"]) == ("completed", {"erased": "about"})
    assert (await _begin(desk, host) != task, desk.erased) == (True, ["about"])


async def test_the_same_call_while_its_task_waits_is_the_same_task() -> None:
    desk, host = Desk(), Host(TASKS)
    assert await _begin(desk, host) == await _begin(desk, host)
    assert len(await desk.questions()) == 1


@pytest.mark.parametrize(("yes", "erased"), [(True, ["about"]), (False, [])])
async def test_a_task_takes_the_answer_to_a_form(*, yes: bool, erased: list[str]) -> None:
    desk, host = Desk("confirm"), Host(_BOTH)
    server = desk.process(hold_seconds=0)
    asked = await ask(server, host.sender(server), "tools/call", _CALL)
    dismissed = {key: {"action": "cancel"} for key in asked["inputRequests"]}
    again = {**_CALL, "requestState": asked["requestState"], "inputResponses": dismissed}
    task = (await ask(server, host.sender(server), "tools/call", again))["taskId"]
    waiting = await _get(desk, host, task)
    assert waiting["status"] == "input_required"
    (question,) = waiting["inputRequests"]
    answer = {"action": "accept", "content": {"approve": yes}}
    answers = {question: answer, "other": answer}
    assert (await _get(desk, host, task, "tasks/update", inputResponses=answers))["resultType"] == "complete"
    ended = await _get(desk, host, task)
    assert (ended["status"], ended["result"]["isError"], desk.erased) == ("completed", not yes, erased)


async def test_a_form_of_a_task_never_approves() -> None:
    desk, host = Desk("approve"), Host(_BOTH)
    task = await _begin(desk, host)
    (question,) = await desk.questions()
    await _get(
        desk, host, task, "tasks/update", inputResponses={question: {"action": "accept", "content": {"approve": True}}}
    )
    assert ((await _get(desk, host, task))["status"], desk.erased) == ("working", [])


async def test_a_cancelled_task_makes_no_call_and_the_same_call_is_a_new_one() -> None:
    desk, host = Desk(), Host(TASKS)
    task = await _begin(desk, host)
    await _get(desk, host, task, "tasks/cancel")
    await _get(desk, host, task, "tasks/cancel")
    assert (await _get(desk, host, task))["status"] == "cancelled"
    assert await _begin(desk, host) != task


@pytest.mark.parametrize(("peer", "by", "code"), [(PLAIN, ADA, -32021), (TASKS, GRACE, -32602)])
async def test_a_task_is_there_for_its_person_and_for_clients_that_can_fetch_it(peer: Peer, by: Any, code: int) -> None:
    desk = Desk()
    task = await _begin(desk, Host(TASKS))
    server = desk.process()
    for method in ("tasks/get", "tasks/update", "tasks/cancel"):
        with pytest.raises(ProtocolError) as refused:
            await ask(server, Host(peer).sender(server, by), method, {"taskId": task})
        assert refused.value.code == code
    with pytest.raises(ProtocolError, match="no such task"):
        await _get(desk, Host(TASKS), "nothing")
    await asyncio.sleep(0)
