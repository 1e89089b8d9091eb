"""A method: a typed async operation of a domain class, from which tools are derived.

`method` marks it and changes nothing: a direct call costs what it cost. What it takes and gives is read from its types.
"""

from __future__ import annotations

import inspect
import sys
import typing
from collections.abc import Awaitable, Callable, Collection
from types import FunctionType, MethodType
from typing import Any, Final, NamedTuple, TypeVar, cast, overload
from uuid import UUID
from weakref import WeakKeyDictionary, WeakSet

from pydantic import BaseModel

from remit.contracts.callee import Context, LeafContext
from remit.contracts.facts import Facts
from remit.contracts.question import digest
from remit.contracts.reply import Reply
from remit.core.frozen import frozen
from remit.errors import ContractError, OutputError
from remit.inventory.envelope import Request, Response, Status, payload_of
from remit.schemas.docstring import read_docstring

F = TypeVar("F", bound=Callable[..., Awaitable[Any]])
E = TypeVar("E", "Request[Any]", "Response[Any]")


class Mark(NamedTuple):
    """What `method` says of a function: of a foreign API or not, and its facts where no inventory has them."""

    external: bool = False
    facts: Facts | None = None


_MARKS: Final = WeakKeyDictionary[Callable[..., Any], Mark]()
_GIVEN: Final = WeakSet[Callable[..., Any]]()
"""The marked functions of the classes whose objects some `Operations` was given."""


@overload
def method(function: F, /) -> F: ...
@overload
def method(*, external: bool = False, facts: Facts | None = None) -> Callable[[F], F]: ...
def method(
    function: Callable[..., Awaitable[Any]] | None = None, /, *, external: bool = False, facts: Facts | None = None
) -> Any:
    """Mark an async method of a domain class as an operation: ``@method``, ``@method(external=True)``.

    It takes a `Request` and gives a `Response`, each of a payload model. One that is ``external`` speaks to a foreign
    API and takes and gives plain payloads. ``facts`` is for programs without an inventory; they are classified.

    Raises:
        ContractError: it is not async, or its facts have no classification.
    """

    def mark(function: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        if not inspect.iscoroutinefunction(function):
            raise ContractError(f"{function!r} is not async: write `async def`, a method is awaited")
        if facts is not None and facts.classification is None:
            raise ContractError(f"{function.__qualname__}: give its facts a classification, its key begins with it")
        _MARKS[function] = Mark(external, facts)
        return function

    return mark if function is None else mark(function)


def methods_of(domain: object) -> dict[str, tuple[MethodType, Mark]]:
    """The methods of a domain object that are marked, bound to it, by name."""
    _GIVEN.update(each for kind in type(domain).__mro__ for each in vars(kind).values() if _marked(each))
    found: dict[str, tuple[MethodType, Mark]] = {}
    for name, function in inspect.getmembers(type(domain), inspect.isfunction):
        mark = _MARKS.get(function)
        if mark is not None:
            found[name] = (MethodType(function, domain), mark)
    return found


def _marked(value: object) -> bool:
    return isinstance(value, FunctionType) and value in _MARKS


def forgotten(packages: Collection[str]) -> list[FunctionType]:
    """The marked methods of classes in those top packages whose objects were given to nobody in this process.

    What a name with an underscore first says is nobody else's, and an abstract class has no objects: both are left out.
    """
    loaded = [each for each in _MARKS if isinstance(each, FunctionType) and each not in _GIVEN]
    found = [each for each in loaded if each.__module__.partition(".")[0] in packages and _is_there(each)]
    return sorted(found, key=lambda each: (each.__module__, each.__code__.co_firstlineno))


def _is_there(function: FunctionType) -> bool:
    """Whether its module has a class that has it."""
    owner, _, name = function.__qualname__.rpartition(".")
    kind = vars(sys.modules.get(function.__module__, sys)).get(owner)
    if owner.startswith("_") or not isinstance(kind, type) or inspect.isabstract(kind):
        return False
    return vars(kind).get(name) is function


class Parameter(NamedTuple):
    """One parameter of a method, as its payload says it."""

    name: str
    type: str
    required: bool
    schema: dict[str, Any]


@frozen
class MethodModels:
    """The types of a method; request and response are None where payloads are plain."""

    request: type[Request[Any]] | None
    payload: type[BaseModel] | None
    response: type[Response[Any]] | None
    result: Any
    context: object


def read_models(function: FunctionType | MethodType, *, external: bool) -> MethodModels:
    """The types that a method's signature says.

    Raises:
        ContractError: they are not those of a method.
    """
    name = function.__name__
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except NameError as error:
        raise ContractError(f"{name}: {error}; import the type where the method is defined") from error
    result = hints.pop("return", None)
    kinds = [hints[each] for each in inspect.signature(function).parameters if each in hints]
    context: object = kinds.pop(0) if kinds and kinds[0] in (LeafContext, Context) else None
    if external:
        return MethodModels(request=None, payload=None, response=None, result=result, context=context)
    request = _kind(kinds[0], Request[Any]) if len(kinds) == 1 else None
    response = _kind(result, Response[Any])
    if request is None or response is None:
        raise ContractError(
            f"{name} takes one Request[…] and gives a Response[…]; mark what speaks to a foreign API external=True"
        )
    payload, given = payload_of(request), payload_of(response)
    return MethodModels(request=request, payload=payload, response=response, result=given, context=context)


def _kind(kind: object, envelope: type[E]) -> type[E] | None:
    """``kind``, if it is an envelope of that sort."""
    sort = next(each for each in envelope.__mro__ if each in {Request, Response})
    return cast("type[E]", kind) if isinstance(kind, type) and issubclass(kind, sort) else None


def enveloped(function: MethodType, models: MethodModels) -> Callable[..., Awaitable[Any]]:
    """The body of a tool: takes the payload, asks the method with a request around it, and opens its response.

    ``request_id`` is made of the idempotency key of the call, so it is the same in each attempt. Nothing that a caller
    wrote says who asks, or in which session.
    """
    request = models.request
    assert request is not None  # noqa: S101 - for the type checker: whoever asks has looked
    context = () if models.context is None else (models.context,)

    async def body(ctx: LeafContext, payload: BaseModel) -> Any:
        asked = request(
            request_id=UUID(digest(ctx.key)),
            session_id=ctx.caller.conversation or None,
            user_id=ctx.caller.principal.name,
            payload=payload,
        )
        return opened(await function(*((ctx,) if context else ()), asked))

    body.__name__ = function.__name__
    body.__annotations__ = {"ctx": models.context or LeafContext, "payload": models.payload, "return": models.result}
    return body


def opened(response: Response[Any]) -> object:
    """What a response gives: its payload, or a reply that says that it is pending.

    Raises:
        CallError: the one that a FAILED response names.
        OutputError: a COMPLETED response without a payload.
    """
    if response.error is not None:
        raise response.error.error()
    if response.status is Status.PENDING:
        held = None if response.payload is None else response.payload.model_dump(mode="json", by_alias=True)
        return Reply.of({"status": "PENDING", "request_id": str(response.request_id), "payload": held})
    if response.payload is None:
        raise OutputError("the response is COMPLETED and has no payload")
    return response.payload


def description_of(function: FunctionType | MethodType) -> str:
    """What the docstring says, without its sections."""
    return read_docstring(function.__doc__)[0]
