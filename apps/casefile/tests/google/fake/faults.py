"""What can be made to go wrong, so many times, for one method or for all."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from apps.casefile.tests.google.fake.requests import GoogleResponseError

PIECE = "upload.piece"
"""What a piece of an upload goes by, which the documents give no method of its own."""


class Cut(enum.Enum):
    """When a connection ends."""

    BEFORE = "nothing was done"
    AFTER = "it was done, and nothing was answered"
    MIDWAY = "it was done, and half of the answer was sent"


class Stall(enum.Enum):
    """It is never answered."""

    FOREVER = "no answer ever comes"


@dataclass(frozen=True, slots=True)
class Keeps:
    """Of a piece only so many bytes arrive; then the connection ends."""

    count: int


@dataclass(frozen=True, slots=True)
class Says:
    """Another answer than what was asked for, with nothing done."""

    content: bytes
    status: int = 200


Trouble = GoogleResponseError | Cut | Stall | Keeps | Says


@dataclass(slots=True)
class Fault:
    """Trouble with a method, after ``skip`` requests that go well."""

    method: str
    trouble: Trouble
    times: int = 1
    skip: int = 0


def busy(retry_after: str = "7") -> GoogleResponseError:
    """429."""
    return GoogleResponseError(429, "Quota exceeded.", "rateLimitExceeded", headers={"retry-after": retry_after})


def broken(status: int = 500) -> GoogleResponseError:
    """5xx."""
    return GoogleResponseError(status, "Internal Error", "backendError")


class Faults:
    """What is to go wrong next."""

    def __init__(self) -> None:
        self._planned: list[Fault] = []

    def plan(self, method: str, trouble: Trouble, *, times: int = 1, skip: int = 0) -> None:
        """Let it go wrong."""
        self._planned.append(Fault(method, trouble, times, skip))

    def clear(self) -> None:
        """Let all go well again."""
        self._planned.clear()

    def next(self, method: str) -> Trouble | None:
        """What goes wrong with this request."""
        for fault in self._planned:
            if fault.method == method and fault.times:
                if fault.skip:
                    fault.skip -= 1
                    return None
                fault.times -= 1
                return fault.trouble
        return None
