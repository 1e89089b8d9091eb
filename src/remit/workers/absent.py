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
from remit.workers.models import OWN, AnyModel, known_as


class AbsentModel(WrapperModel):
    """A model of PydanticAI that is as ``like`` in all but this: who asks it is told what is ``missing``.

    The same request is written differently for different models. This one compares with what the journal holds.
    """

    def __init__(self, like: Model, missing: NoModelError) -> None:
        super().__init__(like)
        self.missing = missing

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
        raise self.missing


class AbsentPort:
    """A model of Remit's own port that cannot be had: who asks it is told what is ``missing``."""

    def __init__(self, missing: NoModelError) -> None:
        self.missing = missing

    async def __call__(self, request: ChatRequest, /) -> Completion:
        """Nothing.

        Raises:
            NoModelError: always.
        """
        raise self.missing


def stand_in(model: AnyModel | None, missing: NoModelError) -> Model | Port:
    """What stands in for a model, of its kind so far as that is known."""
    if isinstance(model, Model):
        return AbsentModel(model, missing)
    if not isinstance(model, str) or model.partition(":")[0] in OWN:
        return AbsentPort(missing)
    try:
        return AbsentModel(infer_model(known_as(model), _without_key), missing)
    except (UserError, ImportError, ValueError, TypeError):
        return AbsentModel(TestModel(), missing)


def _without_key(provider: str) -> Provider[object]:
    """The provider of that name, for a model that is never asked."""
    make = cast("Callable[..., Provider[object]]", infer_provider_class(provider))
    return make(api_key="absent")
