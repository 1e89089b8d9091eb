"""The response of an endpoint of chat completions: a completion, or the error that decides how a run continues."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from remit.chat.chat import Completion
from remit.chat.model_status import describe_redirect, retry_after
from remit.chat.provider_error import ProviderError, classify_error, is_filtered
from remit.core.checks import check_counts, check_instance, check_text
from remit.errors import CompletionError, ModelBusyError, ModelError
from remit.models.answer_stream import AnswerStream, StreamCutError
from remit.models.chat_completion import filtered_completion, parse_completion, shorten_said
from remit.models.reported_error import find_reported_error, read_refusal

_NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})
_WHOLE: Final = re.compile(rb"\s*[{\[<]")
"""The beginning of an answer in one piece, or of an HTML page."""


def read_response(
    body: bytes, status: int = 200, headers: Mapping[str, str] = _NO_HEADERS, *, source: str = "the model"
) -> Completion:
    """Read the whole response of an endpoint of chat completions. Its message is kept as received.

    A request that the provider's filter blocks gets an answer without text, with the filter's explanation.

    Args:
        body: the body as received; for a stream, the body joined from its events.
        status: the HTTP status.
        headers: by name in lower case.
        source: the model and its address, for errors.

    Raises:
        ModelError: the status or the body reports an error. `CompletionError`: the body is not a completion.
    """
    check_instance("read_response: body", body, bytes, "give the bytes that arrived")
    check_counts("read_response", status=status)
    check_instance("read_response: headers", headers, Mapping, "give a mapping")
    check_text("read_response: source", source)
    is_success = 200 <= status < 300
    if is_success and not _WHOLE.match(body):
        body = _join_events(body)
    if is_success and b'"error"' not in body:
        with contextlib.suppress(CompletionError):  # the body may say why it is not a completion
            return parse_completion(body)
    text = "" if is_success else body.decode(errors="replace")
    reported = find_reported_error(body) if is_success else read_refusal(text, status)
    if reported is not None and is_filtered(reported):
        return filtered_completion(text or body.decode(errors="replace"))
    if reported is not None:
        raise _make_error(source, reported, status, headers, text)
    try:
        return parse_completion(body)
    except CompletionError as error:
        raise CompletionError(f"{source}: {error.message}") from error


def _join_events(body: bytes) -> bytes:
    """The answer in events that an endpoint sends unasked or with another content type; else the body unchanged."""
    stream = AnswerStream(lambda _delta: None)
    with contextlib.suppress(ValueError, TypeError, LookupError, StreamCutError):
        stream.add_bytes(body)
        return stream.body().encode(errors="surrogatepass")
    return body


def _make_error(source: str, reported: ProviderError, status: int, headers: Mapping[str, str], body: str) -> ModelError:
    """The error that a response with that status reports. It shows the body if the body has no message in words."""
    kind = classify_error(reported)
    said = shorten_said(describe_redirect(headers) if 300 <= status < 400 else reported.message or body)
    if status < 300:
        answered = f"{status} with {'an error' if reported.status is None else f'error {reported.status}'}"
    else:
        answered = str(status)
    message = f"{source} answered {answered}{said and f': {said}'}"
    return kind(f"{message}; try again later" if kind is ModelBusyError else message, retry_after=retry_after(headers))
