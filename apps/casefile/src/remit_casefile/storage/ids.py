"""The ids of rows. Each has a prefix for its kind; those of casefiles and sessions contain the day."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final, Literal

SessionKind = Literal["tool", "chat"]
"""What a session is for: single tools, or a conversation."""

CASEFILE_ID: Final = r"^cf_[0-9]{6}_[0-9a-f]{6}$"
SESSION_ID: Final = r"^(ts|cs)_[0-9]{6}_[a-z0-9]{8}_[0-9a-f]{6}$"
"""The forms of ids that a caller may write. What looks otherwise names nothing."""

_SESSION_PREFIXES: Final = {"tool": "ts", "chat": "cs"}


def utc_now() -> datetime:
    """The current time, for rows."""
    return datetime.now(UTC)


def random_hex(digits: int) -> str:
    """Return ``digits`` random hexadecimal digits; the number must be even."""
    return secrets.token_hex(digits // 2)


def request_id(run: str, call: str) -> str:
    """The id of the request that a call of a run makes: ``sr_`` and twelve digits, the same in each execution."""
    return f"sr_{sha256(f'{run} {call}'.encode()).hexdigest()[:12]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class IdGenerator:
    """Generates ids: ``clock`` gives the day, ``random_digits`` the random suffix."""

    clock: Callable[[], datetime] = utc_now
    random_digits: Callable[[int], str] = random_hex

    def casefile(self) -> str:
        """The id of a casefile: ``cf_251010_3fa9c2``."""
        return f"cf_{self._day()}_{self.random_digits(6)}"

    def session(self, kind: SessionKind, user: str, casefile: str | None) -> str:
        """The id of a session: ``ts_251010_anna3fa9_41d0b7``.

        ``ts`` is a tool session, ``cs`` a chat session. The day is followed by four characters of the user and four of
        the casefile's random suffix, zeros without a casefile.
        """
        case = casefile.rpartition("_")[2] if casefile is not None else ""
        digits = self.random_digits(6)
        return f"{_SESSION_PREFIXES[kind]}_{self._day()}_{_four_characters(user)}{_four_characters(case)}_{digits}"

    def event(self) -> str:
        """The id of an event: ``te_`` and twelve digits."""
        return f"te_{self.random_digits(12)}"

    def message(self) -> str:
        """The id of a chat message: ``cm_`` and twelve digits."""
        return f"cm_{self.random_digits(12)}"

    def _day(self) -> str:
        return self.clock().strftime("%y%m%d")


def _four_characters(name: str) -> str:
    """Four letters or digits of a name, padded with zeros."""
    return re.sub(r"[^a-z0-9]", "", name.lower())[:4].ljust(4, "0")
