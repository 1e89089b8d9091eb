"""A request to a model is measured: how long it took, and its tokens."""

from __future__ import annotations

import pytest

from remit.errors import ModelError
from remit.layers.trace import TraceModel
from remit.messages import ChatRequest, Completion
from tests.call.steps import chat_request
from tests.layers.measures import Measures
from tests.layers.test_trace import answered

REQUEST = {"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "little"}


async def test_a_model_request_is_measured_without_spans_too() -> None:
    measures = Measures()
    layer = TraceModel(meters=measures.provider, model="little", vendor="openai")
    for _ in range(2):
        await layer(answered)(await chat_request())
    found, about = measures.found(), {**REQUEST, "gen_ai.response.model": "small"}
    assert found["gen_ai.client.token.usage {token}"] == [
        ({**about, "gen_ai.token.type": "input"}, 14),
        ({**about, "gen_ai.token.type": "output"}, 6),
    ]
    ((attributes, seconds),) = found["gen_ai.client.operation.duration s"]
    assert attributes == about
    assert seconds > 0


async def test_a_failed_request_is_measured_by_the_code_of_its_error() -> None:
    measures = Measures()

    async def broken(_request: ChatRequest, /) -> Completion:
        raise ModelError("refused")

    with pytest.raises(ModelError):
        await TraceModel(meters=measures.provider, model="little", vendor="openai")(broken)(await chat_request())
    assert list(measures.found()) == ["gen_ai.client.operation.duration s"]
    ((attributes, _),) = measures.found()["gen_ai.client.operation.duration s"]
    assert attributes == {**REQUEST, "error.type": "MODEL_ERROR"}
