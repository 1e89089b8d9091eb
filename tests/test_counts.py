"""The calls of a turn, a run and a call are counted: what makes one dearer is seen in the commit that does it."""

from __future__ import annotations

import sys
from typing import Final

import pytest

from bench.counts import Counts, count_calls

COMMITTED: Final = Counts(
    turn_python=204, turn_c=219, run_python=790, run_c=762, to_body_python=119, to_body_c=112, files_to_body=36
)
"""What was counted last, by CPython 3.11. Lower the numbers with each saving."""


@pytest.mark.process
@pytest.mark.untraced
@pytest.mark.skipif(
    sys.version_info[:2] != (3, 11), reason="another version of Python calls other functions of its own"
)
def test_a_turn_a_run_and_a_call_take_the_committed_numbers_of_calls_within_three_percent() -> None:
    found = count_calls()
    drifted = [name for name in Counts._fields if abs(getattr(found, name) / getattr(COMMITTED, name) - 1) > 0.03]
    assert not drifted, f"{drifted}: {found}"
