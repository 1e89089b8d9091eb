"""An error of a provider ends a run only if the provider says that the request is wrong.

The words are those of providers, gateways and servers of models, from their documents and from what users report.
"""

from __future__ import annotations

import pytest

from remit.chat.provider_error import ProviderError, classify_error, classify_status, is_filtered, is_too_long
from remit.errors import (
    CompletionError,
    ContextLengthError,
    ModelAccessError,
    ModelBusyError,
    ModelError,
    ModelRefusedError,
    ModelUnavailableError,
)


@pytest.mark.parametrize(
    ("status", "kind"),
    [(status, ModelAccessError) for status in (301, 302, 303, 307, 308, 401, 402, 403, 404, 405, 407, 410, 451)]
    + [(status, ModelBusyError) for status in (408, 409, 425, 429, 498, 499)]
    + [(status, ModelRefusedError) for status in (400, 422)]
    + [(413, ContextLengthError)]
    + [(status, ModelUnavailableError) for status in (500, 502, 503, 529)]
    + [(status, ModelUnavailableError) for status in (406, 412, 418, 421, 424, 460, 600, 999)],
)
def test_a_status_ends_a_run_only_if_it_says_that_the_request_is_wrong(status: int, kind: type[ModelError]) -> None:
    assert classify_status(status) is kind
    assert classify_error(ProviderError(status, "no")) is kind


TOO_LONG = {
    "openai": "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    "openai responses": "Your input exceeds the context window of this model. Please adjust your input.",
    "openai limit": "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 290000.",
    "anthropic": "prompt is too long: 200251 tokens > 199999 maximum",
    "anthropic sum": "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
    "google": "The input token count (1189814) exceeds the maximum number of tokens allowed (1048575).",
    "mistral": "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    "groq": "Please reduce the length of the messages or completion.",
    "bedrock": "ValidationException: Input is too long for requested model.",
    "cohere": "too many tokens: total number of tokens in the prompt cannot exceed 4081",
    "xai": "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    "copilot": "prompt token count of 135000 exceeds the limit of 128000",
    "qwen": "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]",
    "minimax": "invalid params, context window exceeds limit (2013)",
    "llama.cpp": "the request exceeds the available context size, try increasing it",
    "llama.cpp without a shift": "context shift is disabled",
    "lm studio": "The number of tokens to keep from the initial prompt is greater than the context length",
    "lm studio overflow": "Trying to keep the first 9000 tokens when context the overflows. However, the model is "
    "loaded with context length of only 4096 tokens, which is not enough.",
    "ollama": "the input length exceeds the context length",
    "tgi": "`inputs` tokens + `max_new_tokens` must be <= 8193",
    "github": "Request body too large for gpt-4o model. Max size: 8000 tokens.",
    "kimi": "Invalid request: Your request exceeded model token limit: 8192",
    "a rate that it never fits": "Request too large for `m` on tokens per minute (TPM): Limit 6000, Requested 9,011",
}


@pytest.mark.parametrize("status", [400, 413, 422, 429, 500, None])
@pytest.mark.parametrize("provider", TOO_LONG)
def test_a_request_that_is_too_long_is_known_by_the_words_of_each_provider(provider: str, status: int | None) -> None:
    error = ProviderError(status, TOO_LONG[provider])
    assert is_too_long(error)
    assert classify_error(error) is ContextLengthError


ACCESS = {
    "ollama": "registry.ollama.ai/library/gemma3:1b does not support tools",
    "vllm": '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
    "openai parameter": "Unsupported parameter: 'max_tokens' is not supported with this model.",
    "openai value": "Unsupported value: 'temperature' does not support 0.2 with this model.",
    "openai schema": "Invalid schema for function 'book': schema must have type 'object'",
    "openai argument": "Unrecognized request argument supplied: reasoning_effort",
    "openai tokens": "max_tokens is too large: 100000. This model supports at most 16384 completion tokens",
    "openai key": "Incorrect API key provided: k.",
    "groq": "`tool calling` is not supported with this model",
    "groq model": "The model `m` has been decommissioned and is no longer supported.",
    "google": "Function calling is not enabled for models/gemma-3-4b-it",
    "google key": "API key not valid. Please pass a valid API key.",
    "google place": "User location is not supported for the API use.",
    "deepseek": "deepseek-reasoner doesn't support Function Calling",
    "deepseek model": "Model Not Exist",
    "openrouter": "No endpoints found that support tool use",
    "openrouter model": "m is not a valid model ID",
    "anthropic": "tools.0.custom.input_schema: JSON schema is invalid. Unknown field: strict",
    "anthropic credit": "Your credit balance is too low to access the Anthropic API.",
    "images": "This model does not support image input",
}
BUSY = {
    "groq": "Rate limit reached for model `m` on tokens per minute (TPM): Limit 6000, Used 5000, Requested 1011.",
    "openai": "The engine is currently overloaded, please try again later",
    "bedrock": "Too many requests, please wait before trying again.",
}
FAILING = {
    "litellm": "litellm.InternalServerError: Internal server error",
    "envoy": "upstream connect error or disconnect/reset before headers",
    "google": "The service is currently unavailable.",
}
UNREADABLE = {
    "groq": "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
    "groq schema": "tool call validation failed: parameters for tool look did not match schema",
    "groq json": "Failed to generate JSON. Please adjust your prompt.",
    "groq reasoning": "Parsing failed. The model generated output that could not be parsed.",
    "ollama": "error parsing tool call: raw='{\"what\": ', err=unexpected end of JSON input",
    "a page": "<html><head><title>400 Bad Request</title></head></html>",
    "another page": "<!DOCTYPE html>",
    "nothing": "",
}
WRONG = {
    "image": "Invalid image: the file is larger than 20 MB",
    "image format": "Unsupported image format: heic",
    "media type": "messages.0.content.1: the media type image/bmp is not supported",
    "content": "messages.1: content must not be empty",
    "context": "messages.1: context is missing",
    "order": "messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
    "policy": "Your prompt was flagged",
    "unknown": "boom",
}
SENTENCES: dict[type[ModelError], dict[str, str]] = {
    ModelAccessError: ACCESS,
    ModelBusyError: BUSY,
    ModelUnavailableError: FAILING,
    CompletionError: UNREADABLE,
    ModelRefusedError: WRONG,
}
CASES = [(kind, who) for kind, said in SENTENCES.items() for who in said]


