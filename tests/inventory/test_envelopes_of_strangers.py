"""Values pass through envelopes as they are, and every request that cannot be answered fails in one line."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import pytest
from pydantic import JsonValue

from remit.inventory import Failure, Request, Status, ToolRequest, ToolRequestPayload, handle_request
from remit.testing import superuser
from tests.inventory.desk import Desk, FailResponse, KeepRequest, Kept
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


TOOL: dict[str, Any] = {
    "request_id": uuid4(),
    "session_id": None,
    "user_id": "user",
    "operation": "tool_execution",
    "metadata": {},
}
SAY = ToolRequestPayload(tool_name="say", parameters={"text": "a"})


def made(kind: type[Request[Any]], **fields: Any) -> Request[Any]:
    values: dict[str, Any] = {**TOOL, **fields}
    return kind.model_construct(**values)


UNCHECKED: dict[str, tuple[Request[Any], str]] = {
    "a request of nothing": (ToolRequest.model_construct(), "user_id of the ToolRequest is None; give a string"),
    "no payload": (
        made(ToolRequest),
        "payload of the ToolRequest is None; give a ToolRequestPayload",
    ),
    "no payload of a method": (
        made(KeepRequest, operation="keep_value"),
        "payload of the KeepRequest is None; give an object of its model",
    ),
    "an id that is a text": (
        made(ToolRequest, request_id="x", payload=SAY),
        "request_id of the ToolRequest is 'x'; give a UUID",
    ),
    "an operation that is a list": (
        made(KeepRequest, operation=["x"], payload=Kept(value=1)),
        "operation of the KeepRequest is ['x']; give a string",
    ),
    "a user that is a number": (
        made(ToolRequest, user_id=5, payload=SAY),
        "user_id of the ToolRequest is 5; give a string",
    ),
    "a session that is a number": (
        made(ToolRequest, session_id=5, payload=SAY),
        "session_id of the ToolRequest is 5; give a string or None",
    ),
    "a payload of a method": (made(ToolRequest, payload=Kept(value=1)), "give a ToolRequestPayload"),
    "a payload of nothing": (
        made(ToolRequest, payload=ToolRequestPayload.model_construct()),
        "give a ToolRequestPayload",
    ),
    "parameters that are a list": (
        made(ToolRequest, payload=ToolRequestPayload.model_construct(tool_name="say", parameters=cast("Any", [1]))),
        "give a ToolRequestPayload",
    ),
    "a user with a hidden character": (
        made(ToolRequest, user_id="user\u200b", payload=SAY),
        "U+200B cannot be seen as itself; leave it out",
    ),
    "metadata that cannot be stored": (
        made(ToolRequest, metadata={"a": "\0"}, payload=SAY),
        "the metadata contain the character NUL, which cannot be stored; leave that out of a",
    ),
    "metadata that are no JSON": (
        made(ToolRequest, metadata={"a": object()}, payload=SAY),
        "metadata: JSON cannot hold the metadata: ",
    ),
    "metadata that are a list": (
        made(ToolRequest, metadata=[1], payload=SAY),
        "metadata is [1]; give a JSON object",
    ),
}


@pytest.mark.parametrize("what", UNCHECKED)
async def test_a_request_that_was_made_without_a_check_fails_with_what_is_wrong(desk: Desk, what: str) -> None:
    request, says = UNCHECKED[what]
    for method in ("", "office.desk.keep_value"):
        response = await handle_request(desk.runtime, request, by=superuser(), method=method)
        assert (response.status, response.error is not None) == (Status.FAILED, True)
        if not method:
            assert response.error is not None
            assert says in response.error.message
            assert response.error.code == "BAD_REQUEST"
        assert response.model_dump_json()
