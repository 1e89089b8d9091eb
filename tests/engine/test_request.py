"""What a request may not hold, because it would be stored as it is."""

from __future__ import annotations

import re
from typing import Any

import pytest

from remit import Effect, Principal, tool
from remit.engine.request import RunRequest
from remit.errors import RequestError
from remit.record.arguments import Limits, parse_arguments
from remit.secrets import Secret


@tool(effect=Effect.PURE)
async def look() -> str:
    """Look."""
    return "seen"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"conversation": "cafe\u0301"}, "conversation is 'cafe\\u0301'; give it in Unicode's composed form, NFC"),
        ({"conversation": "a\u200bb"}, "conversation is 'a\\u200bb', in which"),
        ({"conversation": "a" * 1001}, "conversation is too long; give at most 1,000 characters"),
        ({"metadata": "a" * 4001}, "metadata is too long; give at most 4,000 characters"),
        ({"when_busy": "wait"}, "when_busy is 'wait'; give one of refuse, queue"),
    ],
)
def test_a_request_with_values_that_cannot_be_stored_is_refused(values: dict[str, Any], message: str) -> None:
    limits = Limits()
    request = RunRequest(look, parse_arguments("{}", limits), Principal("ada"))
    assert request.check(limits).callee is look
    with pytest.raises(RequestError, match=f"^{re.escape(message)}"):
        request._replace(**values).check(limits)


@pytest.mark.parametrize("name", ["conversation", "idempotency_key", "target", "metadata"])
def test_a_request_in_which_the_value_of_a_secret_would_be_stored_is_refused(name: str) -> None:
    secret, limits, values = Secret("env:KEY", "sk-in-no-request"), Limits(), dict[str, Any]()
    values[name] = f"a{secret.reveal()}"
    request = RunRequest(look, parse_arguments("{}", limits), Principal("ada"), **values)
    with pytest.raises(RequestError, match=f"^{name} contains the value of a secret, which would be stored; leave it"):
        request.check(limits)
