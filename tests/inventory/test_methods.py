"""A method with envelopes in its signature: they are read, filled in for a call, and opened again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from types import MethodType
from typing import Any, cast
from uuid import UUID, uuid4

import pytest

from figures.notebook import CreateNotePayload, CreateNoteRequest, CreateNoteResponse, NotePayload, Notes, Weather
from remit import Context, LeafContext, tool
from remit.errors import ContractError, InvalidOutputError, NotFoundError
from remit.inventory.envelope import Failure, Response, Status
from remit.inventory.methods import read_envelopes, unwrap_response, wrap_in_envelope
from remit.layers import Reply
from remit.testing import make_call
from remit.tools import Caller


def test_envelopes_are_read_from_a_signature_though_annotations_are_text() -> None:
    envelopes = read_envelopes(Notes().create_note)
    assert envelopes is not None
    assert (envelopes.request, envelopes.response) == (CreateNoteRequest, CreateNoteResponse)
    assert envelopes.context_type is None


def test_a_plain_signature_has_none() -> None:
    assert read_envelopes(Weather().forecast) is None


@pytest.mark.parametrize("kind", [LeafContext, Context])
def test_a_context_may_come_first(kind: type) -> None:
    class Domain:
        async def create_note(self, ctx: Any, request: CreateNoteRequest) -> CreateNoteResponse:
            raise NotImplementedError

    Domain.create_note.__annotations__["ctx"] = kind
    envelopes = read_envelopes(Domain().create_note)
    assert envelopes is not None
    assert envelopes.context_type is kind


@dataclass
class Frame:
    """What a body is told of its call."""

    caller: Caller
    key: str = "some key"


class Wrong:
    """Methods that are none."""

    async def plain(self, title: str) -> CreateNoteResponse:
        raise NotImplementedError

    async def no_response(self, request: CreateNoteRequest) -> NotePayload:
        raise NotImplementedError

    async def two(self, request: CreateNoteRequest, more: int) -> CreateNoteResponse:
        raise NotImplementedError

    def threaded(self, request: CreateNoteRequest) -> CreateNoteResponse:
        raise NotImplementedError

    async def lost(self, request: Nowhere) -> CreateNoteResponse:  # noqa: F821 # pyright: ignore[reportUndefinedVariable, reportUnknownParameterType]
        raise NotImplementedError


@pytest.mark.parametrize("name", ["plain", "no_response", "two", "threaded"])
def test_a_signature_with_half_of_its_envelopes_is_refused_with_what_to_write(name: str) -> None:
    with pytest.raises(ContractError, match=r"must take one Request\[…\] and return a Response"):
        read_envelopes(vars(Wrong)[name].__get__(Wrong()))


def test_an_operation_without_a_result_type_is_refused() -> None:
    async def untyped(payload: NotePayload):
        raise NotImplementedError(payload)

    with pytest.raises(ContractError, match="untyped has no result type; annotate what it returns, with `-> None`"):
        read_envelopes(cast("MethodType", untyped))


def test_a_type_that_is_nowhere_is_named() -> None:
    with pytest.raises(ContractError, match="name 'Nowhere' is not defined; import the type"):
        read_envelopes(vars(Wrong)["lost"].__get__(Wrong()))


def wrapped(function: Any) -> Any:
    envelopes = read_envelopes(function)
    assert envelopes is not None
    return wrap_in_envelope(function, envelopes)


async def test_the_request_says_who_asks_by_the_call_and_nothing_that_a_caller_wrote() -> None:
    notes = Notes()
    body = wrapped(notes.create_note)
    made = tool(body, name="create_note", description="Write a note.")
    payload = CreateNotePayload(title="x")

    call = await make_call(made, conversation="talk")
    first = await body(Frame(call.caller), payload)
    await body(Frame(call.caller), payload)
    assert first == NotePayload(number=1, title="x", tags=[])
    one, two = notes.requests
    assert (one.user_id, one.session_id, one.payload) == ("ada", "talk", payload)
    assert isinstance(one.request_id, UUID)
    assert one.request_id == two.request_id


async def test_a_method_that_asks_for_a_context_gets_it() -> None:
    seen: list[object] = []

    class Domain:
        async def create_note(self, ctx: LeafContext, request: CreateNoteRequest) -> CreateNoteResponse:
            seen.append(ctx)
            return CreateNoteResponse.completed(request, NotePayload(number=1, title="", tags=[]))

    frame, domain = Frame((await make_call(tool(Notes().count_notes))).caller), Domain()
    await wrapped(domain.create_note)(frame, CreateNotePayload(title="x"))
    assert seen == [frame]


class NoteResponse(Response[NotePayload]):
    """Has a note."""


def test_a_completed_response_is_opened_to_its_payload() -> None:
    payload = NotePayload(number=1, title="x", tags=[])
    assert unwrap_response(NoteResponse(request_id=uuid4(), payload=payload)) is payload


def test_a_failed_one_raises_its_error() -> None:
    failed = NoteResponse(request_id=uuid4(), status=Status.FAILED, error=Failure(code="NOT_FOUND", message="no"))
    with pytest.raises(NotFoundError, match="no"):
        unwrap_response(failed)


@pytest.mark.parametrize("payload", [None, NotePayload(number=1, title="x", tags=[])])
def test_a_pending_one_says_so_with_what_it_has(payload: NotePayload | None) -> None:
    pending = NoteResponse(request_id=uuid4(), status=Status.PENDING, payload=payload)
    reply = unwrap_response(pending)
    assert isinstance(reply, Reply)
    held = payload and payload.model_dump()
    expected = {"status": "PENDING", "request_id": str(pending.request_id), "payload": held}
    assert (reply.is_pending, json.loads(reply.content)) == (True, expected)


def test_one_that_was_made_without_checks_and_has_no_payload_is_refused() -> None:
    hollow = NoteResponse.model_construct(request_id=uuid4(), status=Status.COMPLETED, payload=None, error=None)
    with pytest.raises(InvalidOutputError, match="has no payload"):
        unwrap_response(hollow)
