"""The settings that models at OpenAI's own endpoint are known to accept. Nothing is known about other endpoints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from remit.chat.settings import ModelSettings

_NEWER: Final = re.compile(r"o\d|gpt-([5-9]|\d\d)")
"""The models that take `max_completion_tokens` instead of `max_tokens`."""
_WITH_SCHEMA: Final = re.compile(r"o[134]|gpt-(4o|4\.1|[5-9]|\d\d)")
"""The models that take the JSON schema of an answer."""
_WITHOUT_SCHEMA: Final = re.compile(r"gpt-(3\.5|4$|4-)")
_ALWAYS_REASONING: Final = re.compile(r"o\d|gpt-5($|-(?!chat))")
_NEVER_REASONING: Final = re.compile(r"gpt-(3\.5|4|5-chat)")
_SAMPLING: Final = ("temperature", "top_p")


_WINDOWS: Final = ((re.compile(r"gpt-3\.5"), 16_385), (re.compile(r"gpt-4($|-0613|-0314)"), 8_192))
"""The models with a small context, and the most tokens of a request."""


def small_window_at(host: str, model: str) -> int | None:
    """The most tokens of a request to a model with a small context; None for other models."""
    if host != "api.openai.com":
        return None
    return next((tokens for pattern, tokens in _WINDOWS if pattern.match(_base(model))), None)


def takes_json_schema(model: str) -> bool:
    """Whether the model takes the JSON schema of an answer."""
    return bool(_WITH_SCHEMA.match(_base(model)))


def reads_pdfs_at(host: str, model: str) -> bool:
    """Whether the endpoint is known to pass PDFs to the model."""
    return host == "openrouter.ai" or (host == "api.openai.com" and takes_json_schema(model))


def list_unsupported_settings(model: str, settings: ModelSettings) -> list[str]:
    """The names of the settings that the model is known to refuse."""
    return sorted(_find_unsupported(_base(model), settings))


def _find_unsupported(model: str, settings: ModelSettings) -> Iterator[str]:
    is_newer, always = _NEWER.match(model), _ALWAYS_REASONING.match(model)
    if is_newer and settings.max_tokens is not None:
        yield "max_tokens"
    effort = settings.reasoning_effort
    if effort and (_NEVER_REASONING.match(model) or (always and effort == "none")):
        yield "reasoning_effort"
    if always or (is_newer and effort not in (None, "none")):
        yield from (name for name in _SAMPLING if settings.values.get(name, 1) != 1)
    if always and settings.stop and not model.startswith("o1"):
        yield "stop"
    if (settings.response_format or {}).get("type") == "json_schema" and _WITHOUT_SCHEMA.match(model):
        yield "response_format"


def _base(model: str) -> str:
    """The base model of a fine-tuned one."""
    return model.removeprefix("ft:")
