"""The signature of an operation: plain (``async def renew(self, payload: RenewLoan) -> Loan``), or with envelopes.

The request and response of a plain operation are derived from its signature. Envelopes in the signature are for
operations that respond PENDING or need the id of their request.
"""

from __future__ import annotations

import contextlib
import inspect
import json
import typing
from collections.abc import Awaitable, Callable
from types import FunctionType, MethodType
from typing import Any, Final, TypeVar, cast
from uuid import UUID

from msgspec import Struct
from pydantic import BaseModel, JsonValue

from remit.call.callee import Context, LeafContext
from remit.call.reply import Reply
from remit.errors import ContractError, InvalidOutputError
from remit.inventory.envelope import Failure, Request, Response, Status, payload_model_of
from remit.record.arguments import content_digest
from remit.schemas.docstring import read_docstring

E = TypeVar("E", "Request[Any]", "Response[Any]")
OperationFunction = FunctionType | MethodType
PAYLOAD_OF_FAILED: Final = "payload"
"""The detail of an error that carries the payload of a FAILED response through reply and journal."""


class Envelopes(Struct, frozen=True, kw_only=True):
    """The request type and the response type in the signature of an operation."""

    request: type[Request[Any]]
    response: type[Response[Any]]
    context_type: object


def read_envelopes(function: OperationFunction) -> Envelopes | None:
    """The envelopes in a signature; None if it has none.

    Raises:
        ContractError: the signature has no result type, one envelope without the other, or further parameters, or is
            not async.
    """
    name = function.__name__
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except NameError as error:
        raise ContractError(f"{name}: {error}; import the type where the method is defined") from error
    if "return" not in hints:
        raise ContractError(f"{name} has no result type; annotate what it returns, with `-> None` if that is nothing")
    response = _as_envelope(hints.pop("return", None), Response[Any])
    types = [hints.get(each) for each in inspect.signature(function).parameters]
    context = types.pop(0) if types and types[0] in (LeafContext, Context) else None
    requests = [_as_envelope(each, Request[Any]) for each in types]
    if response is None and not any(requests):
        return None
    if response is None or len(requests) != 1 or requests[0] is None or not inspect.iscoroutinefunction(function):
        raise ContractError(
            f"{name} must take one Request[…] and return a Response[…], with `async def`; "
            "or take and return plain values"
        )
    return Envelopes(request=requests[0], response=response, context_type=context)


def _as_envelope(annotation: object, envelope: type[E]) -> type[E] | None:
    """The annotation as an envelope of this kind, or None."""
    base = next(each for each in envelope.__mro__ if each in {Request, Response})
    return cast("type[E]", annotation) if isinstance(annotation, type) and issubclass(annotation, base) else None


def wrap_in_envelope(function: OperationFunction, envelopes: Envelopes) -> Callable[..., Awaitable[Any]]:
    """A tool body that wraps the payload in a request, calls the operation and unwraps the response.

    ``request_id`` derives from the call's idempotency key, so every attempt has the same. User, session and metadata
    come from the caller, never from the arguments.
    """
    request, context = envelopes.request, envelopes.context_type

    async def body(ctx: LeafContext, payload: BaseModel) -> Any:
        envelope = request(
            request_id=UUID(content_digest(ctx.key)),
            session_id=ctx.caller.conversation or None,
            user_id=ctx.caller.principal.name,
            payload=payload,
            metadata=json.loads(ctx.caller.metadata or "{}"),
        )
        response = await function(*((ctx,) if context else ()), envelope)
        if not isinstance(response, Response):
            name = envelopes.response.__name__
            raise InvalidOutputError(f"{function.__name__} returned {response!r:.80}, which is not a {name}")
        return unwrap_response(cast("Response[Any]", response))

    body.__name__ = function.__name__
    body.__annotations__ = {
        "ctx": context or LeafContext,
        "payload": payload_model_of(request),
        "return": payload_model_of(envelopes.response),
    }
    return body


def unwrap_response(response: Response[Any]) -> object:
    """The payload of a response, or a reply that says it is pending.

    Raises:
        CallError: the error of a FAILED response, whose details carry its payload.
        InvalidOutputError: a COMPLETED response has no payload, or one that would be read as a PENDING response.
    """
    held: object = response.payload
    payload = held.model_dump(mode="json", by_alias=True) if isinstance(held, BaseModel) else None
    if response.error is not None:
        raise _add_payload(response.error, payload).to_error()
    if response.status is Status.PENDING:
        fields = {"status": Status.PENDING.value, "request_id": str(response.request_id), "payload": payload}
        return Reply.pending(fields)
    if response.payload is None:
        raise InvalidOutputError("the response is COMPLETED but has no payload")
    if _is_pending(payload):
        raise InvalidOutputError(
            "the payload of the COMPLETED response would be read as a PENDING response; give it other fields than "
            "status, request_id and payload, or return Response.pending(…)"
        )
    return response.payload


def _add_payload(error: Failure, payload: JsonValue) -> Failure:
    if PAYLOAD_OF_FAILED in error.details:
        raise InvalidOutputError(f"the details of the error have {PAYLOAD_OF_FAILED!r}; give the response that payload")
    details = error.details if payload is None else {**error.details, PAYLOAD_OF_FAILED: payload}
    return error.model_copy(update={"details": details})


def read_pending(envelopes: Envelopes | None, content: str) -> tuple[bool, object]:
    """Whether a method with these envelopes answered that it is pending, with the payload of that answer."""
    found: object = None
    if envelopes is not None:
        with contextlib.suppress(ValueError):  # a layer replaced the text
            found = json.loads(content)
    return _is_pending(found), cast("dict[str, object]", found)["payload"] if _is_pending(found) else None


def _is_pending(content: object) -> bool:
    fields = cast("dict[str, object]", content) if isinstance(content, dict) else {}
    return fields.keys() == _PENDING_FIELDS and fields["status"] == Status.PENDING.value


_PENDING_FIELDS: Final = {"status", "request_id", "payload"}


def description_of(function: OperationFunction) -> str:
    """The docstring without its sections."""
    return read_docstring(function.__doc__)[0]
