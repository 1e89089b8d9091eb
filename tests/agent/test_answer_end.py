"""What a person is told of an answer that a filter held back."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from remit.agent.answer_end import told_text
from remit.chat.chat import completion_from_message, encode_message
from remit.chat.finish import NO_FINISH
from remit.chat.wire import kept_details


def test_the_reasons_of_a_provider_are_told_and_not_the_message_as_it_was_received() -> None:
    empty = encode_message({"role": "assistant", "content": ""})
    details = {"explanation": "violence", **kept_details(empty, "a model")}
    completion = replace(
        completion_from_message(empty),
        finish_reason="content_filter",
        response=json.dumps({"provider_details": details}),
    )
    assert told_text(completion, None) == "(a filter held back the answer (violence); ask in other words)"


@pytest.mark.parametrize(
    ("finish", "text", "told"),
    [
        ("error", "half", "half\n\n(the answer may not be whole: its endpoint ended it with 'error')"),
        (NO_FINISH, "half", "half\n\n(the answer may not be whole: its endpoint ended it without a finish reason)"),
        ("error", " ", "(the model returned no answer: its endpoint ended it with 'error')"),
        ("SAFETY", "half", "half\n\n(a filter held back the rest of the answer)"),
        (
            "max_tokens",
            "half",
            "half\n\n(the answer was cut at max_tokens=7; ask for less at a time, or allow more tokens)",
        ),
        ("end_turn", "whole", "whole"),
    ],
)
def test_an_answer_that_did_not_end_well_says_so(finish: str, text: str, told: str) -> None:
    message = encode_message({"role": "assistant", "content": text})
    assert told_text(completion_from_message(message, finish_reason=finish), 7) == told


REFUSAL = {"type": "refusal", "refusal": "I cannot"}


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"content": "half", "refusal": "I cannot"}, "half\n\n(the model refused the rest: I cannot)"),
        (
            {"content": [{"type": "text", "text": "half"}, REFUSAL]},
            "half\n\n(the model refused the rest: I cannot)",
        ),
        ({"content": "half, as I cannot", "refusal": "I cannot"}, "half, as I cannot"),
        ({"content": " ", "refusal": "I cannot"}, "I cannot"),
        ({"content": [REFUSAL]}, "I cannot"),
        ({"content": "whole", "refusal": " "}, "whole"),
        ({"content": "half", "refusal": True}, "half\n\n(the model refused the rest: it gives no reason)"),
        ({"content": None, "refusal": {"reason": "I cannot"}}, "(the model refused: I cannot)"),
        ({"content": "whole", "refusal": None}, "whole"),
    ],
)
def test_a_text_and_a_refusal_are_told_apart(fields: dict[str, object], told: str) -> None:
    assert told_text(completion_from_message(encode_message({"role": "assistant", **fields})), None) == told
