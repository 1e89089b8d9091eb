"""Turns the signature of an async function into the input and output of a contract."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Final, Union, cast

from msgspec import Struct
from pydantic import BaseModel, Field, PydanticSchemaGenerationError, PydanticUserError, TypeAdapter
from pydantic.fields import FieldInfo

from remit.call.callee import Context, LeafContext
from remit.call.contract import InputSchema, OutputSchema
from remit.call.kept_schema import input_of, output_of
from remit.call.reply import Reply
from remit.call.schema import Input, Output, create_payload_model
from remit.core.checks import check_text
from remit.errors import ContractError
from remit.record.artifact import Artifact
from remit.schemas.docstring import read_docstring

if TYPE_CHECKING:
    from remit.call.json_contract import JsonPayload


class Signature(Struct, frozen=True):
    """How to call a function: whether it takes a context, and how a payload maps to its parameters.

    ``field_names`` maps each parameter to its field of the payload model. It is None if the function takes the payload
    model itself as its only parameter, or a dictionary of the arguments (``takes_dict``).
    """

    description: str
    wants_context: bool
    makes_calls: bool
    schema_in: InputSchema[Any]
    schema_out: OutputSchema[Any]
    field_names: tuple[tuple[str, str], ...] | None
    python_signature: inspect.Signature
    takes_dict: bool = False

    def keyword_arguments(self, payload: BaseModel) -> dict[str, Any]:
        """The keyword arguments for ``payload``."""
        return {name: getattr(payload, field) for name, field in self.field_names or ()}

    @staticmethod
    def dictionary_of(payload: BaseModel) -> dict[str, Any]:
        """The argument for a function that takes a dictionary."""
        return cast("JsonPayload", payload).to_dict()


_DICT_SIGNATURE: Final = inspect.Signature([inspect.Parameter("arguments", inspect.Parameter.VAR_KEYWORD)])


def read_signature(function: Callable[..., Any], name: str) -> Signature:
    """Read the contract from the signature and docstring of ``function``.

    Raises:
        ContractError: names the parameter that cannot be part of a contract, and the reason.
    """
    parameters = list(inspect.signature(function).parameters.values())
    hints = _type_hints(function, name)
    kind = _context_type(function, name, parameters, hints)
    wants_context = kind is not None
    if wants_context:
        parameters = parameters[1:]
    _check_parameters(parameters, hints, name)
    description, descriptions = read_docstring(function.__doc__)
    sole_type = hints[parameters[0].name] if len(parameters) == 1 else None
    for parameter in parameters:
        _check_description(name, parameter.name, descriptions.get(parameter.name), hints[parameter.name])
    fields, names = _payload_fields(parameters, hints, descriptions)
    try:
        schema_out: Output[Any] = output_of(_result_type(hints.get("return", Any)))
        if isinstance(sole_type, type) and issubclass(sole_type, BaseModel) and sole_type is not Artifact:
            model, names = sole_type, None
        else:
            model = create_payload_model(f"{name}_arguments", fields)
        schema_in: Input[Any] = input_of(model)
    except PydanticSchemaGenerationError as error:
        raise ContractError(f"{name}: {_explain_unreadable(hints, parameters)}") from error
    except (PydanticUserError, ContractError) as error:
        raise ContractError(f"{name}: {error.message.splitlines()[0]}") from error
    except AssertionError as error:  # raised by pydantic for `Literal[()]`
        raise ContractError(f"{name}: a parameter has a type without values: {error}") from error
    python = inspect.Signature(parameters)
    return Signature(description, wants_context, kind is Context, schema_in, schema_out, names, python)


def _explain_unreadable(hints: dict[str, Any], parameters: list[inspect.Parameter]) -> str:
    """Name the parameter whose type pydantic cannot read, and say what to write."""
    name = next((each.name for each in parameters if not _is_readable(hints[each.name])), "")
    shown = getattr(hints.get(name), "__name__", "") if isinstance(hints.get(name), type) else str(hints.get(name))
    return f"JSON cannot hold the {shown} of '{name}'; use JSON types, a pydantic model or a dataclass"


def _is_readable(kind: Any) -> bool:
    try:
        TypeAdapter(kind)
    except PydanticSchemaGenerationError:
        return False
    return True


def read_dict_call(
    call: Callable[..., Any], name: str, schema: Mapping[str, Any], output_schema: Mapping[str, Any] | None
) -> Signature:
    """Read the contract of a function that takes one dictionary described by JSON schemas.

    Raises:
        ContractError: a schema is not accepted, or the function has other parameters.
        SetupError: the extra ``remit[schema]`` is not installed.
    """
    from remit.call.json_contract import JsonInput, JsonOutput  # noqa: PLC0415 - few programs need it

    parameters = list(inspect.signature(call).parameters.values())
    kind = _context_type(call, name, parameters, _type_hints(call, name))
    wants_context = kind is not None
    if len(parameters) != 1 + wants_context:
        raise ContractError(
            f"{name}: the function of a JSON schema takes one dictionary, after a context if it is annotated as such"
        )
    try:
        schema_in, schema_out = JsonInput(schema), JsonOutput(output_schema)
    except ContractError as error:
        raise ContractError(f"{name}: {error.message}") from error
    return Signature("", wants_context, kind is Context, schema_in, schema_out, None, _DICT_SIGNATURE, takes_dict=True)


def _context_type(
    function: Callable[..., Any], name: str, parameters: list[inspect.Parameter], hints: dict[str, Any]
) -> object:
    """The type of a function's leading context parameter; None if it takes no context."""
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise ContractError(f"{name} yields its results: return them, as a list")
    kind: Any = hints.get(parameters[0].name) if parameters else None
    if kind is Context and not inspect.iscoroutinefunction(function):
        raise ContractError(f"{name} takes a Context: write `async def`, so that it can await other tools")
    return kind if kind in (LeafContext, Context) else None


