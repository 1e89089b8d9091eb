"""What stands in for a model that cannot be had here: it answers nothing, so a run goes as far as its journal does."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters, infer_model
from pydantic_ai.models.test import TestModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.providers import Provider, infer_provider_class
from pydantic_ai.settings import ModelSettings

from remit.agent.model import Model as Port
from remit.contracts.chat import ChatRequest, Completion
from remit.errors import NoModelError
from remit.workers.resolve import BUILTIN_KINDS, AnyModel, pydantic_ai_name


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
    """What stands in for a model, of its kind so far as that is known."""
    if isinstance(model, Model):
        return MissingModel(model, reason)
    if not isinstance(model, str) or model.partition(":")[0] in BUILTIN_KINDS:
        return MissingModelPort(reason)
    try:
        return MissingModel(infer_model(pydantic_ai_name(model), _make_provider_without_key), reason)
    except (UserError, ImportError, ValueError, TypeError):
        return MissingModel(TestModel(), reason)


def _make_provider_without_key(provider: str) -> Provider[object]:
    """The provider of that name, for a model that is never asked."""
    make = cast("Callable[..., Provider[object]]", infer_provider_class(provider))
    return make(api_key="absent")
