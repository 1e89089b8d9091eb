"""Parts of artifacts, and what is refused of a stored file."""

from __future__ import annotations

from typing import Any

import pytest

from remit.artifacts import read_artifact
from remit.errors import (
    InvalidArgumentsError,
)
from remit.stores import InMemoryStore
from tests.runtime.test_artifacts import ADA, runtime_of


@pytest.mark.parametrize(
    ("name", "media_type", "message"),
    [
        (
            "a/b",
            "text/csv",
            "the name 'a/b' of an artifact is not valid; give at most 255 characters that can be seen, without / and",
        ),
        (".bashrc", "", "the name of an artifact: '.bashrc' is not a portable file name; give one like menu-3-4.png"),
        ("nul.txt", "", "the name of an artifact: 'nul.txt' is not a portable file name; give one like menu-3-4.png"),
        (
            "a\u202etxt.exe",
            "",
            "the name of an artifact: 'a\\u202etxt.exe' is not a file name: U+202E cannot be seen as",
        ),
        ("a.csv", "huh", "the media type 'huh' is not valid; give a type and a subtype, like text/csv"),
    ],
)
async def test_a_wrong_name_or_media_type_is_refused_with_its_rule(name: str, media_type: str, message: str) -> None:
    runtime = runtime_of(InMemoryStore())
    with pytest.raises(InvalidArgumentsError) as refused:
        await runtime.artifacts.add(b"", by=ADA, name=name, media_type=media_type)
    assert str(refused.value).startswith(message)


@pytest.mark.parametrize("wrong", [True, "1", 1.5])
async def test_a_part_is_given_in_whole_numbers(wrong: Any) -> None:
    runtime = runtime_of(InMemoryStore())
    file = await runtime.artifacts.add(b"0123456789", by=ADA)
    with pytest.raises(InvalidArgumentsError, match=r"read: offset is .*; give a number of bytes"):
        await runtime.artifacts.read(file, by=ADA, offset=wrong)


@pytest.mark.parametrize(
    ("offset", "length", "text", "following"),
    [
        (0, 4, "aäa", 4),
        (0, 5, "aäa", 4),
        (3, 8, "a€b", 8),
        (4, 4, "€b", 8),
        (8, 5, "😀c", None),
        (0, 100, "aäa€b😀c", None),
        (100, 4, "", None),
        (8, 4, "😀", 12),
    ],
)
async def test_parts_do_not_cut_characters(offset: int, length: int, text: str, following: int | None) -> None:
    runtime = runtime_of(InMemoryStore())
    file = await runtime.artifacts.add("aäa€b😀c".encode(), by=ADA)
    part = (await runtime.call(read_artifact, ADA, file, offset, length)).value()
    assert (part.text, part.next_offset, part.size) == (text, following, 13)


@pytest.mark.parametrize("data", [b"\xff\xfe\xfd\xfc\xfb", b"\x80\x80\x80\x80\x80", b"abc\xe2\x82d"])
async def test_bytes_that_are_no_text_are_read_to_their_end(data: bytes) -> None:
    runtime = runtime_of(InMemoryStore())
    file = await runtime.artifacts.add(data, by=ADA)
    offset: int | None = 0
    for _ in range(9):
        if offset is not None:
            offset = (await runtime.call(read_artifact, ADA, file, offset, 4)).value().next_offset
    assert offset is None


@pytest.mark.parametrize("content", [b"%PDF-1.7 words", b"\x89PNG\r\n\x1a\n\0\0", bytes(range(128, 256))])
async def test_of_binary_content_its_type_and_size_are_said(content: bytes) -> None:
    runtime = runtime_of(InMemoryStore())
    file = await runtime.artifacts.add(content, by=ADA, media_type="application/x-odd")
    part = (await runtime.call(read_artifact, ADA, file, 2, 4)).value()
    assert (part.text, part.next_offset) == (f"[no text: application/x-odd, {len(content)} bytes]", None)


@pytest.mark.parametrize(
    ("content", "text", "charset"),
    [
        ("Käse;5 €\r\n".encode("cp1252"), "Käse;5 €\r\n", "cp1252"),
        ("\ufeffKäse;5".encode("utf-16-le"), "Käse;5", "utf-16-le"),
        ("\ufeffKäse;😀5".encode("utf-16-be"), "Käse;😀5", "utf-16-be"),
        ("\ufeffKäse;5".encode("utf-32-le"), "Käse;5", "utf-32-le"),
        ("\ufeffKäse;5".encode(), "Käse;5", None),
        ("Käse; ".encode() + b"\xff", "Käse; \ufffd", None),
    ],
)
@pytest.mark.parametrize("length", [4, 5, 100])
async def test_a_text_is_read_in_its_charset_which_is_named_if_it_is_not_utf_8(
    content: bytes, text: str, charset: str | None, length: int
) -> None:
    runtime = runtime_of(InMemoryStore())
    file = await runtime.artifacts.add(content, by=ADA)
    read, offset = "", 0
    for _ in range(20):
        part = (await runtime.call(read_artifact, ADA, file, offset, length)).value()
        read += part.text
        assert part.charset == charset
        if part.next_offset is None:
            break
        offset = part.next_offset
    assert read == text


async def test_a_part_does_not_begin_within_a_character_of_utf_16() -> None:
    runtime = runtime_of(InMemoryStore())
    file = await runtime.artifacts.add("\ufeffabc".encode("utf-16-le"), by=ADA)
    assert (await runtime.call(read_artifact, ADA, file, 5)).value().text == "bc"
