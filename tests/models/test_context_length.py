"""A refusal for length is told from other refusals, whatever the provider calls it."""

from __future__ import annotations

import json

import pytest
from pydantic_ai import exceptions as foreign
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models.function import AgentInfo, FunctionModel

from remit.agent.model_window import read_window
from remit.errors import ContextLengthError, ModelError, ModelRefusedError, SetupError
from remit.models import OpenAI
from remit.models.context_length import is_context_length_error
from remit.models.openai_api import small_window_at
from remit.models.pydantic_ai import PydanticAIModel
from remit.models.pydantic_errors import classify_error
from remit.models.resolve import ResolvedModel
from tests.loopback import Endpoint
from tests.models.test_openai_errors import REQUEST, answering, ask

TOO_LONG = {
    "openai": "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    "openai responses": "Your input exceeds the context window of this model. Please adjust your input.",
    "anthropic": "prompt is too long: 200251 tokens > 199999 maximum",
    "anthropic sum": "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
    "google": "The input token count (1189814) exceeds the maximum number of tokens allowed (1048575).",
    "mistral": "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    "groq": "Please reduce the length of the messages or completion.",
    "bedrock": "ValidationException: Input is too long for requested model.",
    "cohere": "too many tokens: total number of tokens in the prompt cannot exceed 4081",
    "xai": "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    "llama.cpp": "the request exceeds the available context size, try increasing it",
    "lm studio": "Trying to keep the first 5000 tokens when the number is greater than the context length",
    "ollama": "the input length exceeds the context length",
    "tgi": "`inputs` tokens + `max_new_tokens` must be <= 8193",
    "github": "Request body too large for gpt-4o model. Max size: 8000 tokens.",
    "kimi": "Invalid request: Your request exceeded model token limit: 8192",
}
OTHER = {
    "rate": "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 40000. Reduce the length.",
    "key": "Incorrect API key provided",
    "output": "max_tokens is too large: 100000. This model supports at most 16384 completion tokens",
    "image": "Invalid image: the file is larger than 20 MB",
    "content": "messages.1: context is missing",
}


@pytest.mark.parametrize("provider", TOO_LONG)
def test_each_provider_s_words_are_recognised(provider: str) -> None:
    assert is_context_length_error(TOO_LONG[provider])
    assert classify_error(foreign.ModelHTTPError(400, "m", {"message": TOO_LONG[provider]})) is ContextLengthError


@pytest.mark.parametrize("reason", OTHER)
def test_other_refusals_are_not(reason: str) -> None:
    assert not is_context_length_error(OTHER[reason])
    assert classify_error(foreign.ModelHTTPError(400, "m", {"message": OTHER[reason]})) is ModelRefusedError


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"message": "too long", "code": "context_length_exceeded"}, ContextLengthError),
        ({"message": TOO_LONG["openai"]}, ContextLengthError),
        ({"message": "bad key", "code": "invalid_api_key"}, ModelRefusedError),
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
    refusal = json.dumps({"error": {"message": TOO_LONG["openai"]}})
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
        raise foreign.ModelHTTPError(400, "m", {"message": TOO_LONG["openai"]})

    model = PydanticAIModel(FunctionModel(refuse), context_tokens=4096)
    with pytest.raises(ContextLengthError) as refused:
        await model(REQUEST)
    assert model.context_tokens == 4096
    assert read_window(refused.value.message) == 8192


def test_a_window_is_a_number_of_tokens() -> None:
    with pytest.raises(SetupError, match="context_tokens"):
        PydanticAIModel("test", context_tokens=0.5)  # type: ignore[arg-type]
