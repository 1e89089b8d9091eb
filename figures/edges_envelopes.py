"""Envelopes of requests and responses, as other programs fill them: what comes back, against what was sent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

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


async def _holds(test: Awaitable[bool]) -> bool:
    """Whether a test holds; not if an exception is raised."""
    try:
        return await test
    except Exception:  # noqa: BLE001 - a violation, whatever it is
        return False
