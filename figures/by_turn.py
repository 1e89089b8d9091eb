"""A scripted model that answers by the number of the request: a compacted history has fewer answers than were given."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from remit.chat.streaming import Delta
from remit.errors import ModelUnavailableError
from remit.messages import ChatRequest, Completion
from remit.testing import Scripted


async def answer_by_turn(script: Sequence[Any], request: ChatRequest) -> Completion:
    """The line of the script for a request of an agent, or a summary.

    A text in place of a call of a tool that the model is not offered, as any provider has it.
    """
    is_summary = request.agent_call_id.endswith(":compaction")
    line = "Some things were done." if is_summary else script[request.turn - 1]
    answer = await Scripted([line] * len(request.history))(request)
    offered = {each["function"]["name"] for each in json.loads(request.tools.text)}
    missing = {call.name for call in answer.tool_calls} - offered
    return answer if not missing else await Scripted([f"not offered: {missing}"] * len(request.history))(request)


class Streamed(Scripted):
    """A model that streams what a function answers. A request that fails breaks off after a piece."""

    def __init__(self, answer: Callable[[ChatRequest], Awaitable[Completion]], *, delay: float = 0.0) -> None:
        super().__init__([], delay=delay)
        self._answer = answer

    async def __call__(self, request: ChatRequest, /) -> Completion:
        """Answer."""
        return await self._answer(request)

    async def stream(self, request: ChatRequest, on_delta: Callable[[Delta], None], /) -> Completion:
        """Answer in pieces."""
        try:
            return await super().stream(request, on_delta)
        except ModelUnavailableError:
            on_delta(Delta("Let me"))
            await asyncio.sleep(0.01)
            raise
