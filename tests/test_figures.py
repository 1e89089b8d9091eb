"""Every promise holds in a sample; `make figures` measures the whole."""

from __future__ import annotations

import pytest

from figures.__main__ import PARTS
from figures.figure import line


@pytest.mark.slow
@pytest.mark.untraced
@pytest.mark.parametrize("name", PARTS)
def test_a_promise_holds_in_a_sample(name: str) -> None:
    found = list(PARTS[name](short=True))
    assert found
    assert [line(figure) for figure in found if not figure.holds] == []
