"""Calls for later: when a run starts, and the occurrences of one that recurs (RFC 5545).

The run of a scheduled call is opened at once: it is authorised, checked and asked about, and then rests until its time.
When that has come, the run of the next occurrence is opened. Its id is derived from the schedule and the time, so that
any number of executors open it once.
"""

from __future__ import annotations

import math
import zoneinfo
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Final, Literal, get_args

import msgspec

from remit.contracts.items import (
    AttemptStarted,
    Position,
    QuestionItem,
    RunOpened,
    RunResumed,
    RunStalled,
    RunSuspended,
)
from remit.contracts.question import content_digest
from remit.core.checks import check_instance, check_text
from remit.errors import RequestError
from remit.lazy_exports import require_extra

Missed = Literal["once", "skip", "all"]
"""What becomes of occurrences whose time passed while no executor ran: one late run, none, or a late run for each."""

SKIP_AFTER_SECONDS: Final = 300.0
"""How late a call may start that is skipped if missed."""

_HORIZONS: Final = {
    "MINUTELY": timedelta(days=31),
    "HOURLY": timedelta(days=366),
    "DAILY": timedelta(days=9 * 366),
    "WEEKLY": timedelta(days=20 * 366),
    "MONTHLY": timedelta(days=40 * 366),
    "YEARLY": timedelta(days=100 * 366),
}
"""The frequencies, and how far ahead an occurrence is looked for: a rule that never matches has no end of its own."""

_WEEK: Final = 7 * 24 * 3600
_STEPS: Final = {"MINUTELY": timedelta(minutes=1), "HOURLY": timedelta(hours=1), "DAILY": timedelta(days=1)}
_NUMBERS: Final = {
    "BYMONTH": (1, 12),
    "BYMONTHDAY": (-31, 31),
    "BYYEARDAY": (-366, 366),
    "BYWEEKNO": (-53, 53),
    "BYHOUR": (0, 23),
    "BYMINUTE": (0, 59),
    "BYSETPOS": (-366, 366),
    "INTERVAL": (1, 10_000),
    "COUNT": (1, 100_000),
}
"""Parts of a rule whose values are numbers, with their bounds."""

_PARTS: Final = ("FREQ", "UNTIL", "BYDAY", "WKST", *_NUMBERS)
_OF_LONGER: Final = frozenset({"BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYSETPOS"})
_DATE_PARTS: Final = {
    "MINUTELY": _OF_LONGER | {"BYMONTH"},
    "HOURLY": _OF_LONGER | {"BYMONTH"},
    "DAILY": _OF_LONGER,
    "WEEKLY": _OF_LONGER,
}
"""Parts that short frequencies cannot have: a rule that never matches would be searched up to the year 9999."""

_LAST: Final = datetime(9999, 12, 31)  # noqa: DTZ001 - a clock time
_YEARS: Final = range(1970, 9999)
"""The years in which a schedule may begin: no time zone moves such a time out of the years that a date can have."""

_LOCAL: Final = "%Y%m%dT%H%M%S"
_MAX_RULE_CHARS: Final = 500


@dataclass(frozen=True, slots=True)
class Schedule:
    """When a call runs. Recurring calls need the extra ``schedule``.

    Args:
        at: the time of the first run, with a time zone, in the years 1970 to 9998.
        every: a recurrence rule of RFC 5545 such as ``FREQ=WEEKLY;BYDAY=MO,TH``; empty for a single run. If the zone of
            ``at`` is a `zoneinfo.ZoneInfo`, the runs keep the clock time of ``at`` across daylight saving time;
            hourly and minutely rules count real time.
        missed: what becomes of occurrences whose time passed while no executor ran or their question was open: one
            late run (``once``), none (``skip``), or a late run for each (``all``).

    Raises:
        RequestError: a value is invalid, or the rule has no occurrence after ``at``.
    """

    at: datetime
    every: str = ""
    missed: Missed = "once"

    def __post_init__(self) -> None:
        check_instance("Schedule: at", self.at, datetime, "give a datetime with a time zone")
        if self.at.year not in _YEARS:
            raise RequestError(f"Schedule: at is {self.at}; give a year from {_YEARS[0]} to {_YEARS[-1]}")
        if self.at.utcoffset() is None:
            raise RequestError(f"Schedule: at is {self.at}, without a time zone; give one, such as tzinfo=datetime.UTC")
        check_text("Schedule: every", self.every)
        if self.missed not in get_args(Missed):
            raise RequestError(f"Schedule: missed is {self.missed!r}; give one of {', '.join(get_args(Missed))}")
        if self.every and self.to_recurrence("").next_after(self.at.timestamp()) is None:
            raise RequestError(f"Schedule: {self.every!r} has no occurrence after {self.at}")

    def to_recurrence(self, run: str) -> Recurrence:
        """The rule that finds the occurrences after ``run``, the first one."""
        zone = self.at.tzinfo.key if isinstance(self.at.tzinfo, zoneinfo.ZoneInfo) else ""
        offset = (self.at.utcoffset() or timedelta()).total_seconds()
        return Recurrence(run, self.every, zone, offset, self.at.timestamp(), self.missed)


