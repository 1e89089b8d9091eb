"""Names a worker of a file on the command line: ``FILE``, ``APP+FILE``, and behind either the model, ``@MODEL``."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from remit.errors import SetupError

_REFERENCE_PATTERN: Final = re.compile(r"(?:(?P<app>[\w.:-]+)\+)?(?P<file>[^@]+\.worker)(?:@(?P<model>.+))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerReference:
    """Which worker file, beside which application, and which model it asks where that is not as usual.

    ``str`` of it is what `of` reads: a run of such a worker is found again under it, where an application is named.
    """

    file: Path
    app: str = ""
    model: str = ""

    @classmethod
    def of(cls, name: str) -> Self | None:
        """The worker that a name on the command line means; None for one of an application."""
        found = _REFERENCE_PATTERN.fullmatch(name)
        if found is None:
            return None
        return cls(file=Path(found["file"]), app=found["app"] or "", model=found["model"] or "")

    def __str__(self) -> str:
        return f"{f'{self.app}+' if self.app else ''}{self.file}{f'@{self.model}' if self.model else ''}"


@contextmanager
def require_workers_extra() -> Generator[None]:
    """Around the imports that need the extra of workers.

    Raises:
        SetupError: it is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        message = f"workers need {error.name}; install it with: pip install 'remit[pydantic-ai]'"
        raise SetupError(message) from error
