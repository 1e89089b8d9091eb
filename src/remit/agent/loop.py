"""The loop of an agent as a layer around its step: repeats the step until the agent has finished."""

from __future__ import annotations

from msgspec import Struct

from remit.contracts.call import StepService
from remit.contracts.chat import History
from remit.contracts.reply import Reply
from remit.contracts.step import Done, StepRequest, StepUsage
from remit.core import Service
from remit.core.checks import check_counts
from remit.errors import MaxTurnsError, SetupError
from remit.journal.codec import ChatItem, items_from_messages


class AgentRun(Struct, frozen=True, kw_only=True):
    """The finished work of an agent: its whole history, its usage, and how it ended.

    ``result`` is a validated result; without one the result is the text of the last message.
    ``final`` is a reply that ended the run early. ``handoff_target`` is the agent that takes over the conversation.
    """

    agent: str
    messages: History
    usage: StepUsage
    turns: int
    result: Reply | None = None
    final: Reply | None = None
    handoff_target: str = ""

    @property
    def events(self) -> list[ChatItem]:
        """The history as items, one for each message."""
        return items_from_messages(self.messages, self.agent)


LoopService = Service[StepRequest, AgentRun]


class AgentLoop(Struct, frozen=True, kw_only=True):
    """Repeats the step at most ``max_turns`` times. Each step gets the messages of the previous one."""

    max_turns: int = 16

    def __post_init__(self) -> None:
        check_counts("AgentLoop", max_turns=self.max_turns)
        if self.max_turns < 1:
            raise SetupError(f"{self!r}: an agent needs at least one turn")

    def __call__(self, inner: StepService, /) -> LoopService:
        """Wrap ``inner``, the step."""

        async def loop(request: StepRequest, /) -> AgentRun:
            chat, used = request.chat, StepUsage()
            for turn in range(1, self.max_turns + 1):
                outcome = await inner(StepRequest(chat=chat, calls=request.calls, used=used))
                used = used.add(outcome.usage)
                history = chat.history.with_messages(*outcome.messages)
                if isinstance(outcome, Done):
                    return AgentRun(
                        agent=chat.agent_call_id,
                        messages=history,
                        usage=used,
                        turns=turn,
                        result=outcome.result,
                        final=outcome.final_reply,
                        handoff_target=outcome.handoff_to,
                    )
                chat = chat.next_turn(history)
            raise MaxTurnsError(f"the agent was not done after {self.max_turns} turns")

        return loop
