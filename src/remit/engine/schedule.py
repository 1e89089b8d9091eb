"""Scheduled calls: the start of a run, and the occurrences of a recurring one (RFC 5545).

The run of a scheduled call is opened at once. It is authorised and checked, asks its questions, and rests until its
time. At that time, the run of the next occurrence is opened. Its id is derived from the schedule and the time, so any
number of executors open it only once.
"""

from __future__ import annotations

import math
import zoneinfo
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Final, Literal

import msgspec

from remit.core.call_checks import check_arguments
from remit.engine.recurrence_rule import RecurrenceRule, parse_rule
from remit.errors import RequestError
from remit.record.arguments import content_digest
from remit.record.items import (
    AttemptStarted,
    Position,
    QuestionItem,
    RunOpened,
    RunResumed,
    RunStalled,
    RunSuspended,
)

Missed = Literal["once", "skip", "all"]
"""The handling of occurrences that passed while no executor ran: one late run, none, or a late run for each."""

SKIP_AFTER_SECONDS: Final = 300.0
"""The longest delay of a call that is skipped if missed."""

_WEEK: Final = 7 * 24 * 3600
_LAST: Final = datetime(9999, 12, 31)  # noqa: DTZ001 - a clock time
_YEARS: Final = range(1970, 9999)
"""The years in which a schedule may begin. No time zone moves such a time outside the range of dates."""


@check_arguments()
@dataclass(frozen=True, slots=True)
class Schedule:
    """When a call runs.

    Args:
        at: the time of the first run, with a time zone, in the years 1970 to 9998.
        every: a recurrence rule of RFC 5545 such as ``FREQ=WEEKLY;BYDAY=MO,TH``; empty for a single run. If the zone of
            ``at`` is a `zoneinfo.ZoneInfo`, the runs keep the clock time of ``at`` across daylight saving time;
            hourly and minutely rules count real time.
        missed: what happens to occurrences whose time passed while no executor ran or their question was open: one
            late run (``once``), none (``skip``), or a late run for each (``all``).

    Raises:
        RequestError: a value is invalid, or the rule has no occurrence after ``at``, or too few for its ``COUNT``.
    """

    at: datetime
    every: str = ""
    missed: Missed = "once"

    def __post_init__(self) -> None:
        if self.at.year not in _YEARS:
            raise RequestError(f"Schedule: at is {self.at}; give a year from {_YEARS[0]} to {_YEARS[-1]}")
        if self.at.utcoffset() is None:
            raise RequestError(f"Schedule: at is {self.at}, without a time zone; give one, such as tzinfo=datetime.UTC")
        if self.every:
            self._check_rule()

    def _check_rule(self) -> None:
        if self.to_recurrence("").next_after(self.at.timestamp()) is None:
            raise RequestError(f"Schedule: {self.every!r} has no occurrence after {self.at}")
        rule = parse_rule(self.every)
        if (found := sum(1 for _ in rule.iter_counted(self.at.replace(tzinfo=None)))) < rule.limit:
            days = rule.horizon.days * rule.interval
            what = f"{found:,} of its {rule.limit:,} occurrences within {days:,} days of the first"
            raise RequestError(f"Schedule: {self.every!r} has {what}; give a smaller COUNT, or UNTIL")

    def to_recurrence(self, run: str) -> Recurrence:
        """The rule that finds the occurrences after the first one, ``run``."""
        zone = self.at.tzinfo.key if isinstance(self.at.tzinfo, zoneinfo.ZoneInfo) else ""
        offset = (self.at.utcoffset() or timedelta()).total_seconds()
        return Recurrence(run, self.every, zone, offset, self.at.timestamp(), self.missed)


class Recurrence(msgspec.Struct, frozen=True):
    """The rule of a recurring call, which is the same in the headers of all its runs.

    ``run`` is the run of the first occurrence and names the schedule. ``zone`` is an IANA name; without one, ``offset``
    is a fixed offset from UTC in seconds. ``first`` is the time of the first occurrence.
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
        zone, rule = self._zone(), parse_rule(self.every)
        if not rule.is_of_real_time:
            return self._find_after(time, rule, zone)
        # These rules count real time, so an hour that the clock shows twice has all its occurrences twice.
        for begin, end, offset in _clock_periods(zone, time, time + rule.horizon.total_seconds()):
            found = self._find_after(begin, rule, timezone(offset))
            if found is not None and found < end:
                return found
        return None

    def earliest_missed(self, now: float) -> float:
        """The time from which missed occurrences are made up for. There may be millions before it."""
        return now - parse_rule(self.every).horizon.total_seconds()

    def _find_after(self, time: float, rule: RecurrenceRule, zone: tzinfo) -> float | None:
        start = datetime.fromtimestamp(self.first, zone).replace(tzinfo=None)
        after = max(datetime.fromtimestamp(time, zone).replace(tzinfo=None), start)
        found = rule.find_after(after, start, zone)
        if found is None:
            return None
        # The second instance of a repeated clock time may follow. A nonexistent clock time must not lead back.
        times = [found.replace(tzinfo=zone, fold=fold).timestamp() for fold in (0, 1)]
        return next((each for each in times if each > time), time + 1.0)

    def _zone(self) -> tzinfo:
        return zoneinfo.ZoneInfo(self.zone) if self.zone else timezone(timedelta(seconds=self.offset))


def _clock_periods(zone: tzinfo, time: float, until: float) -> Iterator[tuple[float, float, timedelta]]:
    """The periods with one offset from UTC: a time before the rest of the period, its end, and the offset."""
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


def open_schedule(header: RunOpened, schedule: Schedule) -> RunOpened:
    """The header of the first run of a schedule."""
    return _start_at(header, schedule.at.timestamp(), schedule.to_recurrence(header.call))


def next_occurrence(header: RunOpened, now: float, items: Sequence[Position] = ()) -> RunOpened | None:
    """The header of the next run in the schedule of ``header``.

    None if no run follows, if it is not yet time, or if an earlier execution, recorded in ``items``, opened it. The
    time depends on ``now``, so this run must not open a run after a later one, which may have been cancelled since.

    Raises:
        RequestError: the rule on record is invalid.
    """
    if not header.schedule or now < header.starts_at or _was_due(items, header.starts_at):
        return None
    recurrence = msgspec.json.decode(header.schedule, type=Recurrence)
    since = recurrence.earliest_missed(now) if recurrence.missed == "all" else now
    time = recurrence.next_after(max(since, header.starts_at))
    if time is None:
        return None
    run = content_digest("occurrence", recurrence.run, repr(time))
    return _start_at(msgspec.structs.replace(header, call=run), time, recurrence)


def _was_due(items: Sequence[Position], starts_at: float) -> bool:
    """Whether an execution that began at ``starts_at`` or later reached its root call."""
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
