"""A tool of a FastMCP server, called by a FastMCP client."""

import asyncio
from typing import Any

from fastmcp import Client, FastMCP

from neighbours.governed import call, check_tool

server = FastMCP("office")


@server.tool
async def find_bills(account: str) -> str:
    """Find the open bills of an account."""
    return await call("find_bills", {"account": account})


@server.tool
async def pay(account: str, euros: int) -> str:
    """Pay an amount to an account."""
    return await call("pay", {"account": account, "euros": euros})


async def invoke(name: str, arguments: dict[str, Any]) -> object:
    """Call it as a client of MCP would."""
    async with Client(server) as client:
        return (await client.call_tool(name, arguments)).content[0].text


if __name__ == "__main__":
    asyncio.run(check_tool(invoke))
