"""Caches the inputs and outputs of models for all callees, because making one takes longer than most calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import BaseModel

from remit.call.schema import Input, Output
from remit.call.typed_schema import TypedSchema

P = TypeVar("P", bound=BaseModel)


def input_of(model: type[P]) -> Input[P]:
    """The cached input that a model describes.

    Raises:
        ContractError: the model cannot describe arguments; the message gives the reason.
    """
    return _keep(model, "__remit_input__", Input)


def output_of(kind: Any) -> Output[Any]:
    """The cached output that a type describes.

    Raises:
        ContractError: the type cannot be a result; the message gives the reason.
    """
    given: object = kind
    if isinstance(given, type) and issubclass(given, BaseModel):
        return _keep(given, "__remit_output__", Output)
    return Output(kind)


def schema_of(model: type[P]) -> TypedSchema[P]:
    """The cached schema of a model for external values that are not arguments, such as requests."""
    return _keep(model, "__remit_schema__", TypedSchema)


def _keep(model: type[BaseModel], name: str, make: Callable[[Any], Any]) -> Any:
    """Cache a value derived from a model, kept with the class until pydantic rebuilds it."""
    made: Any = vars(model).get(name)
    if made is None or not made.is_of(model.__pydantic_core_schema__):
        made = make(model)
        setattr(model, name, made)
    return made