def _type_hints(function: Callable[..., Any], name: str) -> dict[str, Any]:
    try:
        return typing.get_type_hints(function, include_extras=True)
    except NameError as error:
        raise ContractError(f"{name}: {error}; import the type where the function is defined") from error


def _result_type(annotation: Any) -> Any:
    """The type of the result. `Reply` is omitted: any body may return one."""
    several = typing.get_origin(annotation) in (Union, UnionType)
    results = [kind for kind in (typing.get_args(annotation) if several else [annotation]) if kind is not Reply]
    return Union[tuple(results)] if results else Any  # noqa: UP007 - the members are computed


def _check_parameters(parameters: list[inspect.Parameter], hints: dict[str, Any], name: str) -> None:
    for parameter in parameters:
        if parameter.name == "self":
            raise ContractError(f"{name} is an unbound method; make the tool from an instance: `tool(service.{name})`")
        if parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            raise ContractError(f"{name}: a model cannot use '*{parameter.name}'; name each parameter")
        if parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
            raise ContractError(
                f"{name}: '{parameter.name}' is positional-only, but arguments come by name; remove the '/'"
            )
        if parameter.name not in hints:
            raise ContractError(f"{name}: '{parameter.name}' has no type; annotate it")
        if hints[parameter.name] in (LeafContext, Context):
            raise ContractError(f"{name}: the context '{parameter.name}' must be the first parameter")
        if parameter.name.startswith("_"):
            raise ContractError(
                f"{name}: '{parameter.name}' begins with '_'; rename it, models must not see private names"
            )


def _check_description(name: str, parameter: str, written: str | None, kind: Any) -> None:
    """Refuse a parameter's description, from the docstring or its `Field`, that cannot be stored."""
    fields = [each.description for each in getattr(kind, "__metadata__", ()) if isinstance(each, FieldInfo)]
    for description in (written, *fields):
        check_text(f"{name}: the description of '{parameter}'", description or "", ContractError)


def _payload_fields(
    parameters: list[inspect.Parameter], hints: dict[str, Any], descriptions: dict[str, str]
) -> tuple[dict[str, Any], tuple[tuple[str, str], ...]]:
    fields: dict[str, Any] = {}
    names: list[tuple[str, str]] = []
    parameter_names = {parameter.name for parameter in parameters}
    for parameter in parameters:
        name, kind = parameter.name, hints[parameter.name]
        field_name = name
        while hasattr(BaseModel, field_name) or (field_name != name and field_name in parameter_names):
            field_name += "_"
        if field_name != name:
            kind = Annotated[kind, Field(alias=name)]
        if name in descriptions:
            kind = Annotated[kind, Field(description=descriptions[name])]
        fields[field_name] = (kind, ... if parameter.default is inspect.Parameter.empty else parameter.default)
        names.append((name, field_name))
    return fields, tuple(names)
