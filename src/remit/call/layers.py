"""`layer_fn` makes a layer from one async function. It is sugar for a class, not a second kind of middleware."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Awaitable, Callable
from types import FunctionType, MethodType
from typing import Any, Concatenate, Final, ParamSpec, cast, overload

from remit.call.call import (
    Call,
    CallLayer,
    CallService,
    ModelLayer,
    ModelService,
    RunsOwnCode,
    StepLayer,
    StepService,
)
from remit.call.reply import Reply
from remit.call.step import StepOutcome, StepRequest
from remit.chat.chat import ChatRequest, Completion
from remit.core.checks import check_instance
from remit.errors import SetupError

P = ParamSpec("P")


class FunctionLayer(RunsOwnCode):
    """The common base of the three kinds of function layers."""

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._function = function
        self._args = args
        self._kwargs = kwargs

    @property
    def name(self) -> str:
        """The name of the function."""
        return self._function.__name__

    def _wrap(self, inner: Any) -> Any:
        """Make a service that takes only the request."""
        function, args, kwargs = self._function, self._args, self._kwargs

        async def service(request: Any, /) -> Any:
            return await function(request, inner, *args, **kwargs)

        return service

    def __repr__(self) -> str:
        arguments = [repr(arg) for arg in self._args] + [f"{name}={value!r}" for name, value in self._kwargs.items()]
        return f"{self.name}({', '.join(arguments)})"


class _FunctionCallLayer(FunctionLayer, CallLayer):
    def __call__(self, inner: CallService, /) -> CallService:
        return cast("CallService", self._wrap(inner))


class _FunctionModelLayer(FunctionLayer, ModelLayer):
    def __call__(self, inner: ModelService, /) -> ModelService:
        return cast("ModelService", self._wrap(inner))


class _FunctionStepLayer(FunctionLayer, StepLayer):
    def __call__(self, inner: StepService, /) -> StepService:
        return cast("StepService", self._wrap(inner))


_LAYER_TYPES: Final[dict[object, type[_FunctionCallLayer | _FunctionModelLayer | _FunctionStepLayer]]] = {
    Call: _FunctionCallLayer,
    ChatRequest: _FunctionModelLayer,
    StepRequest: _FunctionStepLayer,
}


@overload
def layer_fn(function: Callable[Concatenate[Call, CallService, P], Awaitable[Reply]], /) -> Callable[P, CallLayer]: ...
@overload
def layer_fn(
    function: Callable[Concatenate[ChatRequest, ModelService, P], Awaitable[Completion]], /
) -> Callable[P, ModelLayer]: ...
@overload
def layer_fn(
    function: Callable[Concatenate[StepRequest, StepService, P], Awaitable[StepOutcome]], /
) -> Callable[P, StepLayer]: ...
def layer_fn(function: Callable[..., Any], /) -> Callable[..., Any]:
    """Make a layer of ``async def name(call, inner, *configuration)``. Call the result with the configuration.

    The type of the first parameter selects the kind of layer: `Call`, `ChatRequest` or `StepRequest`.

    Raises:
        SetupError: the first parameter has none of these types.
    """
    check_instance("layer_fn: function", function, (FunctionType, MethodType), "put @layer_fn above an async function")
    signature = inspect.signature(function)
    first = next(iter(signature.parameters), "")
    kind = _LAYER_TYPES.get(typing.get_type_hints(function).get(first))
    if kind is None:
        raise SetupError(f"{function.__name__}: annotate the first parameter as Call, ChatRequest or StepRequest")

    @functools.wraps(function)
    def configure(*args: Any, **kwargs: Any) -> CallLayer | ModelLayer | StepLayer:
        try:
            signature.bind(None, None, *args, **kwargs)
        except TypeError as error:
            raise SetupError(f"{function.__name__}: {error}") from error
        return kind(function, args, kwargs)

    return configure
