"""A JSON text with changed words, which is JSON whatever they are. Where nothing changes, it keeps its spelling."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Final

from remit.schemas.jsontext import ascii_json, compact_json

_TOKEN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_GAPS: Final = (" ", "\n", "\t", "\r")


def rewrite_json(text: str, change: Callable[[str], str], unreadable: str) -> str:
    """Apply ``change`` to every text, key and number of a JSON text, and to JSON within its texts.

    A number that is changed becomes a text. ``change`` may also find words that the notation makes, such as the end of
    a text with its quote: such a text becomes ``unreadable``, and words across several values are set apart by spaces.
    A text that is not JSON is changed as it is.
    """
    try:
        json.loads(text)
    except ValueError:
        return change(text)
    except RecursionError:
        pass

    def rewrite(found: re.Match[str]) -> str:
        return _rewrite_part(found.group(), change, unreadable)

    rewritten = _TOKEN.sub(rewrite, text)
    if change(rewritten) == rewritten:
        return rewritten
    spaced = (gap.join(_TOKEN.findall(rewritten)) for gap in _GAPS)
    return next((each for each in spaced if change(each) == each), compact_json(unreadable))


def _rewrite_part(part: str, change: Callable[[str], str], unreadable: str) -> str:
    if part in "{}[],:":
        return part
    if part[0] != '"':
        number = compact_json(json.loads(part))
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
