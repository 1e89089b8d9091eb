"""Reads the metadata of GGUF files: the plain values of the header, without tensors and vocabularies.

It is read before a server starts, so that an invalid file is refused in one line and a chat template can be corrected.
"""

from __future__ import annotations

import mmap
import struct
from pathlib import Path
from typing import Final

from remit.errors import RemitError

GgufValue = str | int | float | bool

_MAGIC: Final = b"GGUF"
_VERSIONS: Final = (2, 3)
_FORMATS: Final = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
_STRING_TYPE: Final = 8
_ARRAY_TYPE: Final = 9


class GgufError(RemitError, code="GGUF_ERROR"):
    """The file is not a readable GGUF file. The message is one line: problem, file and fix."""

    def __init__(self, what: str, path: Path) -> None:
        super().__init__(f"{what} ({path}): name a complete GGUF file of version 2 or 3")


def read_metadata(path: Path) -> dict[str, GgufValue]:
    """Read the values of a file's header by key, without arrays. Raises `GgufError`."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _MetadataReader(data).read()
    except OSError as error:
        raise GgufError(f"cannot read the model: {error.strerror}", path) from error
    except (ValueError, OverflowError, struct.error, KeyError) as error:
        raise GgufError("this is not a GGUF file, or it is cut short", path) from error


class _MetadataReader:
    """Reads values from the file in order. Reading past the end raises ``struct.error``."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self._offset = 0

    def read(self) -> dict[str, GgufValue]:
        if self._data[:4] != _MAGIC:
            raise ValueError("no magic")
        self._offset = len(_MAGIC)
        if self._read_int("<I") not in _VERSIONS:
            raise ValueError("unknown version")
        self._read_int("<Q")  # how many tensors
        head: dict[str, GgufValue] = {}
        for _ in range(self._read_int("<Q")):
            key = self._read_text()
            kind = self._read_int("<I")
            if kind == _ARRAY_TYPE:
                self._skip_array()
            else:
                head[key] = self._read_text() if kind == _STRING_TYPE else self._read_value(_FORMATS[kind])
        return head

    def _read_value(self, form: str) -> int | float | bool:
        (value,) = struct.unpack_from(form, self._data, self._offset)
        self._offset += struct.calcsize(form)
        return value

    def _read_int(self, form: str) -> int:
        return int(self._read_value(form))

    def _read_text(self) -> str:
        size = self._read_int("<Q")
        text = self._data[self._offset : self._offset + size]
        if len(text) != size:
            raise ValueError("cut short")
        self._offset += size
        return text.decode("utf-8")

    def _skip_array(self) -> None:
        kind = self._read_int("<I")
        count = self._read_int("<Q")
        if kind != _STRING_TYPE:
            self._offset += count * struct.calcsize(_FORMATS[kind])
            return
        for _ in range(count):
            size = self._read_int("<Q")
            self._offset += size
