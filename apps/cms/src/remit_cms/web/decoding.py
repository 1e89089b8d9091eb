"""What a server sent as text, read as browsers read it: by its mark, its header, or what the page says of itself."""

from __future__ import annotations

import codecs
import re
import unicodedata
from typing import Final

_CHARSETS: Final = frozenset(
    {"utf-8", "utf-16", "utf-16-le", "utf-16-be", "koi8-r", "koi8-u", "mac-roman", "mac-cyrillic", "cp866"}
    | {f"iso8859-{number}" for number in (*range(2, 9), 10, *range(13, 17))}
    | {f"cp{number}" for number in (874, 932, 949, *range(1250, 1259))}
    | {"gb18030", "big5hkscs", "euc_jp", "iso2022_jp"}
)
"""The charsets of the web, as Python calls them. It has other codecs too, which fail or make halves of characters."""
_READ_AS: Final = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
"""Charsets that servers name and mean a larger one, which browsers read in their place."""
_MARKS: Final = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_SAID: Final = re.compile(
    rb"""<meta\b[^>]{0,200}?\bcharset\s*=\s*["']?\s*([\w:.-]{1,40})|^\s*<\?xml\b[^>]{0,100}?\bencoding\s*=\s*["']([\w:.-]{1,40})""",
    re.IGNORECASE,
)
_PROLOGUE: Final = 4096
"""How many bytes of a page are searched for what it says of itself, and how many characters show that it is no text."""
_MOST_CONTROLS: Final = 0.01


def decode_body(body: bytes, content_type: str, *, is_cut: bool = False) -> str:
    """A body as text. ``is_cut``: its last character may be missing in part."""
    for mark, codec in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(codec, "replace")
    kind, _, parameters = content_type.lower().partition(";")
    written = _find_written(body) if not kind or kind.strip().endswith(("html", "xml")) else ""
    for name in (parameters.partition("charset")[2].lstrip(" =").partition(";")[0], written):
        codec = _find_codec(name.strip("\"' "))
        if codec is not None:
            return body.decode(codec, "replace")
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(body, final=not is_cut)
    except UnicodeDecodeError:
        return body.decode("cp1252", "replace")


def _find_written(body: bytes) -> str:
    """The charset that a page names itself. It could not be read if it were one of two bytes a letter."""
    said = _SAID.search(body[:_PROLOGUE])
    name = "" if said is None else (said[1] or said[2]).decode("ascii", "replace").lower()
    return "utf-8" if name.startswith("utf-16") else name


def is_binary(text: str) -> bool:
    """Whether what was decoded is no text: a file, by its first bytes, or characters that no text has."""
    start = text[:_PROLOGUE]
    controls = sum(unicodedata.category(letter) == "Cc" and letter not in "\t\n\r\f\x1b" for letter in start)
    return start.startswith(("%PDF-", "PK\x03\x04", "GIF8")) or controls > len(start) * _MOST_CONTROLS + 1


def _find_codec(charset: str) -> str | None:
    try:
        name = codecs.lookup(charset).name
    except (LookupError, ValueError):  # a name with NUL is a ValueError
        return None
    name = _READ_AS.get(name, name)
    return name if name in _CHARSETS else None
