"""The suite of shapes, run with Remit's own model; `figures/quirks.py` has the other drivers and models."""

from __future__ import annotations

import pytest

from remit.models import OpenAI
from remit.testing.provider_suite import *  # noqa: F403 - as its docstring shows


@pytest.fixture
def make_model() -> MakeModel:  # noqa: F405
    return lambda url: OpenAI("m", base_url=url, api_key="k", trust_env=False)


async def test_what_ends_a_run_and_a_wrong_call_are_told() -> None:
    shape = PLAIN["a call"]  # noqa: F405
    played = await play(shape, lambda url: OpenAI("m", base_url=url, api_key="k", trust_env=False))  # noqa: F405
    assert [*played.list_ends(shape), *played.list_wrong_calls(shape)] == []
    other = Shape(answers=shape.answers, calls=("now()",), text="nothing", rests=True, requests=7)  # noqa: F405
    assert [*played.list_wrong_calls(other)] == ["look(a) was made", "now() was not made"]
    assert [*played.list_ends(other)] == [
        "the result does not say 'nothing': 'all done'",
        "the run has not rested",
        "2 requests were sent, not 7",
    ]
