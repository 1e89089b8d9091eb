"""Follows a run: its recorded items, interleaved with the answers that its models are writing."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterator, Sequence
from typing import Any, Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from remit.chat.streaming import DeltaKind
from remit.core.checks import check_counts
from remit.core.deadline import Deadline
from remit.engine.open_answers import STORE_SECONDS, OpenAnswer, find_open_answers
from remit.engine.result import RunResult
from remit.engine.running import start_apart
from remit.engine.watching import wake_streams, watch_run
from remit.errors import JournalError, RequestError
from remit.journal.ports import Store
from remit.record.items import Item, Message, Position, RunFinished
from remit.views.receipt import FindContract, Receipt, receipt_of
from remit.views.run_view import RunView

WATCH_SECONDS: Final = 60.0
"""The seconds for which another process writes pieces after a reader's request."""

_MAX_SEQ: Final = 2**63 - 1
_MAX_OPEN: Final = 1000


class ItemEvent(Struct, frozen=True, gc=False):
    """An item was recorded. A model's message replaces the pieces with the same ``call``.

    ``after`` is the place of an event in the stream: a stream that starts after it continues with the next event.
    ``receipt`` says what the run has changed, if the item is its end and a client follows the run.
    """

    after: str
    position: Position
    receipt: Receipt | None = None

    @property
    def item(self) -> Item:
        """The item."""
        return self.position.item


class DeltaEvent(Struct, frozen=True, gc=False):
    """A model has written a piece of its answer to the request ``call``: part of its text or of a call's arguments.

    ``index`` numbers the calls of the answer from 0, ``name`` is the tool that is called. ``follows`` is the number of
    the item after which the model was asked; the stream has yielded that item.
    """

    after: str
    call: str
    text: str
    kind: DeltaKind = "text"
    index: int = 0
    name: str = ""
    follows: int = -1


class DropEvent(Struct, frozen=True, gc=False):
    """The answer to the request ``call`` was discarded; forget its pieces. The model may be asked again."""

    after: str
    call: str


T = TypeVar("T")

StreamEvent = ItemEvent | DeltaEvent | DropEvent
RunEvent = StreamEvent | RunResult[Any]


class _Cursor:
    """The place of a reader: the last item, and the number of characters read of each open answer."""

    def __init__(self, after: int | str) -> None:
        self.seq = -1
        self.open: dict[str, tuple[tuple[int, int], int]] = {}
        if after == "":
            return
        if isinstance(after, str):
            try:
                self._parse(after)
            except ValueError:
                raise RequestError(f"after is {after[:100]!r}; give the after of an event, or a number") from None
        else:
            check_counts("stream", after=after)
            self.seq = after

    def _parse(self, after: str) -> None:
        seq, *answers = after.split("~", _MAX_OPEN)
        self.seq = int(seq)
        if abs(self.seq) > _MAX_SEQ:
            raise ValueError
        for each in answers:
            epoch, number, offset, call = each.split(".", 3)
            self.open[call] = ((int(epoch), int(number)), max(int(offset), 0))

    def __str__(self) -> str:
        answers = (f"~{epoch}.{number}.{offset}.{call}" for call, ((epoch, number), offset) in self.open.items())
        return f"{self.seq}{''.join(answers)}"

    def lacks_any(self, answers: Sequence[OpenAnswer]) -> bool:
        """Whether an answer that the reader has begun is no longer open."""
        ids = {answer.id for answer in answers}
        return any(known not in ids for known, _ in self.open.values())

    def is_behind(self, answer: OpenAnswer) -> bool:
        """Whether the reader has not received the item that an answer follows."""
        return answer.follows > self.seq

    def advance(self, position: Position) -> ItemEvent:
        """The event of an item."""
        self.seq = position.seq
        if isinstance(position.item, Message):
            self.open.pop(position.item.call, None)
        return ItemEvent(str(self), position)

    def drop_lost(self, answers: Sequence[OpenAnswer]) -> Iterator[DropEvent]:
        """The events of begun answers that are neither open nor recorded."""
        ids = {answer.id for answer in answers}
        for call in [call for call, (known, _) in self.open.items() if known not in ids]:
            del self.open[call]
            yield DropEvent(str(self), call)

    def read_on(self, answer: OpenAnswer) -> Iterator[DeltaEvent]:
        """The events of new pieces of an open answer; none while the item before it is being stored.

        The rest of an answer that is being recorded arrives as its item.
        """
        if answer.is_settled or self.is_behind(answer):
            return
        offset = self.open[answer.call][1] if answer.call in self.open else 0
        for delta in answer.read(offset):
            offset += len(delta.text)
            self.open[answer.call] = (answer.id, offset)
            place = str(self)
            yield DeltaEvent(place, answer.call, delta.text, delta.kind, delta.index, delta.name, answer.follows)


