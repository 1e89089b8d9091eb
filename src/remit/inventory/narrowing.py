"""A tool exposes less than its operation takes: parameters are fixed or hidden. Never more."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, cast

from pydantic import BaseModel, JsonValue, ValidationError, create_model

from remit.contracts.callee import Frame, LeafContext
from remit.contracts.tool import Tool
from remit.errors import ContractError, InvalidError
from remit.schemas.jsontext import compact


def check_narrowing(model: type[BaseModel], fix: Mapping[str, JsonValue], hide: Sequence[str]) -> dict[str, Any]:
    """The fixed values, read by the types of their fields.

    Raises:
        ContractError: naming the parameter that is none, that cannot have its value, or that cannot be hidden.
    """
    fields = _by_alias(model)
    for name in (*fix, *hide):
        if name not in fields:
            raise ContractError(f"there is no parameter {name!r} to narrow; there are: {', '.join(fields) or 'none'}")
    for name in hide:
        if name in fix:
            raise ContractError(f"{name!r} is fixed, and so hidden already")
        if model.model_fields[fields[name]].is_required():
            raise ContractError(f"{name!r} is required and has no default; fix it")
    fixed: dict[str, Any] = {}
    for name, value in fix.items():
        only = _only(model, f"{model.__name__}_{name}", [fields[name]])
        try:
            read = only.model_validate_json(compact({name: value}), strict=True)
        except ValidationError as error:
            detail = error.errors(include_url=False)[0]
            raise ContractError(f"{name!r} cannot be {value!r}: {detail['msg']}") from error
        fixed[fields[name]] = dict(read)[fields[name]]
    return fixed


def narrowed(
    tool: Tool[..., Any], result: Any, context: object, fix: Mapping[str, JsonValue], hide: Sequence[str]
) -> Callable[..., Awaitable[Any]]:
    """A body that takes what ``tool`` takes without what is fixed and hidden, and runs it with the whole.

    Raises:
        ContractError: see `check_narrowing`.
    """
    full = cast("type[BaseModel]", tool.schema_in.model)
    fixed = check_narrowing(full, fix, hide)
    fields = _by_alias(full)
    gone = {fields[name] for name in (*fix, *hide)}
    shown = _only(full, f"{full.__name__}_narrowed", [name for name in full.model_fields if name not in gone])

    async def body(ctx: LeafContext, payload: BaseModel) -> Any:
        given = {name: value for name, value in payload if name in payload.model_fields_set}
        try:
            whole = full.model_validate({**given, **fixed}, by_name=True, by_alias=False)
        except ValidationError as error:
            raise InvalidError(tool.schema_in.explain(error)) from error
        return await tool.run(whole, cast("Frame", ctx))

    body.__name__ = tool.name
    body.__annotations__ = {"ctx": context, "payload": shown, "return": result}
    return body


def _by_alias(model: type[BaseModel]) -> dict[str, str]:
    """The fields of a model by the names that callers know."""
    return {field.alias or name: name for name, field in model.model_fields.items()}


def _only(model: type[BaseModel], name: str, fields: Sequence[str]) -> type[BaseModel]:
    """A model of some fields of another."""
    kept: dict[str, Any] = {each: (model.model_fields[each].annotation, model.model_fields[each]) for each in fields}
    return create_model(name, __config__=model.model_config, __doc__=model.__doc__, **kept)
