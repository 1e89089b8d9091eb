"""The answers that the models of an executing run are writing, each in a buffer that readers read at their own pace."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec import structs

from remit.chat.streaming import CURRENT_CHAT, AnswerSink, CurrentChat, Delta
from remit.engine.watching import is_watched, wake_streams
from remit.errors import JournalError
from remit.journal.ledger import StoredCallback
from remit.journal.ports import AnswerPiece, Store
from remit.record.current_run import CURRENT_RUN
from remit.record.items import Message, Position
from remit.record.secret import KNOWN_SECRETS, contains_secret
from remit.schemas.jsontext import ascii_json

STORE_SECONDS: Final = 0.1
"""Seconds between two writes of pieces for readers in other processes."""

_WATCH_SECONDS: Final = 0.5
"""The seconds for which a check for watchers in other processes remains valid."""

_SEGMENT_COST: Final = 100
_MAX_TEXTS: Final = 256
_ANY_LENGTH: Final = 1 << 62
_BOARDS: Final[dict[tuple[int, str], RunAnswers]] = {}
"""The open answers of the runs that this process executes, by store and run."""
_LOCK: Final = threading.Lock()


class _Segment:
    """Successive pieces of one part of an answer."""

    __slots__ = ("delta", "start", "texts")

    def __init__(self, delta: Delta, start: int) -> None:
        self.delta = delta
        self.start = start
        self.texts = [delta.text]

    def add(self, text: str) -> None:
        """Add a piece of the same part."""
        self.texts.append(text)
        if len(self.texts) > _MAX_TEXTS:
            self.texts = ["".join(self.texts)]

    def read(self, offset: int, end: int) -> Delta:
        """The part of the whole answer from ``offset`` to ``end``, searched from its end."""
        length, needed = sum(map(len, self.texts)), offset - self.start
        first = len(self.texts)
        while first and length > needed:
            first -= 1
            length -= len(self.texts[first])
        text = "".join(self.texts[first:])
        return structs.replace(self.delta, text=text[needed - length : max(end - self.start - length, 0)])


class OpenAnswer:
    """The pieces of one answer so far, up to ``limit`` characters, and none after a secret's value.

    ``follows`` is the number of the last item that the run had when the answer was opened.
    """

    def __init__(self, call: str, epoch: int, number: int, limit: int, follows: int) -> None:
        self.call = call
        self.id = (epoch, number)
        self.follows = follows
        self.is_settled = False
        self.stored = 0
        self._room = limit + _SEGMENT_COST
        self._segments: list[_Segment] = []
        self._length = self._visible = 0
        self._tails: dict[tuple[str, int], str] = {}
        self._held: dict[tuple[str, int], int] = {}

    def add(self, delta: Delta) -> None:
        """Add a piece."""
        if not delta.text or self._room <= 0:
            return
        with _LOCK:
            part = (delta.kind, delta.index)
            held_back = self._hold_back(part, delta.text)
            if held_back is None or contains_secret(delta.name):
                self._room = 0
                return
            last = self._segments[-1] if self._segments else None
            if last is None or part != (last.delta.kind, last.delta.index):
                self._segments.append(_Segment(delta, self._length))
                self._room -= _SEGMENT_COST
            else:
                last.add(delta.text)
            self._length += len(delta.text)
            self._room -= len(delta.text)
            if held_back == 0:
                self._held.pop(part, None)
            elif held_back <= len(delta.text):  # otherwise it began in an earlier piece, which is held back already
                self._held[part] = self._length - held_back
            self._visible = max(self._visible, min(self._held.values(), default=self._length))

    def _hold_back(self, part: tuple[str, int], text: str) -> int | None:
        """The number of characters at the end that may begin a secret's value; None if ``text`` completes one."""
        if not KNOWN_SECRETS.spellings.replacements:
            return 0
        text = self._tails.get(part, "") + text
        if contains_secret(text):
            return None
        held_back = KNOWN_SECRETS.spellings.length_of_beginning(text)
        self._tails[part] = text[len(text) - held_back :]
        return held_back

    def read(self, offset: int) -> list[Delta]:
        """The pieces after ``offset`` characters, with one delta for successive pieces of one part."""
        with _LOCK:
            first = len(self._segments)
            while first and (first == len(self._segments) or self._segments[first].start > offset):
                first -= 1
            found = [each.read(max(offset, each.start), self._visible) for each in self._segments[first:]]
            return [each for each in found if each.text]


class _Sink:
    """Takes the answer to one request, and wakes the readers."""

    def __init__(self, board: RunAnswers, call: str) -> None:
        self._board = board
        self._call = call
        self._answer = board.add_answer(call)

    def __call__(self, delta: Delta, /) -> None:
        self._answer.add(delta)
        wake_streams(self._board.run)

    def restart(self) -> None:
        if self._board.is_open(self._answer):
            self._answer = self._board.add_answer(self._call)


