"""Checks what a model answers, before the agent, the user or the journal get it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from remit.contracts.call import ModelLayer, ModelService
from remit.contracts.chat import ChatRequest, Completion, completion_from_message, encode_message


@dataclass(frozen=True, slots=True)
class Guardrail(ModelLayer):
    """Replaces each answer that ``is_allowed`` rejects with the text ``replacement``; its tool calls are not made.

    The journal keeps the usage and a digest of the rejected answer, not the answer. Without a replacement the agent
    fails with `CompletionError`, as for any empty answer.
    """

    is_allowed: Callable[[Completion], bool]
    replacement: str = ""

    def __call__(self, inner: ModelService, /) -> ModelService:
        """Check the answers of ``inner``."""
        message = encode_message({"role": "assistant", "content": self.replacement})
        rejected = completion_from_message(message)

        async def check(request: ChatRequest, /) -> Completion:
            completion = await inner(request)
            if self.is_allowed(completion):
                return completion
            return replace(rejected, model=completion.model)

        return check
