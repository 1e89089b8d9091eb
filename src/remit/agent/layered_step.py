"""The layers around the steps of an agent on the native driver: the messages that they add are on record."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import structs

from remit.agent.typed_result import record_reply
from remit.call.call import StepLayer, StepService
from remit.call.guard import compose_steps
from remit.call.step import StepOutcome, StepRecord, StepRequest
from remit.chat.chat import ChatRequest, decode_message
from remit.errors import InvalidOutputError
from remit.record.items import ModelExchange


def compose_recorded_steps(layers: Iterable[StepLayer], step: StepService) -> StepService:
    """Wrap ``step`` in layers, given outermost first, and record the messages that they add after its own."""
    layers = tuple(layers)
    if not layers:
        return step

    async def innermost(request: StepRequest, /) -> StepOutcome:
        record = request.record
        assert record is not None  # noqa: S101 - the guard refuses a request without the record of `run_step`
        _record_request(record.chat, request.chat)
        outcome = await step(request)
        record.messages.extend(outcome.messages)
        return outcome

    service = compose_steps(layers, innermost)

    async def run_step(request: StepRequest, /) -> StepOutcome:
        record = StepRecord(request.chat, [])
        outcome = await service(structs.replace(request, record=record))
        _record_added(request.chat, record.messages, outcome.messages)
        return outcome

    return run_step


def _record_request(chat: ChatRequest, sent: ChatRequest) -> None:
    """Journal, once, the messages that layers added to the request of a step; see `ModelExchange`."""
    digest = sent.digest()
    if digest == chat.digest():
        return
    known = set(chat.history)
    added = tuple(text for text in sent.history if text not in known)
    item = ModelExchange(
        call=f"{chat.call_id}:step", requests=(digest,), added=added, answer="", changed=False, failures=()
    )
    if chat.ledger.execution.is_replaying or item not in chat.ledger.items_for(item.call):
        chat.ledger.add(item)


def _record_added(chat: ChatRequest, on_record: Sequence[str], messages: Sequence[str]) -> None:
    """Journal the messages that follow those on record.

    Raises:
        InvalidOutputError: messages on record are missing or changed, or an added one calls tools or replies to a call.
    """
    if tuple(messages[: len(on_record)]) != tuple(on_record):
        raise InvalidOutputError(
            "a layer around steps changed recorded messages; change answers with a layer around the model, "
            "and results with a layer around calls"
        )
    for text in messages[len(on_record) :]:
        message = decode_message(text)
        if message["role"] == "tool" or (message["role"] == "assistant" and message.get("tool_calls")):
            raise InvalidOutputError("a layer around steps added a call or a reply to one; make calls with the step")
        record_reply(chat, text)
