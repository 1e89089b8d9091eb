"""Answers requests in envelopes: for a tool by its name, or for a method by its own request."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from types import UnionType
from typing import Any, Final, NamedTuple, Protocol, cast, overload
from uuid import UUID, uuid4

from pydantic import BaseModel, JsonValue, ValidationError

from remit.call.kept_schema import output_of, schema_of
from remit.call.schema import serialize_content
from remit.core.checks import check_method, check_text
from remit.core.names import as_normalized
from remit.dispatch.registry import AnyCallee
from remit.engine.request import read_metadata
from remit.engine.result import Result, RunResult
from remit.errors import (
    InvalidArgumentsError,
    InvalidOutputError,
    RemitError,
    RequestConflictError,
    RequestDeniedError,
    RequestError,
    RequestNotFoundError,
    error_from_reply,
)
from remit.inventory.definition import MethodDefinition
from remit.inventory.envelope import (
    Request,
    Response,
    ToolRequest,
    ToolRequestPayload,
    ToolResponse,
    ToolResponsePayload,
    payload_model_of,
)
from remit.inventory.methods import PAYLOAD_OF_FAILED, read_pending
from remit.inventory.operations import Operations
from remit.record.arguments import Arguments, parse_arguments
from remit.record.principal import Principal, check_principal
from remit.record.target import as_target
from remit.schemas.suggestions import suggest


class HasOperations(Protocol):
    """An application, with its operations if it has an inventory."""

    @property
    def operations(self) -> Operations | None:
        """Code and inventory."""
        ...


class CallsByName(Protocol):
    """A runtime of an application: it calls tools by name and methods by key."""

    @property
    def app(self) -> HasOperations:
        """The application."""
        ...

    async def call_by_name(
        self,
        name: str,
        arguments: Arguments | Mapping[str, object],
        *,
        by: Principal,
        conversation: str = "",
        idempotency_key: str = "",
        target: str = "",
        metadata: Mapping[str, JsonValue] = ...,
    ) -> RunResult[Any]:
        """Call a tool or a method."""
        ...


class TakesCalls(Protocol):
    """An open run: it makes the calls that it is given."""

    @property
    def conversation(self) -> str:
        """Its conversation; empty without one."""
        ...

    @property
    def target(self) -> str:
        """The target of its calls; empty without one."""
        ...

    def belongs_to(self, principal: Principal, /) -> bool:
        """Whether the principal opened the run. Its calls are made as that principal."""
        ...

    async def call(
        self, tool: str, arguments: Arguments | Mapping[str, object] | str, /, *, key: str = ""
    ) -> Result[Any]:
        """Call a tool or a method."""
        ...


class _Asked(NamedTuple):
    """A parsed request: its callee and its arguments; ``method`` is None for a tool by name."""

    request: Request[Any]
    name: str
    arguments: Arguments | Mapping[str, object]
    method: MethodDefinition | None


@overload
async def handle_request(
    runtime: CallsByName, request: ToolRequest, *, by: Principal, target: str = "", run: TakesCalls | None = None
) -> ToolResponse: ...
@overload
async def handle_request(
    runtime: CallsByName,
    request: Request[Any] | Mapping[str, object],
    *,
    by: Principal,
    target: str = "",
    method: str = "",
    run: TakesCalls | None = None,
) -> Response[Any]: ...
async def handle_request(
    runtime: CallsByName,
    request: Request[Any] | Mapping[str, object],
    *,
    by: Principal,
    target: str = "",
    method: str = "",
    run: TakesCalls | None = None,
) -> Response[Any]:
    """Make the requested call and return the response, which is PENDING while a question is open.

    ``request`` is a `ToolRequest`, which names a tool, or the request of a method, like ``CreateCasefileRequest``. It
    may be a dict from JSON, whose ``operation``, or ``method`` with the key of a method, identifies it. The session of
    the request is the conversation of the call, its id the idempotency key, and its metadata is kept in the header of
    the run. To get the outcome, send the request again once its questions are decided.

    With ``run``, the open run of the session, the request makes a call of that run, with the id of the request as its
    key. The run already has its conversation, target and metadata: a request for another session or target is refused.

    Every error of the request or the call is a FAILED response with the error's code, even if ``request`` is not a
    request.

    Raises:
        SetupError: an argument other than ``request`` has the wrong type.
    """
    check_method("handle_request: runtime", runtime, "call_by_name", "give a Runtime")
    check_principal("by", by)
    check_text("method", method)
    if run is not None:
        check_method("handle_request: run", run, "call", "give an OpenRun, or leave it out")
    try:
        asked = _read(request, runtime.app.operations, method)
    except RemitError as error:
        return _fail_unread(request, error, _find_response(request, runtime.app.operations, method))
    try:
        return _respond(asked, runtime.app.operations, await _call(runtime, asked, by, target, run))
    except RemitError as error:
        return _response_type(asked.method).failed(asked.request, error)


async def _call(runtime: CallsByName, asked: _Asked, by: Principal, target: str, run: TakesCalls | None) -> Result[Any]:
    request = asked.request
    if as_normalized("user_id", request.user_id, RequestError) != by.name:
        raise RequestDeniedError(
            f"request {request.request_id} names the user {request.user_id!r}, but {by.name!r} sends it"
        )
    if run is not None and not run.belongs_to(by):
        raise RequestDeniedError(f"the open run does not belong to {by.name!r}, who sends request {request.request_id}")
    if run is not None:
        _check_fits(run, request, target)
        return await run.call(asked.name, asked.arguments, key=str(request.request_id))
    return await runtime.call_by_name(
        asked.name,
        asked.arguments,
        by=by,
        conversation=request.session_id or "",
        idempotency_key=str(request.request_id),
        target=target,
        metadata=request.metadata,
    )


def _check_fits(run: TakesCalls, request: Request[Any], target: str) -> None:
    """Refuse a request for another session or another target than those of an open run.

    Raises:
        RequestConflictError: names both.
    """
    asked = {"session_id": request.session_id or "", "target": target and as_target("target", target, RequestError)}
    for (name, value), own in zip(asked.items(), (run.conversation, run.target), strict=True):
        if value and value != own:
            raise RequestConflictError(
                f"request {request.request_id} has the {name} {value!r}, but its open run has "
                f"{(own and repr(own)) or 'none'}; leave out {name}, or send the request without run="
            )


def _read(request: Request[Any] | Mapping[str, object], operations: Operations | None, method: str) -> _Asked:
    """Parse a request.

    Raises:
        RequestError: it is not a request, or there is no such method.
    """
    given = request
    tool_request = ToolRequest if operations is None else operations.tool_request
    if not isinstance(cast("object", request), (Mapping, Request)):
        what = "read its JSON into a dict" if isinstance(request, (str, bytes)) else "give a ToolRequest, or its JSON"
        raise RequestError(f"the request is {request!r:.100}; {what}")
    if isinstance(request, Mapping):
        definition = _find_method(operations, method, request.get("operation", ""))
        read_metadata(request.get("metadata"))
        request = _read_envelope(request, tool_request if definition is None else definition.request)
    else:
        _check_made(request)
        is_for_tool = isinstance(request, ToolRequest) and not method
        definition = None if is_for_tool else _find_method(operations, method, request.operation)
        if definition is not None and not isinstance(request, definition.request):
            name = definition.request.__name__
            raise RequestError(f"{type(request).__name__} is not a {name}; give one, or its JSON as a dict")
    read_metadata(request.metadata)
    if definition is None and isinstance(request, ToolRequest):
        return _Asked(request, request.payload.tool_name, request.arguments(), None)
    if operations is None or definition is None:
        names = [] if operations is None else [each.name for each in operations.methods.values()]
        hint = suggest(request.operation, names, "write method=…, its key")
        raise RequestNotFoundError(f"no method has the operation {request.operation!r}; {hint}")
    key = definition.metadata.key
    if key not in operations.method_callees:
        names = ", ".join(each.name for each in operations.find_tools_of(key))
        raise RequestError(f"the method {key} is called by its tools ({names}); send a ToolRequest for one of them")
    return _Asked(request, key, _dump_payload(definition, request.payload, is_made=request is given), definition)


def _dump_payload(definition: MethodDefinition, payload: object, *, is_made: bool) -> Arguments:
    """The arguments of a method. Those of a made request are all its contents, those of JSON what its sender wrote.

    A request therefore stays the same whenever it is sent: defaults that are computed for JSON are not part of it.
    """
    schema = definition.contract.schema_in
    checked = schema.check_payload(payload)
    if not schema.computes_defaults:
        return schema.dump_arguments(checked)
    if not is_made:
        with suppress(InvalidArgumentsError):
            return parse_arguments(schema.dump_given(checked))
    return schema.dump_arguments(checked.model_copy(update=dict(checked)))


def _check_made(request: Request[Any]) -> None:
    """Refuse a request that was made without a check of its fields, by ``model_construct``.

    Raises:
        RequestError: names the field.
    """
    values = vars(request)
    for name, kind, what in _FIELDS:
        if not isinstance(values.get(name), kind):
            raise RequestError(f"{name} of the {type(request).__name__} is {values.get(name)!r:.100}; give {what}")
    payload, is_whole = values.get("payload"), "payload" in values  # the schema of a method checks its payload
    if isinstance(request, ToolRequest):
        asked = vars(payload) if isinstance(payload, ToolRequestPayload) else {}
        is_whole = isinstance(asked.get("tool_name"), str) and isinstance(asked.get("parameters"), Mapping)
    if not is_whole:
        what = "a ToolRequestPayload" if isinstance(request, ToolRequest) else "an object of its model"
        raise RequestError(f"payload of the {type(request).__name__} is {payload!r:.100}; give {what}")


_FIELDS: Final[tuple[tuple[str, type | UnionType, str], ...]] = (
    ("request_id", UUID, "a UUID"),
    ("session_id", str | None, "a string or None"),
    ("user_id", str, "a string"),
    ("operation", str, "a string"),
)


def _find_method(operations: Operations | None, key: str, operation: object) -> MethodDefinition | None:
    """The method with that key, or the one with that operation; None if a tool is asked for."""
    methods: Mapping[str, MethodDefinition] = {} if operations is None else operations.methods
    if key:
        if key not in methods:
            raise RequestNotFoundError(f"the inventory has no method {key!r}; {suggest(key, methods)}")
        return methods[key]
    found = [each for each in methods.values() if each.name == operation]
    if len(found) > 1:
        keys = " or ".join(repr(each.metadata.key) for each in found)
        raise RequestError(f"several methods have the operation {operation!r}; write method={keys}")
    return found[0] if found else None


def _read_envelope(request: Mapping[str, object], model: type[Request[Any]]) -> Request[Any]:
    """Read a request as strictly as the arguments of a tool are read."""
    schema = schema_of(model)
    try:
        return schema.read(serialize_content({**request}))
    except (InvalidOutputError, ValueError, RecursionError) as error:
        why = str(error.__cause__) if isinstance(error, InvalidOutputError) else schema.explain(error)
        raise RequestError(f"the request does not fit {model.__name__}: {why}") from error


def _respond(asked: _Asked, operations: Operations | None, result: Result[Any]) -> Response[Any]:
    """The response for the outcome of a call."""
    reply, request, response = result.reply, asked.request, _response_type(asked.method)
    if reply is None:
        return response.pending(request, result.questions)
    method = _method_of_tool(operations, asked.name) if asked.method is None else asked.method
    if reply.outcome != "ok":
        failed = response.failed(request, error_from_reply(reply.content))  # the same when it is sent again
        return failed if method is None or method.envelopes is None else _with_payload(failed)
    is_pending, waiting = read_pending(method and method.envelopes, reply.content)
    if is_pending:
        return response.pending(request, payload=None if waiting is None else _as_payload(response, waiting))
    value = _load_result(result.callee, reply.content) if asked.method is None else result.value()
    return response.completed(request, _as_payload(response, value))


def _with_payload(failed: Response[Any]) -> Response[Any]:
    """A FAILED response with the method's payload, which its error carried."""
    details = {**failed.error.details} if failed.error is not None else {}
    if failed.error is None or PAYLOAD_OF_FAILED not in details:
        return failed
    try:
        payload = _as_payload(type(failed), details.pop(PAYLOAD_OF_FAILED))
    except InvalidOutputError:  # the method raised an error with a detail of that name
        return failed
    return failed.model_copy(update={"payload": payload, "error": failed.error.model_copy(update={"details": details})})


