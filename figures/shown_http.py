"""What tools made from JSON schemas and types post, to the byte, against what the approver was shown."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import quote

from remit import Effect, LeafContext, Tool, tool
from remit.policies import Question
from tests.strangers.schemas import WHOLE
from tests.strangers.texts import STRANGE_TEXTS

Case = tuple[str, dict[str, Any]]

_SCHEMA: Final = {
    "type": "object",
    "properties": {"issue_number": {"type": "number"}, "page": {"type": "integer"}, "title": {"type": "string"}},
    "required": ["issue_number"],
}
_FRACTIONS: Final = (1.5, 0.1, 1e300, -2.25)


def build_issue_tool(port: int, *, typed: bool = False) -> Tool[..., Any]:
    """A tool that posts to the issue of a number, as bridges to other servers do."""

    async def send(number: object, arguments: object) -> str:
        path = f"/issues/{quote(str(number))}"
        content = json.dumps(arguments, ensure_ascii=False).encode()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST %s HTTP/1.1\r\ncontent-length: %d\r\n\r\n%s" % (path.encode(), len(content), content))
        await reader.read(2)
        writer.close()
        return "sent"

    async def issue_write(_ctx: LeafContext, arguments: dict[str, object]) -> str:
        return await send(arguments["issue_number"], arguments)

    async def typed_issue_write(issue_number: float, page: int = 1, title: str = "") -> str:
        """Write an issue."""
        return await send(issue_number, {"issue_number": issue_number, "page": page, "title": title})

    if typed:
        return tool(effect=Effect.UNSAFE)(typed_issue_write)
    return Tool.from_schema("issue_write", "Write an issue.", _SCHEMA, issue_write, effect=Effect.UNSAFE)


def iter_http_cases() -> Iterator[Case]:
    """Calls of the tools that post to the server."""
    for number in (*(each for each, _ in WHOLE), *_FRACTIONS):
        yield from ((name, {"issue_number": number, "page": 2}) for name in ("issue_write", "typed_issue_write"))
    for text in STRANGE_TEXTS:
        yield from ((name, {"issue_number": 1, "title": text}) for name in ("issue_write", "typed_issue_write"))


def find_http_difference(name: str, asked: dict[str, Any], question: Question, target: str, body: bytes) -> str:
    """In what a request differs from what was shown; empty if in nothing. ``target`` is its path and query."""
    shown: dict[str, Any] = json.loads(question.arguments)
    digits = json.loads(question.arguments, parse_float=str, parse_int=str)["issue_number"]
    if target != f"/issues/{quote(digits)}":
        return f"another address: {target}, shown {digits}"
    whole = {json.dumps(number): text for number, text in WHOLE}.get(json.dumps(asked["issue_number"]))
    if name == "issue_write" and whole is not None and digits != whole:
        return f"a whole number was shown as {digits}"
    as_asked = all(
        shown[key] == (float(value) if digits != whole and key == "issue_number" else value)
        for key, value in asked.items()
    )
    same = json.loads(body) == shown and as_asked
    return (
        ""
        if same and json.dumps(shown, sort_keys=True) == json.dumps(json.loads(body), sort_keys=True)
        else "another body"
    )
