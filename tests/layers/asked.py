"""A model for layers around it, and a request to it."""

from __future__ import annotations

import asyncio

from remit.chat.chat import History, completion_from_message, encode_message
from remit.layers import ModelLayer
from remit.messages import ChatRequest, Completion
from remit.testing import read_only_ledger

REQUEST = ChatRequest(
    agent_call_id="agent",
    turn=1,
    ledger=read_only_ledger(()),
    history=History([encode_message({"role": "user", "content": "go"})]),
)


class Answering:
    """A model that answers with a text, or fails, and keeps its requests."""

    def __init__(self, answer: str | Exception = "done") -> None:
        self._answer = answer
        self.requests: list[ChatRequest] = []

    async def __call__(self, request: ChatRequest, /) -> Completion:
        self.requests.append(request)
        if isinstance(self._answer, Exception):
            raise self._answer
        message = encode_message({"role": "assistant", "content": self._answer})
        return completion_from_message(message, model="m", prompt_tokens=3)


async def is_cancelled_through(layer: ModelLayer) -> bool:
    """Whether a cancellation of the request reaches the model."""
    reached = asyncio.Event()

    async def wait(_request: ChatRequest, /) -> Completion:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            reached.set()
            raise
        raise AssertionError

    async def ask() -> Completion:
        return await layer(wait)(REQUEST)

    task = asyncio.create_task(ask())
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    return reached.is_set() and task.cancelled()
