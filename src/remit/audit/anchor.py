"""Anchors: append-only storage for audit-log heads, out of reach of processes that can write the journal."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Protocol, runtime_checkable

from pydantic import TypeAdapter, ValidationError

from remit.audit.append_only_file import append_lines, read_lines
from remit.core.call_checks import check_arguments
from remit.errors import JournalFormatError
from remit.schemas.jsontext import compact_json


@dataclass(frozen=True, slots=True, kw_only=True)
class LogHead:
    """The log of ``tenant`` at a time (seconds since the epoch): ``count`` entries, the last with this ``link``."""

    tenant: str
    count: int
    link: str
    at: float

    def to_json(self) -> str:
        """The head as one line of JSON."""
        return compact_json(asdict(self))

    @staticmethod
    def from_json(text: str) -> LogHead:
        """Load a head from the text of `to_json`.

        Raises:
            ValueError: the text is not a head.
        """
        return _head_adapter().validate_json(text, strict=True)


@runtime_checkable
class Anchor(Protocol):
    """The port to external append-only storage, which never removes a stored head."""

    async def append(self, head: LogHead, /) -> None:
        """Store a head and return when it is durable."""
        ...

    async def read(self) -> Sequence[LogHead]:
        """Read all stored heads, of all tenants."""
        ...


@check_arguments()
@dataclass(frozen=True, slots=True)
class FileAnchor:
    """An anchor in a file that is only appended to, with one head per line.

    The evidence is only as good as the file's protection: keep it on another machine, on write-once media, or on a file
    system that only allows appending.
    """

    path: Path

    async def append(self, head: LogHead, /) -> None:
        """Append a head."""
        await asyncio.to_thread(append_lines, self.path, lambda _last: [head.to_json()])

    async def read(self) -> Sequence[LogHead]:
        """Read all heads in the file.

        Raises:
            JournalFormatError: a line is not a head.
        """
        lines = await asyncio.to_thread(read_lines, self.path)
        try:
            return [LogHead.from_json(line) for line in lines]
        except ValidationError as error:
            raise JournalFormatError(
                f"the anchor {self.path} contains a line that is not the head of an audit log"
            ) from error


@cache
def _head_adapter() -> TypeAdapter[LogHead]:
    return TypeAdapter(LogHead)
