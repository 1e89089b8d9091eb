"""The loop of an agent as a layer around its step: repeats the step until the agent has finished."""

from __future__ import annotations

from typing import Protocol, cast

from msgspec import Struct

from remit.agent.limits import AgentLimits
from remit.call.call import StepService
from remit.call.reply import Reply
from remit.call.step import Done, StepOutcome, StepRequest, StepUsage
from remit.chat.chat import History
from remit.core import Service
from remit.core.checks import check_counts, check_instances, check_texts
from remit.errors import InternalError, MaxTurnsError, SetupError
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

    def __post_init__(self) -> None:
        check_texts("AgentRun", agent=self.agent, handoff_target=self.handoff_target)
        check_counts("AgentRun", turns=self.turns)
        check_instances(
            "AgentRun",
            messages=(self.messages, History),
            usage=(self.usage, StepUsage),
            result=(self.result, Reply | None),
            final=(self.final, Reply | None),
        )

    @classmethod
    def from_outcome(cls, request: StepRequest, outcome: Done, turns: int) -> AgentRun:
        """The run that ends with the step of ``request``, after that many turns.

        Raises:
            SetupError: the step has not ended it.
        """
        if not isinstance(cast("object", outcome), Done):
            raise SetupError(
                f"AgentRun.from_outcome: outcome is a {type(outcome).__name__}; give the Done of a step, and go on "
                "with request.after(outcome) after a Next"
            )
        return cls(
            agent=request.chat.agent_call_id,
            messages=request.chat.history.with_messages(*outcome.messages),
            usage=request.used.add(outcome.usage),
            turns=turns,
            result=outcome.result,
            final=outcome.final_reply,
            handoff_target=outcome.handoff_to,
        )

    @property
    def events(self) -> list[ChatItem]:
        """The history as items, one for each message."""
        return items_from_messages(self.messages, self.agent)


LoopService = Service[StepRequest, AgentRun]


class Loop(Protocol):
    """The loop of an agent: a layer around its step, for `Agent(loop=…)`. `AgentLoop` is the default.

    It repeats the step with `StepRequest.after`, may add a message to the model with `StepRequest.with_message`, and
    returns an `AgentRun`, as `AgentRun.from_outcome` makes it. A resumed or replayed run executes the loop again, and
    it must then request the same steps: its decisions must depend only on their outcomes.
    """

    def __call__(self, step: StepService, /) -> LoopService:
        """Wrap the step."""
        ...


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
            for turn in range(1, self.max_turns + 1):
                outcome = await inner(request)
                if isinstance(outcome, Done):
                    return AgentRun.from_outcome(request, outcome, turn)
                request = request.after(outcome)
            raise MaxTurnsError(f"the agent did not finish within {self.max_turns} turns")

        return loop


class LimitedStep:
    """The step that a loop of the application gets for one task of an agent.

    It enforces the agent's limit, and it makes each turn once, because the journal would answer a second request.
    """

    def __init__(self, step: StepService, limits: AgentLimits, agent: str, first_turn: int) -> None:
        self._step = step
        self._limits = limits
        self._agent = agent
        self._first_turn = first_turn
        self.turns = 0

    async def __call__(self, request: StepRequest, /) -> StepOutcome:
        """Make the next step.

        Raises:
            MaxTurnsError: the agent has used all its turns. InternalError: the request is not for the next turn.
        """
        if self.turns >= self._limits.turns:
            raise self._limits.turns_error(self._agent)
        if request.chat.turn != self._first_turn + self.turns:
            raise InternalError(
                f"the loop of agent {self._agent} requested turn {request.chat.turn}, and the next one is "
                f"{self._first_turn + self.turns}; make the request with request.after(outcome)"
            )
        self.turns += 1
        return await self._step(request)
