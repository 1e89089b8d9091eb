"""Compacts the requests of PydanticAI, whose messages are kept as they were where they stay."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from pydantic_ai.messages import ModelResponse, SystemPromptPart

from remit.agent.compaction import LongRequest
from remit.agent.compactor import Compactor
from remit.errors import ContextLengthError
from remit.workers.response_codec import RecordedRequest
from remit.workers.wire_messages import change_units, split_messages, system_text, tools_to_wire, unit_to_wire


async def ask_compacted(
    compactor: Compactor, request: RecordedRequest, ask: Callable[[RecordedRequest], Awaitable[ModelResponse]]
) -> ModelResponse:
    """Ask with the compacted messages of a request, and once more with fewer if they are refused as too long.

    Raises:
        ContextLengthError: they cannot be shorter.
    """
    if not compactor.concerns(request.ledger, request.agent_call_id):
        return await ask(request)
    units = [unit for unit in split_messages(request.messages) if not isinstance(unit, SystemPromptPart)]
    known = [unit_to_wire(unit, lambda kind: f"[{kind}]") for unit in units]
    long = LongRequest(
        ledger=request.ledger,
        agent=request.agent_call_id,
        turn=request.turn,
        messages=known,
        fixed=(system_text(request.messages, request.parameters), tools_to_wire(request.parameters).text),
    )

    def with_texts(texts: Sequence[str]) -> RecordedRequest:
        return replace(request, messages=change_units(units, known, texts))

    compacted = await compactor.compact(long)
    try:
        return await ask(request if compacted == known else with_texts(compacted))
    except ContextLengthError:
        shorter = await compactor.compact_refused(long)
        if shorter is None:
            raise
    return await ask(with_texts(shorter))
