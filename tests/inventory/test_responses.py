"""Responses lose nothing and are never mistaken: payloads of failed ones, of what looks pending, and of no request."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from pydantic import BaseModel

from remit.errors import InvalidOutputError, RequestError
from remit.inventory import Failure, Response, Status, ToolResponse, ToolResponsePayload, handle_request
from remit.inventory.methods import unwrap_response
from tests.inventory.requested import ADA, Library, Loan, RenewRequest, RenewResponse


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path)


class Ticket(BaseModel):
    """A ticket whose fields have the names of those of a pending response."""

    status: str
    request_id: str
    payload: Loan | None = None


class TicketResponse(Response[Ticket]):
    """A ticket."""


@pytest.mark.parametrize("status", ["OPEN", "PENDING"])
async def test_a_payload_is_never_read_as_a_pending_response(status: str) -> None:
    ticket = Ticket(status=status, request_id="x")
    response = TicketResponse(request_id=uuid4(), payload=ticket)
    if status == "OPEN":
        assert unwrap_response(response) is ticket
        return
    with pytest.raises(
        InvalidOutputError, match="would be read as a PENDING response; give it other fields than status"
    ):
        unwrap_response(response)


async def test_a_failed_response_of_a_method_keeps_its_payload(library: Library) -> None:
    request = RenewRequest(user_id="ada", payload=Loan(number=19))
    response = await handle_request(library.runtime, request, by=ADA)
    assert (response.status, response.payload) == (Status.FAILED, Loan(number=19))
    assert response.error == Failure(code="LOAN_LOCKED", message="it is locked", details={"until": "May"})
    assert await handle_request(library.runtime, request, by=ADA) == response
    called = {"tool_name": "renew_loan", "parameters": {"number": 19}}
    of_tool = await handle_request(library.runtime, {"user_id": "ada", "payload": called}, by=ADA)
    assert (of_tool.status, of_tool.payload) == (Status.FAILED, ToolResponsePayload(result={"number": 19}))
    called = await library.runtime.call_by_name("renew_loan", {"number": 19}, by=ADA)
    assert json.loads(called.text)["details"] == {"until": "May", "payload": {"number": 19}}


async def test_a_detail_of_an_error_that_is_no_payload_stays_a_detail(library: Library) -> None:
    response = await handle_request(library.runtime, RenewRequest(user_id="ada", payload=Loan(number=20)), by=ADA)
    assert (response.payload, response.error and response.error.details) == (None, {"payload": "heavy"})
    error = Failure(code="X", message="x", details={"payload": 1})
    with pytest.raises(
        InvalidOutputError, match="the details of the error have 'payload'; give the response that payload"
    ):
        unwrap_response(RenewResponse(request_id=uuid4(), status=Status.FAILED, error=error))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ('{"operation": "renew"}', "read its JSON into a dict"),
        (b"{}", "read its JSON into a dict"),
        (None, "the request is None; give a ToolRequest, or its JSON"),
        ([{"user_id": "ada"}], "give a ToolRequest, or its JSON"),
    ],
)
async def test_what_is_no_request_fails_with_what_to_give(library: Library, given: Any, said: str) -> None:
    response = await handle_request(library.runtime, given, by=ADA)
    assert (type(response), response.status, response.error and response.error.code) == (
        ToolResponse,
        Status.FAILED,
        "BAD_REQUEST",
    )
    assert said in str(response.error)
    of_method = await handle_request(library.runtime, given, by=ADA, method="library.loans.renew")
    assert (type(of_method), of_method.status) == (RenewResponse, Status.FAILED)


@pytest.mark.parametrize("metadata", [{1: 2}, {"a": {1: 2}}, {"a": {3}}, {"a": b"x"}, {None: 1}])
async def test_metadata_that_json_would_change_are_refused(library: Library, metadata: Any) -> None:
    sent = {"user_id": "ada", "operation": "renew", "payload": {"number": 1}, "metadata": metadata}
    code, message = await library.send(sent)
    assert (code, "is not JSON; give names as strings, and JSON values" in message) == ("BAD_REQUEST", True)
    with pytest.raises(RequestError, match="is not JSON; give names as strings"):
        await library.runtime.call_by_name("renew_loan", {"number": 1}, by=ADA, metadata=metadata)
