"""Requests and responses: the literal operation, what a FAILED response needs, and the envelopes at the edge."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest
from pydantic import BaseModel, ValidationError

from remit.errors import ContractError, InternalError, NotFoundError
from remit.inventory.envelope import (
    Failure,
    Request,
    Response,
    Status,
    ToolRequest,
    ToolRequestPayload,
    ToolResponse,
    payload_model_of,
)


class NotePayload(BaseModel):
    """A note."""

    title: str


class CreateNoteRequest(Request[NotePayload], operation="create_note"):
    """Asks to write a note."""


class NoteResponse(Response[NotePayload]):
    """Has a note."""


def ask(title: str = "x") -> CreateNoteRequest:
    return CreateNoteRequest(user_id="ada", payload=NotePayload(title=title))


def test_the_operation_comes_from_the_class_statement() -> None:
    assert ask().operation == "create_note"
    said = CreateNoteRequest.model_json_schema()["properties"]["operation"]
    assert (said["const"], said["default"]) == ("create_note", "create_note")


def test_another_operation_is_refused() -> None:
    with pytest.raises(ValidationError, match="Input should be 'create_note'"):
        CreateNoteRequest.model_validate({"user_id": "ada", "payload": {"title": "x"}, "operation": "read_note"})


def test_a_request_without_an_operation_cannot_be_made() -> None:
    with pytest.raises(ValidationError, match="operation"):
        Request[NotePayload](user_id="ada", payload=NotePayload(title="x"))


def test_a_class_of_a_request_is_of_its_operation() -> None:
    class Urgent(CreateNoteRequest):
        """The same, now."""

    assert Urgent(user_id="ada", payload=NotePayload(title="x")).operation == "create_note"


def test_each_request_has_an_id_and_strange_fields_are_refused() -> None:
    assert isinstance(ask().request_id, UUID)
    assert ask().request_id != ask().request_id
    with pytest.raises(ValidationError, match="timeout"):
        CreateNoteRequest.model_validate({"user_id": "ada", "payload": {"title": "x"}, "timeout": 5})


def test_a_completed_response_has_the_id_of_its_request() -> None:
    request = ask()
    response = NoteResponse.completed(request, request.payload)
    assert (response.request_id, response.status, response.payload) == (
        request.request_id,
        Status.COMPLETED,
        request.payload,
    )


def test_a_failed_response_needs_no_payload_and_has_a_stable_code() -> None:
    response = NoteResponse.failed(ask(), NotFoundError("no such note"))
    assert (response.status, response.payload) == (Status.FAILED, None)
    assert response.error == Failure(code="NOT_FOUND", message="no such note")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"status": Status.FAILED}, "if and only if it FAILED"),
        ({"status": Status.PENDING, "error": Failure(code="X", message="")}, "if and only if it FAILED"),
        ({"status": Status.COMPLETED}, "has a payload"),
    ],
)
def test_a_response_that_contradicts_itself_is_refused(fields: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        NoteResponse.model_validate({"request_id": uuid4(), **fields})


def test_a_failure_is_raised_as_the_error_of_its_code() -> None:
    error = Failure(code="NOT_FOUND", message="no note", details={"number": 7}).to_error()
    assert isinstance(error, NotFoundError)
    assert (error.message, error.details) == ("no note", {"number": 7})
    own = Failure(code="MOON", message="full").to_error()
    assert isinstance(own, InternalError)
    assert (own.code, own.details) == ("MOON", {})


def test_the_payload_of_an_envelope_is_read_from_its_class() -> None:
    assert payload_model_of(CreateNoteRequest) is NotePayload
    assert payload_model_of(NoteResponse) is NotePayload
    with pytest.raises(ContractError, match="Response names no payload model"):
        payload_model_of(Response)


def request() -> ToolRequest:
    return ToolRequest(user_id="ada", payload=ToolRequestPayload(tool_name="create_note", parameters={"title": "é"}))


def test_the_parameters_of_a_tool_request_are_the_arguments_of_its_call() -> None:
    assert request().arguments() == {"title": "é"}


def test_how_a_tool_is_run_is_no_parameter_of_its_caller() -> None:
    with pytest.raises(ValidationError, match="dry_run"):
        ToolRequestPayload.model_validate({"tool_name": "x", "dry_run": True})


@pytest.mark.parametrize("envelope", [request().model_dump(), ToolResponse.pending(request()).model_dump()])
def test_what_would_reach_nobody_is_refused(envelope: dict[str, Any]) -> None:
    model = ToolRequest if "operation" in envelope else ToolResponse
    with pytest.raises(ValidationError, match=r"source\n.*Extra inputs are not permitted"):
        model.model_validate({**envelope, "source": "mail"})
    assert model.model_validate({**envelope, "metadata": {"source": "mail"}}).metadata == {"source": "mail"}
