"""Asks models from layers, so that the journal records each request and usage counts each answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from msgspec import Struct

from remit.call.call import ModelService
from remit.call.redact import limit_error, redact_error
from remit.call.reply import Reply
from remit.chat.chat import ChatRequest, Completion
from remit.chat.streaming import CURRENT_CHAT, CurrentChat
from remit.errors import CallError
from remit.record.current_run import CURRENT_RUN
from remit.record.items import ModelFailure
from remit.record.ledger import Ledger


class AttemptRecord(Struct, frozen=True):
    """Records the failed attempts at one model request, so that a later execution continues with the next one.

    ``record_lost`` records the usage of discarded answers.
    """

    ledger: Ledger
    call_id: str
    digest: str
    record_lost: Callable[[], None]

    def next_attempt(self) -> tuple[int, float]:
        """The number of the next attempt, counted from 1, and the seconds until it is due."""
        items = self.ledger.items_for(self.call_id)
        failures = [item for item in items if isinstance(item, ModelFailure)] if items else []
        last = failures[-1] if failures else None
        if last is None or last.retry_at is None:
            return 1, 0.0
        return last.attempt + 1, max(0.0, last.retry_at - self.ledger.now())

    def add(self, error: CallError, attempt: int = 0, delay: float = 0.0) -> None:
        """Record that an attempt failed and that a model is asked again after ``delay`` seconds."""
        self.record_lost()
        content = Reply.from_error(limit_error(redact_error(error), CURRENT_RUN.get().limits.error_bytes)).content
        retry_at = self.ledger.now() + delay
        self.ledger.add(
            ModelFailure(call=self.call_id, content=content, request=self.digest, attempt=attempt, retry_at=retry_at)
        )
        self.ledger.start_flush()


class LayeredChat(CurrentChat, frozen=True, kw_only=True):
    """How the layers around an agent's model ask models.

    Attributes:
        ask: asks a model, or the agent's own model if None.
        attempts: the record of the attempts at the agent's request; None if answers come from the journal.
    """

    ask: Callable[[ModelService | None, ChatRequest], Awaitable[Completion]]
    attempts: AttemptRecord | None = None


def current_attempts() -> AttemptRecord | None:
    """The record of the attempts at the current request; None outside an agent, and for a recorded answer."""
    chat = CURRENT_CHAT.get()
    return chat.attempts if isinstance(chat, LayeredChat) else None


async def ask_model(model: ModelService, request: ChatRequest, /) -> Completion:
    """Ask a model from a layer. In a replay no model is asked; the journal answers."""
    chat = CURRENT_CHAT.get()
    return await (chat.ask(model, request) if isinstance(chat, LayeredChat) else model(request))
