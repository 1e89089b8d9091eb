"""Request and response envelopes, of methods and of tools called by name.

A method's envelopes are derived from its signature, unless the signature names them.
`class CreateNote(Request[NotePayload], operation="create_note")` is the whole definition of one: the literal type of
``operation`` comes from the class statement.
"""

from __future__ import annotations

import enum
import typing
from collections.abc import Iterable, Mapping
from types import MappingProxyType, new_class
from typing import Any, Final, Generic, Literal, Self, TypeVar, Unpack, cast
from uuid import UUID, uuid4

from pydantic import BaseModel, ConfigDict, Field, JsonValue, RootModel, model_validator

from remit.chat.wire import replace_surrogates
from remit.errors import CallError, ContractError, RemitError, RequestError, error_from_reply
from remit.schemas.jsontext import compact_json

P = TypeVar("P", bound=BaseModel)
_NO_METADATA: Final[Mapping[str, JsonValue]] = MappingProxyType({})


class Request(BaseModel, Generic[P]):
    """A request to a method: payload, user, and an id that serves as idempotency key.

    ``metadata``, such as a trace id, is for senders of requests and readers of records: it is kept in the header of the
    run, and has no effect.
    """

    model_config = ConfigDict(extra="forbid", defer_build=True)

    request_id: UUID = Field(default_factory=uuid4)
    session_id: str | None = None
    user_id: str
    operation: str = Field(default="", min_length=1, validate_default=True)
    payload: P
    metadata: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])

    def __init_subclass__(cls, operation: str = "", **config: Unpack[ConfigDict]) -> None:
        if operation:
            cls.__annotations__["operation"] = Literal[operation]
            cls.operation = operation
        super().__init_subclass__(**config)


class Status(enum.Enum):
    """The state of a request."""

    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    PENDING = "PENDING"


class Failure(BaseModel):
    """Why a request failed; ``code`` is stable, like those of `remit.errors`."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    code: str = Field(min_length=1)
    message: str
    details: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])

    def to_error(self) -> CallError:
        """The error raised for a Python caller, with code and details."""
        fields = {"error": self.message, "errorCode": self.code, "details": self.details}
        return error_from_reply(compact_json(fields))


class Response(BaseModel, Generic[P]):
    """The response of a method. COMPLETED has a payload, FAILED has an error and may have a payload.

    ``questions``: the ids of the open questions while it is PENDING. ``metadata`` is the request's metadata.
    """

    model_config = ConfigDict(extra="forbid", defer_build=True)

    request_id: UUID
    status: Status = Status.COMPLETED
    payload: P | None = None
    error: Failure | None = None
    questions: list[str] = Field(default_factory=list[str])
    metadata: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])

    @model_validator(mode="after")
    def _check_status(self) -> Self:
        if (self.status is Status.FAILED) is not (self.error is not None):
            raise ValueError("a response has an error if and only if it FAILED")
        if self.status is Status.COMPLETED and self.payload is None:
            raise ValueError("a COMPLETED response has a payload")
        return self

    @classmethod
    def completed(cls, request: Request[Any], payload: P) -> Self:
        """A successful response to ``request``."""
        return cls(request_id=request.request_id, payload=payload, metadata=request.metadata)

    @classmethod
    def failed(cls, request: Request[Any], error: RemitError) -> Self:
        """A failed response to ``request``."""
        return cls.failed_as(request.request_id, error, request.metadata)

    @classmethod
    def failed_as(cls, request_id: UUID, error: RemitError, metadata: Mapping[str, JsonValue] = _NO_METADATA) -> Self:
        """A failed response to the request with that id, even if the request is unreadable."""
        details = (isinstance(error, CallError) and error.details) or {}
        message = replace_surrogates(error.message)
        failure = Failure(code=error.code, message=message, details=cast("dict[str, JsonValue]", details))
        return cls(request_id=request_id, status=Status.FAILED, error=failure, metadata={**metadata})

    @classmethod
    def pending(cls, request: Request[Any], questions: Iterable[str] = (), payload: P | None = None) -> Self:
        """A response that waits until ``questions`` are decided, or for the event that ``payload`` describes."""
        asked, metadata = list(questions), request.metadata
        status = Status.PENDING
        return cls(request_id=request.request_id, status=status, payload=payload, questions=asked, metadata=metadata)


def payload_model_of(envelope: type[Request[Any] | Response[Any]]) -> type[BaseModel]:
    """The payload model of an envelope.

    Raises:
        ContractError: the envelope names none.
    """
    annotation = envelope.model_fields["payload"].annotation
    candidates = [annotation, *typing.get_args(annotation)]
    found = next((each for each in candidates if isinstance(each, type) and issubclass(each, BaseModel)), None)
    if found is None:
        raise ContractError(f"{envelope.__name__} names no payload model; write {envelope.__bases__[0].__name__}[…]")
    return found


def envelope_names(operation: str) -> tuple[str, str]:
    """The names of an operation's request and response."""
    action = "".join(part.capitalize() for part in operation.split("_"))
    return f"{action}Request", f"{action}Response"


def derive_request(operation: str, payload: type[BaseModel]) -> type[Request[Any]]:
    """The request of an operation that takes a plain payload."""
    derived: Any = new_class(envelope_names(operation)[0], (Request[payload],), {"operation": operation})
    return derived


def derive_response(operation: str, result_type: object) -> type[Response[Any]]:
    """The response of an operation that returns a plain result."""
    payload: Any = result_type
    if not (isinstance(payload, type) and issubclass(payload, BaseModel)):
        payload = RootModel[payload]
    derived: Any = new_class(envelope_names(operation)[1], (Response[payload],))
    return derived


class ToolRequestPayload(BaseModel):
    """The tool and its parameters. The caller cannot choose how the tool runs."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    tool_name: str = Field(min_length=1, max_length=64)
    parameters: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])


class ToolRequest(Request[ToolRequestPayload], operation="tool_execution"):
    """A request for a tool by name. Its parameters are validated by the tool's contract."""

    def arguments(self) -> Mapping[str, JsonValue]:
        """The arguments of the requested call."""
        return self.payload.parameters

    def arguments_with(self, **fields: JsonValue) -> Mapping[str, JsonValue]:
        """The parameters, with values from an application's own fields of the request; None adds no value.

        Raises:
            RequestError: a field contradicts the parameter of the same name.
        """
        parameters = self.payload.parameters
        said = {name: value for name, value in fields.items() if value is not None}
        for name, value in said.items():
            if name in parameters and parameters[name] != value:
                other = parameters[name]
                raise RequestError(
                    f"the request says {name} = {value!r:.100}, but its parameters say {other!r:.100}; give it once"
                )
        return {**said, **parameters}


class ToolResponsePayload(BaseModel):
    """The result of the tool as JSON."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    result: JsonValue = None


class ToolResponse(Response[ToolResponsePayload]):
    """The response to a request for a tool."""
