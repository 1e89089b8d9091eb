"""The recorder at the model boundary of every driver: answers recorded requests and records new ones."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import Generic, Protocol, TypeVar

from msgspec import Struct

from remit.agent.layered_model import LayeredRequests
from remit.agent.usage_record import add_usage
from remit.contracts.asking import AttemptRecord
from remit.contracts.current_run import CURRENT_LIMITS
from remit.contracts.estimate import READS_IMAGES, Reads
from remit.contracts.failures import is_failure
from remit.contracts.items import (
    ErasedItem,
    Item,
    Message,
    Mismatch,
    ModelExchange,
    ModelFailure,
    ModelReply,
    ModelUsage,
    RunStalled,
)
from remit.contracts.ledger import Ledger
from remit.contracts.meter import Reservation
from remit.contracts.redact import limit_error, redact_error
from remit.contracts.reply import Reply
from remit.contracts.schema import shorten_text
from remit.contracts.streaming import drop_answer, settle_answer, streamed_answer
from remit.errors import (
    CallError,
    CompletionError,
    DivergedError,
    JournalError,
    ModelUnavailableError,
    NoModelError,
    RemitError,
    SetupError,
    Suspended,
    as_no_model_error,
    error_from_reply,
)


class ModelRequest(Protocol):
    """The properties of a request that the recorder needs, independent of the driver's own types."""

    @property
    def ledger(self) -> Ledger:
        """The ledger of the run."""
        ...

    @property
    def turn(self) -> int:
        """The number of the request within its agent's call, from 1."""
        ...

    @property
    def call_id(self) -> str:
        """The id under which the journal stores the answer."""
        ...

    @property
    def max_tokens(self) -> int | None:
        """The most tokens that the answer may have; None for the endpoint's limit."""
        ...

    @property
    def used_call_ids(self) -> set[str]:
        """The ids of all tool calls in the history; the recorder adds those of each answer."""
        ...

    def texts(self) -> Iterable[str]:
        """Everything that the model reads, in pieces, from which its tokens are estimated."""
        ...

    def digest(self) -> str:
        """sha256 (hex) over everything in the request that can change the answer."""
        ...


Q_contra = TypeVar("Q_contra", contravariant=True)
R = TypeVar("R")
Q = TypeVar("Q", bound=ModelRequest)


class ModelCodec(Protocol[Q_contra, R]):
    """Converts one driver's answers to journal items and back."""

    def list_calls(self, answer: R, /) -> Sequence[tuple[str, str]]:
        """The id and the name of each tool call, as the model wrote them."""
        ...

    def rename_calls(self, answer: R, ids: Iterator[str], /) -> R:
        """Return the answer with a new id for every tool call, and a name for calls without one."""
        ...

    def is_incomplete(self, answer: R, /) -> bool:
        """Whether the answer has no calls and was cut, or is empty."""
        ...

    def encode(self, request: Q_contra, answer: R, digest: str, /) -> tuple[Message | ModelReply, ModelUsage, R]:
        """Encode an answer. Returns its two items and the answer decoded from them.

        Raises:
            CompletionError: the journal cannot represent the answer.
        """
        ...

    def decode(self, recorded: Message | ModelReply, usage: ModelUsage | None, /) -> R:
        """Decode a recorded answer. The usage may have been lost in a crash."""
        ...

    def to_call_error(self, error: BaseException, /) -> CallError:
        """Map an exception of the driver's library to a call error."""
        ...


