"""Calls by name: tools as attributes, and their arguments."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, cast

from pydantic import BaseModel

from remit.call.callee import Payload, ToolByName
from remit.call.schema import serialize_content
from remit.dispatch.registry import AnyCallee
from remit.errors import InvalidArgumentsError, InvalidOutputError
from remit.record.arguments import Arguments, Limits, parse_arguments

AliasCall = Callable[[str, Payload | None, dict[str, Any]], Awaitable[Any]]
"""Calls a tool by alias with an optional payload and arguments by name."""

PROMPT_FIELD: Final = "prompt"


class ByName:
    """Tools as attributes: ``await ctx.tools.cms_getPage(slug="about")``.

    Names with double underscores raise AttributeError, as code that copies or inspects objects expects.
    """

    __slots__ = ("__call",)

    def __init__(self, call: AliasCall) -> None:
        self.__call = call

    def __getattr__(self, alias: str, /) -> ToolByName:
        if alias.startswith(("__", "_ByName__")):
            raise AttributeError(f"{alias!r} is not a tool")

        async def tool(payload: Payload | None = None, /, **arguments: Any) -> Any:
            return await self.__call(alias, payload, arguments)

        return tool


def arguments_by_name(callee: AnyCallee, payload: object, values: Mapping[str, Any], limits: Limits) -> Arguments:
    """The arguments of a call by name: a payload, values by name, or a text if ``prompt`` is the only parameter.

    Raises:
        InvalidArgumentsError: payload and values are mixed, the payload has another type, or JSON cannot hold it.
    """
    if payload is not None and values:
        raise InvalidArgumentsError(f"{callee.name}: give one payload, or arguments by name")
    value: object = dict(values) if payload is None else payload
    if isinstance(value, str) and list(callee.schema_in.json_schema.get("properties", ())) == [PROMPT_FIELD]:
        value = {PROMPT_FIELD: value}
    if isinstance(value, callee.schema_in.model):
        return callee.schema_in.dump_arguments(value)
    if isinstance(value, BaseModel):
        value = value.model_dump(by_alias=True, exclude_unset=True)
    if not isinstance(value, Mapping):
        raise InvalidArgumentsError(f"{callee.name}: give a payload model or a mapping, not a {type(value).__name__}")
    return encode_arguments(callee.name, cast("Mapping[str, Any]", value), limits)


def encode_arguments(name: str, values: Mapping[str, Any], limits: Limits) -> Arguments:
    """Encode Python arguments as a model would write them to the tool ``name``.

    Raises:
        InvalidArgumentsError: JSON cannot hold them.
    """
    try:
        return parse_arguments(serialize_content(dict(values)), limits)
    except InvalidOutputError as error:
        raise InvalidArgumentsError(f"{name}: JSON cannot hold the arguments: {error.__cause__}") from error
