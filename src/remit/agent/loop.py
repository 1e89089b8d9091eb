"""The loop around a step, as a layer: ask again until the agent is done."""

from __future__ import annotations

from dataclasses import dataclass

from remit.contracts.call import StepService
from remit.contracts.chat import History
from remit.contracts.reply import Reply
from remit.contracts.step import Done, StepRequest, StepUsage
from remit.core import Service
from remit.errors import MaxTurnsError, SetupError
from remit.journal.codec import ChatItem, items_from_messages


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRun:
    """What an agent did: its whole history, what it used, and the reply that ended it early, if one did.

    ``handoff_target``: the agent that it handed the conversation over to, if it did.
    """

    agent: str
    messages: History
    aux: StepUsage
    turns: int
    final: Reply | None = None
    handoff_target: str = ""

    @property
    def events(self) -> list[ChatItem]:
        """The history as items, one for each message."""
        return items_from_messages(self.messages, self.agent)


LoopService = Service[StepRequest, AgentRun]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentLoop:
    """Repeats the step, each time with the messages of the one before, at most ``max_turns`` times."""

    max_turns: int = 16

    def __post_init__(self) -> None:
        if self.max_turns < 1:
            raise SetupError(f"{self!r}: an agent needs at least one turn")

    def __call__(self, inner: StepService, /) -> LoopService:
        """The service that repeats ``inner``."""

        async def loop(request: StepRequest, /) -> AgentRun:
            chat, used = request.chat, StepUsage()
            for turn in range(1, self.max_turns + 1):
                outcome = await inner(StepRequest(chat=chat, calls=request.calls))
                used = used.add(outcome.usage)
                history = chat.history.with_messages(*outcome.messages)
                if isinstance(outcome, Done):
                    final, to = outcome.final_reply, outcome.handoff_to
                    return AgentRun(
                        agent=chat.agent_call_id, messages=history, aux=used, turns=turn, final=final, handoff_target=to
                    )
                chat = chat.next_turn(history)
            raise MaxTurnsError(f"the agent was not done after {self.max_turns} turns")

        return loop
