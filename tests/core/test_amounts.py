"""Amounts read as a person writes them."""

from __future__ import annotations

import pytest

from remit.core.amounts import format_dollars, format_seconds


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(1, "1 second"), (1.0, "1 second"), (0.5, "0.5 seconds"), (0, "0 seconds"), (3, "3 seconds")],
)
def test_one_second_is_not_several(seconds: float, text: str) -> None:
    assert format_seconds(seconds) == text


@pytest.mark.parametrize(
    ("dollars", "text"),
    [(0.0, "$0"), (5, "$5"), (0.25, "$0.25"), (1e-7, "$0.0000001"), (3.4e-8, "$0.000000034"), (2e6, "$2000000")],
)
def test_dollars_have_no_exponent(dollars: float, text: str) -> None:
    assert format_dollars(dollars) == text
