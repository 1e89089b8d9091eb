"""What strangers call their files, say of their kind and time, and write into cells, and what is read of each."""

from __future__ import annotations

from typing import Any, Final

NAMES: Final = (
    "Invoice 2026/11 \\ final.pdf",
    "a\nb\tc.txt",
    "\u202egpj.exe",
    "..",
    ".htaccess",
    "CON",
    " edges ",
    "x" * 600,
    "😀 日本語 עברית.txt",
    "e\u0301 is not \u00e9.txt",
    "a\u0000b",
    "'; DROP TABLE files; --",
    "{{ name }} ${HOME} <b>bold</b> =SUM(A1)",
    "=?utf-8?b?SGk=?=",
    "",
    "a half of a sign \ud83d",
)
"""Names of files. The last is no text as it is: its half of a sign is read as a replacement."""

KINDS: Final = (
    "text/plain; charset=utf-8",
    "TEXT/HTML",
    "application/vnd.google-apps.document",
    "application/x-" + "y" * 300,
    "no kind",
    "image/png\u00e4",
    "*/*",
    "",
)
"""Media types."""

TIMES: Final = (
    ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
    ("2026-01-01T00:00:00.123456789Z", "2026-01-01T00:00:00.123456Z"),
    ("2026-01-01T01:00:00+01:00", "2026-01-01T01:00:00+01:00"),
    ("1601-01-01T00:00:00.000Z", "1601-01-01T00:00:00Z"),
    ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999000Z"),
    ("2026-01-01t00:00:00z", "2026-01-01T00:00:00Z"),
    ("0000-00-00T00:00:00Z", None),
    ("2016-12-31T23:59:60Z", None),
    ("+12026-01-01T00:00:00Z", None),
    ("2026-01-01T00:00:00", None),
    ("1767225600", None),
    ("1767225600000", None),
    ("20260101", None),
    ("yesterday", None),
    ("", None),
)
"""Times of change, and what is read of each; None for what is no time, which is said."""

SIZES: Final = (("0", 0), ("9223372036854775807", 2**63 - 1), ("18446744073709551616", 2**64))
"""Sizes. Google writes them as strings."""

CONTENTS: Final = (
    b"",
    b"\xef\xbb\xbfa mark",
    b"caf\xe9",
    b"a\x00b",
    b"\r\n\n\r",
    "\u2028 a😀".encode(),
    bytes(range(256)),
    b"\xed\xa0\x80",
    b"x" * 100_000,
)
"""Contents of files, which are given to the byte."""

ROWS: Final[tuple[list[list[Any]], ...]] = (
    [[1, 1.0, True, "1", "1.0", "TRUE", 0, False]],
    [[0.1, 1e300, 5e-324, 2**53 + 1, -(2**63), 2**70, 123456789.123456789]],
    [["=SUM(A1)", "'007", "+49", "-1", " 1 ", "1e5", "#REF!", "2026-01-01", "a\u0000b"]],
    [["a\nb\tc", "", 3], [], ["", "", "x"]],
    [["😀 日本語 עברית", "\u202eevil", "e\u0301", "<b>&amp;", "x" * 50_000]],
    [["a half of a sign \ud83d"]],
    [[46023.5], [None, 1]],
)
"""Cells. A half of a sign is read as a replacement."""

SHEETS: Final = ("Sheet1", "Größe 2026", "100 % a?b#c&d=e+f;g", "😀", "..", "a/b\\c", "x" * 100)
"""Titles of sheets."""


def read_text(text: str) -> str:
    """A text as it is read: half of a sign, which no text has, is replaced."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
