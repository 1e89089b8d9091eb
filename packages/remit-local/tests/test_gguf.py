"""Reading the header of a GGUF file: single values are read, arrays skipped, other files refused."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from remit_local.gguf import GgufError, read_metadata


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def entry(key: str, kind: int, value: bytes) -> bytes:
    return text(key) + struct.pack("<I", kind) + value


def head(*entries: bytes, version: int = 3) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, 0, len(entries)) + b"".join(entries)


NAME = entry("general.name", 8, text("Brot 0.5B, gebäckt"))
LENGTH = entry("brot.context_length", 4, struct.pack("<I", 32768))
RATE = entry("brot.rate", 6, struct.pack("<f", 0.5))
FLAG = entry("brot.flag", 7, b"\x01")
WORDS = entry("tokenizer.words", 9, struct.pack("<IQ", 8, 2) + text("Brot") + text("Salz"))
NUMBERS = entry("tokenizer.numbers", 9, struct.pack("<IQ3i", 5, 3, 1, 2, 3))


def test_single_values_are_read_and_arrays_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "tiny.gguf"
    path.write_bytes(head(WORDS, NAME, NUMBERS, LENGTH, RATE, FLAG))

    assert read_metadata(path) == {
        "general.name": "Brot 0.5B, gebäckt",
        "brot.context_length": 32768,
        "brot.rate": 0.5,
        "brot.flag": True,
    }


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"PK\x03\x04 a zip, say", id="another format"),
        pytest.param(head(version=1), id="an older version"),
        pytest.param(head(NAME)[:-1], id="cut in a text"),
        pytest.param(head(LENGTH)[:-1], id="cut in a number"),
        pytest.param(head(WORDS, NAME)[: -len(NAME) - 1], id="cut in an array"),
        pytest.param(head(entry("x", 77, b"")), id="a kind that does not exist"),
        pytest.param(head(entry("x", 9, struct.pack("<IQ", 9, 1))), id="an array of arrays"),
        pytest.param(head(entry("x", 9, struct.pack("<IQ", 0, 1 << 63)), NAME), id="an array without end"),
        pytest.param(head(entry("x", 9, struct.pack("<IQ", 8, 1 << 63)), NAME), id="texts without end"),
        pytest.param(head(entry("x", 8, struct.pack("<Q", 1 << 63))), id="a text without end"),
        pytest.param(head(entry("x", 8, struct.pack("<Q", 1) + b"\xff")), id="a text that is none"),
    ],
)
def test_a_file_that_is_not_gguf_or_is_cut_short_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bad.gguf"
    path.write_bytes(content)

    with pytest.raises(GgufError, match=r"not a GGUF file, or it is cut short .*bad\.gguf.*: name a complete"):
        read_metadata(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(GgufError, match=r"No such file or directory .*none\.gguf"):
        read_metadata(tmp_path / "none.gguf")
