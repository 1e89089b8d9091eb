"""LangChain's StructuredTool."""

import asyncio
from typing import Any

from langchain_core.tools import StructuredTool

from neighbours.governed import DESCRIPTIONS, SCHEMAS, call, check_tool


def build(name: str) -> StructuredTool:
    """The tool for LangChain."""

    async def run(**arguments: Any) -> str:
        return await call(name, arguments)

    return StructuredTool.from_function(
        coroutine=run, name=name, description=DESCRIPTIONS[name], args_schema=SCHEMAS[name]
    )


async def invoke(name: str, arguments: dict[str, Any]) -> object:
    """Call it as an agent of LangChain would."""
    return await build(name).ainvoke(arguments)


if __name__ == "__main__":
    asyncio.run(check_tool(invoke))
