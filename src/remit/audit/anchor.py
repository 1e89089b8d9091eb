"""Where the heads of audit logs are told to: a place from which whoever can write the journal can take nothing back."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Protocol, runtime_checkable

from pydantic import TypeAdapter, ValidationError

from remit.audit.append_only_file import append_lines, read_lines
from remit.errors import JournalFormatError
from remit.schemas.jsontext import compact_json


@dataclass(frozen=True, slots=True, kw_only=True)
class LogHead:
    """The log of ``tenant`` had ``count`` entries at ``at`` (seconds since the epoch), the last with this ``link``."""

    tenant: str
    count: int
    link: str
    at: float

    def to_json(self) -> str:
        """The head as one line of JSON."""
        return compact_json(asdict(self))

    @staticmethod
    def from_json(text: str) -> LogHead:
        """The head that `json` wrote.

        Raises:
            ValueError: it is none.
        """
        return _head_adapter().validate_json(text, strict=True)


@runtime_checkable
class Anchor(Protocol):
    """The port: an append-only place outside. What was told there once is told for ever."""

    async def append(self, head: LogHead, /) -> None:
        """Tell a head, and return when it cannot be lost."""
        ...

    async def read(self) -> Sequence[LogHead]:
        """Every head that was ever told, of all tenants."""
        ...


@dataclass(frozen=True, slots=True)
class FileAnchor:
    """Heads as lines of a file that is only ever appended to.

    It proves as much as the file is out of reach: on another machine, on a medium that is written once, or on a file
    system that refuses everything but to append.
    """

    path: Path

    async def append(self, head: LogHead, /) -> None:
        """Tell a head."""
        await asyncio.to_thread(append_lines, self.path, lambda _last: [head.to_json()])

    async def read(self) -> Sequence[LogHead]:
        """Every head in the file.

        Raises:
            JournalFormatError: a line is no head.
        """
        lines = await asyncio.to_thread(read_lines, self.path)
        try:
            return [LogHead.from_json(line) for line in lines]
        except ValidationError as error:
            raise JournalFormatError(f"the anchor {self.path} holds a line that is no head of an audit log") from error


@cache
def _head_adapter() -> TypeAdapter[LogHead]:
    return TypeAdapter(LogHead)
