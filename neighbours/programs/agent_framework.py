"""The FunctionTool of Microsoft's Agent Framework."""

import asyncio
from typing import Any

from agent_framework import FunctionTool

from neighbours.governed import DESCRIPTIONS, SCHEMAS, call, check_tool


def build(name: str) -> FunctionTool:
    """The tool for Agent Framework."""

    async def run(**arguments: Any) -> str:
        return await call(name, arguments)

    return FunctionTool(name=name, description=DESCRIPTIONS[name], func=run, input_model=SCHEMAS[name])


async def invoke(name: str, arguments: dict[str, Any]) -> object:
    """Call it as an agent of Agent Framework would."""
    return [getattr(part, "text", part) for part in await build(name).invoke(arguments=arguments)]


if __name__ == "__main__":
    asyncio.run(check_tool(invoke))
