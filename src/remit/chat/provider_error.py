"""The effect of a provider's error on a run: one table of statuses and words for all libraries.

A run ends only if the provider rejects the request itself, because a repetition would be rejected too. Errors that may
pass or that a person can correct, and unknown errors, let the run rest as stalled. A request that is too long is sent
again in a shorter form, and a filtered one is answered with the filter's message.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from remit.core.patterns import lazy_pattern
from remit.errors import (
    CompletionError,
    ContextLengthError,
    ModelAccessError,
    ModelBusyError,
    ModelError,
    ModelRefusedError,
    ModelUnavailableError,
)


class ProviderError(NamedTuple):
    """An error as stated by a provider.

    ``status`` is the HTTP status, or the status in the body instead; None if there is none. ``codes`` holds
    machine-readable words, such as the code and the type, separated by spaces.
    """

    status: int | None
    message: str
    codes: str = ""


def classify_error(error: ProviderError) -> type[ModelError]:
    """Map a provider's error to Remit's.

    The provider's codes take precedence over the status, because gateways choose the status freely. A status other than
    400 and 422 takes precedence over the sentences of a message, which may repeat any text.
    """
    if is_too_long(error):
        return ContextLengthError
    if _UNREADABLE.matches(error):
        return CompletionError
    coded = next((words.kind for words in _RESTING if words.code.search(error.codes)), None)
    if coded is not None:
        return coded
    if error.status is not None and error.status not in _WRONG:
        return classify_status(error.status)
    return _classify_sentence(error)


def _classify_sentence(error: ProviderError) -> type[ModelError]:
    """Classify an error by its sentences if codes and status are inconclusive."""
    if error.status is not None and _is_page(error):
        return CompletionError
    is_wrong = error.status is not None or _WRONG_CODES.search(error.codes)
    otherwise = ModelRefusedError if is_wrong else ModelUnavailableError
    return next((words.kind for words in _RESTING if words.matches(error)), otherwise)


def classify_status(status: int) -> type[ModelError]:
    """Map an HTTP status to Remit's error. A redirect is an access error, because a person must correct the address."""
    if 300 <= status < 400 or status in _ACCESS:
        return ModelAccessError
    if status in _BUSY:
        return ModelBusyError
    if status in _WRONG:
        return ModelRefusedError
    return ContextLengthError if status == _TOO_LARGE else ModelUnavailableError


def is_filtered(error: ProviderError) -> bool:
    """Whether the provider's filter withheld the request or the answer.

    A sentence counts only with a status that filters use, because other errors also link to policies or flag accounts.
    """
    if error.status is None or error.status in _FILTERING:
        return _FILTERED.matches(error)
    return error.status not in _BUSY and 400 <= error.status < 500 and _FILTERED.code.search(error.codes) is not None


def is_too_long(error: ProviderError) -> bool:
    """Whether the request is too long for the provider, or exceeds a token rate limit even when that is unused."""
    if _RATE.search(error.message) is None:
        return _TOO_LONG.matches(error)
    stated = _REQUESTED.search(error.message)
    return stated is not None and int(stated[2].replace(",", "")) > int(stated[1].replace(",", ""))


def _is_page(error: ProviderError) -> bool:
    """Whether the body is a page or empty, so that something in front of the provider refused the request."""
    return not error.codes and _PAGE.match(error.message) is not None


class _Words(NamedTuple):
    """The words with one meaning, in codes and in sentences."""

    kind: type[ModelError]
    code: re.Pattern[str]
    sentence: re.Pattern[str]
    unless: re.Pattern[str] | None = None

    def matches(self, error: ProviderError) -> bool:
        if self.code.search(error.codes):
            return True
        return self.sentence.search(error.message) is not None and not (
            self.unless is not None and self.unless.search(error.message)
        )


def _compile(*parts: str) -> re.Pattern[str]:
    return lazy_pattern("|".join(parts), re.IGNORECASE | re.DOTALL)


_ACCESS: Final = frozenset({401, 402, 403, 404, 405, 407, 410, 451})
"""Problems that a person can correct: the key, the account, the model's name, the address or the country."""
_BUSY: Final = frozenset({408, 409, 425, 429, 498, 499})
_WRONG: Final = frozenset({400, 422})
_FILTERING: Final = _WRONG | {403, 451}
_TOO_LARGE: Final = 413

