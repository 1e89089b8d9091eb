"""Methods: typed async operations of domain classes, from which tools are derived.

`method` marks a function without changing it, so a direct call costs nothing extra. Contracts come from its types.
"""

from __future__ import annotations

import ast
import inspect
import sys
import typing
from collections.abc import Awaitable, Callable, Collection, Iterator
from pathlib import Path
from types import FunctionType, MethodType
from typing import Any, Final, NamedTuple, TypeVar, cast, overload
from uuid import UUID
from weakref import WeakKeyDictionary, WeakSet

from msgspec import Struct
from pydantic import BaseModel

from remit.contracts.callee import Context, LeafContext
from remit.contracts.facts import Facts
from remit.contracts.question import content_digest
from remit.contracts.reply import Reply
from remit.errors import ContractError, InvalidOutputError
from remit.inventory.envelope import Request, Response, Status, payload_model_of
from remit.schemas.docstring import read_docstring
from remit.schemas.finding import display_path

F = TypeVar("F", bound=Callable[..., Awaitable[Any]])
E = TypeVar("E", "Request[Any]", "Response[Any]")


class MethodMark(NamedTuple):
    """The mark of a method: whether it is external, and its facts if no inventory has them."""

    external: bool = False
    facts: Facts | None = None


_MARKS: Final = WeakKeyDictionary[Callable[..., Any], MethodMark]()
_REGISTERED: Final = WeakSet[Callable[..., Any]]()
"""Marked functions of classes whose objects were registered with an `Operations`."""


