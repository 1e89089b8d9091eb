"""Charsets of external text: resolve the labels of mail and web pages, and decode bytes as browsers and mailers do.

Python knows most labels, but not all of the WHATWG's Encoding Standard, and has codecs that are not charsets, such as
``undefined`` and ``unicode_escape``. Senders also often write a larger charset than the one that the label names. All
external text is decoded with this table.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from typing import Final, Literal

from remit.core.call_checks import check_call
from remit.core.checks import check_instance, check_texts
from remit.errors import SetupError
from remit.shown import HALF_CHARACTER

__all__ = ["MULTIBYTE", "decode", "find_charset", "find_label", "find_mark"]

_WINDOWS_1252: Final = "cp1252"

_LABELS: Final = {
    label: charset
    for charset, labels in {
        "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8 utf8mb3 utf8mb4",
        "utf-7": "unicode-1-1-utf-7 unicode-2-0-utf-7",
        "utf-16": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff",
        "utf-16-be": "unicodefffe",
        "iso8859-6": "csiso88596e csiso88596i iso-8859-6-e iso-8859-6-i",
        "iso8859-7": "sun_eu_greek",
        "iso8859-8": "csiso88598e csiso88598i iso-8859-8-e iso-8859-8-i logical visual",
        "iso8859-15": "csisolatin9",
        "koi8-r": "koi koi8",
        "koi8-u": "koi8-ru",
        "mac-roman": "csmacintosh mac",
        "mac-cyrillic": "mac-ukrainian",
        _WINDOWS_1252: "ansi",
        "gb18030": "csgb2312 gb_2312 gb_2312-80",
        "big5hkscs": "cn-big5 x-x-big5",
        "euc_jp": "cseucpkdfmtjapanese eucjp-ms eucjp-win cp51932",
        "iso2022_jp_ext": "cp50220 cp50221 cp50222 iso-2022-jp-ms",
        "cp932": "windows-31j",
        "cp949": "cseuckr csksc56011987 iso-ir-149 ks_c_5601-1989 ksc_5601",
    }.items()
    for label in labels.split()
}
"""Labels that Python does not know."""
_SPELLINGS: Final = (
    (re.compile(r"^x-"), ""),
    (re.compile(r"^(?:windows|dos|ibm|cp)-?(\d+)$"), r"cp\1"),
    (re.compile(r"^iso-?8859[-_]?(\d+)$"), r"iso8859-\1"),
)
"""Other ways of writing the labels that Python knows."""
_READ_AS: Final = {
    "utf-8-sig": "utf-8",
    "ascii": _WINDOWS_1252,
    "iso8859-1": _WINDOWS_1252,
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "iso2022_jp": "iso2022_jp_ext",
    "iso2022_jp_1": "iso2022_jp_ext",
}
"""Charsets that senders name instead of a larger one, which contains their printable characters."""
MULTIBYTE: Final = frozenset(
    charset
    for family in (
        ("utf-8", "utf-7", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"),
        ("gb18030", "hz", "big5hkscs", "cp950", "cp949", "iso2022_kr", "johab"),
        ("cp932", "shift_jis_2004", "shift_jisx0213", "euc_jp", "euc_jis_2004", "euc_jisx0213"),
        ("iso2022_jp_2", "iso2022_jp_2004", "iso2022_jp_3", "iso2022_jp_ext"),
    )
    for charset in family
)
"""The charsets with multi-byte characters."""
_SINGLE_BYTE: Final = re.compile(
    r"cp(437|720|737|775|85[0-8]|86\d|874|1006|1125|125\d)|iso8859-\d+|koi8[-_][rut]|mac[-_]\w+|kz1048|ptcp154"
)
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins with the mark of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_IN_MARKUP: Final = re.compile(
    rb"""<meta\b[^>]{0,200}?\bcharset\s*=\s*["']?\s*([\w:.-]{1,40})|^\s*<\?xml\b[^>]{0,100}?\bencoding\s*=\s*["']([\w:.-]{1,40})""",
    re.IGNORECASE,
)
_PROLOGUE: Final = 4096
"""How many bytes of a page are searched for the label of its charset."""
_Handler = Callable[[UnicodeError], tuple[str | bytes, int]]
_MAX_LABEL: Final = 60
_JIS_OFFSETS: Final = {"iso2022_jp_ext": 0, "euc_jp": 0x80}


