"""The suite of shapes, run with Remit's own model; `figures/quirks.py` has the other drivers and models."""

from __future__ import annotations

import pytest

from remit.errors import ModelError
from remit.messages import ChatRequest, Completion, completion_from_message
from remit.models import OpenAI
from remit.testing.provider_suite import *  # noqa: F403 - as its docstring shows


@pytest.fixture
def make_model() -> MakeModel:  # noqa: F405
    return lambda url: OpenAI("m", base_url=url, api_key="k", trust_env=False)


async def test_what_ends_a_run_and_a_wrong_call_are_told() -> None:
    shape = PLAIN["a call"]  # noqa: F405
    played = await play(shape, lambda url: OpenAI("m", base_url=url, api_key="k", trust_env=False))  # noqa: F405
    assert [*played.list_ends(shape), *played.list_wrong_calls(shape)] == []
    other = Shape(answers=shape.answers, calls=("now()",), text="nothing", rests=True, requests=7)  # noqa: F405
    assert [*played.list_wrong_calls(other)] == ["look(a) was made", "now() was not made"]
    assert [*played.list_ends(other)] == [
        "the result does not say 'nothing': 'all done'",
        "the run has not rested",
        "2 requests were sent, not 7",
    ]


async def ignore_endpoint(_request: ChatRequest, /) -> Completion:
    """A model without ``stream`` that asks no endpoint."""
    return completion_from_message('{"role":"assistant","content":"hello"}')


async def test_a_check_that_fails_says_what_the_endpoint_answers_what_was_expected_and_what_came() -> None:
    with pytest.raises(pytest.fail.Exception) as failed:
        await test_a_shape_ends_nothing("a wrong key", lambda _url: ignore_endpoint)  # noqa: F405
    assert str(failed.value).splitlines() == [
        "the model does not cope with the shape 'a wrong key'",
        "the endpoint answers:",
        '  - 401, application/json: {"error":{"message":"Incorrect API key"}}',
        "expected:",
        "  - the run rests as stalled, after 1 request, because the model raises a ModelUnavailableError",
        "  - it ends as done with 'all done' in its result when the endpoint is well and it is resumed",
        "  - no call is made",
        "  - the next message of the conversation is answered",
        "what came:",
        "  - the result does not say 'all done': 'hello'",
        "  - the run has not rested",
        "  - 0 requests were sent, not 1",
    ]


async def test_a_check_that_fails_shows_the_error_of_the_model_and_the_calls() -> None:
    async def refuse(_request: ChatRequest, /) -> Completion:
        raise ModelError("no such gateway")

    with pytest.raises(pytest.fail.Exception, match="the run is failed: MODEL_ERROR: no such gateway") as failed:
        await test_a_shape_that_is_followed_ends_nothing("a call", lambda _url: refuse)  # noqa: F405
    assert "  - these calls are made: look(a)" in str(failed.value)
    assert "  - look(a) was not made" in str(failed.value)


class PlainModel:
    """A model of Remit without its ``stream``."""

    def __init__(self, url: str) -> None:
        self._model = OpenAI("m", base_url=url, api_key="k", trust_env=False)

    async def __call__(self, request: ChatRequest, /) -> Completion:
        return await self._model(request)


async def test_the_shapes_of_streams_are_skipped_for_a_model_that_does_not_stream() -> None:
    with pytest.raises(pytest.skip.Exception, match="the model asks for no stream"):
        await test_a_stream_ends_nothing("cut", PlainModel)  # noqa: F405
    await test_a_stream_ends_nothing("one answer instead of a stream", PlainModel)  # noqa: F405
    await test_a_shape_that_is_followed_ends_nothing("a call", PlainModel)  # noqa: F405


async def test_the_shapes_of_streams_are_no_less_failed_by_a_model_that_asks_nothing() -> None:
    with pytest.raises(pytest.fail.Exception, match="the run has not rested"):
        await test_a_stream_ends_nothing("cut", lambda _url: ignore_endpoint)  # noqa: F405
