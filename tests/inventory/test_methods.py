"""A method: marked and unchanged, its types read, asked through an envelope and opened again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import pytest

from figures.notebook import CreateNotePayload, CreateNoteRequest, CreateNoteResponse, NotePayload, Notes, Weather
from remit import Context, LeafContext, tool
from remit.errors import ContractError, InvalidOutputError, NotFoundError
from remit.inventory.envelope import Failure, Response, Status
from remit.inventory.methods import method, methods_of, read_models, unwrap_response, wrap_in_envelope
from remit.layers import Reply
from remit.testing import make_call
from remit.tools import Caller, Facts


def test_a_mark_changes_nothing_of_a_method() -> None:
    async def create_note(self: object) -> None:
        """Write."""

    assert method(create_note) is create_note
    assert method(external=True)(create_note) is create_note


def test_the_marked_methods_of_an_object_are_bound_to_it() -> None:
    notes = Notes()
    found = methods_of(notes)
    assert sorted(found) == ["create_note", "read_note"]
    assert found["create_note"][0].__self__ is notes
    assert not found["create_note"][1].external
    assert methods_of(Weather())["forecast"][1].external


def test_what_is_not_async_cannot_be_a_method() -> None:
    with pytest.raises(ContractError, match="define it with `async def`"):

        @method  # pyright: ignore[reportArgumentType, reportUntypedFunctionDecorator]
        def create_note() -> None:
            """Write."""


def test_facts_in_a_decorator_are_classified() -> None:
    with pytest.raises(ContractError, match="its facts need a classification"):

        @method(facts=Facts())
        async def create_note() -> None:
            """Write."""


def test_its_types_are_read_from_its_signature_though_annotations_are_text() -> None:
    models = read_models(Notes().create_note, external=False)
    assert (models.request, models.payload) == (CreateNoteRequest, CreateNotePayload)
    assert (models.response, models.result_type) == (CreateNoteResponse, NotePayload)
    assert models.context_type is None


@pytest.mark.parametrize("kind", [LeafContext, Context])
def test_a_context_may_come_first(kind: type) -> None:
    class Domain:
        async def create_note(self, ctx: Any, request: CreateNoteRequest) -> CreateNoteResponse:
            raise NotImplementedError

    Domain.create_note.__annotations__["ctx"] = kind
    assert read_models(Domain().create_note, external=False).context_type is kind


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

    async def lost(self, request: Nowhere) -> CreateNoteResponse:  # noqa: F821 # pyright: ignore[reportUndefinedVariable, reportUnknownParameterType]
        raise NotImplementedError


@pytest.mark.parametrize("name", ["plain", "no_response", "two"])
def test_one_without_envelopes_is_refused_with_what_to_write(name: str) -> None:
    with pytest.raises(ContractError, match=r"must take one Request\[…\] and return a Response"):
        read_models(vars(Wrong)[name].__get__(Wrong()), external=False)


def test_a_type_that_is_nowhere_is_named() -> None:
    with pytest.raises(ContractError, match="name 'Nowhere' is not defined; import the type"):
        read_models(vars(Wrong)["lost"].__get__(Wrong()), external=False)


async def test_the_request_says_who_asks_by_the_call_and_nothing_that_a_caller_wrote() -> None:
    notes = Notes()
    body = wrap_in_envelope(notes.create_note, read_models(notes.create_note, external=False))
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
    await wrap_in_envelope(domain.create_note, read_models(domain.create_note, external=False))(
        frame, CreateNotePayload(title="x")
    )
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
    assert reply.value == {"status": "PENDING", "request_id": str(pending.request_id), "payload": held}


def test_one_that_was_made_without_checks_and_has_no_payload_is_refused() -> None:
    hollow = NoteResponse.model_construct(request_id=uuid4(), status=Status.COMPLETED, payload=None, error=None)
    with pytest.raises(InvalidOutputError, match="has no payload"):
        unwrap_response(hollow)
