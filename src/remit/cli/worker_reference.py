"""References to a worker file on the command line: ``FILE`` or ``APP+FILE``, optionally followed by ``@MODEL``."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Self

from msgspec import Struct

from remit.errors import SetupError

_REFERENCE_PATTERN: Final = re.compile(r"(?:(?P<app>[\w.:-]+)\+)?(?P<file>[^@]+\.worker)(?:@(?P<model>.+))?")


class WorkerReference(Struct, frozen=True, kw_only=True):
    """A worker file, the application it extends, and the model it uses, if not its own.

    Its ``str``, which `of` parses, names the run's application when the run is resumed.
    """

    file: Path
    app: str = ""
    model: str = ""

    @classmethod
    def of(cls, name: str) -> Self | None:
        """Parse a name on the command line; None if it names no worker file."""
        found = _REFERENCE_PATTERN.fullmatch(name)
        if found is None:
            return None
        return cls(file=Path(found["file"]), app=found["app"] or "", model=found["model"] or "")

    def __str__(self) -> str:
        return f"{f'{self.app}+' if self.app else ''}{self.file}{f'@{self.model}' if self.model else ''}"


@contextmanager
def require_workers_extra() -> Generator[None]:
    """Wraps imports that need the extra of workers.

    Raises:
        SetupError: the extra is not installed.
    """
    try:
        yield
    except ImportError as error:
        raise SetupError(str(error)) from error
