"""Calls to tools whose definitions a model has read as text: one stable tool takes the name and the arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from remit.agent.tool_search import CALL_TOOL
from remit.chat.chat import ToolCallRequest
from remit.chat.stand_in import is_object
from remit.record.arguments import given_arguments, parse_arguments, refused_arguments
from remit.record.current_run import CURRENT_RUN
from remit.schemas.raw_json import raw_members

CALL_TOOL_DEFINITION: Final[Mapping[str, Any]] = {
    "type": "function",
    "function": {
        "name": CALL_TOOL,
        "description": "Call a tool that you have found, with arguments as its parameters describe them.",
        "parameters": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "The name of the tool"},
                "arguments": {"type": "object", "description": "Its arguments"},
            },
            "required": ["name", "arguments"],
            "additionalProperties": False,
        },
    },
}


def read_named_call(call: ToolCallRequest) -> ToolCallRequest:
    """Convert a call of `CALL_TOOL` to a call of the tool that it names; return other calls unchanged.

    It is parsed as strictly as every other call, and its arguments are passed on as written. A call with a missing,
    unknown or duplicate key is refused with the line to write.
    """
    if call.name != CALL_TOOL:
        return call
    asked = parse_arguments(given_arguments(call.arguments), CURRENT_RUN.get().limits)
    fields = asked.value or {}
    name, arguments = fields.get("name"), fields.get("arguments")
    named = name if isinstance(name, str) and name else CALL_TOOL
    reason = asked.error or asked.strict_error or _find_defect(fields)
    if reason:
        return ToolCallRequest(call.id, named, refused_arguments(f"{CALL_TOOL}: {reason}; {_LINE}"))
    text = arguments if isinstance(arguments, str) else raw_members(call.arguments)["arguments"]
    return ToolCallRequest(call.id, named, text)


def _find_defect(fields: Mapping[str, Any]) -> str:
    """The first problem in the fields of a call; empty if they are valid."""
    name, arguments = fields.get("name"), fields.get("arguments")
    if not isinstance(name, str) or not name:
        return "'name' must be the name of a tool"
    if name == CALL_TOOL:
        return f"{CALL_TOOL!r} is not the name of a tool that you have found"
    if not isinstance(arguments, dict) and not (isinstance(arguments, str) and is_object(arguments)):
        return "'arguments' must be an object"
    return next((f"there is no key {key!r}" for key in fields if key not in ("name", "arguments")), "")


_LINE: Final = 'write {"name": "the_tool", "arguments": {…}}'
