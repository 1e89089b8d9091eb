"""Values pass through envelopes as they are, and every request that cannot be answered fails in one line."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import JsonValue

from remit.inventory import Failure, Status
from tests.inventory.desk import Desk, FailResponse
from tests.strangers.envelopes import DETAILS, ENVELOPES, MESSAGES, TEXTS, TOOLS, VALUES


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.mark.parametrize("value", VALUES, ids=repr)
async def test_a_value_is_the_same_in_payload_result_and_metadata(desk: Desk, value: JsonValue) -> None:
    assert await desk.keeps(value)


@pytest.mark.parametrize("text", TEXTS)
async def test_a_text_stays_a_text_whatever_it_looks_like(desk: Desk, text: str) -> None:
    assert await desk.says(text)


@pytest.mark.parametrize("case", ENVELOPES)
async def test_a_request_is_answered_or_fails_with_what_is_wrong(desk: Desk, case: str) -> None:
    fields, says = ENVELOPES[case]
    response = await desk.send(**{"operation": "keep_value", "payload": {"value": 1}, **fields})
    assert says in (response.error.message if response.error else "")
    assert await desk.answers(fields, says)


@pytest.mark.parametrize("case", TOOLS)
async def test_a_request_for_a_tool_fails_with_what_is_wrong(desk: Desk, case: str) -> None:
    fields, says = TOOLS[case]
    sent = {"operation": "tool_execution", "payload": {"tool_name": "say", "parameters": {"text": "a"}, **fields}}
    response = await desk.send(**sent)
    assert response.error is not None
    assert says in response.error.message
    assert await desk.answers(sent, says)


@pytest.mark.parametrize("case", DETAILS)
async def test_the_details_of_an_error_are_said_or_left_out(desk: Desk, case: str) -> None:
    assert await desk.fails("gone", DETAILS[case])


@pytest.mark.parametrize("message", MESSAGES, ids=lambda text: f"{text[:20]!a}")
async def test_the_message_of_an_error_is_the_same_in_its_response(desk: Desk, message: str) -> None:
    assert await desk.fails(message, {})


async def test_a_failed_response_is_given_as_the_method_makes_it(desk: Desk) -> None:
    for details in (DETAILS["words"], DETAILS["words of replies"]):
        failure = Failure(code="NOT_FOUND", message="a\nb", details=details)  # pyright: ignore[reportArgumentType] - JSON
        desk.answer = lambda request, failure=failure: FailResponse(
            request_id=request.request_id, status=Status.FAILED, error=failure
        )
        response = await desk.send(operation="fail", payload={"value": 1})
        assert response.error == failure
