"""Placeholders for an unavailable model: recorded turns replay, the first new request fails."""

from __future__ import annotations

from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.test import TestModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from remit.agent.model import Model as Port
from remit.contracts.chat import ChatRequest, Completion
from remit.errors import NoModelError
from remit.models.pydantic_names import infer_model_without_key
from remit.models.resolve import AnyModel, ResolvedModel, resolve_model


class MissingModel(WrapperModel):
    """A placeholder for ``wrapped``, a model of PydanticAI: each request raises ``reason``.

    Everything else is as in ``wrapped``, because a request is digested differently for each class of model.
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
        """Always fails.

        Raises:
            NoModelError: the reason.
        """
        raise self.reason


class MissingModelPort:
    """A model of Remit's own port that cannot be had: who asks it is told what is ``reason``."""

    def __init__(self, reason: NoModelError) -> None:
        self.reason = reason

    async def __call__(self, request: ChatRequest, /) -> Completion:
        """Always fails.

        Raises:
            NoModelError: the reason.
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
