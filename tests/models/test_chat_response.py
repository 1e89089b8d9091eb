"""The response of an endpoint of chat completions is a completion or one model error, whichever adapter received it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from remit.errors import (
    CompletionError,
    ContextLengthError,
    ModelAccessError,
    ModelBusyError,
    ModelError,
    ModelRefusedError,
    ModelUnavailableError,
    SetupError,
)
from remit.models import read_response

HELLO = b'{"choices":[{"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}]}'
FILTERED = b'{"error":{"code":"content_filter","message":"held back"}}'


def test_a_success_is_its_completion() -> None:
    assert read_response(HELLO).content == "hello"


@pytest.mark.parametrize(
    ("status", "body", "kind", "said"),
    [
        (200, b"<html>Welcome</html>", CompletionError, "m at x: the model's answer is not a chat completion"),
        (200, b'{"error":{"code":429,"message":"slow"}}', ModelBusyError, "m at x answered 429: slow; try again later"),
        (302, b"", ModelAccessError, "m at x answered 302: a redirect to https://b.example/, which is not followed"),
        (400, b'{"error":{"message":"the prompt is too long"}}', ContextLengthError, "m at x answered 400: the prompt"),
        (400, b"no such field", ModelRefusedError, "m at x answered 400: no such field"),
        (401, b"", ModelAccessError, "m at x answered 401"),
        (422, FILTERED, ModelRefusedError, "m at x answered 422: held back"),
        (429, b'{"error":{"code":"insufficient_quota","message":"used"}}', ModelAccessError, "answered 429: used"),
        (503, b"<html>", ModelUnavailableError, "m at x answered 503: <html>"),
    ],
)
def test_every_other_response_is_one_error(status: int, body: bytes, kind: type[ModelError], said: str) -> None:
    with pytest.raises(ModelError) as raised:
        read_response(body, status, {"location": "https://b.example/", "retry-after": "9"}, source="m at x")
    assert type(raised.value) is kind
    assert said in raised.value.message
    assert raised.value.retry_after == (None if status == 200 or kind is ContextLengthError else 9.0)


def test_an_error_without_a_status_in_the_middle_of_a_stream_may_pass() -> None:
    body = b'{"error":{"message":"gone"}}'
    with pytest.raises(ModelRefusedError):
        read_response(body)
    with pytest.raises(ModelUnavailableError):
        read_response(body, is_streamed=True)


def test_a_request_that_a_filter_holds_back_is_answered() -> None:
    answer = read_response(FILTERED, 400)
    assert (answer.finish_reason, answer.response) == ("content_filter", FILTERED.decode())


WRONG: tuple[Callable[[Any], object], ...] = (
    read_response,
    lambda value: read_response(HELLO, value),
    lambda value: read_response(HELLO, 200, value),
    lambda value: read_response(HELLO, source=value),
    lambda value: read_response(HELLO, is_streamed=value),
)


@pytest.mark.parametrize("read", WRONG, ids=range(len(WRONG)))
def test_a_value_of_a_wrong_type_is_one_line(read: Callable[[Any], object]) -> None:
    with pytest.raises(SetupError, match=r"^read_response"):
        read(object())
