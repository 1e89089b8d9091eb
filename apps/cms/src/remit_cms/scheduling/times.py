"""Times as people and models give them: ISO 8601, in the time zone of the site unless they have one."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from remit.errors import InvalidArgumentsError
from remit_cms.settings.values import load_settings
from remit_cms.storage.scope import Scope

_LAST_YEAR = 9998


async def find_zone(scope: Scope) -> ZoneInfo:
    """The time zone of the site: its setting that is in force, or UTC."""
    return ZoneInfo((await load_settings(scope, live=True)).time_zone or "UTC")


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
    if at.year < now.year - 1:  # not compared as a time: in another zone it could be before the first year
        raise InvalidArgumentsError(
            f"{written!r} has passed, as it is {format_time(now, zone)} now; give a time to come"
        )
    if at.year > _LAST_YEAR:
        raise InvalidArgumentsError(f"at is {written!r}; give a year up to {_LAST_YEAR}")
    at = at if at.utcoffset() is not None else at.replace(tzinfo=zone)
    if at <= now:
        raise InvalidArgumentsError(
            f"{format_time(at, zone)} has passed, as it is {format_time(now, zone)} now; give a time to come"
        )
    return at


def format_time(at: datetime, zone: ZoneInfo) -> str:
    """A time in the zone of the site: ``2026-12-24T09:00+01:00``, with seconds if it has some."""
    local = at.astimezone(zone).replace(microsecond=0)
    return local.isoformat(timespec="seconds" if local.second else "minutes")
