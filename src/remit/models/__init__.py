"""Models: any OpenAI-compatible endpoint, any model of PydanticAI, or one of your own that satisfies `Model`."""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.agent.model import ChecksModel, Model, NamedModel, StreamsAnswers
    from remit.chat.settings import ModelSettings
    from remit.chat.streaming import Delta
    from remit.models.chat_response import read_response
    from remit.models.local import LocalModel, LocalModels
    from remit.models.openai import OpenAI
    from remit.models.pydantic_ai import PydanticAIModel
    from remit.models.resolve import ModelResolver, ResolvedModel, resolve_model
    from remit.record.usage import Price

__all__ = [
    "ChecksModel",
    "Delta",
    "LocalModel",
    "LocalModels",
    "Model",
    "ModelResolver",
    "ModelSettings",
    "NamedModel",
    "OpenAI",
    "Price",
    "PydanticAIModel",
    "ResolvedModel",
    "StreamsAnswers",
    "read_response",
    "resolve_model",
]

if not TYPE_CHECKING:
    __getattr__ = lazy_exports(
        __name__,
        {
            "remit.agent.model": ("ChecksModel", "Model", "NamedModel", "StreamsAnswers"),
            "remit.chat.settings": ("ModelSettings",),
            "remit.chat.streaming": ("Delta",),
            "remit.record.usage": ("Price",),
            "remit.models.chat_response": ("read_response",),
            "remit.models.local": ("LocalModel", "LocalModels"),
            "remit.models.openai": ("OpenAI",),
            "remit.models.pydantic_ai": ("PydanticAIModel",),
            "remit.models.resolve": ("ModelResolver", "ResolvedModel", "resolve_model"),
        },
        extras={"remit.models.openai": "openai", "remit.models.pydantic_ai": "pydantic-ai"},
    )
