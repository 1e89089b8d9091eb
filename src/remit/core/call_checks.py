"""Checks arguments against signatures and their types, and reports a mismatch in one line with the correction."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from functools import cache, partial, wraps
from itertools import chain, repeat
from types import CoroutineType
from typing import Any, Final, TypeVar

from remit.core.argument_types import Check, Converted, derive_check
from remit.errors import RemitError, RequestError, SetupError
from remit.shown import show_value

C = TypeVar("C", bound=type)
T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

_AWAITABLE: Final = re.compile("Awaitable|Coroutine|Future|Task|Any")
_SYNONYMS: Final = {"user": "by", "principal": "by", "key": "idempotency_key"}
"""Parameter names from other libraries, and Remit's names for them."""
_OF_SEVERAL: Final = {"layer": "layer(Stack(…))", "layer_around": "layer_around(Stack(…))"}
"""The line to write for several values to a method that takes one."""
_POSITIONAL: Final = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def check_arguments(error: type[SetupError] = SetupError, /, **remedies: str) -> Callable[[C], C]:
    """Make a class refuse arguments that do not fit its constructor, and unknown options of its methods.

    The arguments must also be of the types that the constructor declares; see `derive_check`. ``error`` is
    raised for a value of another type. ``remedies`` maps keywords that users may expect to what they should write;
    other keywords get "did you mean …?".
    """

    def decorate(kind: C) -> C:
        initialize: Any = getattr(kind, "__init__")  # noqa: B009 - that of a base perhaps
        types = ArgumentTypes(initialize, kind.__name__, error, kind)

        @wraps(initialize)
        def init_or_explain(self: Any, /, *given: Any, **kwargs: Any) -> None:
            args = (self, *given)
            try:
                if given:
                    args = (self, *types.check_positional(given))
                initialize(*args, **types.check_named(kwargs))
            except TypeError:
                _refuse_misfit(initialize, args, kwargs, remedies)
                raise

        setattr(kind, "__init__", init_or_explain)  # noqa: B010 - pyright forbids to assign to a constructor
        return _replace_methods(kind, _has_options)

    return decorate


