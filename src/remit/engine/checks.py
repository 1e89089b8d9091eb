"""Checks of the arguments of a runtime."""

from __future__ import annotations

import inspect
from typing import cast

from remit.contracts.arguments import Limits
from remit.contracts.callee import Callee, check_callee
from remit.core import Stack
from remit.core.checks import (
    check_functions,
    check_instance,
    check_instances,
    check_method,
    check_positive,
    wrong_value,
)
from remit.dispatch.registry import AnyCallee, Registry
from remit.errors import RequestNotFoundError, SetupError, UnknownToolError


def check_parts(
    store: object,
    model: object,
    layers: object,
    limits: object,
    lease_seconds: object,
    *functions: object,
) -> None:
    """Refuse arguments of the wrong type; None stands for a default.

    Raises:
        SetupError: names the part and says what to pass instead.
    """
    if store is not None:
        check_method("Runtime: store", store, "acquire", "give a store, such as SqlStore('sqlite:///journal.db')")
    is_model = callable(model) or isinstance(model, str) or hasattr(model, "model_name")
    if model is not None and (isinstance(model, type) or not is_model):
        raise wrong_value("Runtime: model", model, "give a model, or its name, such as 'openai:gpt-5'")
    if layers is not None:
        check_instance("Runtime: layers", layers, Stack, "give a Stack, such as preset(env)")
    check_instances("Runtime", limits=(limits, Limits | None))
    names = ("clock", "directory", "make_run_id", "on_item", "model_resolver")
    check_functions("Runtime", **{name: each for name, each in zip(names, functions, strict=True) if each is not None})
    on_item = functions[names.index("on_item")]
    if inspect.iscoroutinefunction(on_item) or inspect.iscoroutinefunction(type(on_item).__call__):
        raise SetupError(f"Runtime: on_item is {on_item!r}; write it as a plain `def`, because it is not awaited")
    check_positive("Runtime", lease_seconds=lease_seconds)


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
    """What runs where an object is passed to a runtime; see `Registry.resolve`.

    Raises:
        SetupError: it cannot be called at all. RequestError: the application does not list it.
    """
    check_callee("call", callee)
    try:
        return callees.resolve(callee)
    except UnknownToolError as error:
        raise RequestNotFoundError(f"application {application}: {error.message}") from None