@overload
def method(function: F, /) -> F: ...
@overload
def method(*, external: bool = False, facts: Facts | None = None) -> Callable[[F], F]: ...
def method(
    function: Callable[..., Awaitable[Any]] | None = None, /, *, external: bool = False, facts: Facts | None = None
) -> Any:
    """Mark an async method of a domain class as an operation: ``@method``, ``@method(external=True)``.

    It takes a `Request` and returns a `Response`, each of a payload model. An ``external`` method calls a foreign API
    and takes and returns plain payloads. ``facts`` is for programs without an inventory and must be classified.

    Raises:
        ContractError: the method is not async, or its facts have no classification.
    """

    def mark(function: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        if not inspect.iscoroutinefunction(function):
            raise ContractError(f"{function!r} is not async; define it with `async def`")
        if facts is not None and facts.classification is None:
            raise ContractError(f"{function.__qualname__}: its facts need a classification, with which its key starts")
        _MARKS[function] = MethodMark(external, facts)
        return function

    return mark if function is None else mark(function)


def methods_of(domain_object: object) -> dict[str, tuple[MethodType, MethodMark]]:
    """The marked methods of a domain object by name, bound to it."""
    _REGISTERED.update(each for kind in type(domain_object).__mro__ for each in vars(kind).values() if is_marked(each))
    found: dict[str, tuple[MethodType, MethodMark]] = {}
    for name, function in inspect.getmembers(type(domain_object), inspect.isfunction):
        mark = _MARKS.get(function)
        if mark is not None:
            found[name] = (MethodType(function, domain_object), mark)
    return found


def is_marked(value: object) -> bool:
    """Whether a value is a function marked as a method."""
    return isinstance(value, FunctionType) and value in _MARKS


def unregistered_methods(packages: Collection[str]) -> list[FunctionType]:
    """Marked methods in these top-level packages of classes whose objects were never registered.

    Methods with a leading underscore and abstract classes are ignored.
    """
    unregistered = [each for each in _MARKS if isinstance(each, FunctionType) and each not in _REGISTERED]
    found = [
        each for each in unregistered if each.__module__.partition(".")[0] in packages and _is_defined_in_class(each)
    ]
    return sorted(found, key=lambda each: (each.__module__, each.__code__.co_firstlineno))


def unimported_methods(package: Path) -> list[tuple[str, str]]:
    """Place and name of functions marked ``@method`` in modules of the package at this folder that are not imported."""
    if not (package / "__init__.py").exists():
        return []
    imported = {getattr(each, "__file__", None) for each in list(sys.modules.values())}
    sources = [(file, file.read_bytes()) for file in sorted(package.rglob("*.py")) if str(file) not in imported]
    return [
        (f"{display_path(file)}:{line}", name)
        for file, source in sources
        if b"@method" in source
        for line, name in _marked_in_source(source)
    ]


def _marked_in_source(source: bytes) -> Iterator[tuple[int, str]]:
    """Line and name of the functions that a source marks ``@method``."""
    for owner in (each for each in ast.parse(source).body if isinstance(each, ast.ClassDef)):
        for each in owner.body:
            if isinstance(each, ast.AsyncFunctionDef):
                marks = [mark.func if isinstance(mark, ast.Call) else mark for mark in each.decorator_list]
                if any(isinstance(mark, ast.Name) and mark.id == "method" for mark in marks):
                    yield each.lineno, f"{owner.name}.{each.name}"


def _is_defined_in_class(function: FunctionType) -> bool:
    """Whether a class of its module defines the function."""
    owner, _, name = function.__qualname__.rpartition(".")
    owner_class = vars(sys.modules.get(function.__module__, sys)).get(owner)
    if owner.startswith("_") or not isinstance(owner_class, type) or inspect.isabstract(owner_class):
        return False
    return vars(owner_class).get(name) is function


class Parameter(NamedTuple):
    """A parameter of a method, from its payload."""

    name: str
    type: str
    required: bool
    schema: dict[str, Any]


class MethodModels(Struct, frozen=True, kw_only=True):
    """The types of a method; request and response are None for plain payloads."""

    request: type[Request[Any]] | None
    payload: type[BaseModel] | None
    response: type[Response[Any]] | None
    result_type: Any
    context_type: object


def read_models(function: FunctionType | MethodType, *, external: bool) -> MethodModels:
    """Read the types from a method's signature.

    Raises:
        ContractError: the signature is not that of a method.
    """
    name = function.__name__
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except NameError as error:
        raise ContractError(f"{name}: {error}; import the type where the method is defined") from error
    result = hints.pop("return", None)
    parameter_types = [hints[each] for each in inspect.signature(function).parameters if each in hints]
    context: object = (
        parameter_types.pop(0) if parameter_types and parameter_types[0] in (LeafContext, Context) else None
    )
    if external:
        return MethodModels(request=None, payload=None, response=None, result_type=result, context_type=context)
    request = _as_envelope(parameter_types[0], Request[Any]) if len(parameter_types) == 1 else None
    response = _as_envelope(result, Response[Any])
    if request is None or response is None:
        raise ContractError(
            f"{name} must take one Request[…] and return a Response[…]; mark a method that calls "
            "a foreign API external=True"
        )
    payload, response_payload = payload_model_of(request), payload_model_of(response)
    return MethodModels(
        request=request, payload=payload, response=response, result_type=response_payload, context_type=context
    )


def _as_envelope(annotation: object, envelope: type[E]) -> type[E] | None:
    """The annotation as an envelope of this kind, or None."""
    base = next(each for each in envelope.__mro__ if each in {Request, Response})
    return cast("type[E]", annotation) if isinstance(annotation, type) and issubclass(annotation, base) else None


def wrap_in_envelope(function: MethodType, models: MethodModels) -> Callable[..., Awaitable[Any]]:
    """A tool body that wraps the payload in a request, calls the method and unwraps the response.

    ``request_id`` derives from the call's idempotency key, so every attempt has the same. User and session come from
    the caller, never from the arguments.
    """
    request = models.request
    assert request is not None  # noqa: S101 - for the type checker; the caller has checked it
    context = () if models.context_type is None else (models.context_type,)

    async def body(ctx: LeafContext, payload: BaseModel) -> Any:
        envelope = request(
            request_id=UUID(content_digest(ctx.key)),
            session_id=ctx.caller.conversation or None,
            user_id=ctx.caller.principal.name,
            payload=payload,
        )
        return unwrap_response(await function(*((ctx,) if context else ()), envelope))

    body.__name__ = function.__name__
    body.__annotations__ = {
        "ctx": models.context_type or LeafContext,
        "payload": models.payload,
        "return": models.result_type,
    }
    return body


def unwrap_response(response: Response[Any]) -> object:
    """The payload of a response, or a reply that says it is pending.

    Raises:
        CallError: the error of a FAILED response.
        InvalidOutputError: a COMPLETED response has no payload.
    """
    if response.error is not None:
        raise response.error.to_error()
    if response.status is Status.PENDING:
        payload = None if response.payload is None else response.payload.model_dump(mode="json", by_alias=True)
        return Reply.from_value({"status": "PENDING", "request_id": str(response.request_id), "payload": payload})
    if response.payload is None:
        raise InvalidOutputError("the response is COMPLETED but has no payload")
    return response.payload


def description_of(function: FunctionType | MethodType) -> str:
    """The docstring without its sections."""
    return read_docstring(function.__doc__)[0]
