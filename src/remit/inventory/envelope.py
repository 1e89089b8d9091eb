"""Request and response envelopes, of methods and of tools called by name.

Those of a method are derived from its signature, unless that names them.
`class CreateNote(Request[NotePayload], operation="create_note")` is the whole definition of one: the literal type of
``operation`` comes from the class statement.
"""

from __future__ import annotations

import enum
import typing
from collections.abc import Mapping
from types import new_class
from typing import Any, Final, Generic, Literal, Protocol, Self, TypeVar, Unpack
from uuid import UUID, uuid4

from pydantic import BaseModel, ConfigDict, Field, JsonValue, RootModel, TypeAdapter, ValidationError, model_validator

from remit.contracts.arguments import Arguments
from remit.contracts.principal import Principal, check_principal
from remit.contracts.reply import Reply
from remit.core.checks import check_instance, check_method
from remit.core.names import as_normalized
from remit.engine.result import RunResult
from remit.errors import CallError, ContractError, RequestDeniedError, RequestError, error_from_reply
from remit.schemas.jsontext import compact_json
from remit.schemas.mistakes import describe_mistake

P = TypeVar("P", bound=BaseModel)
_JSON_VALUE: Final = TypeAdapter[JsonValue](JsonValue, config=ConfigDict(defer_build=True))


class Request(BaseModel, Generic[P]):
    """A request to a method: payload, user, and an id that serves as idempotency key."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    request_id: UUID = Field(default_factory=uuid4)
    session_id: str | None = None
    user_id: str
    operation: str = Field(default="", min_length=1, validate_default=True)
    payload: P

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
        """The error raised for a Python caller."""
        details = f"; {compact_json(self.details)}" if self.details else ""
        return error_from_reply(compact_json({"error": f"{self.message}{details}", "errorCode": self.code}))


class Response(BaseModel, Generic[P]):
    """The response of a method. COMPLETED has a payload, FAILED has an error and may have a payload."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    request_id: UUID
    status: Status = Status.COMPLETED
    payload: P | None = None
    error: Failure | None = None

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
        return cls(request_id=request.request_id, payload=payload)

    @classmethod
    def failed(cls, request: Request[Any], error: CallError) -> Self:
        """A failed response to ``request``."""
        failure = Failure(code=error.code, message=error.message)
        return cls(request_id=request.request_id, status=Status.FAILED, error=failure)


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

    def arguments(self) -> Arguments:
        """The arguments of the requested call."""
        parameters = self.payload.parameters
        return Arguments(compact_json(parameters), dict(parameters))


class ToolResponsePayload(BaseModel):
    """The result of the tool as JSON."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    result: JsonValue = None


class ToolResponse(Response[ToolResponsePayload]):
    """The response to a request for a tool. ``questions``: the ids of those that are open, while it is PENDING."""

    questions: list[str] = Field(default_factory=list[str])

    @classmethod
    def for_reply(cls, request: ToolRequest, reply: Reply | None, *, questions: tuple[str, ...] = ()) -> Self:
        """The response for a reply; without a reply it is PENDING until ``questions`` are decided."""
        if reply is None:
            return cls(request_id=request.request_id, status=Status.PENDING, questions=list(questions))
        if reply.outcome != "ok":
            return cls.failed(request, reply.error or error_from_reply(reply.content))
        return cls.completed(request, ToolResponsePayload(result=_parse_content(reply.content)))


def _parse_content(content: str) -> JsonValue:
    """The value of a reply's content: parsed JSON, else the text itself."""
    try:
        return _JSON_VALUE.validate_json(content)
    except ValueError:
        return content


class CallsByName(Protocol):
    """Calls tools by name: a runtime, or a client of one."""

    async def call_by_name(
        self,
        name: str,
        arguments: Arguments,
        *,
        by: Principal,
        conversation: str = "",
        idempotency_key: str = "",
        target: str = "",
    ) -> RunResult[Any]:
        """Call a tool by its name."""
        ...


def _read_request(request: ToolRequest | Mapping[str, object]) -> ToolRequest:
    """The request, validated if it is a mapping that was read from JSON."""
    if not isinstance(request, Mapping):
        check_instance("handle_request: request", request, ToolRequest, "give a ToolRequest, or its JSON as a dict")
        return request
    try:
        return ToolRequest.model_validate({**request})
    except ValidationError as error:
        found = "; ".join(describe_mistake(each) for each in error.errors(include_url=False))
        raise RequestError(f"the request is no ToolRequest: {found}") from error


async def handle_request(
    runtime: CallsByName, request: ToolRequest | Mapping[str, object], *, by: Principal, target: str = ""
) -> ToolResponse:
    """Call the requested tool and return the response, which is PENDING while a question is open.

    ``request`` may be a dict that was read from JSON. The session of the request is the conversation of the call, and
    its id the idempotency key. To get the outcome, send the request again once its questions are decided.

    Raises:
        RequestError: the JSON is no request, ``by`` is not its user, or the application has no such tool.
    """
    check_method("handle_request: runtime", runtime, "call_by_name", "give a Runtime")
    request = _read_request(request)
    check_principal("by", by)
    if as_normalized("user_id", request.user_id) != by.name:
        raise RequestDeniedError(
            f"request {request.request_id} names the user {request.user_id!r}, but {by.name!r} sends it"
        )
    result = await runtime.call_by_name(
        request.payload.tool_name,
        request.arguments(),
        by=by,
        conversation=request.session_id or "",
        idempotency_key=str(request.request_id),
        target=target,
    )
    return ToolResponse.for_reply(request, result.reply, questions=result.questions)
