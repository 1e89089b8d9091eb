"""The status of errors: each says who can mend the request."""

from __future__ import annotations

import pytest

from remit.errors import (
    AlreadyExistsError,
    CallError,
    ConflictError,
    IdempotencyError,
    RemitError,
    RequestConflictError,
)
from remit.server.problems import status_of


@pytest.mark.parametrize(
    "error",
    [
        RequestConflictError("the conversation is busy"),
        IdempotencyError("the key was used"),
        ConflictError("the page has changed"),
        AlreadyExistsError("there is such a page"),
    ],
)
def test_what_the_present_state_does_not_allow_is_409_whether_a_request_or_a_tool_says_so(error: RemitError) -> None:
    assert status_of(error) == 409


def test_any_other_error_of_a_call_is_400() -> None:
    assert status_of(CallError("no")) == 400
