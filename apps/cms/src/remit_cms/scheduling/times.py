"""Times as people and models give them: ISO 8601, in the time zone of the site unless they have one."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from remit.errors import InvalidArgumentsError
from remit_cms.storage.scope import Scope
from remit_cms.storage.zones import find_zone

_END = datetime(9999, 1, 1, tzinfo=UTC)


async def read_time(scope: Scope, written: str, now: datetime) -> datetime:
    """The time that a text means, with a zone.

    Raises:
        InvalidArgumentsError: it is no time, or has passed.
    """
    zone = await find_zone(scope)
    try:
        at = datetime.fromisoformat(written.strip())
    except ValueError:
        raise InvalidArgumentsError(
            f"at is {written!r}; give a date and time such as 2026-12-24T09:00, or with a zone 2026-12-24T09:00+01:00"
        ) from None
    at = at if at.utcoffset() is not None else at.replace(tzinfo=zone)
    if at >= _END:
        raise InvalidArgumentsError(f"at is {written!r}; give a year until {_END.year - 1}")
    if at <= now:
        # A time long ago may have no other zone: the year 1 begins and ends there.
        if at.year < now.year:
            raise InvalidArgumentsError(f"{written.strip()} has passed; give a time to come")
        raise InvalidArgumentsError(
            f"{format_time(at, zone)} has passed, as it is {format_time(now, zone)} now; give a time to come"
        )
    exact = at.astimezone(UTC)
    if at.tzinfo is zone and exact.astimezone(zone).replace(tzinfo=None) != at.replace(tzinfo=None):
        raise InvalidArgumentsError(
            f"{written.strip()} is not a time in {zone.key}: clocks are put forward over it; "
            f"{format_time(exact, zone)} would do"
        )
    return exact


def format_time(at: datetime, zone: ZoneInfo) -> str:
    """A time in the zone of the site: ``2026-12-24T09:00+01:00``, with seconds if it has some."""
    # By way of UTC: a time that the zone leaves out would stay as it is otherwise.
    local = at.astimezone(UTC).astimezone(zone).replace(microsecond=0)
    return local.isoformat(timespec="seconds" if local.second else "minutes")
