"""The model errors for those of PydanticAI, and of the clients of providers below it."""

from __future__ import annotations

from typing import Final

from remit.lazy_exports import require_extra

with require_extra(__name__, "pydantic-ai"):
    from pydantic_ai import exceptions as foreign

from remit.contracts.chat import Completion
from remit.contracts.model_status import FailedResponse, classify_status, describe_redirect, find_response
from remit.contracts.transient import is_transient
from remit.errors import (
    ContextLengthError,
    ModelAccessError,
    ModelBusyError,
    ModelError,
    ModelRefusedError,
    ModelUnavailableError,
)
from remit.models.chat_completion import CONTENT_FILTER, filtered_completion
from remit.models.context_length import is_context_length_error
from remit.models.pydantic_names import shorten_line
from remit.models.unsupported import is_unsupported_error
from remit.schemas.jsontext import compact_json


def to_model_error(error: Exception, model: str, vendor: str) -> ModelError:
    """The model error for an error of PydanticAI or a provider."""
    kind, response = classify_error(error), first_response(error)
    reason = f"{error} {first_cause(error)}" if isinstance(error, foreign.ModelConnectionError) else str(error)
    if response is not None and 300 <= response.status < 400:
        reason = f"{response.status}, {describe_redirect(response.headers)}"
    message = f"{model} of {vendor}: {type(error).__name__}: {shorten_line(reason)}"
    if kind is ModelBusyError:
        message = f"{message}; try again later"
    return kind(message, retry_after=get_retry_after(error))


def first_cause(error: BaseException) -> str:
    """What the first of the errors says that led to this one, which a client's own words hide."""
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error)


def find_filtered(error: BaseException) -> Completion | None:
    """The answer to a request that the provider's content filter holds back; None for all other errors."""
    if not isinstance(error, (foreign.ModelAPIError, foreign.ContentFilterError)):
        return None
    if isinstance(error, foreign.ModelAPIError) and error.provider_error_code != CONTENT_FILTER:
        return None
    return filtered_completion(error.body if isinstance(error.body, str) else compact_json(error.body))


_ACCESS_ERRORS: Final = (
    foreign.ModelAuthenticationError,
    foreign.ModelNotFoundError,
    foreign.ModelQuotaExceededError,
)
_REFUSED_ERRORS: Final = (foreign.ModelRequestRejectedError, foreign.UserError)
_UNAVAILABLE_ERRORS: Final = (
    foreign.ModelServerError,
    foreign.ModelConnectionError,
    foreign.UnexpectedModelBehavior,
)
_BUSY_ERRORS: Final = (foreign.ModelRateLimitError, foreign.ModelUnavailableError, foreign.ConcurrencyLimitExceeded)


def classify_error(error: BaseException) -> type[ModelError]:
    """Classify an error as refused, busy or unavailable by its type, else by the HTTP status."""
    if isinstance(error, foreign.ModelContextWindowExceededError) or _is_too_long(error):
        return ContextLengthError
    if isinstance(error, _ACCESS_ERRORS):
        return ModelAccessError
    if isinstance(error, _REFUSED_ERRORS):
        return _classify_refusal(error)
    if isinstance(error, _BUSY_ERRORS):
        return ModelBusyError
    status = error.status_code if isinstance(error, foreign.ModelHTTPError) else _first_status(error)
    is_unavailable = isinstance(error, _UNAVAILABLE_ERRORS) or is_transient(error)
    kind = classify_status(status) if status else ModelUnavailableError if is_unavailable else ModelError
    return _classify_refusal(error) if kind is ModelRefusedError else kind


def _classify_refusal(error: BaseException) -> type[ModelError]:
    return ModelAccessError if is_unsupported_error(str(error)) else ModelRefusedError


def _first_status(error: BaseException) -> int:
    response = first_response(error)
    return 0 if response is None else response.status


def first_response(error: BaseException) -> FailedResponse | None:
    """The response of the first of the errors that led to this one and has one, which PydanticAI may hide."""
    response = find_response(error)
    while response is None and error.__cause__ is not None:
        error = error.__cause__
        response = find_response(error)
    return response


def _is_too_long(error: BaseException) -> bool:
    status = error.status_code if isinstance(error, foreign.ModelHTTPError) else None
    return status in (400, 413, 422) and is_context_length_error(str(error))


def get_retry_after(error: BaseException) -> float | None:
    """The seconds that the provider asked to wait; None if it did not say."""
    return error.retry_after if isinstance(error, foreign.ModelAPIError) else None
