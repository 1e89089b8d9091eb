"""The log of a call: messages with a level, in the journal and in the run's stream."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Literal, cast

from remit.core.call_checks import check_types
from remit.record.items import Note

LogLevel = Literal["info", "warning", "error"]
"""How much a message of a log matters."""

WriteNote = Callable[[str, object], None]

_NAMES: Final[Mapping[LogLevel, str]] = {"info": "log", "warning": "log.warning", "error": "log.error"}
_LEVELS: Final[Mapping[str, LogLevel]] = {name: level for level, name in _NAMES.items()}


class Log:
    """Writes messages of a call, for the people who watch its run: ``ctx.log.warning("no image", page="about")``.

    Each message is written once, also when the run is resumed. A value that JSON cannot hold is replaced by its repr,
    so that no message fails a call. ``ctx.log("…")`` is ``ctx.log.info("…")``.
    """

    __slots__ = ("_write",)

    def __init__(self, write: WriteNote) -> None:
        self._write = write

    def __call__(self, message: str, /, **fields: object) -> None:
        """Write a message about the course of the call."""
        self._note("info", message, fields)

    def info(self, message: str, /, **fields: object) -> None:
        """Write a message about the course of the call."""
        self._note("info", message, fields)

    def warning(self, message: str, /, **fields: object) -> None:
        """Write a message about something that a person may want to look at. The call goes on."""
        self._note("warning", message, fields)

    def error(self, message: str, /, **fields: object) -> None:
        """Write a message about something that went wrong. It does not fail the call: raise an error for that."""
        self._note("error", message, fields)

    def _note(self, level: LogLevel, message: str, fields: Mapping[str, object]) -> None:
        self._write(_NAMES[level], {"message": message, **fields})


@dataclass(frozen=True, slots=True)
class LogLine:
    """A message of a log, with its level and fields, as it is on record."""

    level: LogLevel
    message: str
    fields: Mapping[str, Any]

    @staticmethod
    @check_types
    def from_note(note: Note) -> LogLine | None:
        """The message that a note holds; None if ``ctx.emit`` wrote the note, or something else."""
        level = _LEVELS.get(note.name)
        if level is None:
            return None
        data: object = None
        with suppress(ValueError, RecursionError):
            data = json.loads(note.data)
        if not isinstance(data, dict):
            return None
        fields = cast("dict[str, Any]", data)
        return LogLine(level, str(fields.pop("message", "")), fields)
