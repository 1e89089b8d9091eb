"""A step of an agent: one model request and the tool calls that its answer asks for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Protocol

from msgspec import Struct, structs

from remit.call.reply import Reply
from remit.chat.chat import ChatRequest, encode_message
from remit.core.checks import check_text
from remit.errors import CallError
from remit.record.items import Message
from remit.record.ledger import Ledger
from remit.record.secret import redact_secrets


class PreparedCall(Struct, frozen=True):
    """A call with its ``id``.

    ``make`` makes the call, or answers it with an error, unless it is recorded. ``arguments`` are in canonical form, or
    the raw text if there is none.
    """

    id: str
    make: MakeCall
    arguments: str = ""


class MakeCall(Protocol):
    """Makes a prepared call."""

    def __call__(self, refusal: CallError | None = None, /) -> Awaitable[Reply]:
        """Make the call or, given a ``refusal``, answer with that. A recorded call is answered as recorded."""
        ...


class CallFactory(Protocol):
    """Makes the tool calls of a step, by the name that the model wrote."""

    @property
    def ledger(self) -> Ledger:
        """The ledger of the run."""
        ...

    def prepare(self, name: str, arguments: str, wire_id: str) -> PreparedCall:
        """Prepare a call of the named tool with raw arguments; ``wire_id`` is the model's id of the call.

        Calls get their ids in the order of preparation, even if they run in another order.
        """
        ...


class StepUsage(Struct, frozen=True):
    """The usage of a step."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    tool_calls: int = 0
    invalid_results: int = 0
    """Results of a wrong type, which the model was asked to correct."""

    def add(self, other: StepUsage) -> StepUsage:
        """Return the sum of both."""
        return StepUsage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.tool_calls + other.tool_calls,
            self.invalid_results + other.invalid_results,
        )


class StepRecord(Struct, frozen=True):
    """What is on record of a step with layers: the agent's own request, and the messages so far."""

    chat: ChatRequest
    messages: list[str]


EndTurn = Callable[[int, str], Reply | None]
"""Reports the end of a turn, with its number and the answer's text. Returns the result if the agent is done."""


class StepRequest(Struct, frozen=True, kw_only=True):
    """The input of a step: the chat so far, the factory of its calls, and the usage of earlier steps.

    ``end_turn`` asks the agent's stop policy. Without it, an agent is done when its model calls no tool. ``record`` is
    that of the agent if the step has layers, which pass it on.
    """

    chat: ChatRequest
    calls: CallFactory
    used: StepUsage = StepUsage()
    end_turn: EndTurn | None = None
    record: StepRecord | None = None

    def with_message(self, text: str) -> StepRequest:
        """Return the request with a message from the loop to the model, which is recorded before the step."""
        check_text("with_message: text", text)
        chat = self.chat
        message = encode_message({"role": "user", "content": redact_secrets(text)})
        item = Message(call=f"{chat.agent_call_id}:{chat.turn - 1}", agent=chat.agent_call_id, text=message, by="loop")
        if chat.ledger.execution.is_replaying or item not in chat.ledger.items_for(item.call):
            chat.ledger.add(item)
        return structs.replace(self, chat=replace(chat, history=chat.history.with_messages(message)))

    def again(self, outcome: StepOutcome) -> StepRequest:
        """Return the request that repeats this step without its messages."""
        following = self.after(outcome)
        return structs.replace(following, chat=replace(following.chat, history=self.chat.history))

    def after(self, outcome: StepOutcome) -> StepRequest:
        """Return the request of the next step, with this step's messages and usage."""
        return StepRequest(
            chat=self.chat.next_turn(self.chat.history.with_messages(*outcome.messages)),
            calls=self.calls,
            used=self.used.add(outcome.usage),
            end_turn=self.end_turn,
            record=self.record,
        )


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
