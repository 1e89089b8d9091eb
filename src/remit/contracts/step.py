"""A step of an agent: one model request and the tool calls it asked for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple, Protocol

from msgspec import Struct

from remit.contracts.chat import ChatRequest
from remit.contracts.ledger import Ledger
from remit.contracts.reply import Reply


class PreparedCall(NamedTuple):
    """A call that has its ``id``. Calling the object makes the call."""

    id: str
    make: Callable[[], Awaitable[Reply]]

    def __call__(self) -> Awaitable[Reply]:
        """Make the call."""
        return self.make()


class CallFactory(Protocol):
    """Makes the tool calls of a step, by the name that the model wrote."""

    @property
    def ledger(self) -> Ledger:
        """The ledger of the run."""
        ...

    def prepare(self, name: str, arguments: str, wire_id: str) -> PreparedCall:
        """Prepare a call of the named tool with raw arguments; ``wire_id`` is the model's id of the call.

        Calls get their ids in the order of preparation, whatever the order in which they run.
        """
        ...


class StepUsage(NamedTuple):
    """The usage of a step."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    tool_calls: int = 0
    invalid_results: int = 0
    """Results that were not of the agent's output type, which the model was asked to correct."""

    def add(self, other: StepUsage) -> StepUsage:
        """Return the sum of both."""
        return StepUsage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.tool_calls + other.tool_calls,
            self.invalid_results + other.invalid_results,
        )


class StepRequest(Struct, frozen=True, kw_only=True):
    """The input of a step: the chat so far, the factory of its calls, and the usage of the steps before."""

    chat: ChatRequest
    calls: CallFactory
    used: StepUsage = StepUsage()


class Next(Struct, frozen=True, kw_only=True):
    """The model called tools. ``messages`` are the wire texts of this step; another step follows."""

    messages: tuple[str, ...]
    usage: StepUsage


class Done(Struct, frozen=True, kw_only=True):
    """The agent has finished: the model called no tool, or a reply ended the run; that is ``final_reply``.

    ``result`` is the validated result if its type is not text. After a handoff, ``handoff_to`` names the next agent.
    """

    messages: tuple[str, ...]
    usage: StepUsage
    result: Reply | None = None
    final_reply: Reply | None = None
    handoff_to: str = ""


StepOutcome = Next | Done
