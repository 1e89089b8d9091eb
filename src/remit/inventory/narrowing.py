"""Narrows a tool: parameters of its operation are fixed or hidden. A tool never exposes more."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, cast

from pydantic import BaseModel, JsonValue, ValidationError, create_model

from remit.call.body_context import frame_of
from remit.call.callee import LeafContext
from remit.call.schema import Input
from remit.call.tool import Tool
from remit.errors import ContractError, InvalidArgumentsError
from remit.schemas.jsontext import compact_json
from remit.schemas.mistakes import explain_mistake


def resolve_fixed_values(model: type[BaseModel], fix: Mapping[str, JsonValue], hide: Sequence[str]) -> dict[str, Any]:
    """Parse the fixed values by the types of their fields.

    Raises:
        ContractError: a parameter is unknown, cannot have its value, or cannot be hidden.
    """
    fields = _field_names_by_alias(model)
    for name in (*fix, *hide):
        if name not in fields:
            raise ContractError(
                f"there is no parameter {name!r} to narrow; the parameters are: {', '.join(fields) or 'none'}"
            )
    for name in hide:
        if name in fix:
            raise ContractError(f"{name!r} is fixed and therefore already hidden")
        if model.model_fields[fields[name]].is_required():
            raise ContractError(f"{name!r} is required and has no default; give it a fixed value")
    fixed: dict[str, Any] = {}
    for name, value in fix.items():
        single_field_model = _select_fields(model, f"{model.__name__}_{name}", [fields[name]])
        if Input(single_field_model).references:
            raise ContractError(f"{name!r} is a reference, which is resolved for each call; it cannot be fixed")
        try:
            parsed = single_field_model.model_validate_json(compact_json({name: value}), strict=True)
        except ValidationError as error:
            detail = error.errors(include_url=False)[0]
            raise ContractError(f"{name!r} cannot be {value!r}: {explain_mistake(detail['msg'])}") from error
        fixed[fields[name]] = dict(parsed)[fields[name]]
    return fixed


def narrow_tool_body(
    tool: Tool[..., Any], fix: Mapping[str, JsonValue], hide: Sequence[str]
) -> Callable[..., Awaitable[Any]]:
    """A body that takes the visible parameters of ``tool`` and runs it with the fixed ones added.

    Raises:
        ContractError: see `resolve_fixed_values`.
    """
    full_model = cast("type[BaseModel]", tool.schema_in.model)
    fixed = resolve_fixed_values(full_model, fix, hide)
    fields = _field_names_by_alias(full_model)
    removed = {fields[name] for name in (*fix, *hide)}
    narrowed_model = _select_fields(
        full_model, f"{full_model.__name__}_narrowed", [name for name in full_model.model_fields if name not in removed]
    )

    async def body(ctx: LeafContext, payload: BaseModel) -> Any:
        given = {name: value for name, value in payload if name in payload.model_fields_set}
        try:
            whole = full_model.model_validate({**given, **fixed}, by_name=True, by_alias=False)
        except ValidationError as error:
            raise InvalidArgumentsError(tool.schema_in.explain(error)) from error
        return await tool.run(whole, frame_of(ctx))

    body.__name__ = tool.name
    body.__annotations__ = {"ctx": LeafContext, "payload": narrowed_model, "return": tool.schema_out.result_type}
    return body


def _field_names_by_alias(model: type[BaseModel]) -> dict[str, str]:
    """The fields of a model by their external names."""
    return {field.alias or name: name for name, field in model.model_fields.items()}


def _select_fields(model: type[BaseModel], name: str, fields: Sequence[str]) -> type[BaseModel]:
    """A model with some fields of another."""
    kept: dict[str, Any] = {each: (model.model_fields[each].annotation, model.model_fields[each]) for each in fields}
    return create_model(name, __config__=model.model_config, __doc__=model.__doc__, **kept)
