"""Every figure notices the first of its mutants; `make figures` plants them all.

They stand in a file of their own because the files of tests are what is divided among the workers of a run.
"""

from __future__ import annotations

import pytest

from figures.parts import PARTS


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.untraced
@pytest.mark.parametrize("name", PARTS)
def test_the_first_mutant_of_each_part_is_noticed(name: str) -> None:
    rates = PARTS[name].kill_mutants(short=True)
    assert [survivor for rate in rates.values() for survivor in rate.survivors] == []
