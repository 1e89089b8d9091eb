"""The conformance suite of models: shapes in which real endpoints of chat completions answer, as tests of your adapter.

Write a test file with a fixture ``make_model`` and import the suite into it::

    from remit.testing.provider_suite import *

    @pytest.fixture
    def make_model() -> MakeModel:
        return lambda url: MyModel("m", base_url=url, api_key="k")

Each test runs an agent with your model at an endpoint on this machine that answers in one shape, in one piece or as a
stream, and then sends the next message of the conversation. No shape may end the run or the conversation, and no call
may run with the arguments of another. The endpoint refuses what a strict provider refuses. The suite needs pytest and
pytest-asyncio with ``asyncio_mode = "auto"``. The models of Remit pass the same tests.
"""

from __future__ import annotations

import pytest

from remit.testing.provider_suite.endpoint import ShapedEndpoint
from remit.testing.provider_suite.plain import PLAIN
from remit.testing.provider_suite.play import MakeModel, Played, play
from remit.testing.provider_suite.shape import HttpAnswer, Shape
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
    await _check(PLAIN[name], make_model, follow=False)


@pytest.mark.parametrize("name", PLAIN)
async def test_a_shape_that_is_followed_ends_nothing(name: str, make_model: MakeModel) -> None:
    await _check(PLAIN[name], make_model, follow=True)


@pytest.mark.parametrize("name", STREAMS)
async def test_a_stream_ends_nothing(name: str, make_model: MakeModel) -> None:
    await _check(STREAMS[name], make_model, follow=True)


async def _check(shape: Shape, make_model: MakeModel, *, follow: bool) -> None:
    played = await play(shape, make_model, follow=follow)
    assert [*played.list_ends(shape), *played.list_wrong_calls(shape)] == []
