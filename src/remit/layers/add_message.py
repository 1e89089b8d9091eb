"""Adds a message to each model request, such as a reminder that stays last in a long conversation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from remit.call.call import ModelLayer, ModelService
from remit.chat.chat import ChatRequest, Completion, encode_message
from remit.core.argument_types import FilledText
from remit.core.call_checks import check_arguments


@check_arguments()
@dataclass(frozen=True, slots=True)
class AddMessage(ModelLayer):
    """Appends ``text`` to the messages of each request. The conversation does not keep it; the journal records it.

    Raises:
        SetupError: the text is empty, or the role is neither ``system`` nor ``user``.
    """

    text: FilledText
    role: Literal["system", "user"] = "system"

    def __call__(self, inner: ModelService, /) -> ModelService:
        """Add the message to requests to ``inner``."""
        message = encode_message({"role": self.role, "content": self.text})

        async def add(request: ChatRequest, /) -> Completion:
            return await inner(replace(request, history=request.history.with_messages(message)))

        return add
