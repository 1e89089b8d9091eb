"""The smallest MCP server with sessions: it echoes, over standard streams."""

from __future__ import annotations

import json
import sys
from typing import Any

_TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


def _answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == "initialize":
        told: dict[str, Any] = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}
        return {"result": {**told, "serverInfo": {"name": "echo", "version": "1"}}}
    if method == "tools/list":
        names = ("look", "send")
        return {"result": {"tools": [{"name": name, "description": name, "inputSchema": _TEXT} for name in names]}}
    if method == "tools/call":
        return {"result": {"content": [{"type": "text", "text": params["arguments"]["text"]}], "isError": False}}
    return {"error": {"code": -32601, "message": "there is no such method"}}


def main() -> None:
    """Answer until the input ends."""
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and "method" in message:
            answer = _answer(message["method"], message.get("params", {}))
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