@check_call
def find_charset(label: str) -> str | None:
    """The charset for decoding text with that label; None if the label does not name a charset of text."""
    check_instance("find_charset: label", label, str, "give a string")
    name = label.strip().strip("\"'").strip().lower()
    if not name or len(name) > _MAX_LABEL:
        return None
    charset = _find_codec(name)
    for written, meant in _SPELLINGS:
        if charset is None:
            name = written.sub(meant, name)
            charset = _find_codec(name)
    return charset


@check_call
def find_mark(content: bytes) -> tuple[str, int] | None:
    """The charset that the byte order mark of a text names, and the length of the mark; None without a mark."""
    check_instance("find_mark: content", content, bytes, "give bytes")
    return next(((charset, len(mark)) for mark, charset in _MARKS if content.startswith(mark)), None)


@check_call
def find_label(page: bytes) -> str:
    """The label of a charset in a page of HTML or XML itself; empty without one.

    UTF-16 is read as UTF-8, because the label could not be found in UTF-16. UTF-7, which no browser reads, is left out.
    """
    check_instance("find_label: page", page, bytes, "give bytes")
    found = _IN_MARKUP.search(page[:_PROLOGUE])
    label = "" if found is None else (found[1] or found[2]).decode("ascii", "replace").lower()
    if label.startswith("utf-16"):
        return "utf-8"
    return "" if find_charset(label) == "utf-7" else label


def _find_codec(name: str) -> str | None:
    try:
        found = codecs.lookup(_LABELS.get(name, name)).name
    except (LookupError, ValueError):  # a name with NUL is a ValueError
        return None
    charset = _READ_AS.get(found, found)
    return charset if charset in MULTIBYTE or _SINGLE_BYTE.fullmatch(charset) else None


@check_call
def decode(content: bytes, charset: str = "utf-8", errors: Literal["strict", "replace"] = "strict") -> str:
    """Decode bytes in a charset from ``find_charset``.

    Vendor additions to charsets are decoded too, such as ① and ㈱ in ISO-2022-JP.

    Raises:
        UnicodeDecodeError: the bytes are not in this charset, and ``errors`` is strict.
        SetupError: the charset or the error handler is unknown.
    """
    check_instance("decode: content", content, bytes, "give bytes")
    check_texts("decode", charset=charset, errors=errors)
    try:
        text = content.decode(charset, f"remit.{errors}")
    except LookupError:
        raise SetupError(
            f"decode: there is no charset {charset!r} or error handler {errors!r}; give the result of find_charset, "
            "and 'strict' or 'replace'"
        ) from None
    if (half := HALF_CHARACTER.search(text)) is None:  # only Python's UTF-7 lets them through
        return text
    if errors == "strict":
        raise UnicodeDecodeError(charset, content, 0, len(content), f"half a character: {half[0]!a}")
    return HALF_CHARACTER.sub("\ufffd", text)


def _read_added(fallback: _Handler) -> _Handler:
    """An error handler that decodes characters missing from Python's tables."""

    def read(error: UnicodeError) -> tuple[str | bytes, int]:
        if not isinstance(error, UnicodeDecodeError):  # an encoding error, which `decode` never causes
            raise error
        pair = error.object[error.start : error.start + 2]
        if (added := _find_added(pair, error.encoding)) is not None:
            return added, error.start + 2
        return fallback(error)

    return read


def _find_added(pair: bytes, charset: str) -> str | None:
    """The character for two bytes in the Windows charset that extends this one."""
    if charset == "big5hkscs":
        return _decode_pair(pair, "cp950")
    offset = _JIS_OFFSETS.get(charset)
    if offset is None or len(pair) < 2 or not all(0x21 <= byte - offset <= 0x7E for byte in pair):
        return None
    row, cell = (byte - offset for byte in pair)
    lead = (row + 1) // 2 + (0x70 if row < 0x5F else 0xB0)
    trail = cell + (0x1F + (cell >= 0x60) if row % 2 else 0x7E)
    return _decode_pair(bytes((lead, trail)), "cp932")


def _decode_pair(pair: bytes, charset: str) -> str | None:
    try:
        text = pair.decode(charset)
    except ValueError:
        return None
    return text if len(text) == 1 else None


codecs.register_error("remit.strict", _read_added(codecs.strict_errors))
codecs.register_error("remit.replace", _read_added(codecs.replace_errors))
