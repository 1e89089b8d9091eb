"""Makes text safe for a terminal: foreign text cannot move the cursor or hide its content."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from remit.core.names import show_hidden

if TYPE_CHECKING:
    from remit.record.meter import UsedTokens

    class HasTokens(UsedTokens, Protocol):
        """Counts of tokens, with those that went into thinking."""

        @property
        def reasoning_tokens(self) -> int:
            """Tokens of completions that went into thinking."""
            ...


_WRITING_CHARACTERS: Final = "\n\t\u00a0\u200c\u200d\u202f"
"""Characters of ordinary text that do not print: breaks of lines, no-break spaces, emoji joiners."""


def escape_controls(text: str) -> str:
    """Escape control and direction characters, for reading."""
    return show_hidden(text, _WRITING_CHARACTERS)


def escape_unprintable(text: str) -> str:
    """Escape every character that does not print as itself, for decisions. JSON stays equal JSON."""
    return show_hidden(text)


def json_text(value: object, *, indent: int | None = None) -> str:
    """A value as readable JSON: letters of all languages unchanged, invisible characters escaped."""
    return escape_unprintable(json.dumps(value, ensure_ascii=False, indent=indent, default=str))


def one_line(text: str, *, max_length: int = 100) -> str:
    """``text`` on one line of at most ``max_length`` characters."""
    line = escape_controls(" ".join(text[: max_length * 8].split()))
    return line if len(line) <= max_length else f"{line[: max_length - 1]}…"


def one_line_each(text: str) -> str:
    """The non-empty lines of ``text``, all of them whole."""
    lines = (escape_controls(" ".join(each.split())) for each in text.split("\n"))
    return "\n".join(each for each in lines if each)


def summarize_arguments(arguments: str, *, max_length: int = 100, without: Collection[str] = ()) -> str:
    """A summary of a call's arguments: ``title="About", sections=[…]``. Arguments in ``without`` are omitted."""
    try:
        values: object = json.loads(arguments)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        return one_line(arguments, max_length=max_length)
    fields = {name: value for name, value in cast("Mapping[str, Any]", values).items() if name not in without}
    return one_line(", ".join(f"{name}={_short_json(value)}" for name, value in fields.items()), max_length=max_length)


def format_duration(seconds: float) -> str:
    """A duration for people: ``0.4 ms``, ``12 ms``, ``3.4 s``, ``5 min``, ``3 h``, ``2 days``."""
    if seconds < 1:
        milliseconds = max(seconds, 0) * 1000
        return f"{milliseconds:.{0 if milliseconds >= 10 else 1}f} ms"
    for unit, size, limit in (("s", 1.0, 120), ("min", 60.0, 120), ("h", 3600.0, 48)):
        if seconds < size * limit:
            return f"{seconds:.1f} s" if unit == "s" else f"{seconds / size:.0f} {unit}"
    return f"{seconds / 86400:.0f} days"


def format_cost(dollars: float | None) -> str:
    """US dollars for people: ``$0.0042``, ``$3.10``; empty if unknown."""
    if dollars is None:
        return ""
    return f"${dollars:.{2 if dollars >= 1 or dollars == 0 else 4}f}"


def _short_json(value: object) -> str:
    return one_line(json.dumps(value, ensure_ascii=False), max_length=48)


def describe_tokens(usage: HasTokens) -> str:
    """The tokens of prompts and completions, like ``1,200 (1,024 cached) + 80 (64 reasoning) tokens``."""
    cached = f" ({usage.cached_tokens:,} cached)" if usage.cached_tokens else ""
    reasoning = f" ({usage.reasoning_tokens:,} reasoning)" if usage.reasoning_tokens else ""
    return f"{usage.prompt_tokens:,}{cached} + {usage.completion_tokens:,}{reasoning} tokens"


def format_time(seconds: float) -> str:
    """A time of this machine, to the second; empty for 0."""
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M:%S") if seconds else ""
