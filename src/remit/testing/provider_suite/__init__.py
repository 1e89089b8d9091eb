"""The conformance suite of models: the shapes of real endpoints' chat completions, as tests of your adapter.

Write a test file with a fixture ``make_model`` and import the suite into it::

    from remit.testing.provider_suite import *

    @pytest.fixture
    def make_model() -> MakeModel:
        return lambda url: MyModel("m", base_url=url, api_key="k")

Each test runs an agent with your model at an endpoint on this machine that answers in one shape, in one piece or as a
stream, and then sends the next message of the conversation. No shape may end the run or the conversation, and no call
may run with the arguments of another. The endpoint refuses every request that a strict provider refuses. A failed check
names the endpoint's answer, the expected result and the actual result. Streaming is optional: the shapes of streams are
skipped for a model that does not request a stream. The suite needs pytest and pytest-asyncio with ``asyncio_mode =
"auto"``. The models of Remit pass the same tests.
"""

from __future__ import annotations

import pytest

from remit.testing.provider_suite.endpoint import ShapedEndpoint
from remit.testing.provider_suite.plain import PLAIN
from remit.testing.provider_suite.play import MakeModel, Played, play
from remit.testing.provider_suite.shape import EVENT_STREAM, HttpAnswer, Shape, describe_faults
from remit.testing.provider_suite.streams import STREAMS

__all__ = [
    "PLAIN",
    "STREAMS",
    "HttpAnswer",
    "MakeModel",
    "Played",
    "Shape",
    "ShapedEndpoint",
    "play",
    "test_a_shape_ends_nothing",
    "test_a_shape_that_is_followed_ends_nothing",
    "test_a_stream_ends_nothing",
]


@pytest.mark.parametrize("name", PLAIN)
async def test_a_shape_ends_nothing(name: str, make_model: MakeModel) -> None:
    """An answer in one piece ends neither the run nor the conversation."""
    await _check(name, PLAIN[name], make_model, follow=False)


@pytest.mark.parametrize("name", PLAIN)
async def test_a_shape_that_is_followed_ends_nothing(name: str, make_model: MakeModel) -> None:
    """The same for a run that is followed, so that a model that can stream asks for a stream."""
    await _check(name, PLAIN[name], make_model, follow=True)


@pytest.mark.parametrize("name", STREAMS)
async def test_a_stream_ends_nothing(name: str, make_model: MakeModel) -> None:
    """A stream ends neither the run nor the conversation. Skipped for a model that asks for none."""
    await _check(name, STREAMS[name], make_model, follow=True)


async def _check(name: str, shape: Shape, make_model: MakeModel, *, follow: bool) -> None:
    played = await play(shape, make_model, follow=follow)
    is_stream = shape.answers[0].media_type == EVENT_STREAM
    if is_stream and played.requests and not played.streamed:
        pytest.skip("the model asks for no stream")
    faults = [*played.list_ends(shape), *played.list_wrong_calls(shape)]
    if faults:
        pytest.fail(describe_faults(name, shape, faults), pytrace=False)
