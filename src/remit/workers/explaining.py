"""What PydanticAI raises, as errors of ours. The original stays their cause."""

from __future__ import annotations

from typing import Final

from pydantic_ai import exceptions as foreign

from remit.errors import BudgetError, CallError, CompletionError, ModelError, OutputError, TurnsError
from remit.models.pydantic_ai import kind_of

_SHOWN: Final = 500
_TURNS: Final = "request_limit"
"""The word by which PydanticAI says which of its limits was met."""


def explained(error: Exception) -> ModelError:
    """The error of ours that a failed request to a model is."""
    return kind_of(error)(f"the model failed: {type(error).__name__}: {_short(error)}")


def ended(name: str, error: Exception) -> CallError | None:
    """The error of ours with which the worker ``name`` ends; None where PydanticAI has no part in it."""
    if isinstance(error, foreign.UsageLimitExceeded):
        kind = TurnsError if _TURNS in str(error) else BudgetError
        return kind(f"worker {name} has used up its limits: {_short(error)}")
    if isinstance(error, (foreign.ContentFilterError, foreign.OutputTokenLimitExceeded)):
        return CompletionError(f"worker {name}: {_short(error)}")
    if isinstance(error, foreign.UnexpectedModelBehavior):
        return OutputError(f"worker {name} gave no valid result: {_short(error.__cause__ or error)}")
    return None


def _short(error: BaseException) -> str:
    line = " ".join(str(error).split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
