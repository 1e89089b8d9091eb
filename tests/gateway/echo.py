"""A server of somebody else, on the official SDK: it reads, writes, fails, and tells of its progress."""

from __future__ import annotations

import os
from pathlib import Path

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp_types import ToolAnnotations

server = MCPServer("echo", instructions="Echoes what it hears.")
_BOOK = Path(os.environ.get("ECHO_BOOK", "/dev/null"))


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
async def look(text: str) -> str:
    """Look at a text."""
    return f"{text} is there"


@server.tool(annotations=ToolAnnotations(destructive_hint=True))
def erase(text: str) -> str:
    """Erase a text."""
    with _BOOK.open("a", encoding="utf-8") as book:
        book.write(f"{text}\n")
    return f"erased {text}"


@server.tool()
async def fail(text: str) -> str:
    """Fail."""
    raise ValueError(f"{text} is not possible")


@server.tool()
async def walk(ctx: Context) -> str:
    """Walk in two steps."""
    await ctx.report_progress(1, 2, "half")
    return "there"


@server.prompt()
def greet(name: str) -> str:
    """Greet somebody."""
    return f"Greet {name}."


@server.resource("echo://about")
def about() -> str:
    """What this is."""
    return "An echo."


if __name__ == "__main__":
    server.run()
