"""Pins: what a preview shows. Links to previews and the questions of tools name them."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import astuple, dataclass, fields
from datetime import UTC, datetime
from typing import Any, Final, Literal, TypeAlias, cast, get_args

PREVIEW: Final = "preview"
"""The kind of object under which a view opens what a pin shows."""


@dataclass(frozen=True, slots=True)
class PagePin:
    """A revision of a page."""

    page: str
    number: int


@dataclass(frozen=True, slots=True)
class SetPin:
    """The revisions that a change set had at a time (ISO 8601). The digest tells whether they are still the same."""

    change_set: str
    time: str
    digest: str


Act = Literal["publish", "publish-set", "hide"]
"""What a plan does: publish a document or a change set, or hide a document."""


@dataclass(frozen=True, slots=True)
class PlanPin:
    """What visitors would see after an act on a document or change set, at once or at a time.

    ``at`` is in seconds since the epoch, 0 for at once. The digest tells whether that is still the same.
    """

    act: str
    subject: str
    at: int
    digest: str


@dataclass(frozen=True, slots=True)
class DatePin:
    """The site as it will be at a time, by all that was scheduled when the pin was made; both in epoch seconds."""

    at: int
    made: int


Pin: TypeAlias = PagePin | SetPin | PlanPin | DatePin
_MAX_NAME: Final = 500
_KINDS: Final[dict[str, type[Pin]]] = {"page": PagePin, "set": SetPin, "plan": PlanPin, "date": DatePin}


def write_pin(pin: Pin) -> list[str | int]:
    """A pin as JSON."""
    kind = next(name for name, each in _KINDS.items() if type(pin) is each)
    return [kind, *astuple(pin)]


def read_pin(written: object) -> Pin | None:
    """The pin that JSON means; None if it means none, as what strangers send may not."""
    kind, *values = cast("list[Any]", written) if isinstance(written, list) and written else [""]
    found: Any = _KINDS.get(kind) if isinstance(kind, str) else None
    if found is None:
        return None
    if [type(each).__name__ for each in values] != [each.type for each in fields(found)]:
        return None
    pin: Pin = found(*values)
    if isinstance(pin, PlanPin) and pin.act not in get_args(Act):
        return None
    return pin if all(map(_is_time, _times_of(pin))) else None


def _times_of(pin: Pin) -> tuple[int, ...]:
    """The times of a pin, in seconds since the epoch."""
    match pin:
        case PlanPin():
            return (pin.at,)
        case DatePin():
            return (pin.at, pin.made)
        case _:
            return ()


def _is_time(seconds: int) -> bool:
    """Whether a number of seconds since the epoch is a time that a calendar has."""
    return 0 <= seconds < _END


_END: Final = datetime(9999, 1, 1, tzinfo=UTC).timestamp()


def name_pin(pin: Pin) -> str:
    """A pin as the id of an object, as views open it."""
    return encode(json.dumps(write_pin(pin), separators=(",", ":")).encode())


def find_pin(name: str) -> Pin | None:
    """The pin with a name; None if there is none."""
    try:
        return read_pin(json.loads(decode(name[:_MAX_NAME])))
    except ValueError:
        return None


def encode(data: bytes) -> str:
    """Bytes as characters of addresses."""
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text: str) -> bytes:
    """The bytes that characters of an address mean.

    Raises:
        ValueError: there are none, or another text means them.
    """
    data = urlsafe_b64decode(text.encode("ascii", "replace") + b"=" * (-len(text) % 4))
    if encode(data) != text:  # other characters are ignored, and the last one may have bits that count for nothing
        raise ValueError("not the one way to write these bytes")
    return data
