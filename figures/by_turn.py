"""A scripted model that answers by the number of the request: a compacted history has fewer answers than were given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from remit.messages import ChatRequest, Completion
from remit.testing import Scripted


async def answer_by_turn(script: Sequence[Any], request: ChatRequest) -> Completion:
    """The line of the script for a request of an agent, or a summary."""
    is_summary = request.agent_call_id.endswith(":compaction")
    line = "Some things were done." if is_summary else script[request.turn - 1]
    return await Scripted([line] * len(request.history))(request)
