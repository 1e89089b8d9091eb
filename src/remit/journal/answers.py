"""Answers in progress, in memory."""

from __future__ import annotations

import abc
import asyncio
from collections.abc import Callable, Sequence

from remit.journal.ports import AnswerPiece, AppendFuture


class InMemoryAnswers(abc.ABC):
    """The pieces of answers in this process's memory, and the runs whose answers are watched."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._watches: dict[str, float] = {}
        self._pieces: dict[str, tuple[int, list[AnswerPiece]]] = {}

    async def watch(self, run: str, seconds: float) -> None:
        """Ask the executor of a run for the pieces of answers, for ``seconds``."""
        self._watches = {each: until for each, until in self._watches.items() if until > self._clock()}
        self._watches[run] = self._clock() + seconds

    async def is_watched(self, run: str) -> bool:
        """Whether a reader has asked for the pieces of the run's answers."""
        return self._watches.get(run, 0.0) > self._clock()

    def write_pieces(
        self, run: str, epoch: int, pieces: Sequence[AnswerPiece], closed: Sequence[int] = ()
    ) -> AppendFuture:
        """Store pieces and delete those of the ``closed`` answers, unless another epoch has started."""
        done: AppendFuture = asyncio.get_running_loop().create_future()
        done.set_result(None)
        if epoch == self._epoch_of(run):
            stored_epoch, stored = self._pieces.pop(run, (epoch, []))
            kept = [*(stored if stored_epoch == epoch else ()), *pieces]
            if left := sorted(each for each in kept if each.number not in closed):
                self._pieces[run] = (epoch, left)
        return done

    async def read_pieces(self, run: str) -> tuple[int, list[AnswerPiece]]:
        """The epoch of a run and its stored pieces, in order within each answer."""
        current = self._epoch_of(run)
        epoch, pieces = self._pieces.get(run, (current, []))
        return current, pieces if epoch == current else []

    @abc.abstractmethod
    def _epoch_of(self, run: str) -> int:
        """The epoch of a run; 0 for an unknown one."""
