"""The limits of one call of an agent, whichever driver runs it."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from remit.call.schema import shorten_text
from remit.call.step import StepUsage
from remit.errors import BudgetError, CallError, InvalidOutputError, MaxTurnsError, RepeatedCallError
from remit.record.meter import UsageLimit
from remit.schemas.settings import with_setup_errors

_CAUSE_BYTES: Final = 300


@with_setup_errors
class AgentLimits(BaseModel):
    """How much one call of an agent may use, within the budget of its run.

    Tokens, cost and seconds include those of everything that the agent calls.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True, allow_inf_nan=False)

    turns: int = Field(default=16, ge=1, description="Requests to the model.")
    tool_calls: int | None = Field(default=None, ge=0, description="Calls that the model may make.")
    repeats: int | None = Field(
        default=3, ge=1, description="Turns in a row that only repeat calls, until the agent ends; none for any number."
    )
    tokens: int | None = Field(default=None, ge=1, description="Tokens, of prompts and completions together.")
    cost: float | None = Field(default=None, gt=0, description="US dollars, by the prices of the models.")
    seconds: float | None = Field(default=None, gt=0, description="Seconds, without those of waiting for a person.")
    output_bytes: int = Field(default=256 << 10, ge=1, description="Bytes of the result.")

    def usage_limit(self, name: str) -> UsageLimit | None:
        """The limit on the usage of all models; None for no limit."""
        if self.tokens is None and self.cost is None:
            return None
        settings = "`limits.tokens`" if self.cost is None else "`limits`"
        return UsageLimit(f"agent {name}", settings, is_of_run=False, tokens=self.tokens, cost=self.cost)

    def turns_error(self, name: str) -> CallError:
        """The error for exceeding the number of turns."""
        return MaxTurnsError(
            f"agent {name} did not finish within {self.turns} turns; raise `limits.turns` or ask for less"
        )

    def repeats_error(self, name: str, tool: str, cause: str) -> CallError:
        """The error for repeating calls in too many turns. ``cause``: why the repeated call fails, if it does."""
        why = f"it fails each time: {shorten_text(cause, _CAUSE_BYTES)}" if cause else "nothing has changed"
        return RepeatedCallError(
            f"agent {name} has repeated its call of {tool} in {self.repeats} turns, although {why}; "
            "ask for it in other words (the agent's `limits.repeats` is the number of turns)"
        )

    def tool_calls_error(self, name: str) -> CallError:
        """The error for exceeding the number of tool calls."""
        return BudgetError(
            f"agent {name} requested more than its {self.tool_calls} calls; raise `limits.tool_calls` or ask for less"
        )

    def tokens_error(self, name: str) -> CallError:
        """The error for exceeding the number of tokens."""
        return BudgetError(
            f"agent {name} has used all of its {self.tokens} tokens; raise `limits.tokens` or ask for less"
        )

    def check_usage(self, name: str, used: StepUsage) -> None:
        """Refuse usage above the limits.

        Raises:
            BudgetError: the message names the limit.
        """
        if self.tokens is not None and used.prompt_tokens + used.completion_tokens > self.tokens:
            raise self.tokens_error(name)
        if self.tool_calls is not None and used.tool_calls > self.tool_calls:
            raise self.tool_calls_error(name)

    def check_size(self, name: str, content: str) -> None:
        """Refuse a result that is too large.

        Raises:
            InvalidOutputError: the message gives the size.
        """
        size = len(content.encode(errors="replace"))
        if size > self.output_bytes:
            raise InvalidOutputError(f"agent {name} returned {size:,} bytes; its limit is {self.output_bytes:,}")