class RunAnswers:
    """The open answers of one execution of a run; see `remit.chat.streaming.OpenAnswers`.

    Readers of this process read the buffers. If readers in other processes watch, the pieces are written to the store.
    ``last_seq`` returns the number of the run's last item, stored or not; a newly opened answer follows that item.
    ``is_expected``: the run is likely to be followed soon. ``is_new``: no other process knows the run yet, so none can
    watch it. As a context manager, it shows readers of this process the answers that the current task opens.
    """

    def __init__(
        self,
        store: Store,
        run: str,
        epoch: int,
        last_seq: Callable[[], int],
        *,
        is_expected: bool = False,
        is_new: bool = False,
    ) -> None:
        self._store = store
        self.run = run
        self._epoch = epoch
        self._last_seq = last_seq
        self._is_expected = is_expected
        self._answers: dict[str, OpenAnswer] = {}
        self._count = 0
        self._checked_at = asyncio.get_running_loop().time() if is_new else -_WATCH_SECONDS
        self._is_watched_elsewhere = False
        self._storing: asyncio.Task[None] | None = None

    def __enter__(self) -> None:
        """Publish the answers."""
        self._token = CURRENT_CHAT.set(CurrentChat(answers=self))
        _BOARDS[id(self._store), self.run] = self

    def __exit__(self, *_exception: object) -> None:
        """Close the answers that are not on record."""
        key = (id(self._store), self.run)
        CURRENT_CHAT.reset(self._token)
        if _BOARDS.get(key) is self:
            del _BOARDS[key]
        for answer in self.snapshot():
            self._close(answer)
        wake_streams(self.run)
        if self._storing is not None:
            self._storing.cancel()

    def forget_recorded_and(self, on_stored: StoredCallback) -> StoredCallback:
        """The callback for stored items: forgets the answers that they record, then calls ``on_stored``."""

        def forget(positions: Sequence[Position]) -> None:
            for position in positions if self._answers else ():
                answer = self._answers.get(position.item.call) if isinstance(position.item, Message) else None
                if answer is not None:
                    self._close(answer)
            on_stored(positions)

        return forget

    async def open(self, call: str) -> AnswerSink | None:
        """Open the answer to a request, if the run is followed."""
        is_followed = self._is_expected or is_watched(self.run) or await self._check_watched()
        return _Sink(self, call) if is_followed else None

    def add_answer(self, call: str) -> OpenAnswer:
        """Open an answer in place of an earlier attempt."""
        self.drop(call)
        self._count += 1
        answer = OpenAnswer(call, self._epoch, self._count, CURRENT_RUN.get().limits.reply_bytes, self._last_seq())
        with _LOCK:
            self._answers[call] = answer
        if self._storing is None or self._storing.done():
            self._storing = asyncio.create_task(self._store_pieces())
        return answer

    def is_open(self, answer: OpenAnswer) -> bool:
        """Whether an answer can still be written."""
        return self._answers.get(answer.call) is answer and not answer.is_settled

    def settle(self, call: str) -> None:
        """Close an answer that is recorded next."""
        answer = self._answers.get(call)
        if answer is not None:
            answer.is_settled = True
            if answer.stored:
                self._write([AnswerPiece(call, answer.id[1], -1, "", answer.follows)])

    def drop(self, call: str) -> None:
        """Close a discarded answer."""
        answer = self._answers.get(call)
        if answer is not None and not answer.is_settled:
            self._close(answer)
            wake_streams(self.run)

    def snapshot(self) -> list[OpenAnswer]:
        """The answers that are not on record."""
        with _LOCK:
            return list(self._answers.values())

    def _close(self, answer: OpenAnswer) -> None:
        with _LOCK:
            self._answers.pop(answer.call, None)
        if answer.stored:
            self._write((), closed=(answer.id[1],))

    async def _check_watched(self) -> bool:
        """Whether another process watches the run."""
        now = asyncio.get_running_loop().time()
        if now - self._checked_at >= _WATCH_SECONDS:
            self._checked_at = now
            try:
                self._is_watched_elsewhere = await self._store.is_watched(self.run)
            except JournalError:
                self._is_watched_elsewhere = False
        return self._is_watched_elsewhere

    async def _store_pieces(self) -> None:
        """Write new pieces for readers in other processes while an answer is open."""
        while self._answers:
            await asyncio.sleep(STORE_SECONDS)
            if not await self._check_watched():
                continue
            pieces: list[AnswerPiece] = []
            for answer in self._answers.values():
                found = [] if answer.is_settled else answer.read(answer.stored)
                if found:
                    body = encode_deltas(found)
                    pieces.append(AnswerPiece(answer.call, answer.id[1], answer.stored, body, answer.follows))
                    answer.stored += sum(len(each.text) for each in found)
            if pieces:
                self._write(pieces)

    def _write(self, pieces: Sequence[AnswerPiece], closed: Sequence[int] = ()) -> None:
        """Write pieces in the order of calls. A piece that cannot be written is lost."""
        writing = self._store.write_pieces(self.run, self._epoch, pieces, closed)
        writing.add_done_callback(lambda done: done.cancelled() or done.exception())


def encode_deltas(deltas: Iterable[Delta]) -> str:
    """Deltas as JSON."""
    return ascii_json([[each.text, each.kind, each.index, each.name] for each in deltas])


async def find_open_answers(store: Store, run: str) -> tuple[list[OpenAnswer], bool]:
    """The open answers of a run, and whether this process executes it."""
    board = _BOARDS.get((id(store), run))
    if board is not None:
        return board.snapshot(), True
    answers: dict[int, OpenAnswer] = {}
    epoch, pieces = await store.read_pieces(run)
    for piece in pieces:
        opened = OpenAnswer(piece.call, epoch, piece.number, _ANY_LENGTH, piece.follows)
        answer = answers.setdefault(piece.number, opened)
        if piece.start < 0:
            answer.is_settled = True
        else:
            for text, kind, index, name in json.loads(piece.body):
                answer.add(Delta(text, kind, index, name))
    return list(answers.values()), False
