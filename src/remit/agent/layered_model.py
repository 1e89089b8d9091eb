"""The layers around an agent's model, between the recorder and the model. Their output is on record."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Final

from msgspec import Struct

from remit.agent.media import reads_of
from remit.agent.model import NamedModel, ask_directly, to_model_error
from remit.agent.recorded_answer import add_usage, check_answer
from remit.call.asking import AttemptRecord, LayeredChat
from remit.call.call import ModelLayer, ModelService, viewed_layer
from remit.call.guard import compose_models
from remit.call.redact import redact_error
from remit.call.reply import Reply
from remit.chat.chat import ChatRequest, Completion, completion_from_message
from remit.chat.streaming import CURRENT_CHAT, ask_streaming
from remit.chat.wire import mark_origin, origin_of_text
from remit.errors import CallError, DivergedError, ModelError, RemitError
from remit.layers.add_message import AddMessage
from remit.layers.fallback import Fallback
from remit.layers.retry_model import RetryModel
from remit.layers.timeout import Timeout
from remit.record.estimate import Reads
from remit.record.items import ModelExchange, ModelFailure
from remit.record.meter import NO_RESERVATION, Reservation
from remit.record.secret import redact_secrets_in_content


class LayeredModel:
    """Sends requests through layers, given outermost first and composed once.

    ``retry`` is the only layer if that is a `RetryModel`, which changes no answer.
    ``keeps_answers`` means that no layer changes answers, so pieces of an answer may be streamed before the layers have
    seen all of it.
    """

    def __init__(self, layers: Iterable[ModelLayer] = ()) -> None:
        layers = tuple(layers)
        only = layers[0] if len(layers) == 1 else None
        self.retry = only if isinstance(only, RetryModel) else None
        self.has_layers = bool(layers) and self.retry is None
        self.keeps_answers = all(type(viewed_layer(layer)) in _KEEP_ANSWERS for layer in layers)
        self._service = compose_models(layers, _ask_own_model)

    async def ask(
        self, own_model: ModelService, request: ChatRequest, digest: str, *, name: str, reads: Reads
    ) -> tuple[Completion, ModelExchange, Reservation]:
        """The answer of the outermost layer, the record of the layers' actions, and the reservation.

        The tokens of every model asked count, even if the layers discard or change its answer: those of the last model
        with the answer, those of the others before the next request. ``own_model`` is the agent's model, with its
        ``name`` and the kinds of files that it ``reads``.

        Raises:
            ModelError: a layer changed the fields of an answer, but not its message.
            CallError: as the layers and the models do.
        """
        exchange = _Exchange(request)

        async def ask(model: ModelService | None, chat: ChatRequest) -> Completion:
            exchange.record_lost()
            exchange.requests.append(chat)
            asked, asked_reads = name, reads
            if model is not None:
                asked = f"{model.vendor}:{model.model}" if isinstance(model, NamedModel) else ""
                asked_reads = reads_of(model)
            try:
                with chat.ledger.meter.reserve(chat, asked, reads=asked_reads) as reservation:
                    service = own_model if model is None else partial(ask_directly, model)
                    call = chat.call_id if self.keeps_answers else ""
                    completion = await ask_streaming(call, service, chat)
                    check_answer(completion)
            except CallError as error:
                exchange.failures.append(error)
                raise
            except RemitError:
                raise
            except Exception as error:
                failure = to_model_error(error)
                exchange.failures.append(failure)
                raise failure from error
            exchange.answers.append((completion, reservation))
            return completion

        attempts = AttemptRecord(request.ledger, request.call_id, digest, exchange.record_lost)
        completion, reservation = exchange.settle(await self._send(request, ask, attempts))
        return check_answer(completion), exchange.to_item(completion), reservation

    async def compare(
        self,
        request: ChatRequest,
        recorded: Completion,
        exchange: ModelExchange,
        rename: Callable[[Completion], Completion],
    ) -> None:
        """Run the layers again without a model, and compare their actions with the record.

        Their first request is always compared. The answer is compared only if they left it unchanged, because the
        journal does not hold the original of a changed answer.

        Raises:
            DivergedError: they make another request, or another answer.
        """

        async def ask(_model: ModelService | None, chat: ChatRequest) -> Completion:
            if chat.digest() not in exchange.requests[:1]:
                raise DivergedError("the layers around the model make a request that differs from the recorded one")
            if exchange.changed or len(exchange.requests) > 1:
                raise _OnRecord
            return recorded

        try:
            today = await self._send(request, ask)
        except _OnRecord:
            return
        if rename(today).message != recorded.message:
            raise DivergedError("the layers around the model make an answer that differs from the recorded one")

    async def _send(self, request: ChatRequest, ask: _Ask, attempts: AttemptRecord | None = None) -> Completion:
        """The completion that leaves the outermost layer. ``attempts`` is None if answers come from the journal."""
        token = CURRENT_CHAT.set(LayeredChat(answers=CURRENT_CHAT.get().answers, ask=ask, attempts=attempts))
        try:
            return await self._service(request)
        finally:
            CURRENT_CHAT.reset(token)


_Ask = Callable[[ModelService | None, ChatRequest], Awaitable[Completion]]
_KEEP_ANSWERS: Final = (AddMessage, Fallback, RetryModel, Timeout)
"""The layers that are known to pass answers on unchanged. Their subclasses are not."""


async def _ask_own_model(request: ChatRequest, /) -> Completion:
    chat = CURRENT_CHAT.get()
    assert isinstance(chat, LayeredChat)  # noqa: S101 - set by LayeredModel, which alone calls this
    return await chat.ask(None, request)


class _OnRecord(BaseException):
    """Leaves the layers in a replay after their request is compared. Layers that catch errors do not catch it."""


class _Exchange(Struct):
    """The requests that layers sent for one request, and the raw answers with their reservations."""

    chat: ChatRequest
    requests: list[ChatRequest] = []
    answers: list[tuple[Completion, Reservation]] = []
    failures: list[CallError] = []
    recorded_count: int = 0

    def record_lost(self) -> None:
        """Record the usage of the answers so far, before a model is asked again."""
        for answer, reservation in self.answers[self.recorded_count :]:
            add_usage(self.chat.ledger, self.chat.call_id, replace(answer, response=""), reservation)
        self.recorded_count = len(self.answers)

    def settle(self, completion: Completion) -> tuple[Completion, Reservation]:
        """The completion with the tokens of all unrecorded answers, and the reservation for the last one.

        The raw response of a changed answer is dropped.
        """
        written = completion_from_message(completion.message)
        if (completion.content or None, completion.tool_calls) != (written.content, written.tool_calls):
            raise ModelError(_INCONSISTENT)
        is_raw = self._is_raw(completion)
        last, reservation = self.answers[-1] if self.answers else (completion, NO_RESERVATION)
        counted = self.answers[self.recorded_count :]
        settled = replace(
            completion,
            message=mark_origin(completion.message, origin_of_text(last.message)),
            model=completion.model or last.model,
            prompt_tokens=max(completion.prompt_tokens, sum(each.prompt_tokens for each, _ in counted)),
            completion_tokens=max(completion.completion_tokens, sum(each.completion_tokens for each, _ in counted)),
            cached_tokens=max(completion.cached_tokens, sum(each.cached_tokens for each, _ in counted)),
            reasoning_tokens=max(completion.reasoning_tokens, sum(each.reasoning_tokens for each, _ in counted)),
            response=completion.response if is_raw else "",
        )
        return settled, reservation

    def to_item(self, completion: Completion) -> ModelExchange:
        """The record of the exchange."""
        known = set(self.chat.history)
        items = self.chat.ledger.items_for(self.chat.call_id)
        recorded = {item.content for item in items if isinstance(item, ModelFailure)}
        failures = (Reply.from_error(redact_error(each)).content for each in self.failures)
        sent = [text for each in self.requests if each.history is not self.chat.history for text in each.history]
        return ModelExchange(
            call=self.chat.call_id,
            requests=tuple(each.digest() for each in self.requests),
            added=tuple(dict.fromkeys(redact_secrets_in_content(str(text)) for text in sent if text not in known)),
            answer=hashlib.sha256(self.answers[-1][0].message.encode()).hexdigest() if self.answers else "",
            changed=not self._is_raw(completion),
            failures=tuple(each for each in failures if each not in recorded),
        )

    def _is_raw(self, completion: Completion) -> bool:
        raw = self.answers[-1][0] if self.answers else None
        return raw is not None and (raw.message, raw.finish_reason) == (completion.message, completion.finish_reason)


_INCONSISTENT: Final = (
    "a layer around the model changed the content or the calls of an answer, but not its message; change it with "
    "completion.with_text(…), or make a new one with completion_from_message(…)"
)
