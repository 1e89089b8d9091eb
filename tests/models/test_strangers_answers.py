"""Answers of strangers by PydanticAI's models are read, or refused as answers that may come again; none ends a run."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

import pytest

from remit.chat.chat import ChatRequest, Completion, History, encode_message
from remit.errors import CompletionError
from remit.models.pydantic_ai import PydanticAIModel, to_response
from remit.testing import read_only_ledger
from tests.loopback import Endpoint, answering
from tests.strangers.answers import ANTHROPIC, GOOGLE, StrangeAnswer


async def ask(make: Callable[[str], PydanticAIModel], body: Mapping[str, object]) -> Completion:
    async with Endpoint(answering(200, json.dumps(body))) as endpoint, make(endpoint.url) as model:
        history = History([encode_message({"role": "user", "content": "go"})])
        return await model(ChatRequest(agent_call_id="agent", turn=1, ledger=read_only_ledger(()), history=history))


def make_anthropic(url: str) -> PydanticAIModel:
    # The clients load 1,000 modules each: not in every process that collects this test.
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    return PydanticAIModel(AnthropicModel("m", provider=AnthropicProvider(base_url=url, api_key="k")))


def make_google(url: str) -> PydanticAIModel:
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    return PydanticAIModel(GoogleModel("m", provider=GoogleProvider(base_url=url, api_key="k")))


@pytest.mark.parametrize("name", ANTHROPIC)
async def test_an_answer_of_anthropics_api_is_read_or_may_come_again(name: str) -> None:
    answer = ANTHROPIC[name]
    body = {"id": "m1", "type": "message", "role": "assistant", "model": "m", "content": answer.parts}
    body |= {"stop_reason": "end_turn", "stop_sequence": None, "usage": {"input_tokens": 5, "output_tokens": 5}}
    await check(answer, make_anthropic, body)


@pytest.mark.parametrize("name", GOOGLE)
async def test_an_answer_of_googles_api_is_read_or_may_come_again(name: str) -> None:
    answer = GOOGLE[name]
    candidate = {"content": {"role": "model", "parts": answer.parts}, "finishReason": "STOP", "index": 0}
    await check(answer, make_google, {"candidates": [candidate], "modelVersion": "m"})


async def check(answer: StrangeAnswer, make: Callable[[str], PydanticAIModel], body: Mapping[str, object]) -> None:
    if not answer.is_read:
        with pytest.raises(CompletionError):
            await ask(make, body)
        return
    read = await ask(make, body)
    assert (read.content or "") == answer.text
    assert tuple((call.name, call.arguments) for call in read.tool_calls) == answer.calls
    json.loads(read.response)
    assert read.message.encode()
    assert to_response(read.message).text in (answer.text, None), "the next request of its conversation has it"
