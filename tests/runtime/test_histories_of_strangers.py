"""Histories that other programs saved are sent as they are, or refused with the message that cannot be."""

from __future__ import annotations

from typing import Any

import pytest

from remit import RemitError
from remit.agent import NativeDriver
from remit.workers import PydanticAIDriver
from tests.runtime.histories import send_history
from tests.strangers.histories import KEPT, REFUSED, TEXTS, say_everywhere

BOTH = pytest.mark.parametrize("driver", [NativeDriver(), PydanticAIDriver()], ids=["native", "pydantic-ai"])


@BOTH
@pytest.mark.parametrize("text", TEXTS)
async def test_every_letter_of_a_history_is_sent(driver: Any, text: str) -> None:
    assert await send_history(say_everywhere(text), driver) == say_everywhere(text)


@BOTH
@pytest.mark.parametrize("case", KEPT)
async def test_what_other_programs_save_is_sent(driver: Any, case: str) -> None:
    given, sent = KEPT[case]
    assert await send_history(given, driver) == sent


@pytest.mark.parametrize("case", REFUSED)
async def test_what_is_no_history_is_refused_in_one_line(case: str) -> None:
    given, said = REFUSED[case]
    with pytest.raises(RemitError) as raised:
        await send_history(given, NativeDriver())
    assert said in raised.value.message
    assert raised.value.message.isprintable()
    assert len(raised.value.message) < 500
