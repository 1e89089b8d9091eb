"""A handoff: an agent's model calls a tool, and another agent continues the same conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from msgspec import Struct, field
from pydantic import BaseModel, ConfigDict, Field

from remit.call.call import CallLayer, unconditional_layer
from remit.call.callee import UNKNOWN, Frame, ReconcileResult
from remit.call.contract import check_name
from remit.call.facts import Effect, Facts
from remit.call.gate import Gate
from remit.call.schema import Input, Output
from remit.call.sentences import Sentences
from remit.chat.chat import ToolCallRequest
from remit.core import Place, Stack
from remit.errors import BudgetError, ConflictError, DeniedError, DivergedError
from remit.record.arguments import Arguments, Limits, parse_arguments
from remit.record.items import AttemptEnded, AttemptStarted, Handoff, Item, Message
from remit.record.ledger import Ledger

HANDOFF_PREFIX: Final = "handoff_to_"
_GOVERNING: Final = (Place.AUTHORIZE, Place.BUDGET, Place.APPROVE)
"""The places of layers, in addition to gates, that decide whether a call is made but do not affect how it runs."""


_NO_LAYERS: Final[Stack[CallLayer]] = Stack()


class Reason(BaseModel):
    """The payload of a handoff tool: the reason for the handoff."""

    model_config = ConfigDict(defer_build=True)

    reason: str = Field(description="Why, in a sentence that the other agent can go by", max_length=1 << 12)


@cache
def _reason_input() -> Input[Reason]:
    return Input(Reason)


@cache
def _text_output() -> Output[str]:
    return Output(str)


class HandoffTool:
    """The tool with which a model hands over to the agent ``target``. The dispatcher makes its call, like every call.

    The call is governed like a call of the target: by the target's facts, and by the layers around the target that
    decide whether it is called.

    Args:
        target_facts: the facts of the other agent; None until it is known.
        target_layers: the layers around the other agent.
        target_description: the purpose of the other agent. max_handoffs: the most handoffs in one run.
    """

    def __init__(
        self,
        target: str,
        *,
        target_facts: Facts | None = None,
        target_layers: Stack[CallLayer] = _NO_LAYERS,
        target_description: str = "",
        max_handoffs: int = 10,
    ) -> None:
        self.name = check_name(HANDOFF_PREFIX + target)
        self.hands_over_to = target
        self.facts = _facts_of_handoff(target, target_facts or Facts())
        self.layers = Stack[CallLayer](*filter(_governs, target_layers))
        self.description = (
            f"Hand this conversation over to {target}, who goes on with it in your place. {target_description}".rstrip()
        )
        self._max_handoffs = max_handoffs

    @property
    def schema_in(self) -> Input[Reason]:
        """The schema of the reason."""
        return _reason_input()

    @property
    def schema_out(self) -> Output[str]:
        """The schema of the acknowledgement, a text."""
        return _text_output()

    def build_arguments(self, reason: str) -> Arguments:
        """Build the arguments from a reason."""
        return _reason_input().dump_arguments(Reason(reason=reason))

    async def run(self, payload: BaseModel, frame: Frame, /) -> str:
        """Acknowledge the handoff. The calling agent's step performs the handoff.

        Raises:
            ConflictError: another handoff of the same answer succeeded first. BudgetError: the run has no handoffs
                left.
            DeniedError: the caller is not an agent's model.
        """
        known = frame.ledger.items_for(frame.caller.call)
        if not any(isinstance(item, Message) for item in known):
            raise DeniedError(
                f"{self.name} is for the model of an agent: only an agent has a conversation to hand over"
            )
        handoffs = _select_handoffs(known)
        if handoffs and handoffs[-1].target != frame.caller.agent:
            raise ConflictError(
                f"the conversation was handed over to {handoffs[-1].target}; one answer hands over once"
            )
        if not frame.ledger.reservations.reserve_handoff(frame.caller.call, self._max_handoffs):
            raise BudgetError(f"the run has used all of its handoffs ({self._max_handoffs}); answer yourself")
        return f"handed over to {self.hands_over_to}"

    async def reconcile(self, _payload: BaseModel, _frame: Frame, /) -> ReconcileResult:
        """Return UNKNOWN; no attempt is ever started."""
        return UNKNOWN

    def __eq__(self, other: object) -> bool:
        """Whether both have the same target with the same description, facts and layers."""
        return isinstance(other, HandoffTool) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"HandoffTool({self.hands_over_to})"

    def _identity(self) -> tuple[str, int, Facts, tuple[CallLayer, ...]]:
        return self.description, self._max_handoffs, self.facts, self.layers.layers


def _facts_of_handoff(target: str, facts: Facts) -> Facts:
    """The facts of an agent, except the facts about its run and its input."""
    own = replace(facts, effect=Effect.PURE, timeout=None, rate=None, confirm=None, repeatable=False)
    return replace(own, says=Sentences(f"Hand|Handing|Handed over to the agent {target}"), undo=None)


def _governs(layer: CallLayer) -> bool:
    """Whether a layer around an agent decides only whether the agent is called, not how it runs."""
    return layer.place in _GOVERNING or isinstance(unconditional_layer(layer), Gate)


class Handoffs(Struct, frozen=True, kw_only=True):
    """The handoffs that the agent ``source`` may make: names of handoff tools with the names of their targets."""

    source: str = ""
    targets: Mapping[str, str] = field(default_factory=dict[str, str])

    def check_recorded(self, ledger: Ledger, agent_call_id: str, tool_call: ToolCallRequest) -> None:
        """Refuse a recorded handoff to an agent that is no longer a target.

        Raises:
            DivergedError: the message names the agent.
        """
        for handoff in _select_handoffs(ledger.items_for(agent_call_id)):
            if handoff.wire == tool_call.id and tool_call.name not in self.targets:
                raise DivergedError(
                    f"the journal records a handoff to {handoff.target}, which the current {self.source} does not make"
                    "; nothing was run"
                )

    def follow(self, ledger: Ledger, agent_call_id: str, tool_call: ToolCallRequest, call_id: str) -> str:
        """The agent that takes over after the successful call ``tool_call``, and the journal's record of it, once.

        Empty if a layer replied in place of the call's body, which counts the handoff.
        """
        is_recorded = any(item.wire == tool_call.id for item in _select_handoffs(ledger.items_for(agent_call_id)))
        if not is_recorded and not _has_accepted(ledger.items_for(call_id)):
            return ""
        target = self.targets[tool_call.name]
        if not is_recorded or ledger.execution.is_replaying:
            arguments = parse_arguments(tool_call.arguments, Limits()).value or {}
            handoff = Handoff(
                call=agent_call_id,
                source=self.source,
                target=target,
                reason=str(arguments.get("reason", "")),
                wire=tool_call.id,
            )
            ledger.add(handoff)
        return target


def _has_accepted(items: Sequence[Item]) -> bool:
    """Whether the body of a handoff tool ran without an error. A pure tool's successful end is not journaled."""
    attempts = [item for item in items if isinstance(item, (AttemptStarted, AttemptEnded))]
    return bool(attempts) and isinstance(attempts[-1], AttemptStarted)


def _select_handoffs(items: Sequence[Item]) -> list[Handoff]:
    return [item for item in items if isinstance(item, Handoff)]
