"""What PydanticAI raises, as errors of ours. The original stays their cause."""

from __future__ import annotations

from typing import Final

from pydantic_ai import exceptions as foreign

from remit.errors import BudgetError, CallError, CompletionError, InvalidOutputError, MaxTurnsError, ModelError
from remit.models.pydantic_ai import classify_error
from remit.workers.definition import WorkerLimits

_MAX_ERROR_LENGTH: Final = 500


def to_model_error(error: Exception) -> ModelError:
    """The error of ours that a failed request to a model is."""
    return classify_error(error)(f"the model failed: {type(error).__name__}: {_shorten(error)}")


def to_call_error(name: str, error: Exception, limits: WorkerLimits) -> CallError | None:
    """The error of ours with which the worker ``name`` ends; None where PydanticAI has no part in it."""
    if isinstance(error, foreign.UsageLimitExceeded):
        return _make_limit_error(name, str(error), limits)
    if isinstance(error, (foreign.ContentFilterError, foreign.OutputTokenLimitExceeded)):
        return CompletionError(f"worker {name}: {_shorten(error)}")
    if isinstance(error, foreign.UnexpectedModelBehavior):
        return InvalidOutputError(f"worker {name} gave no valid result: {_shorten(error.__cause__ or error)}")
    return None


def _make_limit_error(name: str, message: str, limits: WorkerLimits) -> CallError:
    """The error of the limit that was met, named by its key in the worker file."""
    if "request_limit" in message:
        return MaxTurnsError(
            f"worker {name} was not done after {limits.turns} turns; raise `limits.turns` or ask for less"
        )
    if "tool_calls_limit" in message:
        return BudgetError(
            f"worker {name} wanted more than its {limits.tool_calls} calls; raise `limits.tool_calls` or ask for less"
        )
    return BudgetError(f"worker {name} has used its {limits.tokens} tokens; raise `limits.tokens` or ask for less")


def _shorten(error: BaseException) -> str:
    line = " ".join(str(error).split())
    return line if len(line) <= _MAX_ERROR_LENGTH else f"{line[:_MAX_ERROR_LENGTH]}…"
