"""The charsets of text from outside."""

from __future__ import annotations

import pytest

from remit.charsets import decode, find_charset, find_label, find_mark
from tests.strangers.charsets import BROKEN, DECLARED, NO_CHARSETS, SPELLED


@pytest.mark.parametrize(("label", "content", "text"), [*DECLARED, *SPELLED])
def test_every_label_is_read_as_the_programs_of_its_senders_write_it(label: str, content: bytes, text: str) -> None:
    charset = find_charset(label)

    assert charset is not None
    assert decode(content, charset) == text


@pytest.mark.parametrize("label", NO_CHARSETS)
def test_what_is_no_charset_of_text_is_not_found(label: str) -> None:
    assert find_charset(label) is None


@pytest.mark.parametrize(("label", "content", "text"), BROKEN)
def test_bytes_that_are_not_in_their_charset_are_refused_or_replaced(label: str, content: bytes, text: str) -> None:
    charset = find_charset(label)

    assert charset is not None
    assert decode(content, charset, "replace") == text
    with pytest.raises(UnicodeDecodeError):
        decode(content, charset)


@pytest.mark.parametrize(
    ("codec", "charset", "length"),
    [
        ("utf-8", "utf-8", 3),
        ("utf-16-le", "utf-16-le", 2),
        ("utf-16-be", "utf-16-be", 2),
        ("utf-32-le", "utf-32-le", 4),
    ],
)
def test_a_byte_order_mark_names_the_charset_of_a_text(codec: str, charset: str, length: int) -> None:
    assert find_mark("\ufeffa".encode(codec)) == (charset, length)
    assert find_mark(b"a") is None


@pytest.mark.parametrize(
    ("page", "label"),
    [
        (b"<meta charset=windows-1251><p>", "windows-1251"),
        (b'<META http-equiv=x content="text/html; charset=KOI8-R">', "koi8-r"),
        (b'<?xml version="1.0" encoding="iso-8859-2"?><html>', "iso-8859-2"),
        (b"<meta charset=utf-16>", "utf-8"),
        (b"<meta charset=utf-7>", ""),
        (b"<p>charset=koi8-r", ""),
        (b" " * 5000 + b"<meta charset=koi8-r>", ""),
    ],
)
def test_the_label_in_a_page_is_found(page: bytes, label: str) -> None:
    assert find_label(page) == label
