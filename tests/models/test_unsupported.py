"""A refusal of tools, settings or schemas is told from other refusals, whatever the provider calls it."""

from __future__ import annotations

import json

import pytest
from pydantic_ai import exceptions as foreign

from remit.errors import ContextLengthError, ModelAccessError, ModelRefusedError
from remit.models import read_response
from remit.models.pydantic_errors import classify_error
from remit.models.unsupported import is_unsupported_error

UNSUPPORTED = {
    "ollama": "registry.ollama.ai/library/gemma3:1b does not support tools",
    "vllm": '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
    "openai parameter": "Unsupported parameter: 'max_tokens' is not supported with this model.",
    "openai value": "Unsupported value: 'temperature' does not support 0.2 with this model.",
    "openai schema": "Invalid schema for function 'book': schema must have type 'object'",
    "openai argument": "Unrecognized request argument supplied: reasoning_effort",
    "groq": "`tool calling` is not supported with this model",
    "google": "Function calling is not enabled for models/gemma-3-4b-it",
    "deepseek": "deepseek-reasoner doesn't support Function Calling",
    "openrouter": "No endpoints found that support tool use",
    "anthropic": "tools.0.custom.input_schema: JSON schema is invalid. Unknown field: strict",
    "images": "This model does not support image input",
}
OTHER = {
    "image": "Invalid image: the file is larger than 20 MB",
    "image format": "Unsupported image format: heic",
    "media type": "messages.0.content.1: the media type image/bmp is not supported",
    "content": "messages.1: content must not be empty",
    "order": "messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
    "policy": "Your prompt was flagged",
}


@pytest.mark.parametrize("provider", UNSUPPORTED)
def test_each_provider_s_words_are_recognised(provider: str) -> None:
    said = UNSUPPORTED[provider]
    assert is_unsupported_error(said)
    with pytest.raises(ModelAccessError) as caught:
        read_response(json.dumps({"error": {"message": said}}).encode(), 400)
    assert said.split("'")[0][:40] in caught.value.message
    assert classify_error(foreign.ModelHTTPError(400, "m", {"message": said})) is ModelAccessError
    assert classify_error(foreign.UserError(said)) is ModelAccessError


@pytest.mark.parametrize("reason", OTHER)
def test_other_refusals_are_not(reason: str) -> None:
    assert not is_unsupported_error(OTHER[reason])
    with pytest.raises(ModelRefusedError):
        read_response(json.dumps({"error": {"message": OTHER[reason]}}).encode(), 400)
    assert classify_error(foreign.ModelHTTPError(400, "m", {"message": OTHER[reason]})) is ModelRefusedError


def test_a_code_is_enough_and_length_comes_first() -> None:
    with pytest.raises(ModelAccessError):
        read_response(b'{"error":{"message":"no","code":"unsupported_parameter"}}', 400)
    long = b'{"error":{"message":"more than the maximum context length, which is not supported"}}'
    with pytest.raises(ContextLengthError):
        read_response(long, 400)
