"""Fallback asks other models when a model fails, and only then."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic_ai.models.test import TestModel

from remit.errors import BudgetError, ModelBusyError, ModelRefusedError, SetupError
from remit.layers import Fallback, Place
from tests.layers.asked import REQUEST, Answering, is_cancelled_through


async def test_an_answer_passes_untouched_and_no_other_model_is_asked() -> None:
    other = Answering("other")
    assert (await Fallback(other)(Answering())(REQUEST)).content == "done"
    assert other.requests == []


async def test_the_others_are_asked_in_order_until_one_answers() -> None:
    models = [Answering(ModelRefusedError("no")), Answering("second"), Answering("third")]
    assert (await Fallback(*models)(Answering(ModelBusyError("later")))(REQUEST)).content == "second"
    assert [each.requests for each in models] == [[REQUEST], [REQUEST], []]


async def test_if_all_fail_the_last_error_counts() -> None:
    with pytest.raises(ModelRefusedError, match="no"):
        await Fallback(Answering(ModelRefusedError("no")))(Answering(ModelBusyError("later")))(REQUEST)


async def test_an_error_that_is_not_the_models_ends_the_request() -> None:
    other = Answering("other")
    with pytest.raises(BudgetError):
        await Fallback(other)(Answering(BudgetError("used up")))(REQUEST)
    assert other.requests == []


async def test_a_cancellation_reaches_the_model() -> None:
    assert await is_cancelled_through(Fallback(Answering()))


@pytest.mark.parametrize("models", [(), ("openai:gpt-5",), (TestModel(),)])
def test_it_needs_models_that_it_can_ask(models: Any) -> None:
    with pytest.raises(SetupError, match="Fallback"):
        Fallback(*models)


def test_it_stands_anywhere_and_prints_its_models() -> None:
    assert Fallback(Answering()).place is Place.OWN
    assert repr(Fallback(Answering())).startswith("Fallback(<tests.layers.asked.Answering")