class Recurrence(msgspec.Struct, frozen=True):
    """The rule of a recurring call, alike in the headers of all its runs.

    ``run`` is that of the first occurrence and names the schedule. ``zone`` is an IANA name; without one, ``offset`` is
    a fixed offset from UTC in seconds. ``first`` is the time of the first occurrence.
    """

    run: str
    every: str
    zone: str
    offset: float
    first: float
    missed: Missed

    def next_after(self, time: float) -> float | None:
        """The first occurrence after ``time`` (both in seconds since the epoch); None if there is none.

        Raises:
            RequestError: the rule is invalid.
        """
        zone, parts = self._zone(), parse_rule(self.every)
        if parts["FREQ"] not in ("HOURLY", "MINUTELY"):
            return self._find_after(time, parts, zone)
        # These count real time, so that an hour that the clock shows twice has all its occurrences twice.
        for begin, end, offset in _clock_periods(zone, time, time + _HORIZONS[parts["FREQ"]].total_seconds()):
            found = self._find_after(begin, parts, timezone(offset))
            if found is not None and found < end:
                return found
        return None

    def _find_after(self, time: float, parts: dict[str, str], zone: tzinfo) -> float | None:
        with require_extra(__name__, "schedule"):
            from dateutil.rrule import rrulestr  # noqa: PLC0415 - loaded only for calls that recur

        start = datetime.fromtimestamp(self.first, zone).replace(tzinfo=None)
        after = max(datetime.fromtimestamp(time, zone).replace(tzinfo=None), start)
        until = min(after, _LAST - _HORIZONS[parts["FREQ"]]) + _HORIZONS[parts["FREQ"]]
        if "UNTIL" in parts:
            until = min(_parse_until(parts["UNTIL"], zone), until)
        open_ended = {name: value for name, value in parts.items() if name != "COUNT"} | {"UNTIL": f"{until:{_LOCAL}}"}
        first = start if "COUNT" in parts else _start_near(after, start, parts)
        try:
            found = rrulestr(_format_rule(open_ended), dtstart=first).after(after)
            if found is not None and "COUNT" in parts:  # which counts from the first, and ends the search by itself
                found = rrulestr(_format_rule(parts), dtstart=start).after(after)
        except (ValueError, TypeError, OverflowError) as error:
            raise RequestError(f"{self.every!r} is not a recurrence rule: {error}") from error
        if found is None:
            return None
        # Of a clock time that there is twice the second may follow, and one that there is not must not lead back.
        times = [found.replace(tzinfo=zone, fold=fold).timestamp() for fold in (0, 1)]
        return next((each for each in times if each > time), time + 1.0)

    def _zone(self) -> tzinfo:
        return zoneinfo.ZoneInfo(self.zone) if self.zone else timezone(timedelta(seconds=self.offset))


def _clock_periods(zone: tzinfo, time: float, until: float) -> Iterator[tuple[float, float, timedelta]]:
    """The periods with one offset from UTC: a time before all of it that is left, its end, and the offset."""
    until = min(until, _LAST.replace(tzinfo=UTC).timestamp() - 2 * _WEEK)
    begin, after = math.floor(time), time
    while begin < until:
        offset, low = _offset_at(zone, begin), begin
        while low < until and _offset_at(zone, low + _WEEK) == offset:
            low += _WEEK
        high = low + _WEEK
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if _offset_at(zone, middle) == offset else (low, middle)
        yield after, high, offset
        begin, after = high, high - 0.5


def _offset_at(zone: tzinfo, time: int) -> timedelta:
    return datetime.fromtimestamp(time, zone).utcoffset() or timedelta()


