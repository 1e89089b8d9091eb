"""The layers around the steps of an agent on the native driver: the messages that they add are on record."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextvars import ContextVar
from typing import Final

from remit.agent.typed_result import record_reply
from remit.contracts.call import StepLayer, StepService
from remit.contracts.chat import ChatRequest, decode_message
from remit.contracts.guard import compose_steps
from remit.contracts.step import StepOutcome, StepRequest
from remit.errors import InvalidOutputError

_RECORDED: Final[ContextVar[list[str]]] = ContextVar("remit_recorded_messages")


def compose_recorded_steps(layers: Iterable[StepLayer], step: StepService) -> StepService:
    """Wrap ``step`` in layers, given outermost first, and record the messages that they add behind its own."""
    layers = tuple(layers)
    if not layers:
        return step

    async def innermost(request: StepRequest, /) -> StepOutcome:
        outcome = await step(request)
        _RECORDED.get().extend(outcome.messages)
        return outcome

    service = compose_steps(layers, innermost)

    async def recorded(request: StepRequest, /) -> StepOutcome:
        token = _RECORDED.set(on_record := [])
        try:
            outcome = await service(request)
        finally:
            _RECORDED.reset(token)
        _record_added(request.chat, on_record, outcome.messages)
        return outcome

    return recorded


def _record_added(chat: ChatRequest, on_record: Sequence[str], messages: Sequence[str]) -> None:
    """Journal the messages behind those on record.

    Raises:
        InvalidOutputError: messages on record are missing or changed, or an added one calls tools or replies to a call.
    """
    if tuple(messages[: len(on_record)]) != tuple(on_record):
        raise InvalidOutputError(
            "a layer around steps changed messages that are on record; change answers with a layer around the model, "
            "and results with a layer around calls"
        )
    for text in messages[len(on_record) :]:
        message = decode_message(text)
        if message["role"] == "tool" or (message["role"] == "assistant" and message.get("tool_calls")):
            raise InvalidOutputError("a layer around steps added a call or a reply to one; make calls with the step")
        record_reply(chat, text)
