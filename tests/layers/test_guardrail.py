"""Guardrail lets good answers pass, and replaces others whole."""

from __future__ import annotations

from typing import Any

import pytest

from remit.errors import InternalError, ModelBusyError, SetupError
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
    assert completion.finish_reason == ("stop" if replacement else "content_filter")
    assert "much" not in completion.message


async def test_errors_and_cancellations_pass() -> None:
    with pytest.raises(ModelBusyError):
        await Guardrail(is_short)(Answering(ModelBusyError("later")))(REQUEST)
    assert await is_cancelled_through(Guardrail(is_short))


def test_it_stands_anywhere_and_prints_its_rule() -> None:
    assert Guardrail(is_short).place is Place.OWN
    assert repr(Guardrail(is_short, "No.")).startswith("Guardrail(is_allowed=<function is_short")


async def is_fine(_completion: Completion) -> bool:
    return True


def begin(completion: Completion) -> Any:
    return is_fine(completion)


def count(completion: Completion) -> int:
    return len(completion.content or "")


def forget(_completion: Completion) -> None:
    """Return nothing."""


@pytest.mark.parametrize("rule", [begin, count, forget], ids=["a coroutine", "4", "None"])
@pytest.mark.filterwarnings("ignore:coroutine 'is_fine' was never awaited")
async def test_a_rule_that_says_neither_true_nor_false_ends_the_request(rule: Any) -> None:
    with pytest.raises(InternalError, match=r"Guardrail: is_allowed returned .*; return True or False"):
        await Guardrail(rule)(Answering())(REQUEST)


@pytest.mark.parametrize("wrong", [(None, ""), (is_short, None), (is_fine, ""), (lambda: True, "")], ids=range(4))
def test_it_needs_a_rule_and_a_text(wrong: Any) -> None:
    with pytest.raises(SetupError, match="Guardrail"):
        Guardrail(*wrong)
