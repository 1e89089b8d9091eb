"""Envelopes of requests and responses, as other programs fill them: what comes back, against what was sent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unicodedata import category

from remit import Principal, Runtime
from remit.inventory import handle_request
from remit_casefile.app import build
from tests.inventory.desk import Desk
from tests.strangers.envelopes import DETAILS, ENVELOPES, MESSAGES, TEXTS, TOOLS, VALUES


async def read_envelopes(step: int) -> AsyncIterator[tuple[str, bool]]:
    """Values in payloads, results and metadata; requests that cannot be answered; errors in responses."""
    with TemporaryDirectory() as folder:
        desk = Desk(Path(folder))
        for value in VALUES[::step]:
            yield "envelopes", await _holds(desk.keeps(value))
        for text in TEXTS[::step]:
            yield "envelopes", await _holds(desk.says(text))
        for fields, said in ENVELOPES.values():
            yield "envelopes", await _holds(desk.answers(fields, said))
        for fields, said in TOOLS.values():
            payload: dict[str, Any] = {"tool_name": "say", "parameters": {"text": "a"}, **fields}
            yield "envelopes", await _holds(desk.answers({"operation": "tool_execution", "payload": payload}, said))
        for details in DETAILS.values():
            yield "envelopes", await _holds(desk.fails("gone", details))
        for message in MESSAGES[::step]:
            yield "envelopes", await _holds(desk.fails(message, {}))


async def read_casefiles(step: int) -> AsyncIterator[tuple[str, bool]]:
    """Texts in casefiles: written and read by requests of methods, by tools, and by tools within a session."""
    with TemporaryDirectory() as folder:
        async with Runtime(build(Path(folder)).app) as runtime:
            exchange = _Exchange(runtime)
            for text in TEXTS[::step]:
                yield "texts in casefiles", await _holds(exchange.keeps(text))


class _Exchange:
    """Requests in envelopes to the application of casefiles."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    async def _send(self, **fields: object) -> Any:
        """The payload of a response, or the message of its error."""
        sent = {"user_id": "ann", "metadata": {"a": 1}, **fields}
        response = await handle_request(self._runtime, sent, by=Principal("ann", permissions=frozenset({"*"})))
        if response.error is not None or response.metadata != {"a": 1}:
            return response.error and response.error.message
        return response.payload and response.payload.model_dump()

    async def keeps(self, text: str) -> bool:
        """Whether a casefile has a description as it was written, or refuses its first character that does not show."""
        made = await self._send(operation="create_casefile", payload={"title": "Rent", "description": text})
        if hidden := next((sign for sign in text if category(sign) == "Cc" and sign not in "\n\t"), ""):
            return f"U+{ord(hidden):04X}" in made and made.isprintable()
        session = await self._send(payload={"tool_name": "create_tool_session"})
        read: dict[str, Any] = {"casefile_id": made["casefile_id"]}
        asked = {"tool_name": "get_casefile", "parameters": read}
        by_tool = await self._send(payload={"tool_name": "get_casefile", **read})
        within = await self._send(
            session_id=session["result"]["session_id"],
            payload={"tool_name": "process_tool_request", "parameters": asked},
        )
        found = [
            await self._send(operation="get_casefile", payload=read),
            by_tool["result"],
            within["result"]["result"],
        ]
        return [each["casefile"]["description"] for each in found] == [text] * 3


async def _holds(test: Awaitable[bool]) -> bool:
    """Whether a test holds; not if an exception is raised."""
    try:
        return await test
    except Exception:  # noqa: BLE001 - a violation, whatever it is
        return False
