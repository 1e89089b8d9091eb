"""Whatever the client can do and whenever the person answers: nobody is asked twice, and no answer is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from figures.ladder import CASES, Case, Outcome, climb
from remit.mcp.ladder import MOST_ROUNDS, Step, Waiting, next_step
from remit.mcp.peers import Peer
from tests.mcp.kit import (
    ADDRESS,
    FORM,
    PLAIN,
    SESSION,
    SESSION_ADDRESS,
    SESSION_FORM,
    TASKS,
    Desk,
    Host,
    ProcessDied,
    as_raw,
)

_DAY = 24 * 3600.0
_Person = Callable[[Desk], Coroutine[Any, Any, None]]
_OPEN = Waiting(can_confirm=False, has_page=False)
_CONFIRMABLE = Waiting(can_confirm=True, has_page=True)
_SHOWN = Waiting(can_confirm=False, has_page=True)
_DISMISSED = Waiting(can_confirm=True, has_page=True, is_dismissed=True)
_LATE = Waiting(can_confirm=True, has_page=True, rounds=MOST_ROUNDS)


@pytest.mark.parametrize(
    ("peer", "waiting", "step"),
    [
        (PLAIN, _CONFIRMABLE, Step.HOLD),
        (PLAIN, _LATE, Step.WAITING),
        (FORM, _CONFIRMABLE, Step.FORM),
        (FORM, _SHOWN, Step.HOLD),
        (FORM, _DISMISSED, Step.WAITING),
        (FORM, _LATE, Step.WAITING),
        (ADDRESS, _CONFIRMABLE, Step.ADDRESS),
        (ADDRESS, _OPEN, Step.HOLD),
        (ADDRESS, _DISMISSED, Step.WAITING),
        (TASKS, _CONFIRMABLE, Step.TASK),
        (TASKS, _LATE, Step.TASK),
        (SESSION, _CONFIRMABLE, Step.WAITING),
        (SESSION_FORM, _CONFIRMABLE, Step.FORM),
        (SESSION_FORM, _SHOWN, Step.WAITING),
        (SESSION_ADDRESS, _SHOWN, Step.ADDRESS),
        (SESSION_ADDRESS, _OPEN, Step.WAITING),
    ],
)
def test_a_step_follows_from_what_the_client_can_do_and_was_asked(peer: Peer, waiting: Waiting, step: Step) -> None:
    assert next_step(peer, waiting) is step


async def _decide(desk: Desk, *, approved: bool) -> None:
    (question,) = await desk.client().questions()
    await desk.client().decide(question.question.id, approved=approved)


@pytest.mark.looptime
@pytest.mark.parametrize("case", CASES)
async def test_one_call_asks_one_question_acts_as_decided_and_returns_one_result(case: Case) -> None:
    assert await climb(case) == Outcome(is_lost=False, is_doubled=False)


@pytest.mark.looptime
@pytest.mark.parametrize("peer", [FORM, SESSION_FORM])
@pytest.mark.parametrize(("answer", "erased"), [("accept", ["about"]), ("decline", [])])
async def test_a_form_confirms_or_denies_a_call_of_its_own_person(peer: Peer, answer: str, erased: list[str]) -> None:
    desk, host = Desk("confirm"), Host(peer, answer)
    result = await host.call(desk.process())
    assert result is not None
    assert (desk.erased, result["isError"]) == (erased, not erased)
    (shown,) = host.shown
    assert shown["message"] == "Erase about?\nThere is no undo for it.\nerasing cannot be undone"
    assert (shown["mode"], [*shown["requestedSchema"]["properties"]]) == ("form", ["approve"])


@pytest.mark.looptime
@pytest.mark.parametrize("peer", [FORM, SESSION_FORM])
async def test_a_form_never_approves(peer: Peer) -> None:
    desk, host = Desk("approve"), Host(peer, "accept")
    assert await host.call(desk.process()) is None
    assert (host.shown, desk.erased) == ([], [])


@pytest.mark.looptime
@pytest.mark.parametrize("content", [{"approve": "true"}, {"approve": 1}, {"yes": True}, {}, None])
async def test_only_true_in_a_form_confirms(content: Any) -> None:
    desk, host = Desk("confirm"), Host(FORM)
    server = desk.process()
    params: Any = {"name": "erase", "arguments": {"text": "about"}}
    asked = await server.answer(host.sender(server), "tools/call", as_raw(params))
    (question,) = asked["inputRequests"]
    answers = {question: {"action": "accept", "content": content}}
    again = {**params, "requestState": asked["requestState"], "inputResponses": answers}
    result = await server.answer(host.sender(server), "tools/call", as_raw(again))
    assert (result["isError"], desk.erased) == (True, [])


@pytest.mark.looptime
async def test_a_form_that_is_closed_leaves_the_question_open() -> None:
    desk, host = Desk("confirm"), Host(FORM, "cancel")
    assert await host.call(desk.process()) is None
    assert [each.status for each in await desk.client().questions()] == ["open"]


@pytest.mark.looptime
async def test_an_answer_to_a_question_that_was_not_shown_by_a_form_decides_nothing() -> None:
    desk, host = Desk("confirm"), Host(PLAIN)
    server = desk.process()
    params: Any = {"name": "erase", "arguments": {"text": "about"}}
    held = await server.answer(host.sender(server), "tools/call", as_raw(params))
    (question,) = await desk.questions()
    answers = {question: {"action": "accept", "content": {"approve": True}}}
    again = {**params, "requestState": held["requestState"], "inputResponses": answers}
    await server.answer(host.sender(server), "tools/call", as_raw(again))
    assert ([each.status for each in await desk.client().questions()], desk.erased) == (["open"], [])


@pytest.mark.looptime
async def test_a_client_that_leaves_while_its_call_is_held_gets_the_result_of_the_same_call_later() -> None:
    desk, host = Desk(), Host(SESSION)
    held = asyncio.create_task(host.call(desk.process()))
    await asyncio.sleep(5)
    held.cancel()
    await asyncio.gather(held, return_exceptions=True)
    await _decide(desk, approved=True)
    result = await host.call(desk.process())
    assert result is not None
    assert (result["structuredContent"], desk.erased, len(await desk.questions())) == (
        *({"erased": "about"}, ["about"]),
        1,
    )


@pytest.mark.looptime
@pytest.mark.parametrize("peer", [PLAIN, FORM, SESSION_FORM])
async def test_a_call_whose_process_died_is_asked_about_and_not_made_again(peer: Peer) -> None:
    desk, host = Desk(), Host(peer, "accept")
    with pytest.raises(ProcessDied):
        await host.call(desk.process(), "launch", text="rocket")
    assert await host.call(desk.process(), "launch", text="rocket") is None
    assert "it was interrupted.\n\nDid it happen? Launch rocket\n" in host.told
    (question,) = await desk.questions()
    await desk.client().decide(question, approved=True, result="launched")
    result = await host.call(desk.process(), "launch", text="rocket")
    assert result is not None
    assert (result["content"][0]["text"], desk.launched, host.shown) == ("launched", ["rocket"], [])
