"""Changes words in a JSON text, which stays valid JSON. Unchanged parts keep their spelling."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Final

from remit.schemas.jsontext import ascii_json, compact_json

_TOKEN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_GAPS: Final = (" ", "\n", "\t", "\r")
_SPACES: Final = "".join(_GAPS)
_PAIRS: Final = {"[": "]", "{": "}"}
"""The brackets that open and close lists and objects."""


def rewrite_json(text: str, change: Callable[[str], str], unreadable: str) -> str:
    """Apply ``change`` to every text, key and number of a JSON text, and to JSON within its texts.

    A changed number becomes a text. ``change`` may also match words that include JSON notation, such as the end of a
    text with its quote: such a text becomes ``unreadable``, and words across several values are separated by spaces. A
    text that is not JSON is changed as plain text.
    """
    if not _is_json(text):
        return change(text)

    def rewrite(found: re.Match[str]) -> str:
        return _rewrite_part(found.group(), change, unreadable)

    rewritten = _TOKEN.sub(rewrite, text)
    if change(rewritten) == rewritten:
        return rewritten
    spaced = (gap.join(_TOKEN.findall(rewritten)) for gap in _GAPS)
    return next((each for each in spaced if change(each) == each), compact_json(unreadable))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    except RecursionError:
        return _is_nested_json(text)
    return True


def _is_nested_json(text: str) -> bool:
    """Whether a text is JSON that is nested too deeply for a recursive parser, judged token by token."""
    opened, expected, end = list[str](), "value", 0
    for found in _TOKEN.finditer(text):
        part, start = found.group(), found.start()
        if text[end:start].strip(_SPACES):
            return False
        end = found.end()
        if expected == "end" and part == "," and opened:
            expected = "value" if opened[-1] == "[" else "key"
        elif opened and _PAIRS.get(opened[-1]) == part and expected in ("end", opened[-1]):
            opened.pop()
            expected = "end"
        elif expected == "colon" and part == ":":
            expected = "value"
        elif expected in ("value", "[") and part in _PAIRS:
            opened.append(part)
            expected = part
        elif expected in ("value", "[") and _is_scalar(part):
            expected = "end"
        elif expected in ("key", "{") and part[0] == '"' and _is_scalar(part):
            expected = "colon"
        else:
            return False
    return expected == "end" and not opened and not text[end:].strip(_SPACES)


def _is_scalar(part: str) -> bool:
    try:
        json.loads(part)
    except ValueError:
        return False
    return True


def _rewrite_part(part: str, change: Callable[[str], str], unreadable: str) -> str:
    if part in "{}[],:":
        return part
    if part[0] != '"':
        number = part if part.isdecimal() else compact_json(json.loads(part))
        words = next((each for each in (part, number) if change(each) != each), None)
        return part if words is None else compact_json(change(words))
    value: str = json.loads(part)
    changed = rewrite_json(value, change, unreadable) if value[:1] in ("{", "[") else change(value)
    written = part if changed == value else _write(changed)
    return written if change(written) == written else compact_json(unreadable)


def _write(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return ascii_json(text)
    return compact_json(text)
