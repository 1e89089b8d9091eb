"""What calls use of windows: since when uses count, when a window begins anew, and what the uses of a run add up to."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import pytest

from remit.record.uses import Every, Use, UsesInRun, counts_after, counts_again


def moment(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("every", "begun", "again"),
    [
        ("hour", "2026-12-31T23:00", "2027-01-01T00:00"),
        ("day", "2026-12-31T00:00", "2027-01-01T00:00"),
        ("month", "2026-12-01T00:00", "2027-01-01T00:00"),
    ],
)
def test_a_window_of_the_calendar_counts_from_its_beginning_and_begins_anew(
    every: Every, begun: str, again: str
) -> None:
    now = moment("2026-12-31T23:30")
    assert counts_after(every, now) < moment(begun) <= math.nextafter(counts_after(every, now), math.inf)
    found = counts_again(every, now)
    assert found is not None
    assert found.timestamp() == moment(again)


@pytest.mark.parametrize(("every", "since"), [(None, -math.inf), (60.0, 40.0)])
def test_other_windows_have_no_time_at_which_they_begin_anew(every: Every, since: float) -> None:
    assert (counts_after(every, 100.0), counts_again(every, 100.0)) == (since, None)


def test_uses_add_up_without_those_of_one_call_and_those_before_a_time() -> None:
    uses = UsesInRun()
    for call, use in (("a", Use(1.0, 5.0)), ("b", Use(2.0, 7.0)), ("c", Use(3.0, 11.0))):
        uses.add("window", call, use)
    assert (uses.total("window", -math.inf), uses.total("window", -math.inf, but="b")) == (23.0, 16.0)
    assert (uses.total("window", 1.0), uses.total("window", 1.0, but="c"), uses.total("window", 1.0, but="a")) == (
        18.0,
        7.0,
        18.0,
    )
    uses.remove("window", "c")
    assert (uses.total("window", 1.0), uses.total("other", 1.0)) == (7.0, 0.0)
