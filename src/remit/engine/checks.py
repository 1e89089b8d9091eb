"""Checks of the arguments of a runtime."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Final, TypeVar, cast

from remit.call.callee import Callee, check_callee
from remit.core.argument_types import Converted
from remit.core.call_checks import check_callback
from remit.core.checks import (
    check_method,
    check_positive,
    wrong_value,
)
from remit.dispatch.registry import AnyCallee, Registry
from remit.errors import RequestNotFoundError, UnknownToolError

M = TypeVar("M")

_FUNCTIONS: Final[dict[str, tuple[str, ...]]] = {
    "clock": (),
    "directory": ("name", "tenant"),
    "make_run_id": (),
    "on_item": ("position",),
    "model_resolver": ("name",),
}
"""The functions that a runtime takes, with their parameters. None of them is awaited."""


def check_parts(
    store: object,
    model: object,
    lease_seconds: object,
    *functions: object,
) -> None:
    """Refuse arguments of the wrong type; None stands for a default.

    Raises:
        SetupError: names the part and says what to pass instead.
    """
    if store is not None:
        check_method("Runtime: store", store, "acquire", "give a store, such as SqlStore('sqlite:///journal.db')")
    _check_is_model(model)
    for (name, parameters), function in zip(_FUNCTIONS.items(), functions, strict=True):
        if function is not None:
            check_callback(f"Runtime: {name}", function, *parameters, is_async=False)
    check_positive("Runtime", lease_seconds=lease_seconds)


def as_default_model(model: M | str | None, resolve: Callable[[str], M]) -> M | None:
    """The default model of a runtime, resolved if it is given by name.

    Raises:
        SetupError: the value is neither None, a model nor a name.
    """
    _check_is_model(model)
    return resolve(model) if isinstance(model, str) else model


def _check_is_model(model: object) -> None:
    is_model = callable(model) or isinstance(model, str) or hasattr(model, "model_name")
    if model is not None and (isinstance(model, type) or not is_model):
        raise wrong_value("Runtime: model", model, "give a model, or its name, such as 'openai:gpt-5'")


def check_tool_name(what: str, name: object) -> None:
    """Refuse a value that is not the name of a tool, such as the tool itself.

    Raises:
        SetupError: says what to pass instead.
    """
    if isinstance(name, str):
        return
    own = cast("AnyCallee", name).name if isinstance(name, Callee) else ""
    raise wrong_value(what, cast("object", name), f"give its name, {own!r}" if own else "give the name of a tool")


def resolve_listed(callee: AnyCallee, callees: Registry, application: str) -> AnyCallee:
    """The callee for an object that is passed to a runtime; see `Registry.resolve`.

    Raises:
        SetupError: the object is not a callee. RequestError: the application does not list it.
    """
    check_callee("call", callee)
    try:
        return callees.resolve(callee)
    except UnknownToolError as error:
        raise RequestNotFoundError(f"application {application}: {error.message}") from None


def _as_tool_name(what: str, name: str) -> str:
    check_tool_name(what, name)
    return name


ToolName = Annotated[str, Converted(_as_tool_name)]
"""The name of a tool."""
