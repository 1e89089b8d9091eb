"""What Remit's own model reads in an answer, PydanticAI's model of the same API reads too, and nothing else."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from remit.agent.model import Model
from remit.chat.chat import ChatRequest, Completion, History, decode_message, encode_message
from remit.chat.finish import Ending, read_finish
from remit.chat.wire import read_tool_calls, text_of_message
from remit.errors import ModelError
from remit.models import OpenAI, PydanticAIModel
from remit.testing import read_only_ledger
from remit.testing.provider_suite import PLAIN
from remit.testing.provider_suite.endpoint import ShapedEndpoint


def own(url: str) -> Model:
    return OpenAI("m", base_url=url, api_key="k", trust_env=False)


def pydantic(url: str) -> Model:
    return PydanticAIModel(OpenAIChatModel("m", provider=OpenAIProvider(base_url=url, api_key="k")))


async def ask(model: Model) -> Completion:
    history = History([encode_message({"role": "user", "content": "go"})])
    return await model(ChatRequest(agent_call_id="agent", turn=1, ledger=read_only_ledger(()), history=history))


class Read(NamedTuple):
    """What an answer says, how it ended and what it used."""

    text: str
    calls: list[tuple[str, str]]
    ending: Ending
    usage: tuple[int, int, int, int]


async def read(model: Model) -> Read | type[ModelError]:
    """The answer, or the error as which it is refused."""
    try:
        answer = await ask(model)
    except ModelError as error:
        return type(error)
    message = decode_message(answer.message)
    return Read(
        text_of_message(message),
        [(each.name, each.arguments) for each in read_tool_calls(message)],
        read_finish(answer.finish_reason),
        (answer.prompt_tokens, answer.completion_tokens, answer.cached_tokens, answer.reasoning_tokens),
    )


@pytest.mark.parametrize("name", PLAIN)
async def test_both_models_read_the_same(name: str) -> None:
    async with ShapedEndpoint(PLAIN[name]) as one, ShapedEndpoint(PLAIN[name]) as other:
        assert await read(pydantic(other.url)) == await read(own(one.url))
