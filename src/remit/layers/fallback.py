"""Asks other models if the agent's own model fails."""

from __future__ import annotations

from remit.call.asking import ask_model, current_attempts
from remit.call.call import ModelLayer, ModelService
from remit.chat.chat import ChatRequest, Completion
from remit.core.call_checks import check_arguments
from remit.errors import ModelError, SetupError
from remit.shown import show_value


@check_arguments()
class Fallback(ModelLayer):
    """Asks ``models`` in order after the agent's model fails, until one answers.

    The journal records each failure, and the usage names the model that answered. If all models fail, the last error is
    raised. A model that cannot be used, such as one without an API key, is a configuration error (`NoModelError`): no
    other model is asked, and the run does not change until the model can be used.

    Raises:
        SetupError: ``models`` is empty, or an item does not implement Remit's model port; wrap a PydanticAI model in
            ``PydanticAIModel``.
    """

    def __init__(self, *models: ModelService) -> None:
        if not models:
            raise SetupError("Fallback() needs at least one model")
        for model in models:
            if not callable(model) or isinstance(model, type):
                raise SetupError(f"Fallback cannot ask {show_value(model)}; use resolve_model(…) or PydanticAIModel(…)")
        self._models = models

    def __call__(self, inner: ModelService, /) -> ModelService:
        """Ask ``inner`` first."""

        async def ask(request: ChatRequest, /) -> Completion:
            try:
                return await inner(request)
            except ModelError as error:
                failure = error
            attempts = current_attempts()
            for model in self._models:
                if attempts is not None:
                    attempts.add(failure)
                try:
                    return await ask_model(model, request)
                except ModelError as error:
                    failure = error
            raise failure

        return ask

    def __repr__(self) -> str:
        return f"Fallback({', '.join(map(repr, self._models))})"
