"""The FunctionTool of Google's ADK, which reads the signature of a function."""

import asyncio
from typing import Any

from google.adk.tools import FunctionTool

from neighbours.governed import call, check_tool


async def find_bills(account: str) -> str:
    """Find the open bills of an account."""
    return await call("find_bills", {"account": account})


async def pay(account: str, euros: int) -> str:
    """Pay an amount to an account."""
    return await call("pay", {"account": account, "euros": euros})


TOOLS = {each.name: each for each in (FunctionTool(find_bills), FunctionTool(pay))}


async def invoke(name: str, arguments: dict[str, Any]) -> object:
    """Call it as an agent of ADK would."""
    return await TOOLS[name].run_async(args=arguments, tool_context=None)


if __name__ == "__main__":
    asyncio.run(check_tool(invoke))
