"""The time that a model has for its whole answer."""

from __future__ import annotations

import asyncio

import pytest

from remit.chat.streaming import whole_answer
from remit.errors import ModelUnavailableError


@pytest.mark.looptime
async def test_an_answer_in_time_passes_and_a_late_one_names_the_model_and_the_time() -> None:
    with whole_answer(5, "the model m"):
        await asyncio.sleep(4)
    late = pytest.raises(ModelUnavailableError, match="the model m did not finish its answer within 5 seconds")
    with late, whole_answer(5, "the model m"):
        await asyncio.sleep(6)


async def test_a_timeout_of_the_client_stays_its_own() -> None:
    with pytest.raises(TimeoutError, match="of the client"), whole_answer(5, "the model m"):
        raise TimeoutError("of the client")
