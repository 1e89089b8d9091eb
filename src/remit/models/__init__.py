"""Models: any OpenAI-compatible endpoint, any model of PydanticAI, or one of your own that satisfies `Model`."""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.agent.model import ChecksModel as ChecksModel
    from remit.agent.model import Model as Model
    from remit.agent.model import NamedModel as NamedModel
    from remit.agent.model import StreamsAnswers as StreamsAnswers
    from remit.chat.settings import ModelSettings as ModelSettings
    from remit.chat.streaming import Delta as Delta
    from remit.models.chat_response import read_response as read_response
    from remit.models.local import LocalModel as LocalModel
    from remit.models.local import LocalModels as LocalModels
    from remit.models.openai import OpenAI as OpenAI
    from remit.models.pydantic_ai import PydanticAIModel as PydanticAIModel
    from remit.models.rehearsal import Example as Example
    from remit.models.rehearsal import Rehearsal as Rehearsal
    from remit.models.rehearsal import load_examples as load_examples
    from remit.models.resolve import ModelResolver as ModelResolver
    from remit.models.resolve import ResolvedModel as ResolvedModel
    from remit.models.resolve import resolve_model as resolve_model
    from remit.record.usage import Price as Price
else:
    __getattr__ = lazy_exports(
        __name__, extras={"remit.models.openai": "openai", "remit.models.pydantic_ai": "pydantic-ai"}
    )
