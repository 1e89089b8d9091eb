"""The response of an endpoint of chat completions is a completion or one model error, whichever adapter received it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from remit.chat.provider_error import classify_error
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
from remit.models.reported_error import read_refusal
from tests.models.streamed import is_read_whole
from tests.strangers.streams import STREAMS

HELLO = b'{"choices":[{"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}]}'
FILTERED = b'{"error":{"code":"content_filter","message":"held back"}}'


def test_a_success_is_its_completion() -> None:
    assert read_response(HELLO).content == "hello"


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_that_comes_unasked_is_the_answer_that_it_says_or_none(name: str) -> None:
    assert is_read_whole(STREAMS[name])


@pytest.mark.parametrize(
    ("status", "body", "kind", "said"),
    [
        (200, b"<html>Welcome</html>", CompletionError, "m at x: the model's answer is not a chat completion"),
        (
            200,
            b'{"error":{"code":429,"message":"slow"}}',
            ModelBusyError,
            "m at x answered 200 with error 429: slow; try",
        ),
        (302, b"", ModelAccessError, "m at x answered 302: a redirect to https://b.example/, which is not followed"),
        (400, b'{"error":{"message":"the prompt is too long"}}', ContextLengthError, "m at x answered 400: the prompt"),
        (400, b"no such field", ModelRefusedError, "m at x answered 400: no such field"),
        (401, b"", ModelAccessError, "m at x answered 401"),
        (400, b"<html>Bad request</html>", CompletionError, "m at x answered 400: <html>Bad request</html>"),
        (400, b"", CompletionError, "m at x answered 400"),
        (413, b"<html>Request Entity Too Large</html>", ContextLengthError, "m at x answered 413: <html>"),
        (422, b'{"detail":[{"loc":["body"]}]}', ModelRefusedError, 'm at x answered 422: {"detail":[{"loc"'),
        (429, b'{"error":{"code":"insufficient_quota","message":"used"}}', ModelAccessError, "answered 429: used"),
        (503, b"<html>", ModelUnavailableError, "m at x answered 503: <html>"),
    ],
)
def test_every_other_response_is_one_error(status: int, body: bytes, kind: type[ModelError], said: str) -> None:
    with pytest.raises(ModelError) as raised:
        read_response(body, status, {"location": "https://b.example/", "retry-after": "9"}, source="m at x")
    assert type(raised.value) is kind
    assert said in raised.value.message
    assert raised.value.retry_after == (None if body.startswith(b"<html>Welcome") else 9.0)


@pytest.mark.parametrize("body", [{}, [], {"error": {}}, {"error": {"code": 400, "details": [None, {"a": [" "]}]}}])
@pytest.mark.parametrize("status", [400, 422])
def test_an_error_that_says_nothing_may_pass(status: int, body: object) -> None:
    with pytest.raises(CompletionError, match=f"the model answered {status}: {re.escape(json.dumps(body))[:20]}"):
        read_response(json.dumps(body).encode(), status)


def test_an_error_that_is_too_deep_or_cut_before_it_says_anything_may_pass() -> None:
    for body in (b'{"error":' * 20_000, b'{"error":{"code":40', b"[[["):
        with pytest.raises(CompletionError, match="the model answered 400: "):
            read_response(body, 400)
    with pytest.raises(ModelRefusedError, match=r'the model answered 400: \{"error":"bad re$'):
        read_response(b'{"error":"bad re', 400)


@pytest.mark.parametrize(
    "body", ['{"reason":"a field is missing"}', {"reason": "a field is missing"}], ids=["a text", "read by a client"]
)
def test_words_under_any_key_say_that_a_request_is_wrong(body: object) -> None:
    read = read_refusal(body, 400)
    assert classify_error(read) is ModelRefusedError
    assert "a field is missing" in read.message


@pytest.mark.parametrize(
    "body", [{"detail": [{"loc": ["body"], "msg": "field required"}]}, {"message": ["field required", 7]}]
)
def test_what_an_error_says_in_a_list_is_read(body: object) -> None:
    with pytest.raises(ModelRefusedError, match=r"the model answered 422: field required$"):
        read_response(json.dumps(body).encode(), 422)


REPORTED: list[tuple[dict[str, Any] | list[Any], type[ModelError], str]] = [
    ({"error": "boom"}, ModelUnavailableError, "answered 200 with an error: boom"),
    ({"error": True, "message": "boom"}, ModelUnavailableError, "an error: boom"),
    ({"error": {"message": "gone"}}, ModelUnavailableError, "an error: gone"),
    ({"error": {"message": "gone", "code": "weird"}}, ModelUnavailableError, "an error: gone"),
    ({"error": {"code": "weird"}}, ModelUnavailableError, "an error: weird"),
    ({"error": [7]}, ModelUnavailableError, "an error: no reason"),
    ({"error": {"message": "gone", "code": "4" * 5_000}}, ModelUnavailableError, "an error: gone"),
    ({"error": {"message": "gone", "code": 10**200}}, ModelUnavailableError, "an error: gone"),
    ({"error": {"message": "gone", "code": "٤٠٠"}}, ModelUnavailableError, "an error: gone"),
    ({"error": {"message": "slow", "code": "1302"}}, ModelUnavailableError, "an error: slow"),
    ({"error": {"message": "no", "code": "400"}}, ModelRefusedError, "answered 200 with error 400: no"),
    ({"error": {"message": "no", "type": "invalid_request_error"}}, ModelRefusedError, "an error: no"),
    ({"type": "error", "error": {"type": "api_error", "message": "Oops"}}, ModelUnavailableError, "an error: Oops"),
    ([{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED"}}], ModelBusyError, "error 429: RESOURCE_EXHAUSTED"),
    ({"object": "error", "message": "no", "type": "BadRequestError", "code": 400}, ModelRefusedError, "error 400: no"),
    ({"detail": "busy"}, ModelUnavailableError, "an error: busy"),
    ({"choices": None, "base_resp": {"status_code": 1002, "status_msg": "rate limit"}}, ModelBusyError, "rate limit"),
    ({"success": False, "errors": [{"code": 10000, "message": "Authentication"}]}, ModelUnavailableError, "Authent"),
    ({"code": "Some resource has been exhausted", "error": "wait"}, ModelBusyError, "an error: wait"),
    (
        {"error": {"code": 400, "message": "Provider returned error", "metadata": {"raw": "prompt is too long"}}},
        ContextLengthError,
        "error 400: Provider returned error; prompt is too long",
    ),
    (
        {"error": {"message": "exceeds the available context size", "n_ctx": 4096}},
        ContextLengthError,
        "exceeds the available context size; n_ctx: 4096",
    ),
    (
        {"choices": [{"message": {"content": "half"}, "finish_reason": None}], "error": {"message": "gone"}},
        ModelUnavailableError,
        "an error: gone",
    ),
    (
        {"choices": [{"message": {"content": ""}, "finish_reason": "stop"}], "error": {"message": "gone"}},
        ModelUnavailableError,
        "an error: gone",
    ),
]


@pytest.mark.parametrize(("body", "kind", "said"), REPORTED, ids=range(len(REPORTED)))
def test_an_error_in_a_success_ends_a_run_only_if_it_says_that_the_request_is_wrong(
    body: object, kind: type[ModelError], said: str
) -> None:
    with pytest.raises(ModelError) as raised:
        read_response(json.dumps(body).encode())
    assert type(raised.value) is kind
    assert said in raised.value.message


def test_an_error_beside_a_whole_answer_is_a_warning() -> None:
    body = HELLO[:-1] + b',"error":{"code":"deprecated","message":"use another model"}}'
    assert read_response(body).content == "hello"


@pytest.mark.parametrize("status", [200, 400, 403, 422])
def test_a_request_that_a_filter_holds_back_is_answered(status: int) -> None:
    answer = read_response(FILTERED, status)
    assert (answer.finish_reason, answer.response) == ("content_filter", FILTERED.decode())


WRONG: tuple[Callable[[Any], object], ...] = (
    read_response,
    lambda value: read_response(HELLO, value),
    lambda value: read_response(HELLO, 200, value),
    lambda value: read_response(HELLO, source=value),
)


@pytest.mark.parametrize("read", WRONG, ids=range(len(WRONG)))
def test_a_value_of_a_wrong_type_is_one_line(read: Callable[[Any], object]) -> None:
    with pytest.raises(SetupError, match=r"^read_response"):
        read(object())
