"""The recorder at the model boundary of every driver: answers recorded requests and records new ones."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

from msgspec import Struct

from remit.agent.layered_model import LayeredModel
from remit.agent.media import reads_of
from remit.agent.model import Model, NamedModel, as_no_model_error, ask_directly, model_name, to_model_error
from remit.agent.recorded_answer import (
    add_usage,
    check_answer,
    decode_answer,
    encode_answer,
    to_legal_answer,
    without_secrets,
)
from remit.call.asking import AttemptRecord
from remit.call.call import ModelLayer, ModelService
from remit.call.failures import is_failure
from remit.call.guard import compose_models
from remit.call.redact import limit_error, redact_error
from remit.call.reply import Reply
from remit.call.schema import shorten_text
from remit.chat.chat import ChatRequest, Completion
from remit.chat.streaming import ask_streaming, drop_answer, settle_answer
from remit.core import Place
from remit.errors import (
    CallError,
    DivergedError,
    JournalError,
    ModelError,
    ModelUnavailableError,
    RemitError,
    SetupError,
    Suspended,
    error_from_reply,
)
from remit.layers.retry_model import is_incomplete
from remit.layers.trace import TraceModel
from remit.record.current_run import CURRENT_RUN
from remit.record.estimate import READS_IMAGES, Reads
from remit.record.items import (
    ErasedItem,
    Item,
    Message,
    Mismatch,
    ModelExchange,
    ModelFailure,
    ModelUsage,
)
from remit.record.ledger import Ledger
from remit.record.meter import Reservation
from remit.record.secret import KNOWN_SECRETS


class RecordModel(ModelLayer):
    """Records the answers that leave the layers around a model. Every driver attaches it.

    ``model_name`` finds the price of the model, and ``reads`` says which of its files are estimated.
    """

    place = Place.RECORD

    def __init__(
        self, layered: LayeredModel | None = None, model_name: str = "", *, reads: Reads = READS_IMAGES
    ) -> None:
        self._layered = layered or LayeredModel()
        self._model_name = model_name
        self._reads = reads

    def __call__(self, inner: ModelService, /) -> ModelService:
        """Wrap ``inner``, which is called only if the journal has no answer."""
        return ModelRecorder(inner, self._layered, self._model_name, self._reads).__call__

    def __repr__(self) -> str:
        return "RecordModel()"


class ModelRecorder(Struct, frozen=True):
    """Sends ``model`` only requests without a recorded answer. Returns the answer as recorded in either case."""

    model: ModelService
    layered: LayeredModel
    model_name: str
    reads: Reads

    async def __call__(self, request: ChatRequest, /) -> Completion:
        """Return the answer, recorded or new.

        Raises:
            ModelError: the model could not be asked, or its answer cannot be part of a history or of the journal.
            BudgetError: a limit of the run or of an agent is used up.
            DivergedError: on replay, the request differs from the recorded one.
            NoModelError: no model is available.
            Suspended: the model is unavailable, or its answer is not a completion.
            CancelledError: the run is stopping, and the journal has no answer.
        """
        digest, items = request.digest(), request.ledger.items_for(request.call_id)
        recorded = next((item for item in items if isinstance(item, Message)), None) if items else None
        if recorded is None:
            try:
                answer = await self._ask(request, digest, items)
            except BaseException:
                drop_answer(request.call_id)
                raise
            finally:
                request.ledger.meter.settle(request.call_id)
        else:
            usages = (item for item in reversed(items) if isinstance(item, ModelUsage))
            answer = decode_answer(recorded, next(usages, None))
            _check_digest(request, recorded.request, digest)
            if request.ledger.execution.is_replaying:
                await self._compare_layers(request, recorded, answer)
        for call in answer.tool_calls:
            request.used_call_ids.add(call.id)
        return answer

    async def _compare_layers(self, request: ChatRequest, recorded: Message, answer: Completion) -> None:
        """Compare the actions of the layers in a replay with the recorded ones. A resume does not run them again."""
        found = (item for item in reversed(request.ledger.items_for(request.call_id)) if _is_exchange(item))
        exchange = next(found, None)
        if exchange is None and self.layered.has_layers:  # the agent got them later
            exchange = ModelExchange(call=request.call_id, requests=(recorded.request,))
        if isinstance(exchange, ModelExchange):
            await self.layered.compare(request, answer, exchange, lambda today: to_legal_answer(today, request))

    async def _ask(self, request: ChatRequest, digest: str, items: Sequence[Item]) -> Completion:
        """Ask the model. A failure is recorded: replay raises it again, resume repeats the request.

        Raises:
            Suspended: the model is busy or cannot be reached now, so the run rests.
        """
        ledger = request.ledger
        if ledger.execution.is_stopping:
            raise asyncio.CancelledError
        if items and ledger.execution.is_replaying:
            failures = [item for item in items if isinstance(item, ModelFailure) and item.retry_at is None]
            if failures:
                _check_digest(request, failures[-1].request, digest)
                raise _to_signal(error_from_reply(failures[-1].content))
        ledger.start_flush()
        exchange: ModelExchange | None = None
        try:
            if self.layered.has_layers:
                answer, exchange, reservation = await self.layered.ask(
                    self.model, request, digest, name=self.model_name, reads=self.reads
                )
            else:
                answer, reservation = await self._ask_repeatedly(request, digest)
            answer = to_legal_answer(answer, request)
            answer = without_secrets(answer) if KNOWN_SECRETS.spellings.replacements else answer
            item = encode_answer(request, answer, digest)
            _check_size(ledger, item, answer, reservation)
            settle_answer(request.call_id)
        except (JournalError, DivergedError):
            raise
        except SetupError as error:
            raise as_no_model_error(error) from error
        except BaseException as error:
            if not is_failure(error):
                raise
            failure = _to_failure(error)
            content = Reply.from_error(failure).content
            ledger.add(ModelFailure(call=request.call_id, content=content, request=digest, requested=self.model_name))
            signal = _to_signal(failure)
            if signal is error:
                raise
            raise signal from error
        if exchange is not None:
            ledger.add(exchange)
        ledger.add(item)
        add_usage(ledger, request.call_id, answer, reservation)
        return answer

    async def _ask_repeatedly(self, request: ChatRequest, digest: str) -> tuple[Completion, Reservation]:
        """Ask until the model answers completely, as `RetryModel` allows. Also returns the reservation for the answer.

        Each failure and the usage of each lost answer are on record before the next attempt.
        """
        ledger = request.ledger
        answers: list[tuple[Completion, Reservation]] = []

        async def ask() -> Completion:
            try:
                with ledger.meter.reserve(request, self.model_name, reads=self.reads) as reservation:
                    answer = await ask_streaming(request.call_id, self.model, request)
            except RemitError:
                raise
            except Exception as error:
                raise to_model_error(error) from error
            answers.append((check_answer(answer), reservation))
            return answer

        def record_lost() -> None:
            for answer, reservation in answers:
                add_usage(ledger, request.call_id, without_secrets(answer), reservation)
            answers.clear()
            ledger.meter.settle(request.call_id)

        retry = self.layered.retry
        if retry is None:
            await ask()
        else:
            record = AttemptRecord(ledger, request.call_id, digest, record_lost)
            await retry.repeat(ask, partial(is_incomplete, request), record)
        return answers[-1]


def _check_size(ledger: Ledger, item: Message, answer: Completion, reservation: Reservation) -> None:
    """Refuse an answer that is too long to be recorded. Its usage is on record."""
    limit = CURRENT_RUN.get().limits.reply_bytes
    if len(item.text) * 4 > limit and shorten_text(item.text, limit) != item.text:
        add_usage(ledger, item.call, answer, reservation)
        raise ModelError(f"the model's answer is longer than {limit:,} bytes: {shorten_text(item.text, 200)!r}")


def _check_digest(request: ChatRequest, recorded: str, digest: str) -> None:
    """Compare a request with the recorded one. A difference ends a replay; resume journals it once."""
    if recorded == digest:
        return
    ledger = request.ledger
    if ledger.execution.is_replaying:
        raise DivergedError(
            f"turn {request.turn}: the request to the model differs from the recorded one "
            f"(recorded {recorded[:12]}, today {digest[:12]}): the prompt, the tools, a setting or an earlier "
            f"message changed"
        )
    known = [item for item in ledger.items_for(request.call_id) if isinstance(item, Mismatch)]
    if all(item.today != digest for item in known):
        what = f"request of turn {request.turn}"
        ledger.add(Mismatch(call=request.call_id, what=what, recorded=recorded, today=digest))


def _to_failure(error: BaseException) -> CallError:
    """The error in the form that the journal may store."""
    failure = error if isinstance(error, CallError) else to_model_error(error)
    return limit_error(redact_error(failure), CURRENT_RUN.get().limits.error_bytes)


def _to_signal(failure: CallError) -> BaseException:
    """The signal for a failure: the run rests while the model is unavailable; other failures fail the call."""
    if isinstance(failure, ModelUnavailableError):
        return Suspended(reason=f"{failure.code}: {failure.message}", retry_after=failure.retry_after)
    return failure


def _is_exchange(item: Item) -> bool:
    return isinstance(item, ModelExchange) or (isinstance(item, ErasedItem) and item.was == ModelExchange.kind)


def recorded_model(model: Model, layers: LayeredModel) -> ModelService:
    """The model as every driver asks it: traced, recorded and charged to the budget, inside the layers of an agent."""
    traced = TraceModel(model=model.model, vendor=model.vendor) if isinstance(model, NamedModel) else TraceModel()
    recorder = RecordModel(layers, model_name(model), reads=reads_of(model))
    return compose_models([traced, recorder], partial(ask_directly, model))
