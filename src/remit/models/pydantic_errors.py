"""Maps errors of PydanticAI, and of the providers' clients below it, to model errors."""

from __future__ import annotations

from typing import Final, cast

from remit.lazy_exports import require_extra

with require_extra(__name__, "pydantic-ai"):
    from pydantic_ai import exceptions as foreign

from remit.call.transient import is_transient
from remit.chat.chat import Completion
from remit.chat.model_status import FailedResponse, describe_redirect, find_response, retry_after
from remit.chat.provider_error import ProviderError, classify_error, is_filtered
from remit.errors import (
    CompletionError,
    ContextLengthError,
    ModelAccessError,
    ModelBusyError,
    ModelError,
    ModelUnavailableError,
)
from remit.models.chat_completion import filtered_completion
from remit.models.pydantic_names import shorten_line
from remit.models.reported_error import read_refusal
from remit.schemas.jsontext import compact_json


def to_model_error(error: Exception, model: str, vendor: str) -> ModelError:
    """The model error for an error of PydanticAI or a provider, or for an error of Remit that a client has wrapped."""
    if isinstance(error, ExceptionGroup):
        raised = cast("ExceptionGroup[Exception]", error).exceptions
        return _first_that_ends([to_model_error(each, model, vendor) for each in raised])
    told = _find_own(error)
    if told is not None:
        return type(told)(f"{model} of {vendor}: {told.message}", retry_after=told.retry_after)
    kind, response = classify_foreign(error), first_response(error)
    if kind is ModelError and vendor not in _LOCAL:  # a provider's client could not read the answer
        kind = CompletionError
    reason = f"{error} {first_cause(error)}" if isinstance(error, foreign.ModelConnectionError) else str(error)
    if response is not None and 300 <= response.status < 400:
        reason = f"{response.status}, {describe_redirect(response.headers)}"
    message = f"{model} of {vendor}: {type(error).__name__}: {shorten_line(reason)}"
    if kind is ModelBusyError:
        message = f"{message}; try again later"
    return kind(message, retry_after=get_retry_after(error))


def _first_that_ends(told: list[ModelError]) -> ModelError:
    """The error for the errors of several models: the first that ends the run, or else the first."""
    return next((each for each in told if not isinstance(each, ModelUnavailableError)), told[0])


def _find_own(error: BaseException | None) -> ModelError | None:
    """The error with which `raw_chat` refused an answer, found below the clients' errors."""
    while error is not None and not isinstance(error, ModelError):
        error = error.__cause__
    return error


def first_cause(error: BaseException) -> str:
    """The message of the first error in the chain, which the client's own message hides."""
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error)


def find_filtered(error: BaseException) -> Completion | None:
    """The answer to a request that the provider's content filter blocks; None for all other errors."""
    if not isinstance(error, (foreign.ModelAPIError, foreign.ContentFilterError)):
        return None
    if isinstance(error, foreign.ModelAPIError) and not is_filtered(_read_stated(error)):
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
    foreign.ModelAPIError,
)
_LOCAL: Final = frozenset({"function", "test"})
"""The vendors of models that are an application's functions, which raise the application's errors."""
_BUSY_ERRORS: Final = (foreign.ModelRateLimitError, foreign.ModelUnavailableError, foreign.ConcurrencyLimitExceeded)


def classify_foreign(error: BaseException) -> type[ModelError]:
    """Remit's class for an error of PydanticAI or a provider: by the provider's statement, or else by its type."""
    if isinstance(error, foreign.ModelContextWindowExceededError):
        return ContextLengthError
    if isinstance(error, foreign.ModelHTTPError):
        kind = classify_error(_read_stated(error))
        is_access = isinstance(error, _ACCESS_ERRORS) and not issubclass(kind, (ContextLengthError, CompletionError))
        return ModelAccessError if is_access else kind
    if isinstance(error, (*_ACCESS_ERRORS, *_BUSY_ERRORS)):
        return ModelBusyError if isinstance(error, _BUSY_ERRORS) else ModelAccessError
    if isinstance(error, _REFUSED_ERRORS):
        return classify_error(ProviderError(400, str(error)))
    response = first_response(error)
    if response is not None:
        return classify_error(ProviderError(response.status, str(error)))
    return ModelUnavailableError if isinstance(error, _UNAVAILABLE_ERRORS) or is_transient(error) else ModelError


def _read_stated(error: foreign.ModelAPIError) -> ProviderError:
    """The error that a provider reports by its status, its body and the codes that PydanticAI found."""
    stated = read_refusal(error.body, error.status_code if isinstance(error, foreign.ModelHTTPError) else None)
    found = cast("tuple[object, ...]", (stated.codes, error.provider_error_code, error.provider_error_type))
    return stated._replace(codes=" ".join(code for code in found if isinstance(code, str) and not code.isdigit()))


def first_response(error: BaseException) -> FailedResponse | None:
    """The response of the first error in the chain that has one; PydanticAI may hide it."""
    response = find_response(error)
    while response is None and error.__cause__ is not None:
        error = error.__cause__
        response = find_response(error)
    return response


def get_retry_after(error: BaseException) -> float | None:
    """The seconds that the provider asked to wait; None if it did not say."""
    response = first_response(error)
    stated = None if response is None else retry_after(response.headers)
    return error.retry_after if stated is None and isinstance(error, foreign.ModelAPIError) else stated
