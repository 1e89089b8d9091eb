"""What a person is told of an answer that a filter held back."""

from __future__ import annotations

import json
from dataclasses import replace

from remit.agent.answer_end import told_text
from remit.contracts.chat import completion_from_message, encode_message
from remit.contracts.wire import kept_details


def test_the_reasons_of_a_provider_are_told_and_not_the_message_as_it_was_received() -> None:
    empty = encode_message({"role": "assistant", "content": ""})
    details = {"explanation": "violence", **kept_details(empty, "a model")}
    completion = replace(
        completion_from_message(empty),
        finish_reason="content_filter",
        response=json.dumps({"provider_details": details}),
    )
    assert told_text(completion, None) == "(a filter held back the answer (violence); ask in other words)"