def parse_rule(text: str) -> dict[str, str]:
    """The parts of a recurrence rule by name, ``FREQ`` among them.

    Raises:
        RequestError: a part is unknown or its value is out of bounds.
    """
    if len(text) > _MAX_RULE_CHARS:
        raise RequestError(f"the recurrence rule has {len(text):,} characters; give at most {_MAX_RULE_CHARS}")
    parts: dict[str, str] = {}
    for part in text.upper().removeprefix("RRULE:").split(";"):
        name, _, value = part.partition("=")
        if name in parts or name not in _PARTS or not value:
            problem = "has a part twice or without a value" if name in _PARTS else f"has the unknown part {name!r}"
            raise RequestError(f"the recurrence rule {text!r} {problem}; its parts are {', '.join(_PARTS)}")
        if name in _NUMBERS:
            _check_bounds(name, value)
        parts[name] = value
    if parts.get("FREQ") not in _HORIZONS:
        raise RequestError(f"the recurrence rule {text!r} needs FREQ= and one of {', '.join(_HORIZONS)}")
    if by_date := _DATE_PARTS.get(parts["FREQ"], frozenset()).intersection(parts):
        raise RequestError(f"the recurrence rule {text!r} has {min(by_date)}; only a longer FREQ can have it")
    if "COUNT" in parts and "UNTIL" in parts:
        raise RequestError(f"the recurrence rule {text!r} has both COUNT and UNTIL; give one")
    return parts


def open_schedule(header: RunOpened, schedule: Schedule) -> RunOpened:
    """The header of the first run of a schedule."""
    return _start_at(header, schedule.at.timestamp(), schedule.to_recurrence(header.call))


def next_occurrence(header: RunOpened, now: float, items: Sequence[Position] = ()) -> RunOpened | None:
    """The header of the run that follows in the schedule of ``header``.

    None if there is none, if it is not yet time, or if an earlier execution on record in ``items`` opened it: the time
    depends on ``now``, and a later run, perhaps cancelled since, must not be followed by one of this run.

    Raises:
        RequestError: the rule on record is invalid.
    """
    if not header.schedule or now < header.starts_at or _was_due(items, header.starts_at):
        return None
    recurrence = msgspec.json.decode(header.schedule, type=Recurrence)
    time = recurrence.next_after(header.starts_at if recurrence.missed == "all" else max(now, header.starts_at))
    if time is None:
        return None
    run = content_digest("occurrence", recurrence.run, repr(time))
    return _start_at(msgspec.structs.replace(header, call=run), time, recurrence)


def _was_due(items: Sequence[Position], starts_at: float) -> bool:
    """Whether an execution that began at ``starts_at`` or later came to its root call."""
    is_due = False
    for at, item in ((position.at, position.item) for position in items):
        if isinstance(item, (RunOpened, RunResumed)):
            is_due = at >= starts_at
        elif is_due and isinstance(item, (AttemptStarted, QuestionItem, RunStalled, RunSuspended)):
            return True
    return False


def _start_at(header: RunOpened, time: float, recurrence: Recurrence) -> RunOpened:
    return msgspec.structs.replace(
        header,
        starts_at=time,
        starts_before=time + SKIP_AFTER_SECONDS if recurrence.missed == "skip" else 0.0,
        schedule=msgspec.json.encode(recurrence).decode() if recurrence.every else "",
    )


def _check_bounds(name: str, value: str) -> None:
    lowest, highest = _NUMBERS[name]
    for each in value.split(","):
        digits = each.removeprefix("-").removeprefix("+")
        if not (digits.isascii() and digits.isdigit() and len(digits) <= len(str(highest))):
            raise RequestError(f"{name}={value} in the recurrence rule is not a whole number")
        if not lowest <= int(each) <= highest:
            raise RequestError(f"{name}={value} in the recurrence rule is not between {lowest} and {highest}")


def _parse_until(value: str, zone: tzinfo) -> datetime:
    """The end of a rule as a clock time in ``zone``: a date, a clock time, or a time in UTC (``Z``)."""
    try:
        if value.endswith("Z"):
            return datetime.strptime(value, f"{_LOCAL}Z").replace(tzinfo=UTC).astimezone(zone).replace(tzinfo=None)
        return datetime.strptime(value, _LOCAL if "T" in value else "%Y%m%d")  # noqa: DTZ007 - a clock time
    except (ValueError, OverflowError):
        raise RequestError(f"UNTIL={value} in the recurrence rule is not a time such as 20271231T090000Z") from None


def _start_near(after: datetime, start: datetime, parts: dict[str, str]) -> datetime:
    """A start close to ``after`` with the occurrences of ``start``: rules are searched from their start."""
    step = _STEPS.get(parts["FREQ"])
    if step is None:
        return start
    step *= int(parts.get("INTERVAL", "1"))
    return start + (after - start) // step * step


def _format_rule(parts: dict[str, str]) -> str:
    return ";".join(f"{name}={value}" for name, value in parts.items())
