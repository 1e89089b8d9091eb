"""Calls of tools whose definitions a model has read as text: one stable tool takes the name and the arguments."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, cast

from remit.agent.tool_search import CALL_TOOL
from remit.contracts.arguments import given_arguments
from remit.contracts.chat import ToolCallRequest
from remit.contracts.wire import UNNAMED
from remit.schemas.jsontext import compact_json

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
        },
    },
}


def read_named_call(call: ToolCallRequest) -> ToolCallRequest:
    """The call that a model asks for by `CALL_TOOL`, as if it had named the tool itself; any other call as it is.

    If the arguments name no tool, or are not JSON, the call is of a tool that does not exist.
    """
    if call.name != CALL_TOOL:
        return call
    try:
        asked: object = json.loads(given_arguments(call.arguments))
    except (ValueError, RecursionError):
        asked = None
    fields = cast("dict[str, Any]", asked) if isinstance(asked, dict) else {}
    name, arguments = fields.get("name"), fields.get("arguments", {})
    text = arguments if isinstance(arguments, str) else compact_json(arguments)
    return ToolCallRequest(call.id, name if isinstance(name, str) and name else UNNAMED, text)