class ModelRecorder(Struct, Generic[Q, R], frozen=True, kw_only=True):
    """Sends ``model`` only requests without a recorded answer. Returns the answer as recorded in either case.

    ``model_name`` finds the price of the model, and ``reads`` says which of its files are estimated.
    ``missing_model`` is the reason why no model is available, if that is known in advance. A request that differs from
    the recorded one then raises it, because only the missing model may be the cause of the difference.
    """

    model: Callable[[Q], Awaitable[R]]
    codec: ModelCodec[Q, R]
    model_name: str = ""
    reads: Reads = READS_IMAGES
    missing_model: NoModelError | None = None
    layered: LayeredRequests[Q, R] | None = None

    async def __call__(self, request: Q, /) -> R:
        """Return the answer, recorded or new.

        Raises:
            ModelError: the model could not be asked.
            BudgetError: a limit of the run or of an agent is used up.
            CompletionError: the answer cannot be part of a history or of the journal.
            DivergedError: another driver recorded the answer; or, on replay, the request differs from the recorded one.
            NoModelError: no model is available.
            CancelledError: the run is stopping, and the journal has no answer.
        """
        digest, items = request.digest(), request.ledger.items_for(request.call_id)
        recorded = _find_recorded(items) if items else None
        if recorded is None:
            try:
                answer = await self._ask(request, digest, items)
            finally:
                drop_answer(request.call_id)
                request.ledger.meter.settle(request.call_id)
        else:
            usages = (each for each in reversed(items) if isinstance(each, ModelUsage))
            answer = self.codec.decode(recorded, next(usages, None))
            if self.layered is None:
                self._check_digest(request, recorded.request, digest)
            else:
                answer = await self._answer_layered(self.layered, request, recorded.request, digest, answer)
        request.used_call_ids.update([call_id for call_id, _ in self.codec.list_calls(answer)])
        return answer

    async def _answer_layered(
        self, layered: LayeredRequests[Q, R], request: Q, recorded: str, digest: str, answer: R
    ) -> R:
        """The recorded answer. A replay compares what the layers do; a resume does not run them again.

        Without a record of the layers, the answer was recorded inside them, as journals once were: they run over it.
        """
        items = request.ledger.items_for(request.call_id)
        exchange = next((each for each in reversed(items) if _is_exchange(each)), None)
        if exchange is None and layered.model.has_layers:
            return await layered.run_on_record(
                request, answer, digest, lambda today: self._check_digest(request, recorded, today)
            )
        self._check_digest(request, recorded, digest)
        if isinstance(exchange, ModelExchange) and request.ledger.is_replaying:
            await layered.compare(request, answer, exchange, lambda today: self._ensure_unique_call_ids(today, request))
        return answer

    def has_answer(self, request: Q, /) -> bool:
        """Whether the journal has the answer."""
        return _find_recorded(request.ledger.items_for(request.call_id)) is not None

    async def _ask(self, request: Q, digest: str, items: Sequence[Item]) -> R:
        """Ask the model. A failure is recorded: replay raises it again, resume repeats the request.

        Raises:
            Suspended: the model is busy or cannot be reached now, so the run rests.
        """
        ledger = request.ledger
        if ledger.is_stopping:
            raise asyncio.CancelledError
        failures = [item for item in items if isinstance(item, ModelFailure) and item.retry_at is None]
        if failures and ledger.is_replaying:
            self._check_digest(request, failures[-1].request or digest, digest)
            raise _as_signal(ledger, error_from_reply(failures[-1].content))
        ledger.start_flush()
        try:
            if self.layered is not None and self.layered.model.has_layers:
                answer, exchange, reservation = await self.layered.ask(
                    request, digest, self.codec.to_call_error, self.model_name, reads_own=self.reads
                )
            else:
                exchange = None
                answer, reservation = await self._ask_repeatedly(request, digest)
            item, usage, answer = self.codec.encode(request, self._ensure_unique_call_ids(answer, request), digest)
            self._check_size(ledger, item, usage, reservation)
            settle_answer(request.call_id)
        except (JournalError, DivergedError):
            raise
        except SetupError as error:
            raise as_no_model_error(error) from error
        except BaseException as error:
            if not is_failure(error):
                raise
            failure = error if isinstance(error, CallError) else self.codec.to_call_error(error)
            failure = limit_error(redact_error(failure), CURRENT_LIMITS.get().error_bytes)
            ledger.add(ModelFailure(call=request.call_id, content=Reply.from_error(failure).content, request=digest))
            if isinstance(failure, ModelUnavailableError):
                raise _to_signal(failure) from error
            if failure is error:
                raise
            raise failure from error
        if exchange is not None:
            ledger.add(exchange)
        ledger.add(item)
        add_usage(ledger, usage, reservation)
        return answer

    async def _ask_repeatedly(self, request: Q, digest: str) -> tuple[R, Reservation | None]:
        """Ask until the model answers completely, as `RetryModel` allows. Returns what was reserved for the answer too.

        Each failure and the usage of each lost answer are on record before the next attempt.
        """
        ledger = request.ledger
        answers: list[tuple[R, Reservation | None]] = []

        async def ask() -> R:
            try:
                with ledger.meter.reserve(request, self.model_name, reads=self.reads) as reservation:
                    async with streamed_answer(request.call_id):
                        answer = await self.model(request)
            except RemitError:
                raise
            except Exception as error:
                raise self.codec.to_call_error(error) from error
            answers.append((answer, reservation))
            return answer

        def record_lost() -> None:
            for answer, reservation in answers:
                add_usage(ledger, self.codec.encode(request, answer, digest)[1], reservation)
            answers.clear()
            ledger.meter.settle(request.call_id)

        retry = self.layered.model.retry if self.layered is not None else None
        if retry is None:
            await ask()
        else:
            record = AttemptRecord(ledger, request.call_id, digest, record_lost)
            await retry.repeat(ask, self.codec.is_incomplete, record)
        return answers[-1]

    @staticmethod
    def _check_size(
        ledger: Ledger, item: Message | ModelReply, usage: ModelUsage, reservation: Reservation | None
    ) -> None:
        """Refuse an answer that is too long to be recorded. Its usage is on record."""
        answer = item.text if isinstance(item, Message) else item.response
        limit = CURRENT_LIMITS.get().reply_bytes
        if shorten_text(answer, limit) != answer:
            add_usage(ledger, usage, reservation)
            raise CompletionError(f"the model's answer is longer than {limit:,} bytes: {shorten_text(answer, 200)!r}")

    def _check_digest(self, request: Q, recorded: str, digest: str) -> None:
        """Compare a request with the recorded one. A difference ends a replay; resume journals it once."""
        if recorded == digest:
            return
        if self.missing_model is not None:
            raise self.missing_model
        ledger = request.ledger
        if ledger.is_replaying:
            raise DivergedError(
                f"turn {request.turn}: the request to the model is not the recorded one "
                f"(recorded {recorded[:12]}, today {digest[:12]}): the prompt, the tools, a setting or an earlier "
                f"message changed"
            )
        known = [item for item in ledger.items_for(request.call_id) if isinstance(item, Mismatch)]
        if all(item.today != digest for item in known):
            what = f"request of turn {request.turn}"
            ledger.add(Mismatch(call=request.call_id, what=what, recorded=recorded, today=digest))

    def _ensure_unique_call_ids(self, answer: R, request: Q) -> R:
        """Return the answer with a new id and a name for every tool call.

        Some endpoints give no id or the same id each turn, and some models name no tool; a history allows neither.
        """
        calls, used = self.codec.list_calls(answer), request.used_call_ids
        ids = [call_id for call_id, name in calls if call_id and name]
        if len(set(ids)) == len(calls) and used.isdisjoint(ids):
            return answer
        numbered = (f"call_{number}_{request.turn}" for number in count(len(used)))
        return self.codec.rename_calls(answer, (each for each in numbered if each not in used))


