"""The response of an endpoint of chat completions: a completion, or the error that decides what becomes of a run."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from remit.contracts.chat import Completion
from remit.contracts.model_status import classify_status, describe_redirect, retry_after
from remit.core.checks import check_counts, check_instance, check_text
from remit.errors import (
    CompletionError,
    ContextLengthError,
    ModelAccessError,
    ModelBusyError,
    ModelError,
    ModelRefusedError,
)
from remit.models.chat_completion import CONTENT_FILTER, filtered_completion, parse_completion, shorten_said
from remit.models.context_length import is_context_length_error
from remit.models.reported_error import ReportedError, find_reported_error, find_streamed_error
from remit.models.unsupported import is_unsupported_error

_NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})


def read_response(
    body: bytes,
    status: int = 200,
    headers: Mapping[str, str] = _NO_HEADERS,
    *,
    source: str = "the model",
    is_streamed: bool = False,
) -> Completion:
    """Read the whole response of an endpoint of chat completions. Its message is kept as received.

    Args:
        body: the body as it arrived; of a stream, the body that its events were joined to.
        status: the HTTP status.
        headers: by name in lower case.
        source: the model and its address, for errors.
        is_streamed: whether the body was streamed, so that an error without a status may have come in the middle.

    Raises:
        ModelError: what the status or the body reports. A `CompletionError` if the body is no completion.
    """
    check_instance("read_response: body", body, bytes, "give the bytes that arrived")
    check_counts("read_response", status=status)
    check_instance("read_response: headers", headers, Mapping, "give a mapping")
    check_text("read_response: source", source)
    check_instance("read_response: is_streamed", is_streamed, bool, "give True or False")
    if not 200 <= status < 300:
        return _read_refusal(source, body, status, headers)
    reported = (find_streamed_error if is_streamed else find_reported_error)(body)
    if reported is not None:
        raise _make_error(source, reported)
    try:
        return parse_completion(body)
    except CompletionError as error:
        raise CompletionError(f"{source}: {error.message}") from error


def _read_refusal(source: str, body: bytes, status: int, headers: Mapping[str, str]) -> Completion:
    """The answer to a request that the provider's content filter holds back.

    Raises:
        ModelError: all other refusals.
    """
    text = body.decode(errors="replace")
    said = find_reported_error(body) or ReportedError(status, text, "")
    if status == 400 and CONTENT_FILTER in said.code.split():
        return filtered_completion(text)
    message = describe_redirect(headers) if 300 <= status < 400 else said.message
    raise _make_error(source, ReportedError(status, message, said.code), retry_after(headers))


def _make_error(source: str, reported: ReportedError, wait: float | None = None) -> ModelError:
    """The error for an HTTP status, or for the status that the body of a response reports."""
    status, said, code = reported
    message = f"{source} answered {status}{said and f': {shorten_said(said)}'}"
    kind = ModelAccessError if "insufficient_quota" in code else classify_status(status)
    if kind is ModelRefusedError and is_context_length_error(f"{code} {said}"):
        return ContextLengthError(message)
    if kind is ModelRefusedError and is_unsupported_error(f"{code} {said}"):
        return ModelAccessError(message)
    return kind(f"{message}; try again later" if kind is ModelBusyError else message, retry_after=wait)
