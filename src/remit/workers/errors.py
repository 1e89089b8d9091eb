"""Maps errors of PydanticAI to errors of Remit. The original is kept as the cause."""

from __future__ import annotations

from typing import Final

from pydantic_ai import exceptions as foreign

from remit.agent.limits import AgentLimits
from remit.errors import CallError, CompletionError, InvalidOutputError, ModelError
from remit.models.pydantic_ai import classify_error, get_retry_after

_MAX_ERROR_LENGTH: Final = 500


def to_model_error(error: BaseException) -> ModelError:
    """The model error for a failed request."""
    message = f"the model failed: {type(error).__name__}: {_shorten(error)}"
    return classify_error(error)(message, retry_after=get_retry_after(error))


def to_call_error(name: str, error: Exception, limits: AgentLimits) -> CallError | None:
    """The call error for an error of PydanticAI in the agent ``name``; None for any other error."""
    if isinstance(error, foreign.UsageLimitExceeded):
        return _to_limit_error(name, str(error), limits)
    if isinstance(error, (foreign.ContentFilterError, foreign.OutputTokenLimitExceeded)):
        return CompletionError(f"agent {name}: {_shorten(error)}")
    if isinstance(error, foreign.UnexpectedModelBehavior):
        return InvalidOutputError(f"agent {name} gave no valid result: {_shorten(error.__cause__ or error)}")
    return None


def _to_limit_error(name: str, message: str, limits: AgentLimits) -> CallError:
    """The error for the limit that was reached."""
    if "request_limit" in message:
        return limits.turns_error(name)
    if "tool_calls_limit" in message:
        return limits.tool_calls_error(name)
    return limits.tokens_error(name)


def _shorten(error: BaseException) -> str:
    line = " ".join(str(error).split())
    return line if len(line) <= _MAX_ERROR_LENGTH else f"{line[:_MAX_ERROR_LENGTH]}…"
