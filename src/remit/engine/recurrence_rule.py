"""Recurrence rules (RFC 5545), searched in a bounded number of steps because a caller's rule may match nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import islice
from typing import Final, NamedTuple

from remit.errors import RequestError

_HORIZON_DAYS: Final = {
    "MINUTELY": 31,
    "HOURLY": 366,
    "DAILY": 9 * 366,
    "WEEKLY": 20 * 366,
    "MONTHLY": 40 * 366,
    "YEARLY": 100 * 366,
}
"""The frequencies, with the number of days ahead in which an occurrence is searched for."""

_NUMBERS: Final = {
    "BYMONTH": (1, 12),
    "BYMONTHDAY": (-31, 31),
    "BYYEARDAY": (-366, 366),
    "BYWEEKNO": (-53, 53),
    "BYHOUR": (0, 23),
    "BYMINUTE": (0, 59),
    "BYSETPOS": (-366, 366),
    "INTERVAL": (1, 10_000),
    "COUNT": (1, 10_000),
}
"""Parts of a rule whose values are numbers, with their bounds."""

_PARTS: Final = ("FREQ", "UNTIL", "BYDAY", "WKST", *_NUMBERS)
_DAYS: Final = frozenset({"BYDAY", "BYMONTHDAY", "BYYEARDAY", "BYWEEKNO"})
_OF_LONGER: Final = frozenset({"BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYSETPOS"})
_DATE_PARTS: Final = {
    "MINUTELY": _OF_LONGER | {"BYMONTH"},
    "HOURLY": _OF_LONGER | {"BYMONTH"},
    "DAILY": _OF_LONGER,
    "WEEKLY": _OF_LONGER,
}
"""Parts that short frequencies cannot have."""

_MINUTES: Final = {"MINUTELY": 1, "HOURLY": 60}
_WEEKDAYS: Final = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_BYDAY: Final = re.compile(rf"([+-]?[1-9][0-9]?)?({'|'.join(_WEEKDAYS)})")
_MAX_TIMES_A_DAY: Final = 100
"""The most times of a day that a daily or less frequent rule may name, because a search visits each."""
_MAX_RULE_CHARS: Final = 500
_CLOCK: Final = "%Y%m%dT%H%M%S"
_LAST_DAY: Final = date.max.toordinal() - 7


class RecurrenceRule(NamedTuple):
    """A parsed rule: the values of its parts, in the clock time of its zone."""

    frequency: str
    interval: int
    numbers: dict[str, tuple[int, ...]]
    weekdays: tuple[tuple[int, int], ...]
    week_start: int
    until: str

    @property
    def limit(self) -> int:
        """The number of occurrences that ``COUNT`` allows; 0 for no limit."""
        return self.numbers.get("COUNT", (0,))[0]

    @property
    def horizon(self) -> timedelta:
        """How far ahead Remit searches for an occurrence."""
        return timedelta(days=_HORIZON_DAYS[self.frequency])

    @property
    def is_of_real_time(self) -> bool:
        """Whether it counts hours or minutes instead of calendar days."""
        return self.frequency in _MINUTES

    def find_after(self, after: datetime, start: datetime, zone: tzinfo) -> datetime | None:
        """The first occurrence after ``after`` of the rule that begins at ``start``; None if it is too far ahead."""
        until = self._add_days(after, self.horizon.days)
        if self.until:
            until = min(until, _parse_until(self.until, zone))
        occurrences = self.iter_counted(start) if self.limit else self._iterate(max(after, start), start, until)
        return next((each for each in occurrences if after < each <= until), None)

    def iter_counted(self, start: datetime) -> Iterator[datetime]:
        """The occurrences that ``COUNT`` counts, within the search horizon times the interval."""
        until = self._add_days(start, self.horizon.days * self.interval)
        return islice(self._iterate(start, start, until), self.limit)

    def _add_days(self, time: datetime, days: int) -> datetime:
        last = min(time.toordinal() + days, _LAST_DAY)
        return datetime.combine(date.fromordinal(max(last, time.toordinal())), time.time())

    def _iterate(self, after: datetime, start: datetime, until: datetime) -> Iterator[datetime]:
        """The occurrences from the period of ``after`` to ``until``, at whole seconds."""
        start = start.replace(microsecond=0)
        for days in self._periods(after.date(), start.date(), until.date()):
            times = [time for day in days if self._has_day(day, start) for time in self._times_of(day, start)]
            positions = self.numbers.get("BYSETPOS")
            if positions is not None:
                times = sorted({times[at - (at > 0)] for at in positions if at and -len(times) <= at <= len(times)})
            yield from (time for time in times if start <= time <= until)

    def _periods(self, after: date, start: date, until: date) -> Iterator[list[date]]:
        """The days of each matching period, from the period of ``after``."""
        if self.frequency in ("MONTHLY", "YEARLY"):
            months = 1 if self.frequency == "MONTHLY" else 12
            first, step = start.year * 12 + (start.month - 1 if months == 1 else 0), months * self.interval
            near = after.year * 12 + after.month - 1
            for month in range(first + (near - first) // step * step, until.year * 12 + until.month, step):
                yield list(map(date.fromordinal, range(_first_day(month), _first_day(month + months))))
            return
        length = 7 if self.frequency == "WEEKLY" else 1
        step = length * (1 if self.is_of_real_time else self.interval)
        first = start.toordinal() - ((start.weekday() - self.week_start) % 7 if length > 1 else 0)
        begin = first + (after.toordinal() - first) // step * step
        for day in range(begin, until.toordinal() + 1, step):
            yield [date.fromordinal(each) for each in range(day, day + length)]

    def _times_of(self, day: date, start: datetime) -> Iterator[datetime]:
        """The times of a day, in order."""
        hours, minutes = self.numbers.get("BYHOUR"), self.numbers.get("BYMINUTE")
        unit = _MINUTES.get(self.frequency)
        if unit is None:
            clock = [60 * hour + minute for hour in hours or (start.hour,) for minute in minutes or (start.minute,)]
        else:
            passed = (day.toordinal() - start.toordinal()) * 1440 - start.hour * 60 - start.minute * (unit == 1)
            begins = range(-passed % (unit * self.interval), 1440, unit * self.interval)
            begins = (each for each in begins if hours is None or each // 60 in hours)
            if unit == 1:
                clock = [each for each in begins if minutes is None or each % 60 in minutes]
            else:
                clock = [each + minute for each in begins for minute in minutes or (start.minute,)]
        for each in sorted(clock):
            yield datetime(day.year, day.month, day.day, each // 60, each % 60, start.second)  # noqa: DTZ001 - a clock time

    def _has_day(self, day: date, start: datetime) -> bool:
        numbers, has_days = self.numbers, bool(self.weekdays) or not _DAYS.isdisjoint(self.numbers)
        month = (start.month,) if self.frequency == "YEARLY" and not has_days else None
        if day.month not in numbers.get("BYMONTH", month or (day.month,)):
            return False
        if not has_days:
            if self.frequency == "WEEKLY":
                return day.weekday() == start.weekday()
            return self.frequency not in ("MONTHLY", "YEARLY") or day.day == start.day
        return (
            ("BYMONTHDAY" not in numbers or _is_among(numbers["BYMONTHDAY"], *_day_of(day, months=1)))
            and ("BYYEARDAY" not in numbers or _is_among(numbers["BYYEARDAY"], *_day_of(day, months=12)))
            and ("BYWEEKNO" not in numbers or _is_among(numbers["BYWEEKNO"], *self._week_of(day)))
            and (not self.weekdays or self._has_weekday(day))
        )

    def _week_of(self, day: date) -> tuple[int, int]:
        """The week of a day, counted from both ends of its year. The first week has four days of the year."""
        middle = date.fromordinal(day.toordinal() - (day.weekday() - self.week_start) % 7 + 3)
        week = (middle.timetuple().tm_yday - 1) // 7
        last = date(middle.year, 12, 31).toordinal()
        return week + 1, -((last - middle.toordinal()) // 7) - 1

    def _has_weekday(self, day: date) -> bool:
        """Whether a day is one of ``BYDAY``. Numbered days count in the month, or without months in the year."""
        named = [number for number, weekday in self.weekdays if weekday == day.weekday()]
        if not named or self.frequency not in ("MONTHLY", "YEARLY") or 0 in named:
            return bool(named)
        is_monthly = self.frequency == "MONTHLY" or "BYMONTH" in self.numbers
        number, negative = _day_of(day, months=1 if is_monthly else 12)
        return _is_among(named, (number - 1) // 7 + 1, -((-negative - 1) // 7) - 1)


def parse_rule(text: str) -> RecurrenceRule:
    """Read a recurrence rule.

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
        parts[name] = value
    if parts.get("FREQ") not in _HORIZON_DAYS:
        raise RequestError(f"the recurrence rule {text!r} needs FREQ= and one of {', '.join(_HORIZON_DAYS)}")
    if by_date := _DATE_PARTS.get(parts["FREQ"], frozenset()).intersection(parts):
        raise RequestError(f"the recurrence rule {text!r} has {min(by_date)}; only a longer FREQ can have it")
    if "COUNT" in parts and "UNTIL" in parts:
        raise RequestError(f"the recurrence rule {text!r} has both COUNT and UNTIL; give one")
    numbers = {name: _parse_numbers(name, value) for name, value in parts.items() if name in _NUMBERS}
    times = math.prod(len(numbers.get(name, (0,))) for name in ("BYHOUR", "BYMINUTE"))
    if times > _MAX_TIMES_A_DAY and parts["FREQ"] not in _MINUTES:
        limit = f"at most {_MAX_TIMES_A_DAY}, or FREQ=MINUTELY"
        raise RequestError(f"the recurrence rule {text!r} names {times:,} times of a day; give {limit}")
    if parts.get("WKST", "MO") not in _WEEKDAYS:
        raise RequestError(f"WKST={parts['WKST']} in the recurrence rule is not one of {', '.join(_WEEKDAYS)}")
    _parse_until(parts.get("UNTIL", "20000101"), UTC)
    interval, week_start = numbers.get("INTERVAL", (1,))[0], _WEEKDAYS.index(parts.get("WKST", "MO"))
    weekdays = tuple(map(_parse_weekday, parts["BYDAY"].split(","))) if "BYDAY" in parts else ()
    return RecurrenceRule(parts["FREQ"], interval, numbers, weekdays, week_start, parts.get("UNTIL", ""))


