"""When a scheduled call runs, and the occurrences of a recurrence rule."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remit.engine.recurrence_rule import parse_rule
from remit.engine.schedule import Schedule, next_occurrence, open_schedule
from remit.errors import RequestError, SetupError
from remit.record.items import Item, RunOpened, RunResumed
from remit.testing.store_suite.samples import header_item, note, positions, question, question_item, start_item

MONDAY = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)


def occurrences(schedule: Schedule, count: int) -> list[str]:
    """The first occurrences after that of ``at``, in its zone."""
    recurrence = schedule.to_recurrence("run")
    times: list[str] = []
    time: float | None = schedule.at.timestamp()
    while len(times) < count:
        time = recurrence.next_after(time)
        if time is None:
            break
        times.append(datetime.fromtimestamp(time, schedule.at.tzinfo).isoformat(timespec="minutes"))
    return times


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("FREQ=DAILY", ["2026-11-24T09:00+00:00", "2026-11-25T09:00+00:00"]),
        ("RRULE:FREQ=WEEKLY;BYDAY=MO,TH", ["2026-11-26T09:00+00:00", "2026-11-30T09:00+00:00"]),
        ("FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=17", ["2026-11-27T17:00+00:00", "2026-12-25T17:00+00:00"]),
        ("FREQ=HOURLY;INTERVAL=5", ["2026-11-23T14:00+00:00", "2026-11-23T19:00+00:00"]),
        ("FREQ=DAILY;COUNT=2", ["2026-11-24T09:00+00:00"]),
        ("FREQ=DAILY;UNTIL=20261124", []),
        ("FREQ=DAILY;UNTIL=20261124T090000Z", ["2026-11-24T09:00+00:00"]),
        ("FREQ=DAILY;UNTIL=20261124T090000", ["2026-11-24T09:00+00:00"]),
        ("FREQ=MINUTELY;INTERVAL=90", ["2026-11-23T10:30+00:00", "2026-11-23T12:00+00:00"]),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", ["2028-02-29T09:00+00:00", "2032-02-29T09:00+00:00"]),
    ],
)
def test_a_rule_gives_its_occurrences(rule: str, expected: list[str]) -> None:
    if not expected:
        with pytest.raises(RequestError, match="no occurrence after"):
            Schedule(MONDAY, rule)
        return
    assert occurrences(Schedule(MONDAY, rule), 2) == expected


def test_the_first_occurrence_counts_at_a_fraction_of_a_second_too() -> None:
    first = MONDAY.replace(microsecond=250_000)
    assert occurrences(Schedule(first, "FREQ=DAILY;COUNT=2"), 2) == ["2026-11-24T09:00+00:00"]


def test_the_clock_time_holds_across_daylight_saving_time() -> None:
    berlin = Schedule(datetime(2027, 3, 27, 9, 0, tzinfo=ZoneInfo("Europe/Berlin")), "FREQ=DAILY")
    assert occurrences(berlin, 2) == ["2027-03-28T09:00+02:00", "2027-03-29T09:00+02:00"]


def test_a_clock_time_that_does_not_exist_or_comes_twice_gives_one_occurrence_a_day() -> None:
    for day in (datetime(2027, 3, 27, 2, 30), datetime(2026, 10, 24, 2, 30)):  # noqa: DTZ001 - given its zone below
        schedule = Schedule(day.replace(tzinfo=ZoneInfo("Europe/Berlin")), "FREQ=DAILY")
        recurrence = schedule.to_recurrence("run")
        first = recurrence.next_after(schedule.at.timestamp())
        assert first is not None
        second = recurrence.next_after(first)
        assert second is not None
        assert 22.5 * 3600 <= second - first <= 25.5 * 3600


def test_a_fixed_offset_is_kept() -> None:
    schedule = Schedule(datetime(2026, 7, 1, 9, tzinfo=timezone(timedelta(hours=5, minutes=30))), "FREQ=MONTHLY")
    assert occurrences(schedule, 1) == ["2026-08-01T09:00+05:30"]


@pytest.mark.parametrize(
    "rule",
    [
        "weekly",
        "FREQ=SECONDLY",
        "FREQ=DAILY;INTERVAL=0",
        "FREQ=DAILY;INTERVAL=-1",
        "FREQ=DAILY;COUNT=0",
        "FREQ=DAILY;COUNT=2;UNTIL=20300101",
        "FREQ=DAILY;FREQ=DAILY",
        "FREQ=DAILY;BYHOUR=99",
        "FREQ=DAILY;BYHOUR=x",
        "FREQ=DAILY;BYHOUR=" + "9" * 300,
        "FREQ=DAILY;UNTIL=tomorrow",
        "FREQ=DAILY;UNTIL=00010101T000000Z",
        "FREQ=WEEKLY;BYDAY=XX",
        "FREQ=DAILY;BYEASTER=1",
        "FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=HOURLY;INTERVAL=24;BYHOUR=5",
        "FREQ=MINUTELY;INTERVAL=120;BYHOUR=12",
        "FREQ=DAILY;",
        "DTSTART:20200101T000000\nRRULE:FREQ=DAILY",
        "FREQ=DAILY;BYSETPOS=" + ",".join("1" for _ in range(400)),
    ],
)
def test_a_rule_that_is_none_is_refused_in_one_line(rule: str) -> None:
    with pytest.raises(RequestError) as caught:
        Schedule(MONDAY, rule)
    assert "\n" not in caught.value.message.replace(rule, "")


@pytest.mark.parametrize(
    "rule",
    ["FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=YEARLY;BYWEEKNO=53;BYMONTH=6"],
)
def test_a_rule_that_never_matches_is_refused_soon(rule: str) -> None:
    with pytest.raises(RequestError, match="no occurrence after"):
        Schedule(MONDAY, rule)
    with pytest.raises(RequestError, match="no occurrence after"):
        Schedule(MONDAY, rule + ";COUNT=3")


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=MINUTELY;INTERVAL=7;BYHOUR=3;BYMINUTE=5;BYDAY=MO",
        "FREQ=DAILY;INTERVAL=7;BYDAY=TU",
        "FREQ=MINUTELY;INTERVAL=7;BYHOUR=3;BYMINUTE=5;BYDAY=MO;COUNT=2",
    ],
)
def test_a_rule_whose_interval_passes_all_its_times_is_refused(rule: str) -> None:
    with pytest.raises(RequestError, match="no occurrence after"):
        Schedule(MONDAY.replace(hour=0), rule)


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        ("FREQ=MINUTELY;COUNT=100000", "not a whole number from 1 to 10000"),
        ("FREQ=HOURLY;COUNT=9000", "8,785 of its 9,000 occurrences within 366 days of the first; give a smaller COUNT"),
        ("FREQ=MINUTELY;BYDAY=MO;BYHOUR=9;BYMINUTE=0;COUNT=100", "5 of its 100 occurrences within 31 days"),
        (
            "FREQ=DAILY;BYHOUR=0,1,2,3,4,5,6,7,8,9,10;BYMINUTE=0,1,2,3,4,5,6,7,8,9",
            "110 times of a day; give at most 100",
        ),
        ("FREQ=DAILY;BYHOUR=" + ",".join("9" for _ in range(300)), "has 617 characters; give at most 500"),
        ("FREQ=DAILY;BYMONTHDAY=1", "has BYMONTHDAY; only a longer FREQ can have it"),
        ("FREQ=DAILY;COUNT=2,3", "not one number"),
        ("FREQ=WEEKLY;BYDAY=0MO", "BYDAY=0MO"),
        ("FREQ=WEEKLY;WKST=XX", "WKST=XX"),
    ],
)
def test_a_rule_that_costs_too_many_steps_or_is_malformed_is_refused(rule: str, problem: str) -> None:
    with pytest.raises(RequestError, match=re.escape(problem)):
        Schedule(MONDAY, rule)


@pytest.mark.parametrize("frequency", ["MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY"])
def test_an_old_schedule_is_searched_from_the_time_asked_about_not_from_its_start(frequency: str) -> None:
    rule = parse_rule(f"FREQ={frequency}")
    start, after = datetime(1970, 1, 2, 3, 4), datetime(2026, 11, 23)  # noqa: DTZ001 - clock times
    first = next(iter(rule._periods(after.date(), start.date(), after.date())))  # pyright: ignore[reportPrivateUsage]
    assert first[0] <= after.date() <= first[-1]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("FREQ=DAILY;INTERVAL=10;COUNT=3", ["09-12", "09-22"]),
        ("FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=TU,TH;COUNT=4", ["09-04", "09-16", "09-18"]),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=MO;COUNT=4", ["09-07", "09-16", "09-21"]),
        ("FREQ=MONTHLY;BYDAY=1FR;COUNT=3", ["09-05", "10-03", "11-07"]),
        ("FREQ=MONTHLY;INTERVAL=2;BYDAY=1SU,-1SU", ["09-07", "09-28", "11-02", "11-30"]),
        ("FREQ=MONTHLY;BYMONTHDAY=-3", ["09-28", "10-29", "11-28"]),
        ("FREQ=MONTHLY;BYMONTHDAY=1,-1", ["09-30", "10-01", "10-31"]),
        ("FREQ=YEARLY;BYDAY=20MO", ["05-18", "05-17"]),
        ("FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO", ["05-11", "05-17"]),
        ("FREQ=YEARLY;BYWEEKNO=-1;BYDAY=MO", ["12-22", "12-28"]),
        ("FREQ=YEARLY;BYYEARDAY=1,-1", ["12-31", "01-01", "12-31"]),
        ("FREQ=YEARLY;BYMONTH=11;BYDAY=-1TH", ["11-27", "11-26"]),
        ("FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR", ["02-13", "03-13", "11-13"]),
        ("FREQ=MONTHLY;BYDAY=TU,WE,TH;BYSETPOS=3", ["09-04", "10-07", "11-06"]),
        ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2", ["09-29", "10-30", "11-27"]),
        ("FREQ=MONTHLY;BYDAY=MO;BYSETPOS=5", ["09-29", "12-29"]),
        ("FREQ=MINUTELY;BYHOUR=0,1,2,3,4,5,6,7,8,9,10;BYMINUTE=0,1,2,3,4,5,6,7,8,9", ["09-02"]),
        ("FREQ=YEARLY", ["09-02", "09-02"]),
        ("FREQ=WEEKLY", ["09-09", "09-16"]),
    ],
)
def test_the_examples_of_the_standard_have_their_occurrences(rule: str, expected: list[str]) -> None:
    schedule = Schedule(datetime(1997, 9, 2, 9, 0, tzinfo=UTC), rule)
    assert [each[5:10] for each in occurrences(schedule, len(expected))] == expected


def test_a_day_that_a_month_does_not_have_is_passed() -> None:
    last = Schedule(datetime(2026, 8, 31, 9, 0, tzinfo=UTC), "FREQ=MONTHLY")
    assert [each[:10] for each in occurrences(last, 3)] == ["2026-10-31", "2026-12-31", "2027-01-31"]


def test_missed_occurrences_are_made_up_for_only_within_the_horizon() -> None:
    old = Schedule(datetime(1970, 1, 2, tzinfo=UTC), "FREQ=MINUTELY", missed="all")
    header = open_schedule(
        RunOpened(
            call="r",
            format=1,
            tenant="t",
            principal="ada",
            application="shop",
            agent="",
            callee="send",
            arguments="{}",
            conversation="",
            after="",
        ),
        old,
    )
    now = MONDAY.timestamp()
    following = next_occurrence(header, now)
    assert following is not None
    assert 0 <= following.starts_at - (now - 31 * 24 * 3600) <= 60


@pytest.mark.parametrize(
    "values",
    [
        {"at": "2026-11-24"},
        {"at": MONDAY, "every": 7},
        {"at": MONDAY, "missed": "never"},
        {"at": MONDAY.replace(tzinfo=None)},
        {"at": datetime.max.replace(tzinfo=UTC), "every": "FREQ=DAILY"},
        {"at": datetime.min.replace(tzinfo=ZoneInfo("Europe/Berlin")), "every": "FREQ=DAILY"},
    ],
)
def test_a_wrong_value_is_refused_in_one_line(values: dict[str, object]) -> None:
    with pytest.raises((RequestError, SetupError), match="Schedule: "):
        Schedule(**values)  # pyright: ignore[reportArgumentType]


@settings(max_examples=50, deadline=None)
@given(
    st.sampled_from(["MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY"]),
    st.integers(1, 30),
    st.integers(0, 3 * 366 * 24 * 60),
    st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"]),
)
def test_an_occurrence_is_always_later_and_found_again_from_anywhere_before(
    frequency: str, interval: int, minutes: int, zone: str
) -> None:
    schedule = Schedule(MONDAY.astimezone(ZoneInfo(zone)), f"FREQ={frequency};INTERVAL={interval}")
    recurrence = schedule.to_recurrence("run")
    time = schedule.at.timestamp() + minutes * 60
    found = recurrence.next_after(time)
    assert found is None or found > time
    if found is not None:
        assert recurrence.next_after((time + found) / 2) == found


def test_in_the_hour_that_comes_twice_a_rule_goes_on_minute_by_minute() -> None:
    second = datetime(2026, 10, 25, 2, 15, tzinfo=ZoneInfo("Europe/Berlin"), fold=1)
    assert occurrences(Schedule(second, "FREQ=MINUTELY"), 2) == ["2026-10-25T02:16+01:00", "2026-10-25T02:17+01:00"]
    assert occurrences(Schedule(second, "FREQ=HOURLY"), 1) == ["2026-10-25T03:15+01:00"]


def test_a_rule_is_searched_up_to_the_last_year() -> None:
    last = datetime(9998, 1, 1, tzinfo=UTC)
    assert occurrences(Schedule(last, "FREQ=YEARLY"), 2) == ["9999-01-01T00:00+00:00"]


def test_rules_of_hours_and_minutes_run_in_both_hours_when_the_clock_is_set_back() -> None:
    first = datetime(2026, 10, 25, 1, 30, tzinfo=ZoneInfo("Europe/Berlin"))
    assert occurrences(Schedule(first, "FREQ=HOURLY"), 3) == [
        "2026-10-25T02:30+02:00",
        "2026-10-25T02:30+01:00",
        "2026-10-25T03:30+01:00",
    ]
    assert occurrences(Schedule(first, "FREQ=MINUTELY;INTERVAL=45"), 3) == [
        "2026-10-25T02:15+02:00",
        "2026-10-25T02:00+01:00",
        "2026-10-25T02:45+01:00",
    ]
    half_hour = datetime(2027, 4, 4, 1, 10, tzinfo=ZoneInfo("Australia/Lord_Howe"))
    assert occurrences(Schedule(half_hour, "FREQ=MINUTELY;INTERVAL=20"), 4) == [
        "2027-04-04T01:30+11:00",
        "2027-04-04T01:50+11:00",
        "2027-04-04T01:40+10:30",
        "2027-04-04T02:00+10:30",
    ]


def test_rules_of_hours_and_minutes_skip_no_time_when_the_clock_is_set_forward() -> None:
    first = datetime(2027, 3, 28, 0, 30, tzinfo=ZoneInfo("Europe/Berlin"))
    assert occurrences(Schedule(first, "FREQ=HOURLY"), 3) == [
        "2027-03-28T01:30+01:00",
        "2027-03-28T03:30+02:00",
        "2027-03-28T04:30+02:00",
    ]
    assert occurrences(Schedule(first, "FREQ=HOURLY;BYHOUR=2,4"), 2) == [
        "2027-03-28T04:30+02:00",
        "2027-03-29T02:30+02:00",
    ]


def test_a_rule_of_hours_finds_an_occurrence_beyond_a_change_of_the_clock() -> None:
    july = datetime(2026, 7, 1, 12, 0, tzinfo=ZoneInfo("Europe/Berlin"))
    assert occurrences(Schedule(july, "FREQ=HOURLY;INTERVAL=5000"), 1) == ["2027-01-25T19:00+01:00"]
    assert occurrences(Schedule(july, "FREQ=HOURLY;INTERVAL=12;COUNT=3"), 5) == [
        "2026-07-02T00:00+02:00",
        "2026-07-02T12:00+02:00",
    ]
    assert occurrences(Schedule(july, "FREQ=HOURLY;INTERVAL=6;UNTIL=20260701T200000"), 5) == ["2026-07-01T18:00+02:00"]


def test_a_clock_time_that_comes_twice_is_found_after_the_time_asked_about() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    recurrence = Schedule(datetime(2026, 10, 24, 2, 30, tzinfo=berlin), "FREQ=DAILY").to_recurrence("run")
    second = datetime(2026, 10, 25, 2, 15, tzinfo=berlin, fold=1).timestamp()
    assert recurrence.next_after(second) == second + 15 * 60


DUE = MONDAY.timestamp()


@pytest.mark.parametrize(
    ("executed", "item", "follows"),
    [
        pytest.param(DUE, start_item(), False, id="it has begun"),
        pytest.param(DUE, question_item(question()), False, id="it was asked about when it was due"),
        pytest.param(DUE - 60, question_item(question()), True, id="it was asked about beforehand"),
        pytest.param(DUE, note(), True, id="it was interrupted before it began"),
    ],
)
def test_a_run_opens_the_next_of_its_schedule_unless_an_earlier_execution_did(
    executed: float, item: Item, follows: bool
) -> None:
    header = open_schedule(header_item(), Schedule(MONDAY, "FREQ=DAILY"))
    known = positions("run", [header, RunResumed(call="run", driver="local"), item], at=executed)
    assert (next_occurrence(header, DUE + 1, known) is not None) is follows