def follow_run(
    store: Store,
    run: str,
    after: int | str,
    poll_seconds: float,
    is_over: Callable[[], Awaitable[bool]],
    find_contract: FindContract | None = None,
) -> AsyncGenerator[StreamEvent]:
    """Yield the events of a run after the place ``after``, until it ends. ``find_contract`` is for the receipt.

    Raises:
        RequestError: at the call, if no stream has the place ``after``.
    """
    return _follow(store, run, _Cursor(after), poll_seconds, is_over, find_contract)


async def _follow(
    store: Store,
    run: str,
    cursor: _Cursor,
    poll_seconds: float,
    is_over: Callable[[], Awaitable[bool]],
    find_contract: FindContract | None,
) -> AsyncGenerator[StreamEvent]:
    now, renew_at, read_at = asyncio.get_running_loop().time, 0.0, 0.0
    has_ended, reads_items = False, True
    view = RunView() if cursor.seq < 0 else None
    with watch_run(run) as changed:
        while True:
            reads_items = changed.reset() or reads_items
            answers, is_here = await find_open_answers(store, run)
            is_behind = not is_here and any(map(cursor.is_behind, answers))  # in this process, items wake the stream
            if reads_items or is_behind or cursor.lacks_any(answers):
                # Read after the answers: an answer that is no longer open was recorded as an item or discarded.
                has_ended, read_at = await is_over(), now()
                items = await store.read(run, cursor.seq)
                for position in items:
                    event = cursor.advance(position)
                    if view is not None:
                        view.add(event.item, position.at)
                    if find_contract is not None and isinstance(event.item, RunFinished):
                        whole = view or RunView.of(await store.read(run))
                        event = replace(event, receipt=receipt_of(whole, find_contract))
                    yield event
                for event in cursor.drop_lost(answers):
                    yield event
                recorded = {each.item.call for each in items if isinstance(each.item, Message)}
                answers = [each for each in answers if each.call not in recorded]
            for delta in (delta for answer in answers for delta in cursor.read_on(answer)):
                yield delta
            if has_ended:
                return
            if not is_here and now() >= renew_at:
                renew_at = now() + WATCH_SECONDS / 2
                with contextlib.suppress(JournalError):  # without it, answers arrive when they are recorded
                    await store.watch(run, WATCH_SECONDS)
            try:
                is_followed_afar = answers and not is_here
                seconds = min(poll_seconds, STORE_SECONDS) if is_followed_afar else poll_seconds
                with Deadline(seconds, _time_is_over):  # in Python 3.11 wait_for loses a cancellation of the reader
                    await changed.wait()
                reads_items = now() >= read_at + poll_seconds  # the reader may no longer see the run
            except TimeoutError:
                reads_items = True


def _time_is_over(_error: asyncio.CancelledError) -> TimeoutError:
    return TimeoutError()


async def follow_execution(
    store: Store, run: str, execution: Coroutine[Any, Any, T], poll_seconds: float = 0.5
) -> AsyncGenerator[StreamEvent | T]:
    """Execute a run in a separate task; yield its events and then the result of ``execution``."""
    task = start_apart(execution)
    task.add_done_callback(lambda _task: wake_streams(run, for_items=True))

    async def has_ended() -> bool:
        return task.done()

    async with contextlib.aclosing(follow_run(store, run, -1, poll_seconds, has_ended)) as events:
        async for event in events:
            yield event
    yield await task


def seq_of_place(after: str) -> int:
    """The number of the last item before a place in a stream.

    Raises:
        RequestError: it is not a place.
    """
    return _Cursor(after).seq