class ArgumentTypes(dict[str, tuple[str, Check] | None]):
    """The checks that the annotations of a function imply, by parameter. Each is derived when it is first needed.

    A check is beside the place that its error names. It is None if the type implies none, as does one whose names are
    imported for type checkers only. The function may be the constructor of a class, ``kind``, without its ``self``.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        owner: str,
        error: type[RemitError] = SetupError,
        kind: type | None = None,
    ) -> None:
        super().__init__()
        self._function, self._owner, self._error, self._kind = function, owner, error, kind
        parameters = [*inspect.signature(function).parameters.values()][0 if kind is None else 1 :]
        self._positional = [each.name for each in parameters if each.kind in _POSITIONAL]
        self._rest = [each.name for each in parameters if each.kind is inspect.Parameter.VAR_POSITIONAL]

    def __missing__(self, name: str) -> tuple[str, Check] | None:
        check = derive_check(self.resolve(name))
        if check is not None and self._error is not SetupError:
            check = partial(_check_or_raise, self._error, check)
        self[name] = found = None if check is None else (f"{self._owner}: {name}" if self._owner else name, check)
        return found

    def resolve(self, name: str) -> Any:
        """The type of a parameter; its text if its names cannot be resolved."""
        hint: Any = self._function.__annotations__.get(name, Any)
        try:
            return eval(hint, self._find_globals(name)) if isinstance(hint, str) else hint  # noqa: S307
        except NameError:
            return hint

    def _find_globals(self, name: str) -> dict[str, Any]:
        """The names of the module that declares a parameter: a field of a dataclass can be that of a base."""
        if self._kind is None or "__dataclass_fields__" not in vars(self._kind):
            return self._function.__globals__
        owner = next(each for each in self._kind.__mro__ if name in vars(each).get("__annotations__", ()))
        return vars(sys.modules[owner.__module__])

    def check_named(self, given: dict[str, Any]) -> dict[str, Any]:
        """Check arguments by their name, in place."""
        for name, value in given.items():
            found = self[name]
            if found is not None:
                given[name] = found[1](found[0], value)
        return given

    def check_positional(self, given: Sequence[Any]) -> Sequence[Any]:
        """Check arguments by their position. Those in excess remain as they are."""
        names = chain(self._positional, repeat(self._rest[0])) if self._rest else self._positional
        checked: list[Any] = []
        for name, value in zip(names, given, strict=False):
            found = self[name]
            checked.append(value if found is None else found[1](found[0], value))
        return [*checked, *given[len(checked) :]]


def check_types(function: F) -> F:
    """Make a function or a method refuse arguments of other types than it declares, and what `check_call` refuses.

    Raises:
        SetupError: names the function, the parameter and what to give; see `derive_check`.
    """
    return check_call(function, SetupError)


def _check_or_raise(error: type[RemitError], check: Check, what: str, value: Any) -> Any:
    try:
        return check(what, value)
    except SetupError as refused:
        raise error(refused.message) from None


def check_calls(kind: C) -> C:
    """Apply `check_call` to the public methods that a class defines."""
    return _replace_methods(kind, lambda _method: True)


def check_typed_calls(error: type[RemitError]) -> Callable[[C], C]:
    """Make the public methods that a class defines refuse arguments of other types than they declare.

    They also refuse what `check_call` does. ``error`` is raised for a value of another type. A `RequestError` names the
    parameter alone, because a request has no method.
    """
    return partial(_replace_methods, is_checked=lambda _method: True, error=error)


def _replace_methods(
    kind: C, is_checked: Callable[[Callable[..., Any]], bool], error: type[RemitError] | None = None
) -> C:
    for name, method in list(vars(kind).items()):
        is_public = inspect.isfunction(method) and not name.startswith("_")
        if is_public and not hasattr(method, "__wrapped__") and is_checked(method):
            setattr(kind, name, check_call(method, error))
    return kind


def check_call(method: F, error: type[RemitError] | None = None) -> F:
    """Make a method or a function refuse arguments that its signature, including ``Unpack[…]``, does not allow.

    Awaiting an async generator is refused too.

    Raises:
        SetupError: names the mismatch and the line to write. If ``error`` is given, it is raised for a value of another
            type than the method declares; see `derive_check`.
    """
    function: Any = method
    has_options = _has_options(function)
    owner = "" if error is RequestError else function.__qualname__
    types = None if error is None else ArgumentTypes(function, owner, error)

    def call(args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        if has_options and not kwargs.keys() <= _known_names(function):  # Python would take every option
            _refuse_misfit(function, args, kwargs, {})
        try:
            if types is not None:
                return function(*types.check_positional(args), **types.check_named(kwargs))
            return function(*args, **kwargs)
        except TypeError:
            _refuse_misfit(function, args, kwargs, {})
            raise

    @wraps(function)
    async def await_call(*args: Any, **kwargs: Any) -> Any:
        return await call(args, kwargs)

    @wraps(function)
    def make_call(*args: Any, **kwargs: Any) -> Any:
        made = call(args, kwargs)
        return _Iterated(made, function.__qualname__) if inspect.isasyncgen(made) else made

    # The wrapper of an async function must be async too: Starlette, for example, runs other functions in a thread.
    wrapper: Any = await_call if inspect.iscoroutinefunction(function) else make_call
    return wrapper


def check_callback(what: str, function: object, *parameters: str, is_async: bool | None = None) -> None:
    """Refuse a callback that does not accept ``parameters``, or that is not async or sync as ``is_async`` requires.

    ``what`` ends in the name of the argument. If ``is_async`` is None, both kinds are accepted. A return value that
    only a call reveals, such as that of an object with a plain ``__call__``, is checked by the caller.

    Raises:
        SetupError: says the line to write.
    """
    keyword = "async def" if is_async else "def"
    kind = {True: "an async function", False: "a function that is not async", None: "a function"}[is_async]
    remedy = f"give {kind}, such as `{keyword} {what.rsplit(' ', 1)[-1]}({', '.join(parameters)})`"
    if not callable(function):
        raise SetupError(f"{what} is {show_value(function)}; {remedy}")
    if (is_async and _is_surely_plain(function)) or (is_async is False and _is_async(function)):
        raise SetupError(f"{what} is {show_value(function)}; {remedy}")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some C functions have no signature
        return
    try:
        signature.bind(*parameters)
    except TypeError as error:
        raise SetupError(
            f"{what} is {show_value(function)}, which cannot be called like this ({error}); {remedy}"
        ) from None


def callback(*parameters: str, is_async: bool | None = None) -> Converted:
    """In ``Annotated``: the value of a parameter is a callback, which `check_callback` checks."""
    return Converted(partial(_as_callback, parameters, is_async))


def _as_callback(parameters: tuple[str, ...], is_async: bool | None, what: str, value: T) -> T:  # noqa: FBT001
    check_callback(what, value, *parameters, is_async=is_async)
    return value


def _is_async(function: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)


def _is_surely_plain(function: Callable[..., Any]) -> bool:
    """Whether a call surely returns no awaitable: the callee is a class or a plain function not annotated otherwise."""
    while isinstance(function, partial):
        function = function.func
    inner = inspect.unwrap(function)
    if inspect.isclass(inner):
        return True
    returns = str(getattr(inner, "__annotations__", {}).get("return", ""))
    return inspect.isroutine(inner) and not inspect.iscoroutinefunction(inner) and not _AWAITABLE.search(returns)


def describe_not_async(answer: object) -> str:
    """Say that a function must be async, and what to write."""
    return f"it returned a value of type {type(answer).__name__} at once; declare it `async def`"


def check_awaitable(answer: T) -> T:
    """Refuse a result of an application's function that cannot be awaited.

    Raises:
        TypeError: says what to write. It is reported as a failure of the function.
    """
    kind: type = type(answer)
    if kind is not CoroutineType and not inspect.isawaitable(answer):  # almost always a coroutine
        raise TypeError(describe_not_async(answer))
    return answer


class _Iterated(AsyncGenerator[Any, Any]):
    """An async generator that explains what to write if it is awaited."""

    def __init__(self, items: AsyncGenerator[Any, Any], name: str) -> None:
        self._items, self._name = items, name

    def __aiter__(self) -> AsyncGenerator[Any, Any]:  # noqa: PYI058 - as its base says
        return self._items

    def __await__(self) -> Generator[Any]:
        method = self._name.rpartition(".")[2]
        raise SetupError(f"{self._name} is iterated, not awaited; write async for event in {method}(…)")

    async def asend(self, value: Any, /) -> Any:
        return await self._items.asend(value)

    async def athrow(self, *error: Any) -> Any:
        return await self._items.athrow(*error)

    async def aclose(self) -> None:
        await self._items.aclose()


def _refuse_misfit(
    function: Callable[..., Any], args: Sequence[object], kwargs: Mapping[str, object], remedies: Mapping[str, str]
) -> None:
    """Refuse arguments that do not fit a signature, without showing values, which may be misplaced secrets."""
    parameters, options, is_method = _signature(function)
    name = function.__name__
    if is_method:
        name = type(args[0]).__name__ if name == "__init__" else f"{type(args[0]).__name__}.{name}"
        args = args[1:]
    positional = [each.name for each in parameters if each.kind in _POSITIONAL]
    named = [each.name for each in parameters if each.kind is inspect.Parameter.KEYWORD_ONLY]
    known, given = [*positional, *named, *options], [*positional[: len(args)], *kwargs]
    takes_more = {each.kind for each in parameters if each.name not in known}
    if inspect.Parameter.VAR_KEYWORD not in takes_more or options:
        for unknown in (each for each in kwargs if each not in known):
            raise SetupError(
                f"{name} has no parameter {unknown!r}; {remedies.get(unknown) or _suggest(unknown, known)}"
            )
    needed = [each.name for each in parameters if each.default is each.empty and each.name in known]
    excess = 0 if inspect.Parameter.VAR_POSITIONAL in takes_more else max(0, len(args) - len(positional))
    shown = [each for each in positional if each in needed or each in given]
    shown += [f"{each}=…" for each in [each for each in named if each in needed] or named[:excess]]
    line = f"write {name.rpartition('.')[2]}({', '.join(shown)})"
    if excess:
        count = f"{len(positional)} argument{'s' * (len(positional) != 1)}"
        several = _OF_SEVERAL.get(function.__name__)
        mend = f"write {several}" if several else line
        raise SetupError(f"{name} takes {count} positionally, not {len(args)}; {mend}")
    for twice in (each for each in kwargs if given.count(each) > 1):
        raise SetupError(f"{name}: {twice} is given twice; {line}")
    if missing := [each for each in needed if each not in given]:
        raise SetupError(f"{name}: {', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing; {line}")


def _has_options(method: Callable[..., Any]) -> bool:
    return any(map(_is_unpacked, method.__annotations__.values()))


def _is_unpacked(annotation: object) -> bool:
    return str(annotation).startswith("Unpack[")


@cache
def _signature(function: Callable[..., Any]) -> tuple[tuple[inspect.Parameter, ...], tuple[str, ...], bool]:
    """The parameters of a function, the names of its ``**options: Unpack[Options]``, and whether it is a method.

    The first parameter of a method is left out.
    """
    parameters = tuple(inspect.signature(function).parameters.values())
    is_method = bool(parameters) and parameters[0].name == "self"
    names = [str(each.annotation)[len("Unpack[") : -1] for each in parameters if _is_unpacked(each.annotation)]
    options = tuple(option for each in names for option in function.__globals__[each].__annotations__)
    return parameters[is_method:], options, is_method


@cache
def _known_names(function: Callable[..., Any]) -> frozenset[str]:
    """The names of the options that a method accepts."""
    parameters, options, _ = _signature(function)
    kinds = (*_POSITIONAL, inspect.Parameter.KEYWORD_ONLY)
    return frozenset([*options, *(each.name for each in parameters if each.kind in kinds)])


def _suggest(unknown: str, known: Sequence[str]) -> str:
    if _SYNONYMS.get(unknown) in known:
        return f"did you mean {_SYNONYMS[unknown]}?"
    import difflib  # noqa: PLC0415 - needed for a mistake only

    near = difflib.get_close_matches(unknown, known, n=1)
    return f"did you mean {near[0]}?" if near else f"use {', '.join(known)}"
