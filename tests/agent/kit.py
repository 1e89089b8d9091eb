"""A step's surroundings: a door of a few tools written as functions, and a model's request."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from remit.call.step import PreparedCall
from remit.chat.chat import History, encode_message
from remit.errors import CallError
from remit.layers import Reply
from remit.messages import ChatRequest
from remit.record.ledger import Ledger
from remit.testing import read_only_ledger

USER = encode_message({"role": "user", "content": "go"})
Body = Callable[[], Awaitable[Reply]]


class Desk:
    """The door as a step sees it. ``prepared`` and ``log`` say what was asked of it, in order."""

    def __init__(self, **bodies: Body) -> None:
        self._bodies = bodies
        self.prepared: list[tuple[str, str, str]] = []
        self.log: list[str] = []
        self.running = self.most = 0

    @property
    def ledger(self) -> Ledger:
        return read_only_ledger(())

    def prepare(self, name: str, arguments: str, wire_id: str) -> PreparedCall:
        self.prepared.append((name, arguments, wire_id))

        async def make(_refusal: CallError | None = None, /) -> Reply:
            self.log.append(f"{wire_id} begins")
            self.running += 1
            self.most = max(self.most, self.running)
            try:
                return await self._bodies[name]()
            finally:
                self.running -= 1
                self.log.append(f"{wire_id} ends")

        return PreparedCall(wire_id, make)


def request(*texts: str, **known: Any) -> ChatRequest:
    """A request whose history is a user's message and ``texts``."""
    values: dict[str, Any] = {
        "agent_call_id": "agent",
        "turn": 1,
        "ledger": read_only_ledger(()),
        "history": History([USER, *texts]),
    }
    return ChatRequest(**(values | known))


def asks(*ids: str) -> dict[str, Any]:
    """A raw assistant message that calls ``work`` once for each id."""
    return {"content": None, "tool_calls": [_call(wire, "work") for wire in ids]}


def asks_for(**names: str) -> dict[str, Any]:
    """A raw assistant message that calls a tool for each id: ``asks_for(a="work", b="wait")``."""
    return {"content": None, "tool_calls": [_call(wire, name) for wire, name in names.items()]}


def _call(wire: str, name: str) -> dict[str, Any]:
    return {"id": wire, "type": "function", "function": {"name": name, "arguments": "{}"}}


async def soon(turns: int = 3) -> None:
    """Let everybody else have a few turns of the loop."""
    for _ in range(turns):
        await asyncio.sleep(0)
