"""What stands in for a model that cannot be had here: it answers nothing, so a run goes as far as its journal does."""

from __future__ import annotations

from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.test import TestModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from remit.agent.model import Model as Port
from remit.contracts.chat import ChatRequest, Completion
from remit.errors import NoModelError
from remit.models.pydantic_ai import infer_model_without_key
from remit.models.resolve import AnyModel, ResolvedModel, resolve_model


class MissingModel(WrapperModel):
    """A model of PydanticAI that is as ``wrapped`` in all but this: who asks it is told what is ``reason``.

    The same request is written differently for different models. This one compares with what the journal holds.
    """

    def __init__(self, wrapped: Model, reason: NoModelError) -> None:
        super().__init__(wrapped)
        self.reason = reason

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Nothing.

        Raises:
            NoModelError: always.
        """
        raise self.reason


class MissingModelPort:
    """A model of Remit's own port that cannot be had: who asks it is told what is ``reason``."""

    def __init__(self, reason: NoModelError) -> None:
        self.reason = reason

    async def __call__(self, request: ChatRequest, /) -> Completion:
        """Nothing.

        Raises:
            NoModelError: always.
        """
        raise self.reason


def make_missing_model(model: AnyModel | None, reason: NoModelError) -> Model | Port:
    """The placeholder for a model, of the same class where that is known: requests are digested per class."""
    if isinstance(model, Model):
        return MissingModel(model, reason)
    resolved = resolve_model(model) if isinstance(model, str) else model
    if not isinstance(resolved, ResolvedModel) or not resolved.pydantic_ai_name:
        return MissingModelPort(reason)
    return MissingModel(infer_model_without_key(resolved.pydantic_ai_name) or TestModel(), reason)
