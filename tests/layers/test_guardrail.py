"""Guardrail lets good answers pass, and replaces others whole."""

from __future__ import annotations

import pytest

from remit.errors import ModelBusyError
from remit.layers import Guardrail, Place
from remit.messages import Completion
from tests.layers.asked import REQUEST, Answering, is_cancelled_through


def is_short(completion: Completion) -> bool:
    return len(completion.content or "") < 5


async def test_a_good_answer_passes_untouched() -> None:
    completion = await Guardrail(is_short, "Too long.")(Answering("done"))(REQUEST)
    assert (completion.content, completion.model, completion.prompt_tokens) == ("done", "m", 3)


@pytest.mark.parametrize("replacement", ["Too long.", ""])
async def test_another_is_replaced(replacement: str) -> None:
    completion = await Guardrail(is_short, replacement)(Answering("much too long"))(REQUEST)
    assert (completion.content or "", completion.model, completion.response) == (replacement, "m", "")
    assert "much" not in completion.message


async def test_errors_and_cancellations_pass() -> None:
    with pytest.raises(ModelBusyError):
        await Guardrail(is_short)(Answering(ModelBusyError("later")))(REQUEST)
    assert await is_cancelled_through(Guardrail(is_short))


def test_it_stands_anywhere_and_prints_its_rule() -> None:
    assert Guardrail(is_short).place is Place.OWN
    assert repr(Guardrail(is_short, "No.")).startswith("Guardrail(is_allowed=<function is_short")
