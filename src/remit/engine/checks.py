"""Checks of the arguments of a runtime."""

from __future__ import annotations

import math

from remit.contracts.arguments import Limits
from remit.contracts.callee import check_callee
from remit.core import Stack
from remit.core.checks import check_instance, check_numbers, wrong_value
from remit.dispatch.registry import AnyCallee, Registry
from remit.errors import RequestError, SetupError, UnknownToolError


def check_parts(
    store: object,
    model: object,
    layers: object,
    limits: object,
    directory: object,
    clock: object,
    lease_seconds: float,
) -> None:
    """Refuse arguments of the wrong type; None stands for a default.

    Raises:
        SetupError: names the part and says what to pass instead.
    """
    if store is not None and not hasattr(store, "acquire"):
        raise SetupError(f"Runtime: store is {store!r}; give a store, such as SqlStore('sqlite:///journal.db')")
    is_model = callable(model) or isinstance(model, str) or hasattr(model, "model_name")
    if model is not None and (isinstance(model, type) or not is_model):
        raise wrong_value("Runtime: model", model, "give a model, or its name, such as 'openai:gpt-5'")
    if layers is not None:
        check_instance("Runtime: layers", layers, Stack, "give a Stack, such as preset(env)")
    if limits is not None:
        check_instance("Runtime: limits", limits, Limits, "give Limits(…)")
    if not callable(clock) or not (directory is None or callable(directory)):
        raise SetupError("Runtime: clock must be a function without arguments, directory a function of name and tenant")
    check_numbers("Runtime", lease_seconds=lease_seconds)
    if not 0 < lease_seconds < math.inf:
        raise SetupError(f"Runtime: lease_seconds is {lease_seconds}; give a positive number")


def resolve_listed(callee: AnyCallee, callees: Registry, application: str) -> AnyCallee:
    """What runs where an object is passed to a runtime; see `Registry.resolve`.

    Raises:
        SetupError: it cannot be called at all. RequestError: the application does not list it.
    """
    check_callee("call", callee)
    try:
        return callees.resolve(callee)
    except UnknownToolError as error:
        raise RequestError(f"application {application}: {error.message}") from None