def _parse_numbers(name: str, value: str) -> tuple[int, ...]:
    """The distinct numbers of a part."""
    lowest, highest = _NUMBERS[name]
    found: set[int] = set()
    for each in value.split(","):
        digits = each.removeprefix("-").removeprefix("+")
        is_number = digits.isascii() and digits.isdigit() and len(digits) <= len(str(highest))
        if not is_number or not lowest <= int(each) <= highest:
            what = f"not a whole number from {lowest} to {highest}"
            raise RequestError(f"{name}={value} in the recurrence rule is {what}")
        found.add(int(each))
    if name in ("INTERVAL", "COUNT") and "," in value:
        raise RequestError(f"{name}={value} in the recurrence rule is not one number")
    return tuple(sorted(found))


def _parse_weekday(text: str) -> tuple[int, int]:
    """A number, or 0 for every such day, and a weekday."""
    found = _BYDAY.fullmatch(text)
    if found is None:
        raise RequestError(f"BYDAY={text} in the recurrence rule is not a day such as MO, or 1MO for the first")
    return int(found[1] or 0), _WEEKDAYS.index(found[2])


def _parse_until(value: str, zone: tzinfo) -> datetime:
    """The end of a rule as a clock time in ``zone``: a date, a clock time, or a time in UTC (``Z``)."""
    try:
        if value.endswith("Z"):
            return datetime.strptime(value, f"{_CLOCK}Z").replace(tzinfo=UTC).astimezone(zone).replace(tzinfo=None)
        return datetime.strptime(value, _CLOCK if "T" in value else "%Y%m%d")  # noqa: DTZ007 - a clock time
    except (ValueError, OverflowError):
        raise RequestError(f"UNTIL={value} in the recurrence rule is not a time such as 20271231T090000Z") from None


def _first_day(month: int) -> int:
    """The ordinal of the first day of a month; months are counted from the year 0."""
    year, index = divmod(month, 12)
    return date(year, index + 1, 1).toordinal() if year <= date.max.year else date.max.toordinal() + 1


def _day_of(day: date, *, months: int) -> tuple[int, int]:
    """The number of a day in its month or year, counted from the start and from the end."""
    month = (day.year * 12 + day.month - 1) // months * months
    return day.toordinal() - _first_day(month) + 1, day.toordinal() - _first_day(month + months)


def _is_among(numbers: Sequence[int], number: int, negative: int) -> bool:
    return number in numbers or negative in numbers
