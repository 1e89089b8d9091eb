"""The text of strangers' mail: decodes bytes and headers as mail programs do, whatever their sender declares.

Nothing here raises. What cannot be decoded becomes U+FFFD, so that a reader sees that something is missing.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import re
from typing import Final

REPLACEMENT: Final = "\ufffd"

_WINDOWS_1252: Final = "cp1252"
# Labels that senders use for text in Windows-1252, which contains the printable characters of each of them.
_SUPERSETS: Final = {
    "ascii": _WINDOWS_1252,
    "iso8859-1": _WINDOWS_1252,
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "iso8859-9": "cp1254",
    "tis-620": "cp874",
}
_LABELS: Final = {
    "unicode-1-1-utf-7": "utf-7",
    "iso-8859-8-i": "iso8859-8",
    "iso-8859-8-e": "iso8859-8",
    "x-mac-roman": "mac-roman",
    "windows-31j": "cp932",
    "x-sjis": "cp932",
    "x-gbk": "gb18030",
    "ansi": "cp1252",
}
_MULTIBYTE: Final = frozenset(
    codec
    for family in (
        ("utf-8", "utf-7", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"),
        ("gb18030", "hz", "big5", "big5hkscs", "cp950", "euc_kr", "iso2022_kr", "cp949", "johab"),
        ("cp932", "shift_jis", "shift_jis_2004", "shift_jisx0213", "euc_jp", "euc_jis_2004", "euc_jisx0213"),
        ("iso2022_jp", "iso2022_jp_1", "iso2022_jp_2", "iso2022_jp_2004", "iso2022_jp_3", "iso2022_jp_ext"),
    )
    for codec in family
)
_SINGLE_BYTE: Final = re.compile(
    r"cp(037|437|7\d\d|8\d\d|1006|1026|1125|1140|125\d|500|273|424)|iso8859-\d+|koi8[-_][rut]|mac[-_]\w+|kz1048|ptcp154"
)
_WIDE: Final = ("utf-16", "utf-32")
_MAX_LABEL: Final = 60
_ENCODED_WORD: Final = re.compile(r"=\?([^?\s*]{1,60})(?:\*[^?\s]{0,40})?\?([bBqQ])\?([^?]*)\?=")
_UNPRINTABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_LINE_BREAKS: Final = re.compile("\r\n?")


def find_codec(label: str) -> str | None:
    """The codec for a charset label; None for a label that names no charset of text.

    Python has codecs that are none, such as ``undefined`` and ``unicode_escape``. So only those listed here are used.
    """
    name = label.strip().strip("\"'").lower()
    if not name or len(name) > _MAX_LABEL:
        return None
    try:
        name = codecs.lookup(_LABELS.get(name, name)).name
    except (LookupError, ValueError):
        return None
    name = _SUPERSETS.get(name, name)
    return name if name in _MULTIBYTE or _SINGLE_BYTE.fullmatch(name) else None


def decode_text(content: bytes, label: str) -> str:
    """The text of bytes in the declared charset, or else in the likeliest one, with one newline for each line break.

    Text that is valid UTF-8 beyond ASCII is UTF-8, unless the declared charset has several bytes for a letter: Gmail
    gives text of some messages in UTF-8, under a header that still names the charset of the sender.
    """
    codec = find_codec(label) or _WINDOWS_1252
    is_wide = codec.startswith(_WIDE) and b"\x00" in content
    for name in (
        (codec, "utf-8") if is_wide or (codec in _MULTIBYTE and not codec.startswith(_WIDE)) else ("utf-8", codec)
    ):
        try:
            return clean_text(content.decode(name))
        except ValueError:
            continue
    replaced = content.decode("utf-8", errors="replace")
    if codec in _MULTIBYTE - {"utf-8"} or any(each > "\x7f" and each != REPLACEMENT for each in replaced):
        return clean_text(content.decode(codec if codec in _MULTIBYTE else "utf-8", errors="replace"))
    return clean_text(content.decode(_WINDOWS_1252 if codec == "utf-8" else codec, errors="replace"))


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
        if content is None or find_codec(match[1]) is None:
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
