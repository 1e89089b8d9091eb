"""A step of an agent: one model request, plus the tool calls it asked for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple, Protocol

from remit.contracts.chat import ChatRequest
from remit.contracts.ledger import Ledger
from remit.contracts.reply import Reply
from remit.core.frozen import frozen

Prepared = Callable[[], Awaitable[Reply]]
"""A call that has its id; calling this makes it."""


class Calls(Protocol):
    """How a step calls tools: by the name the model wrote, through the one door."""

    @property
    def ledger(self) -> Ledger:
        """The ledger of the run."""
        ...

    def prepare(self, name: str, arguments: str, wire: str) -> Prepared:
        """The call of the tool of that name with raw arguments; ``wire`` is the model's id of the call.

        Calls get their ids in the order in which they are prepared, whichever is made first.
        """
        ...


class Aux(NamedTuple):
    """What a step used."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    tool_invocations: int = 0

    def plus(self, more: Aux) -> Aux:
        """Both together."""
        return Aux(
            self.prompt_tokens + more.prompt_tokens,
            self.completion_tokens + more.completion_tokens,
            self.tool_invocations + more.tool_invocations,
        )


@frozen
class StepRequest:
    """What a step is asked: the chat so far, and the door for its calls."""

    chat: ChatRequest
    calls: Calls


@frozen
class Next:
    """The model called tools: ``messages`` are the wire texts of this step, to be continued."""

    messages: tuple[str, ...]
    aux: Aux


@frozen
class Done:
    """The agent is done: the model called nothing, or a reply ended the run (then ``final`` is that reply).

    Or it handed the conversation over: then ``to`` is the agent that goes on.
    """

    messages: tuple[str, ...]
    aux: Aux
    final: Reply | None = None
    to: str = ""


StepOutcome = Next | Done