_TOO_LONG: Final = _Words(
    ContextLengthError,
    _compile("context_length_exceeded", "model_max_prompt_tokens", "exceed_context_size", "request_too_large"),
    _compile(
        r"context_length_exceeded|model_max_prompt_tokens|exceed_context_size|request_too_large",
        r"(maximum|available|model's|exceeds? the|exceeds?) (context|prompt) (length|size|window|limit)",
        r"context (window|limit|length) (is |was )?exceed|larger than the context|than the context length",
        r"context length of only|context shift is disabled|when (the )?context (the )?overflows",
        r"prompt is too long|input is too long|prompt too long|input tokens exceed|range of input length",
        r"prompt contains \d+ tokens|(input|prompt) (token count|length)\b.{0,80}\bexceeds?",
        r"(reduce|shorten) (the|your) (length|prompt|messages)|exceeded model token limit",
        r"too many tokens: |total number of tokens in the prompt|body too large for .{1,60} model",
        r"`inputs`.{0,60}must (be|have)",
    ),
)
_RATE: Final = _compile(r"per (min|hour|day)|\b[rt]p[md]\b")
_REQUESTED: Final = _compile(r"\blimit:? (\d[\d,]{0,11}),? requested:? (\d[\d,]{0,11})")
"""A token rate limit that is unused, and the tokens of the request."""

_UNREADABLE: Final = _Words(
    CompletionError,
    _compile("tool_use_failed", "json_validate_failed", "output_parse_failed"),
    _compile(
        "failed to call a function|tool call validation failed|failed to generate json",
        "generated output that could not be parsed|error parsing tool call",
    ),
)
"""The provider could not parse the model's output, which may be right at the next attempt."""

_UNSUPPORTED: Final = _Words(
    ModelAccessError,
    _compile(
        r"unsupported(?!_?(image|file|media|audio|mime))",
        "unknown_parameter",
        "invalid_function_parameters",
        "invalid_json_schema",
    ),
    _compile(
        r"\b(does|do|is|are)(n't| not) (currently )?(support|enabled)|not (currently )?(supported|enabled)",
        r"\bunsupported|requires? --\w|support tool use|only supports?\b|supports at most",
        r"(unknown|unrecognized) (request )?(parameter|argument|field|name)|unknown_parameter",
        r"invalid schema|invalid_(function_parameters|json_schema)",
    ),
    unless=_compile(
        "unsupported (image|file|media|audio|mime)", "(image|file|media|audio|mime)[ _-]?(format|type|url)"
    ),
)
"""Unsupported tools, settings and schemas, rather than unsupported content."""

_RESTING: Final = (
    _UNSUPPORTED,
    _Words(
        ModelAccessError,
        _compile(
            "insufficient_|billing|payment|credit|arrear|api_?key|authenticat|unauthor|forbidden|permission",
            r"access_?denied|account|not_?found|decommissioned|deprecated|failed_precondition",
        ),
        _compile(
            r"api[ _-]?key\b|credit balance|(insufficient|out of|no) (credit|balance|quota|funds)|\bbilling\b",
            r"\b(invalid|unknown|no such) model\b|\bmodel\b.{0,80}\b(not found|(does )?not exist)|not a valid model",
            r"decommissioned|deprecated|no longer (available|supported)|not authorized|no endpoints found",
        ),
    ),
    _Words(
        ModelBusyError,
        _compile("rate_?limit|too_?many_?requests|overload|exhausted|throttl|capacity|concurren|slow_?down"),
        _compile(
            "rate[- ]?limit|too many requests|overloaded|throttl|at capacity|try again (later|in )|server is busy"
        ),
    ),
    _Words(
        ModelUnavailableError,
        _compile(
            r"server_?error|internal(?!error\.algo)|time_?out|timed_?out|unavailable|deadline|api_?error|upstream",
            "gateway|abort|cancel",
        ),
        _compile("internal (server )?error|upstream|bad gateway|timed out|temporarily|unavailable"),
    ),
)
"""Errors that may pass or that a person can fix; the first match applies."""

_WRONG_CODES: Final = _compile("invalid|bad_?request|validation|unprocessable|malformed")

_SAID: Final = r"\b(input|output|prompt|message|content|text|image|request|response|completion)s?"
_FILTERED: Final = _Words(
    ModelRefusedError,
    _compile(
        "content_?filter|content_?policy|responsibleaipolicyviolation|data_?inspection_?failed|moderation",
        "sensitive_?content|prohibited_content",
    ),
    _compile(
        r"content (filtering|management) policy|datainspectionfailed|inappropriate content|for safety reasons",
        rf"{_SAID}\b.{{0,60}}\bflagged (as potentially|for)\b|violat.{{0,60}}\b(policy|policies|guidelines)",
        r"\b(new|input|output)_sensitive\b",
    ),
)
_PAGE: Final = lazy_pattern(r"\s*(<[!?a-z]|$)", re.IGNORECASE)