def _load_result(callee: AnyCallee, content: str) -> JsonValue:
    """The result of a tool as JSON. A text stays a text, even if it looks like JSON."""
    try:
        return callee.schema_out.load_json(content)
    except ValueError:
        return content  # the result of another callee, which ended the run


def _as_payload(response: type[Response[Any]], value: object) -> BaseModel:
    payload_type = payload_model_of(response)
    if issubclass(payload_type, ToolResponsePayload):
        return payload_type.model_validate({"result": value})
    try:
        return value if isinstance(value, payload_type) else payload_type.model_validate(value)
    except ValidationError as error:
        why = output_of(payload_type).explain(error)
        raise InvalidOutputError(f"the recorded payload does not fit {payload_type.__name__}: {why}") from error


def _method_of_tool(operations: Operations | None, name: str) -> MethodDefinition | None:
    definition = None if operations is None else operations.tools.get(name) or operations.programs.get(name)
    return None if definition is None else definition.method


def _response_type(method: MethodDefinition | None) -> type[Response[Any]]:
    return ToolResponse if method is None else method.response


def _find_response(
    request: Request[Any] | Mapping[str, object], operations: Operations | None, method: str
) -> type[Response[Any]]:
    """The type of the response to an unreadable request: its method's response if it names a known method."""
    operation = _fields_of(request).get("operation", "")
    with suppress(RemitError):
        return _response_type(_find_method(operations, method, operation))
    return ToolResponse


def _fields_of(request: object) -> Mapping[str, object]:
    """The fields of a possible request."""
    if isinstance(request, Mapping):
        return cast("Mapping[str, object]", request)
    return vars(request) if isinstance(request, Request) else {}


def _fail_unread(
    request: Request[Any] | Mapping[str, object], error: RemitError, response: type[Response[Any]]
) -> Response[Any]:
    """The response to an invalid request, with its id and its metadata if it has them."""
    given = _fields_of(request)
    try:
        ident = UUID(str(given.get("request_id")))
    except ValueError:
        ident = uuid4()
    try:
        metadata = read_metadata(given.get("metadata"))
    except RequestError:
        metadata = {}
    return response.failed_as(ident, error, metadata)
