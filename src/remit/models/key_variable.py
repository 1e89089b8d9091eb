"""The environment variables in which the providers of models expect their keys."""

from __future__ import annotations

from typing import Final

_NO_KEY: Final = frozenset({"", "local", "scripted", "rehearsal", "test"})

_UNUSUAL: Final[dict[str, tuple[str, ...]]] = {
    "alibaba": ("ALIBABA_API_KEY", "DASHSCOPE_API_KEY"),
    "azure": ("AZURE_OPENAI_API_KEY",),
    "bedrock": ("AWS_BEARER_TOKEN_BEDROCK",),
    "cohere": ("CO_API_KEY",),
    "gateway": ("PYDANTIC_AI_GATEWAY_API_KEY",),
    "google": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    "heroku": ("HEROKU_INFERENCE_KEY",),
    "huggingface": ("HF_TOKEN",),
    "openai": ("OPENAI_API_KEY",),
    "snowflake": ("SNOWFLAKE_TOKEN",),
    "vercel": ("VERCEL_AI_GATEWAY_API_KEY",),
    "voyageai": ("VOYAGE_API_KEY",),
}
"""The providers whose variable, or that of their kinds such as ``openai-chat``, is not their name and ``_API_KEY``."""


def key_variables(name: str) -> tuple[str, ...]:
    """The variables in which the provider of a named model expects its key, the usual one first; none without a key."""
    provider = name.removeprefix("pydantic-ai:").partition(":")[0].partition("/")[0]
    if provider in _NO_KEY:
        return ()
    family = provider.partition("-")[0]
    return _UNUSUAL.get(provider) or _UNUSUAL.get(family) or (f"{provider.upper().replace('-', '_')}_API_KEY",)
