"""What a step is asked with, where it calls nothing."""

from __future__ import annotations

from remit.call.step import PreparedCall, StepRequest
from remit.chat.chat import ChatRequest, History
from remit.journal.ledger import RunLedger
from remit.testing import memory_ledger


class NoCalls:
    """The door of a step that calls nothing."""

    def __init__(self, ledger: RunLedger) -> None:
        self.ledger = ledger

    def prepare(self, name: str, arguments: str, wire_id: str) -> PreparedCall:
        raise AssertionError("nobody calls")


async def chat_request() -> ChatRequest:
    return ChatRequest(agent_call_id="a", turn=1, ledger=await memory_ledger(), history=History())


async def step_request() -> StepRequest:
    return StepRequest(chat=await chat_request(), calls=NoCalls(await memory_ledger()))
