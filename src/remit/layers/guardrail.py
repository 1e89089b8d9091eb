"""Checks a model's answers before the agent, the user or the journal receives them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, cast

from remit.call.call import ModelLayer, ModelService, RunsOwnCode
from remit.chat.chat import ChatRequest, Completion, completion_from_message, encode_message
from remit.core.call_checks import callback, check_arguments
from remit.errors import InternalError


@check_arguments()
@dataclass(frozen=True, slots=True)
class Guardrail(RunsOwnCode, ModelLayer):
    """Replaces each answer that ``is_allowed`` rejects by the text ``replacement``, and drops its tool calls.

    The journal keeps the usage and a digest of the rejected answer, but not the answer. Without a replacement, the
    agent's result says that the answer was withheld.

    Raises:
        SetupError: the predicate is not callable, or the replacement is not text.
    """

    is_allowed: Annotated[Callable[[Completion], bool], callback("completion", is_async=False)]
    replacement: str = ""

    def __call__(self, inner: ModelService, /) -> ModelService:
        """Check the answers of ``inner``."""
        message = encode_message({"role": "assistant", "content": self.replacement})
        rejected = completion_from_message(message, finish_reason="stop" if self.replacement else "content_filter")

        async def check(request: ChatRequest, /) -> Completion:
            completion = await inner(request)
            allowed = cast("object", self.is_allowed(completion))
            if not isinstance(allowed, bool):  # a coroutine is truthy, and would let every answer pass
                raise InternalError(f"Guardrail: is_allowed returned {type(allowed).__name__}; return True or False")
            return completion if allowed else replace(rejected, model=completion.model)

        return check
