"""What a server sent as text, read as browsers read it: by its mark, its header, or what the page says of itself."""

from __future__ import annotations

import codecs
import unicodedata
from typing import Final

from remit.charsets import decode, find_charset, find_label, find_mark

_PROLOGUE: Final = 4096
"""How many characters show that a body is no text."""
_MOST_CONTROLS: Final = 0.01
_NOT_OF_THE_WEB: Final = frozenset({"utf-7"})
"""Charsets of mail that no browser reads, because a filter does not see markup that is written in them."""


def decode_body(body: bytes, content_type: str, *, is_cut: bool = False) -> str:
    """A body as text. ``is_cut``: its last character may be missing in part."""
    if (marked := find_mark(body)) is not None:
        charset, length = marked
        return decode(body[length:], charset, "replace")
    kind, _, parameters = content_type.lower().partition(";")
    written = find_label(body) if not kind or kind.strip().endswith(("html", "xml")) else ""
    for name in (parameters.partition("charset")[2].lstrip(" =").partition(";")[0], written):
        charset = find_charset(name)
        if charset is not None and charset not in _NOT_OF_THE_WEB:
            return decode(body, charset, "replace")
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(body, final=not is_cut)
    except UnicodeDecodeError:
        return body.decode("cp1252", "replace")


def is_binary(text: str) -> bool:
    """Whether what was decoded is no text: a file, by its first bytes, or characters that no text has."""
    start = text[:_PROLOGUE]
    controls = sum(unicodedata.category(letter) == "Cc" and letter not in "\t\n\r\f\x1b" for letter in start)
    return start.startswith(("%PDF-", "PK\x03\x04", "GIF8")) or controls > len(start) * _MOST_CONTROLS + 1
