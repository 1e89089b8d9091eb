"""Stop policies: when an agent is done. They are values, and compose with ``|`` and ``&``."""

from __future__ import annotations

import abc
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from msgspec import Struct
from pydantic import PositiveFloat, PositiveInt

from remit.core.argument_types import FilledText, Name
from remit.core.call_checks import check_arguments
from remit.core.checks import check_instance
from remit.record.items import Outcome


class TurnCall(NamedTuple):
    """A call of a turn: the name of the tool, as the model wrote it, and how the call ended."""

    name: str
    outcome: Outcome


class Turn(Struct, frozen=True, kw_only=True):
    """A turn of an agent, as a stop policy sees it: an answer of the model and its calls, which have ended.

    ``number`` counts the agent's turns from 1, and ``text`` is the text of the answer. ``tokens`` and ``cost`` (US
    dollars; None if the price of a model is unknown) are those of the agent's call so far, with everything below it.
    ``seconds`` is its execution time so far. All values are on record.
    """

    number: int
    text: str
    calls: tuple[TurnCall, ...] = ()
    tokens: int = 0
    cost: float | None = 0.0
    seconds: float = 0.0


class StopPolicy(abc.ABC):
    """Decides after each turn whether an agent is done. Must depend on the turn alone, so that runs can be replayed."""

    __slots__ = ()

    @abc.abstractmethod
    def is_met(self, turn: Turn, /) -> bool:
        """Whether the agent is done after this turn."""

    @property
    def instruction(self) -> str:
        """The action with which a model meets the policy, like ``call publish``; empty if there is none."""
        return ""

    @property
    def parts(self) -> tuple[StopPolicy, ...]:
        """Its component policies."""
        return ()

    def __or__(self, other: StopPolicy) -> StopPolicy:
        """Stop when either policy is met."""
        return AnyOf((self, _check_policy(other)))

    def __and__(self, other: StopPolicy) -> StopPolicy:
        """Stop when both policies are met."""
        return AllOf((self, _check_policy(other)))


@check_arguments()
@dataclass(frozen=True, slots=True)
class NoCalls(StopPolicy):
    """The model called no tool; the default."""

    @property
    def instruction(self) -> str:
        """How a model meets it."""
        return "answer without calling a tool"

    def is_met(self, turn: Turn, /) -> bool:
        """Whether the turn has no calls."""
        return not turn.calls


@check_arguments()
@dataclass(frozen=True, slots=True)
class CalledTool(StopPolicy):
    """A call of the tool ``name`` succeeded."""

    name: Name

    @property
    def instruction(self) -> str:
        """How a model meets it."""
        return f"call {self.name}"

    def is_met(self, turn: Turn, /) -> bool:
        """Whether a call of the tool succeeded in the turn."""
        return TurnCall(self.name, "ok") in turn.calls


@check_arguments()
@dataclass(frozen=True, slots=True)
class HasText(StopPolicy):
    """The model's answer contains ``marker``, such as ``FINAL_ANSWER:``."""

    marker: FilledText

    @property
    def instruction(self) -> str:
        """How a model meets it."""
        return f"write {self.marker} in your answer"

    def is_met(self, turn: Turn, /) -> bool:
        """Whether the answer contains the marker."""
        return self.marker in turn.text


@check_arguments()
@dataclass(frozen=True, slots=True)
class TurnsUsed(StopPolicy):
    """The agent has had ``count`` turns."""

    count: PositiveInt

    def is_met(self, turn: Turn, /) -> bool:
        """Whether the agent has had that many turns."""
        return turn.number >= self.count


@check_arguments()
@dataclass(frozen=True, slots=True)
class TokensUsed(StopPolicy):
    """The agent has used ``count`` tokens, with everything that it called."""

    count: PositiveInt

    def is_met(self, turn: Turn, /) -> bool:
        """Whether the agent has used that many tokens."""
        return turn.tokens >= self.count


@check_arguments()
@dataclass(frozen=True, slots=True)
class CostUsed(StopPolicy):
    """The agent has cost ``dollars``, with everything that it called, or its cost is unknown."""

    dollars: PositiveFloat

    def is_met(self, turn: Turn, /) -> bool:
        """Whether the agent has cost that much, or an unknown amount."""
        return turn.cost is None or turn.cost >= self.dollars


@check_arguments()
@dataclass(frozen=True, slots=True)
class SecondsUsed(StopPolicy):
    """The agent has executed for ``seconds``, not counting waits for a person."""

    seconds: PositiveFloat

    def is_met(self, turn: Turn, /) -> bool:
        """Whether the agent has executed that long."""
        return turn.seconds >= self.seconds


class _Composed(StopPolicy):
    """Policies joined by one operator."""

    __slots__ = ("_parts",)
    word = ""

    def __init__(self, parts: tuple[StopPolicy, ...]) -> None:
        """Join the parts. A part joined by the same operator is replaced by its own parts."""
        joined: list[StopPolicy] = []
        for each in parts:
            joined += each.parts if type(each) is type(self) else [each]
        self._parts = tuple(joined)

    @property
    def parts(self) -> tuple[StopPolicy, ...]:
        return self._parts

    @property
    def instruction(self) -> str:
        return f" {self.word} ".join(filter(None, (each.instruction for each in self._parts)))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._parts == other.parts

    def __hash__(self) -> int:
        return hash((self.word, self._parts))

    def __repr__(self) -> str:
        sign = " | " if self.word == "or" else " & "
        return sign.join(f"({each!r})" if each.parts else repr(each) for each in self._parts)


@check_arguments()
class AnyOf(_Composed):
    """One of several policies is met: ``NoCalls() | TurnsUsed(5)``."""

    __slots__ = ()
    word = "or"

    def is_met(self, turn: Turn, /) -> bool:
        """Whether one of them is met."""
        return any(each.is_met(turn) for each in self.parts)


@check_arguments()
class AllOf(_Composed):
    """All of several policies are met: ``NoCalls() & HasText("FINAL_ANSWER:")``."""

    __slots__ = ()
    word = "and"

    def is_met(self, turn: Turn, /) -> bool:
        """Whether all of them are met."""
        return all(each.is_met(turn) for each in self.parts)


def walk_policy(policy: StopPolicy | None) -> Iterator[StopPolicy]:
    """Iterate over the policy and all its parts."""
    if policy is not None:
        yield policy
        for each in policy.parts:
            yield from walk_policy(each)


def continue_text(policy: StopPolicy) -> str:
    """The message to a model that called no tool and is not done."""
    how = f" To finish, {policy.instruction}." if policy.instruction else ""
    return f"You are not done yet; go on.{how}"


def _check_policy(policy: object) -> StopPolicy:
    check_instance("a stop policy", policy, StopPolicy, "give one, such as TurnsUsed(5)")
    assert isinstance(policy, StopPolicy)  # noqa: S101 - for the type checker: checked just above
    return policy