def _to_signal(failure: ModelUnavailableError) -> Suspended:
    return Suspended(reason=f"{failure.code}: {failure.message}", retry_after=failure.retry_after)


def _as_signal(ledger: Ledger, failure: CallError) -> BaseException:
    """What a recorded failure led to: runs of older journals never stalled, but failed with it."""
    stalled = any(isinstance(item, RunStalled) for item in ledger.items_for(ledger.run))
    return _to_signal(failure) if isinstance(failure, ModelUnavailableError) and stalled else failure


def _is_exchange(item: Item) -> bool:
    """Whether an item records what layers did, and not only failures, as earlier versions recorded them."""
    if isinstance(item, ModelExchange):
        return bool(item.requests) or item.changed
    return isinstance(item, ErasedItem) and item.was == ModelExchange.kind


def _find_recorded(items: Sequence[Item]) -> Message | ModelReply | None:
    return next((item for item in items if isinstance(item, (Message, ModelReply))), None)


def check_complete(finish_reason: str, *, has_content: bool, max_tokens: int | None) -> None:
    """Refuse an answer without calls that is cut, empty or filtered. Called after the answer is recorded.

    The journal and the trace keep the answer, so a replay refuses it again.

    Raises:
        CompletionError: the message gives the reason.
    """
    if finish_reason == "length":
        limit = "the limit of its endpoint" if max_tokens is None else f"max_tokens={max_tokens}"
        raise CompletionError(f"the model's answer was cut at {limit}; ask for less at a time, or allow more tokens")
    if has_content:
        return
    if finish_reason == "content_filter":
        raise CompletionError("the model's answer was held back by a content filter; ask in other words")
    raise CompletionError(f"the model's answer is empty: no text and no calls (it stopped for {finish_reason!r})")
