"""What PydanticAI raises, as errors of ours. The original stays their cause."""

from __future__ import annotations

from typing import Final

from pydantic_ai import exceptions as foreign

from remit.errors import BudgetError, CallError, CompletionError, ModelError, OutputError, TurnsError
from remit.models.pydantic_ai import kind_of
from remit.workers.definition import WorkerLimits

_SHOWN: Final = 500


def explained(error: Exception) -> ModelError:
    """The error of ours that a failed request to a model is."""
    return kind_of(error)(f"the model failed: {type(error).__name__}: {_short(error)}")


def ended(name: str, error: Exception, limits: WorkerLimits) -> CallError | None:
    """The error of ours with which the worker ``name`` ends; None where PydanticAI has no part in it."""
    if isinstance(error, foreign.UsageLimitExceeded):
        return _used_up(name, str(error), limits)
    if isinstance(error, (foreign.ContentFilterError, foreign.OutputTokenLimitExceeded)):
        return CompletionError(f"worker {name}: {_short(error)}")
    if isinstance(error, foreign.UnexpectedModelBehavior):
        return OutputError(f"worker {name} gave no valid result: {_short(error.__cause__ or error)}")
    return None


def _used_up(name: str, said: str, limits: WorkerLimits) -> CallError:
    """The error of the limit that was met, named by its key in the worker file."""
    if "request_limit" in said:
        return TurnsError(
            f"worker {name} was not done after {limits.turns} turns; raise `limits.turns` or ask for less"
        )
    if "tool_calls_limit" in said:
        return BudgetError(
            f"worker {name} wanted more than its {limits.tool_calls} calls; raise `limits.tool_calls` or ask for less"
        )
    return BudgetError(f"worker {name} has used its {limits.tokens} tokens; raise `limits.tokens` or ask for less")


def _short(error: BaseException) -> str:
    line = " ".join(str(error).split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
