"""A server of the official SDK, for both kinds of revisions."""

from __future__ import annotations

from typing import Annotated, Any

import anyio
from mcp.server.mcpserver import Context, Elicit, Image, MCPServer, Resolve
from mcp_types import ToolAnnotations
from pydantic import BaseModel


class Sum(BaseModel):
    """A sum."""

    sum: int


class Answer(BaseModel):
    """What a person answers."""

    sure: bool


async def _ask() -> Elicit[Answer]:
    return Elicit("Are you sure?", Answer)


def build_server() -> MCPServer[Any]:
    """The server."""
    server = MCPServer("official", instructions="Use these tools with care.", version="1.0")

    @server.tool(annotations=ToolAnnotations(read_only_hint=True))
    async def add(a: int, b: int) -> Sum:
        """Add two numbers."""
        return Sum(sum=a + b)

    @server.tool(annotations=ToolAnnotations(destructive_hint=True))
    async def erase(text: str) -> str:
        """Erase a text."""
        return f"erased {text}"

    @server.tool()
    async def fail() -> str:
        """Fail."""
        raise ValueError("the disk is full")

    @server.tool()
    async def picture() -> Image:
        """Take a picture."""
        return Image(data=b"\x89PNG not really", format="png")

    @server.tool()
    async def count(to: int, ctx: Context[Any, Any]) -> str:
        """Count, and report progress."""
        for number in range(to):
            await ctx.report_progress(number + 1, to, f"{number + 1} of {to}")
        return f"counted to {to}"

    @server.tool()
    async def wait(seconds: float) -> str:
        """Wait."""
        await anyio.sleep(seconds)
        return "waited"

    @server.tool()
    async def confirm(answer: Annotated[Answer, Resolve(_ask)]) -> str:
        """Ask the person."""
        return f"sure: {answer.sure}"

    return server


if __name__ == "__main__":
    build_server().run("stdio")
