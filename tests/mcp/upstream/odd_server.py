"""A server that has only the standard library, and misbehaves as its tools are named.

``odd_server.py [ERA] [TOOLS.json]``: the era is ``new`` or ``old``; the file has the tools that it lists.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

ERA = sys.argv[1] if len(sys.argv) > 1 else "new"
TOOLS = ("answer", "die", "garble", "large", "linger", "mixed", "nested", "none", "pair", "wrong", "child")


def send(message: Any) -> None:
    """Write a message."""
    text = message if isinstance(message, str) else json.dumps(message)
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def result(ident: Any, **parts: Any) -> dict[str, Any]:
    """A response."""
    return {"jsonrpc": "2.0", "id": ident, "result": parts}


def text(ident: Any, content: str) -> dict[str, Any]:
    """The response of a tool."""
    return result(ident, content=[{"type": "text", "text": content}])


def list_tools() -> list[dict[str, Any]]:
    """The tools that it lists."""
    if len(sys.argv) > 2:
        return json.loads(Path(sys.argv[2]).read_text())
    schema = {"type": "object", "additionalProperties": True}
    return [{"name": each, "description": f"Do {each}.", "inputSchema": schema} for each in TOOLS]


def call(ident: Any, name: str, arguments: dict[str, Any]) -> None:
    """Answer a call as its name says."""
    match name:
        case "die":
            sys.stderr.write("out of memory\n")
            sys.stderr.flush()
            sys.exit(3)
        case "garble":
            send("this is not JSON")
            send("[]")
            send('{"jsonrpc": "2.0"}')
            sys.stdout.buffer.write(b"\xff\xfe\n")
            send(text(ident, "still here"))
        case "large":
            send(text(ident, "x" * arguments["chars"]))
        case "linger":
            time.sleep(600)
        case "mixed":
            send("[" + json.dumps(text(ident, "in a list")) + "]")
        case "nested":
            send(f'{{"jsonrpc":"2.0","id":{ident},"result":{"[" * 100_000 + "]" * 100_000}}}')
        case "none":
            send({"jsonrpc": "2.0", "id": ident, "result": None})
        case "pair":
            send(text(ident, "first"))
            send(text(ident, "second"))
        case "wrong":
            send(text(ident + 1000, "not yours"))
            send(text(str(ident), "an id as text"))
        case "child":
            import subprocess

            left = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
            send(text(ident, str(left.pid)))
        case _:
            send(text(ident, f"{name}: {json.dumps(arguments)}"))


def main() -> None:
    """Answer until the input ends."""
    for line in sys.stdin:
        message: dict[str, Any] = json.loads(line)
        method, ident = message.get("method"), message.get("id")
        params: dict[str, Any] = message.get("params", {})
        if method == "server/discover" and ERA == "new":
            send(result(ident, supportedVersions=["2026-07-28"], capabilities={"tools": {}}, instructions="Be odd."))
        elif method == "initialize":
            send(result(ident, protocolVersion="2025-11-25", capabilities={"tools": {}}, instructions="Be odd."))
        elif method == "tools/list":
            send(result(ident, tools=list_tools()))
        elif method == "tools/call":
            call(ident, params["name"], params.get("arguments", {}))
        elif ident is not None:
            send({"jsonrpc": "2.0", "id": ident, "error": {"code": -32601, "message": "no such method"}})


if __name__ == "__main__":
    main()
