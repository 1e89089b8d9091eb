"""A model that refuses a request for its length states its window, which agents heed."""

from __future__ import annotations

import json

import pytest
from pydantic_ai import exceptions as foreign
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models.function import AgentInfo, FunctionModel

from remit.agent.model_window import read_window
from remit.errors import ContextLengthError, ModelError, ModelRefusedError, SetupError
from remit.models import OpenAI
from remit.models.openai_api import small_window_at
from remit.models.pydantic_ai import PydanticAIModel
from remit.models.resolve import ResolvedModel
from tests.loopback import Endpoint
from tests.models.test_openai_errors import REQUEST, answering, ask

SAID = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"message": "too long", "code": "context_length_exceeded"}, ContextLengthError),
        ({"message": SAID}, ContextLengthError),
        ({"message": "no such field", "code": "invalid_value"}, ModelRefusedError),
    ],
    ids=["code", "message", "other"],
)
async def test_an_endpoint_that_refuses_for_length_raises_its_own_error(
    error: dict[str, str], kind: type[ModelError]
) -> None:
    async with Endpoint(answering(400, json.dumps({"error": error}))) as endpoint:
        with pytest.raises(ModelError) as raised:
            await ask(endpoint)
    assert type(raised.value) is kind


async def test_a_model_knows_its_window_from_its_parameter_or_its_name_and_agents_learn_it_from_refusals() -> None:
    refusal = json.dumps({"error": {"message": SAID}})
    async with Endpoint(answering(400, refusal)) as endpoint:
        for given in (None, 4096):
            async with OpenAI("m", base_url=endpoint.url, api_key="k", context_tokens=given) as model:
                with pytest.raises(ContextLengthError) as refused:
                    await model(REQUEST)
                assert model.context_tokens == given
                assert read_window(refused.value.message) == 8192
    assert OpenAI("gpt-4", api_key="k").context_tokens == 8192
    assert (small_window_at("api.openai.com", "gpt-4o"), small_window_at("here", "gpt-4")) == (None, None)
    assert ResolvedModel("local:base").context_tokens == 8192
    assert ResolvedModel("openai:gpt-4").context_tokens is None, "until it is opened"


async def test_agents_learn_the_window_of_a_model_of_pydantic_ai_from_its_refusal() -> None:
    def refuse(_messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        raise foreign.ModelHTTPError(400, "m", {"message": SAID})

    model = PydanticAIModel(FunctionModel(refuse), context_tokens=4096)
    with pytest.raises(ContextLengthError) as refused:
        await model(REQUEST)
    assert model.context_tokens == 4096
    assert read_window(refused.value.message) == 8192


def test_a_window_is_a_number_of_tokens() -> None:
    with pytest.raises(SetupError, match="context_tokens"):
        PydanticAIModel("test", context_tokens=0.5)  # type: ignore[arg-type]
