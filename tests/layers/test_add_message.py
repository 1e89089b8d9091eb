"""AddMessage adds its message to the request, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from remit.errors import ModelBusyError, SetupError
from remit.layers import AddMessage, Place
from tests.layers.asked import REQUEST, Answering, is_cancelled_through


@pytest.mark.parametrize("role", ["system", "user"])
async def test_its_message_stands_last_in_the_request_and_the_answer_is_untouched(role: Any) -> None:
    model = Answering()
    layer = AddMessage("Be brief.", role)
    assert (await layer(model)(REQUEST)).content == "done"
    (request,) = model.requests
    assert [json.loads(text) for text in request.history] == [
        {"role": "user", "content": "go"},
        {"role": role, "content": "Be brief."},
    ]
    assert len(REQUEST.history) == 1
    assert (request.call_id, request.ledger) == (REQUEST.call_id, REQUEST.ledger)


async def test_errors_and_cancellations_pass() -> None:
    with pytest.raises(ModelBusyError):
        await AddMessage("Be brief.")(Answering(ModelBusyError("later")))(REQUEST)
    assert await is_cancelled_through(AddMessage("Be brief."))


@pytest.mark.parametrize(
    ("text", "role"), [("", "system"), (7, "system"), ("Hello.", "assistant"), ("Hello.", ["user"])]
)
def test_a_message_that_no_request_may_end_with_is_refused(text: Any, role: Any) -> None:
    with pytest.raises(SetupError, match="AddMessage"):
        AddMessage(text, role)


def test_an_empty_message_is_refused_with_what_to_give() -> None:
    with pytest.raises(SetupError, match=r"AddMessage: text is empty; give a text$"):
        AddMessage(" ")


def test_it_stands_anywhere_and_prints_its_message() -> None:
    assert AddMessage("Hi.").place is Place.OWN
    assert repr(AddMessage("Hi.")) == "AddMessage(text='Hi.', role='system')"
