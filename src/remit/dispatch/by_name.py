"""Calls by name: tools as attributes, and what they are given."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, cast

from pydantic import BaseModel

from remit.contracts.arguments import Arguments, Limits, parse_arguments
from remit.contracts.callee import Payload, ToolByName
from remit.contracts.schema import serialize_content
from remit.dispatch.registry import AnyCallee
from remit.errors import InvalidArgumentsError, InvalidOutputError

AliasCall = Callable[[str, Payload | None, dict[str, Any]], Awaitable[Any]]
"""Calls the tool of an alias with a payload, if one is given, and arguments by name."""

PROMPT_FIELD: Final = "prompt"


class ByName:
    """Tools as attributes: ``await ctx.tools.cms_getPage(slug="about")``.

    Names like ``__reduce__`` are no tools: whatever copies or looks at this object finds no more than it has.
    """

    __slots__ = ("__call",)

    def __init__(self, call: AliasCall) -> None:
        self.__call = call

    def __getattr__(self, alias: str, /) -> ToolByName:
        if alias.startswith(("__", "_ByName__")):
            raise AttributeError(f"{alias!r} is no tool")

        async def tool(payload: Payload | None = None, /, **arguments: Any) -> Any:
            return await self.__call(alias, payload, arguments)

        return tool


def arguments_by_name(callee: AnyCallee, payload: object, values: Mapping[str, Any], limits: Limits) -> Arguments:
    """The arguments that a call by name is given: one payload, or values by name, or text for an only ``prompt``.

    Raises:
        InvalidArgumentsError: both, something else, or JSON cannot hold them.
    """
    if payload is not None and values:
        raise InvalidArgumentsError(f"{callee.name}: give one payload, or arguments by name")
    given: object = dict(values) if payload is None else payload
    if isinstance(given, str) and list(callee.schema_in.json_schema.get("properties", ())) == [PROMPT_FIELD]:
        given = {PROMPT_FIELD: given}
    if isinstance(given, callee.schema_in.model):
        return callee.schema_in.dump_arguments(given)
    if isinstance(given, BaseModel):
        given = given.model_dump(by_alias=True, exclude_unset=True)
    if not isinstance(given, Mapping):
        raise InvalidArgumentsError(f"{callee.name}: give a payload model or a mapping, not a {type(given).__name__}")
    try:
        return parse_arguments(serialize_content(dict(cast("Mapping[str, Any]", given))), limits)
    except InvalidOutputError as error:
        raise InvalidArgumentsError(f"{callee.name}: JSON cannot hold the arguments: {error.__cause__}") from error