@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize(("kind", "who"), CASES, ids=lambda value: getattr(value, "__name__", value))
def test_a_refusal_is_what_its_sentence_says_whatever_the_provider_calls_it(
    kind: type[ModelError], who: str, status: int
) -> None:
    error = ProviderError(status, SENTENCES[kind][who])
    assert classify_error(error) is kind
    assert not is_too_long(error)


def test_the_sentences_of_a_status_that_says_enough_are_not_read() -> None:
    assert classify_error(ProviderError(429, "you exceeded your quota, check your billing details")) is ModelBusyError
    assert classify_error(ProviderError(401, "try again later")) is ModelAccessError
    assert classify_error(ProviderError(503, "<html>no API key</html>")) is ModelUnavailableError


CODES: list[tuple[int | None, str, type[ModelError]]] = [
    (429, "insufficient_quota", ModelAccessError),
    (400, "unsupported_parameter", ModelAccessError),
    (400, "model_not_found", ModelAccessError),
    (400, "invalid_request_error invalid_api_key", ModelAccessError),
    (400, "FAILED_PRECONDITION", ModelAccessError),
    (404, "invalid_request_error", ModelAccessError),
    (413, "tokens rate_limit_exceeded", ModelBusyError),
    (400, "RESOURCE_EXHAUSTED", ModelBusyError),
    (200, "overloaded_error", ModelBusyError),
    (400, "server_error", ModelUnavailableError),
    (None, "api_error", ModelUnavailableError),
    (None, "UNAVAILABLE", ModelUnavailableError),
    (None, "DEADLINE_EXCEEDED", ModelUnavailableError),
    (None, "weird", ModelUnavailableError),
    (None, "", ModelUnavailableError),
    (400, "invalid_request_error tool_use_failed", CompletionError),
    (400, "context_length_exceeded", ContextLengthError),
    (400, "InternalError.Algo", ModelRefusedError),
    (400, "INVALID_ARGUMENT", ModelRefusedError),
    (None, "BadRequestError", ModelRefusedError),
    (None, "invalid_request_error", ModelRefusedError),
]


@pytest.mark.parametrize(("status", "codes", "kind"), CODES)
def test_a_code_comes_before_the_status_and_what_is_unknown_lets_a_run_rest(
    status: int | None, codes: str, kind: type[ModelError]
) -> None:
    assert classify_error(ProviderError(status, "no", codes)) is kind


def test_length_comes_before_all_other_words() -> None:
    said = "more than the maximum context length, which is not supported"
    assert classify_error(ProviderError(400, said, "invalid_request_error")) is ContextLengthError


FILTERED = [
    ProviderError(400, "no", "content_filter"),
    ProviderError(422, "no", "invalid_request_error content_filter"),
    ProviderError(400, "filtered", "ResponsibleAIPolicyViolation"),
    ProviderError(400, "Output data may contain inappropriate content.", "data_inspection_failed"),
    ProviderError(400, "<400> InternalError.Algo.DataInspectionFailed: Input text data"),
    ProviderError(400, "Invalid prompt: we've limited access to this content for safety reasons.", "invalid_prompt"),
    ProviderError(400, "Invalid prompt: your prompt was flagged as potentially violating our usage policy."),
    ProviderError(400, "Output blocked by content filtering policy", "invalid_request_error"),
    ProviderError(403, "m requires moderation on OpenAI. Your input was flagged for violence."),
    ProviderError(403, "Content violates usage guidelines."),
    ProviderError(None, "input new_sensitive"),
]


@pytest.mark.parametrize("error", FILTERED, ids=range(len(FILTERED)))
def test_a_filter_is_known_by_its_codes_and_sentences(error: ProviderError) -> None:
    assert is_filtered(error)
    assert not is_filtered(error._replace(status=503))


UNFILTERED = [
    ProviderError(429, "You send too much. What is allowed stands in our usage policies.", "rate_limit_error"),
    ProviderError(429, "Your prompt was flagged for violence.", "content_filter"),
    ProviderError(403, "This account was flagged for unpaid invoices."),
    ProviderError(403, "The project has been flagged as potentially fraudulent."),
    ProviderError(401, "The token was flagged as potentially leaked; make another."),
    ProviderError(402, "Your plan violates our usage guidelines."),
    ProviderError(404, "Models and our content policy: see the documentation."),
    ProviderError(400, "The organization was flagged for abuse.", "invalid_request_error"),
]


@pytest.mark.parametrize("error", UNFILTERED, ids=range(len(UNFILTERED)))
def test_an_account_that_is_flagged_and_a_link_to_policies_are_those_of_no_filter(error: ProviderError) -> None:
    assert not is_filtered(error)


def test_a_filter_of_a_gateway_is_known_by_its_code_below_other_statuses() -> None:
    assert is_filtered(ProviderError(424, "no", "content_filter"))


@pytest.mark.parametrize("said", [said for each in SENTENCES.values() for said in each.values()])
def test_other_refusals_are_those_of_no_filter(said: str) -> None:
    assert not is_filtered(ProviderError(400, said, "invalid_request_error"))
