"""Streams pieces of answers in progress to readers. Pieces are never in the journal."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Generator
from contextvars import ContextVar
from typing import Final, Literal, Protocol, TypeVar

from msgspec import Struct, structs

from remit.core.amounts import format_seconds
from remit.core.deadline import Deadline
from remit.errors import ModelUnavailableError
from remit.record.current_run import CURRENT_RUN

Q = TypeVar("Q")
R = TypeVar("R")

DeltaKind = Literal["text", "arguments"]


class Delta(Struct, frozen=True, gc=False):
    """A piece of an answer in progress: of its text, or of a call's arguments.

    ``index`` numbers the answer's calls from 0; ``name`` is the tool once it is known.
    """

    text: str
    kind: DeltaKind = "text"
    index: int = 0
    name: str = ""


class AnswerSink(Protocol):
    """Receives the pieces of one answer, on the event loop that executes the run."""

    def __call__(self, delta: Delta, /) -> None:
        """Add a piece."""
        ...

    def restart(self) -> None:
        """Drop the pieces so far, because the model is asked again."""
        ...


class OpenAnswers(Protocol):
    """The open answers of one run, by the ids of their requests."""

    async def open(self, call: str) -> AnswerSink | None:
        """Open the answer to a request, replacing an earlier attempt; None if the run is not followed."""
        ...

    def settle(self, call: str) -> None:
        """Close an answer that is about to be recorded. Readers then get the record."""
        ...

    def drop(self, call: str) -> None:
        """Close a failed answer if it is open and not settled."""
        ...


class CurrentChat(Struct, frozen=True, kw_only=True):
    """How the current task asks models. Layers around models and adapters of clients extend it with what they need.

    Attributes:
        answers: the open answers of the run; None outside a run, and if pieces must be withheld until the record.
        sink: receives the answer to the request that is being made; None if the run is not followed.
    """

    answers: OpenAnswers | None = None
    sink: AnswerSink | None = None


CURRENT_CHAT: Final[ContextVar[CurrentChat]] = ContextVar("remit_chat", default=CurrentChat())  # noqa: B039 - immutable
"""How the current task asks models: set for each run, request and exchange, and around layers."""


@contextlib.contextmanager
def withhold_answers() -> Generator[None]:
    """Stop the streaming of pieces, because inner content may be shown only after a change."""
    token = CURRENT_CHAT.set(structs.replace(CURRENT_CHAT.get(), answers=None))
    try:
        yield
    finally:
        CURRENT_CHAT.reset(token)


@contextlib.contextmanager
def timed_answers(on_first_piece: Callable[[], None]) -> Generator[None]:
    """Call ``on_first_piece`` when the first piece of an answer arrives."""
    chat = CURRENT_CHAT.get()
    if chat.answers is None:
        yield
        return
    token = CURRENT_CHAT.set(structs.replace(chat, answers=_TimedAnswers(chat.answers, on_first_piece)))
    try:
        yield
    finally:
        CURRENT_CHAT.reset(token)


class _TimedAnswers:
    """Open answers that tell when the first piece of one of them arrives."""

    def __init__(self, answers: OpenAnswers, on_first_piece: Callable[[], None]) -> None:
        self._answers, self._on_first_piece = answers, on_first_piece
        self.settle, self.drop = answers.settle, answers.drop

    async def open(self, call: str) -> AnswerSink | None:
        sink = await self._answers.open(call)
        return None if sink is None else _TimedSink(sink, self._tell_first_piece)

    def _tell_first_piece(self) -> None:
        tell, self._on_first_piece = self._on_first_piece, lambda: None
        tell()


class _TimedSink:
    """A sink that tells about each piece before it passes the piece on."""

    def __init__(self, sink: AnswerSink, on_piece: Callable[[], None]) -> None:
        self._sink, self._on_piece = sink, on_piece
        self.restart = sink.restart

    def __call__(self, delta: Delta, /) -> None:
        self._on_piece()
        self._sink(delta)


def whole_answer(seconds: float, model: str) -> Deadline:
    """Limit a request to ``model`` to ``seconds`` in total, even if pieces of its answer keep arriving."""

    def make_error(_error: asyncio.CancelledError) -> ModelUnavailableError:
        return ModelUnavailableError(f"{model} did not finish its answer within {format_seconds(seconds)}")

    return Deadline(seconds, make_error)


async def ask_streaming(call: str, model: Callable[[Q], Awaitable[R]], request: Q) -> R:
    """Ask a model. If the run is followed, the model may stream its answer to the request ``call``.

    With an empty ``call`` it does not stream. In both cases the time limit of `Limits` applies to the whole answer.
    """
    chat = CURRENT_CHAT.get()
    answers = chat.answers if call else None
    token = CURRENT_CHAT.set(structs.replace(chat, sink=None if answers is None else await answers.open(call)))
    try:
        with whole_answer(CURRENT_RUN.get().limits.reply_seconds, "the model"):
            return await model(request)
    except BaseException:
        drop_answer(call)
        raise
    finally:
        CURRENT_CHAT.reset(token)


def settle_answer(call: str) -> None:
    """Close the answer to a request that is about to be recorded."""
    if (answers := CURRENT_CHAT.get().answers) is not None:
        answers.settle(call)


def drop_answer(call: str) -> None:
    """Close the answer to a failed request."""
    if (answers := CURRENT_CHAT.get().answers) is not None:
        answers.drop(call)
