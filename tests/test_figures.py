"""Every promise holds in a sample; `make figures` measures the whole."""

from __future__ import annotations

import pytest

from figures.__main__ import PARTS
from figures.figure import format_figure, select_parts


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.untraced
@pytest.mark.parametrize("name", PARTS)
def test_a_promise_holds_in_a_sample(name: str) -> None:
    found = list(PARTS[name](short=True))
    assert found
    assert [format_figure(figure) for figure in found if not figure.holds] == []


def test_a_part_that_there_is_not_is_told_with_those_that_there_are() -> None:
    assert select_parts(["one"], {"one": 1, "two": 2}) == ["one"]
    assert select_parts([], {"one": 1, "two": 2}) == ("one", "two")
    with pytest.raises(SystemExit, match="there is no part 'typo'; there are: one, two"):
        select_parts(["typo"], {"one": 1, "two": 2})
