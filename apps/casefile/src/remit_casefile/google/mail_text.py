"""The text of strangers' mail: decodes bytes and headers as mail programs do, whatever their sender declares.

Nothing here raises. What cannot be decoded becomes U+FFFD, so that a reader sees that something is missing.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final

from remit.charsets import MULTIBYTE, decode, find_charset

REPLACEMENT: Final = "\ufffd"

_FALLBACK: Final = "cp1252"
_WIDE: Final = ("utf-16", "utf-32")
_ENCODED_WORD: Final = re.compile(r"=\?([^?\s*]{1,60})(?:\*[^?\s]{0,40})?\?([bBqQ])\?([^?]*)\?=")
_UNPRINTABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_LINE_BREAKS: Final = re.compile("\r\n?")


def decode_text(content: bytes, label: str) -> str:
    """The text of bytes in the declared charset, or else in the likeliest one, with one newline for each line break.

    Text that is valid UTF-8 beyond ASCII is UTF-8, unless the declared charset has several bytes for a letter: Gmail
    gives text of some messages in UTF-8, under a header that still names the charset of the sender. A charset of seven
    bits is never read as another one, which would take its letters for signs and digits.
    """
    charset = find_charset(label) or _FALLBACK
    if charset.startswith(_WIDE) and b"\x00" not in content:
        tried = ("utf-8", charset)
    elif charset in MULTIBYTE:
        tried = (charset,) if content.isascii() else (charset, "utf-8")
    else:
        tried = ("utf-8", charset)
    for each in tried:
        try:
            return clean_text(decode(content, each))
        except ValueError:
            continue
    return clean_text(decode(content, _find_likeliest(content, charset), "replace"))


def _find_likeliest(content: bytes, charset: str) -> str:
    """The charset that is read with replacements, because the bytes are in none."""
    if charset in MULTIBYTE - {"utf-8"}:
        return charset
    if any(letter > "\x7f" and letter != REPLACEMENT for letter in content.decode("utf-8", errors="replace")):
        return "utf-8"
    return _FALLBACK if charset == "utf-8" else charset


def is_undeclared(content: bytes, label: str) -> bool:
    """Whether a header leaves open how to read these bytes. Bytes of ASCII may be text in a charset of seven bits."""
    return is_guessed(content, label) or (content.isascii() and find_charset(label) is None)


def is_guessed(content: bytes, label: str) -> bool:
    """Whether nothing says in which charset these bytes are, neither their declaration nor they themselves."""
    if find_charset(label) is not None:
        return False
    try:
        content.decode()
    except ValueError:
        return True
    return False


def clean_text(text: str) -> str:
    """The text with a newline for each line break, and U+FFFD for what cannot be stored or shown."""
    return _UNPRINTABLE.sub(REPLACEMENT, _LINE_BREAKS.sub("\n", text).removeprefix("\ufeff"))


def decode_base64(data: str) -> bytes | None:
    """The bytes of base64 in either alphabet, padded or not; None if it is none."""
    plain = "".join(data.split()).rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None


def decode_header(value: str) -> str:
    """A header on one line, with its encoded words decoded (RFC 2047). A word that cannot be decoded stays as it is."""
    parts, end, pending = list[str](), 0, _EncodedWords()
    for match in _ENCODED_WORD.finditer(value):
        content = _decode_word(match[2].lower(), match[3])
        if content is None or find_charset(match[1]) is None:
            continue
        between = value[end : match.start()]
        # White space between two encoded words belongs to the encoding, and a letter may be cut between them.
        if not pending.continues(match[1], between):
            parts += [pending.flush(), between if between.strip() or not end else ""]
        pending.add(match[1], content)
        end = match.end()
    parts += [pending.flush(), value[end:]]
    return " ".join(clean_text("".join(parts)).splitlines()).strip()


class _EncodedWords:
    """Adjacent encoded words in one charset."""

    def __init__(self) -> None:
        self._label = ""
        self._content = b""

    def continues(self, label: str, between: str) -> bool:
        """Whether a word in this charset goes on with the same text."""
        return bool(self._label) and label.lower() == self._label and not between.strip()

    def add(self, label: str, content: bytes) -> None:
        """Add the bytes of a word."""
        self._label, self._content = label.lower(), self._content + content

    def flush(self) -> str:
        """The text of the words so far, which end here."""
        text = decode_text(self._content, self._label) if self._label else ""
        self._label, self._content = "", b""
        return text


def _decode_word(encoding: str, text: str) -> bytes | None:
    if encoding == "b":
        return decode_base64(text)
    try:
        return binascii.a2b_qp(text.replace(" ", "_").encode("ascii"), header=True)
    except ValueError:
        return None
