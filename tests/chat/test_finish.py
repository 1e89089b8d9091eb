"""How an answer ended, by the word of its endpoint."""

from __future__ import annotations

import pytest

from remit.chat.finish import GOOD_FINISHES, NO_FINISH, Ending, read_finish


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        (Ending.WHOLE, ["stop", "STOP", "tool_calls", "tool-calls", "function_call", "end_turn", "eos_token"]),
        (Ending.CUT, ["length", "MAX_TOKENS", "max-tokens", "model_length"]),
        (Ending.FILTERED, ["content_filter", "content-filter", "SAFETY", "refusal", "sensitive"]),
        (Ending.FILTERED, ["ERROR_TOXIC", "content filter", "Content Filter", "contentFilter", "prohibited content"]),
        (Ending.OTHER, ["error", "network_error", "insufficient_system_resource", "abort", "", NO_FINISH, "?"]),
    ],
)
def test_endpoints_have_many_words_for_the_same_end(ending: Ending, words: list[str]) -> None:
    assert {read_finish(word) for word in words} == {ending}


def test_the_good_finishes_are_those_of_a_whole_answer() -> None:
    assert {read_finish(word) for word in GOOD_FINISHES} == {Ending.WHOLE}
