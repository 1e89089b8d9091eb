"""A step of an agent: one model request, plus the tool calls it asked for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple, Protocol

from msgspec import Struct

from remit.contracts.chat import ChatRequest
from remit.contracts.ledger import Ledger
from remit.contracts.reply import Reply

PreparedCall = Callable[[], Awaitable[Reply]]
"""A call that has its id; calling this makes it."""


class CallFactory(Protocol):
    """How a step calls tools: by the name the model wrote, through the one door."""

    @property
    def ledger(self) -> Ledger:
        """The ledger of the run."""
        ...

    def prepare(self, name: str, arguments: str, wire_id: str) -> PreparedCall:
        """The call of the tool of that name with raw arguments; ``wire_id`` is the model's id of the call.

        Calls get their ids in the order in which they are prepared, whichever is made first.
        """
        ...


class StepUsage(NamedTuple):
    """What a step used."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    tool_calls: int = 0

    def add(self, other: StepUsage) -> StepUsage:
        """Both together."""
        return StepUsage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.tool_calls + other.tool_calls,
        )


class StepRequest(Struct, frozen=True, kw_only=True):
    """What a step is asked: the chat so far, and the door for its calls."""

    chat: ChatRequest
    calls: CallFactory


class Next(Struct, frozen=True, kw_only=True):
    """The model called tools: ``messages`` are the wire texts of this step, to be continued."""

    messages: tuple[str, ...]
    usage: StepUsage


class Done(Struct, frozen=True, kw_only=True):
    """The agent is done: the model called nothing, or a reply ended the run (then ``final_reply`` is that reply).

    Or it handed the conversation over: then ``handoff_to`` is the agent that goes on.
    """

    messages: tuple[str, ...]
    usage: StepUsage
    final_reply: Reply | None = None
    handoff_to: str = ""


StepOutcome = Next | Done
