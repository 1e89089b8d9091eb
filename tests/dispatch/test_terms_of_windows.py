"""A run's header pins the windows of its budget: no process continues it under less."""

from __future__ import annotations

from dataclasses import replace

from remit import Stack
from remit.call.call import CallLayer
from remit.dispatch.terms import describe_terms, encode_terms, find_lost, loosen_terms
from remit.layers import Budget, Window

WINDOW = Window("euros", field="euros", amount=100, tools=["pay", "refund"], per="principal", every="day")


def find_lost_windows(was: list[Window], now: list[Window]) -> list[str]:
    """What a run opened under ``was`` lacks in a process with ``now``."""
    pinned, present = (describe_terms(Stack[CallLayer](Budget(windows=each))) for each in (was, now))
    lost = find_lost(encode_terms(pinned), present)
    assert not lost or not find_lost(loosen_terms(encode_terms(pinned), present), present)
    return [each.description for each in lost]


def test_a_lower_limit_and_more_windows_and_tools_are_not_less() -> None:
    stricter = replace(WINDOW, amount=50, tools=["pay", "refund", "send"])
    assert find_lost_windows([WINDOW], [WINDOW]) == []
    assert find_lost_windows([WINDOW], [stricter, Window("mails", calls=1)]) == []


def test_a_higher_limit_a_missing_tool_and_another_subject_or_period_are_less() -> None:
    of_pay = "the limit Budget.euros: euros of pay per principal and day of 100"
    of_refund = "the limit Budget.euros: euros of refund per principal and day of 100"
    assert find_lost_windows([WINDOW], []) == [f"{of_pay}, now inf", f"{of_refund}, now inf"]
    assert find_lost_windows([WINDOW], [replace(WINDOW, amount=200)]) == [f"{of_pay}, now 200", f"{of_refund}, now 200"]
    assert find_lost_windows([WINDOW], [replace(WINDOW, tools=["pay"])]) == [f"{of_refund}, now inf"]
    for changed in (replace(WINDOW, per="tenant"), replace(WINDOW, every="hour"), replace(WINDOW, field="total")):
        assert len(find_lost_windows([WINDOW], [changed])) == 2
