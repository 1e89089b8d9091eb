"""The FunctionTool of the OpenAI Agents SDK."""

import asyncio
import json
from typing import Any

from agents import FunctionTool
from agents.tool_context import ToolContext

from neighbours.governed import DESCRIPTIONS, SCHEMAS, as_json, call, check_tool


def build(name: str) -> FunctionTool:
    """The tool for OpenAI Agents."""

    async def run(_context: ToolContext[Any], arguments: str) -> str:
        return await call(name, json.loads(arguments))

    return FunctionTool(
        name=name,
        description=DESCRIPTIONS[name],
        params_json_schema=SCHEMAS[name],
        on_invoke_tool=run,
        strict_json_schema=False,
    )


async def invoke(name: str, arguments: dict[str, Any]) -> object:
    """Call it as an agent of OpenAI Agents would."""
    context = ToolContext(context=None, tool_name=name, tool_call_id="call_1", tool_arguments=as_json(arguments))
    return await build(name).on_invoke_tool(context, as_json(arguments))


if __name__ == "__main__":
    asyncio.run(check_tool(invoke))
