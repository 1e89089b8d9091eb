"""Places in the stream of a run: the ids of its server-sent events."""

from __future__ import annotations

from typing import Final, NamedTuple

from remit.client.following import seq_of_place
from remit.errors import RequestError
from remit.server.agui.answers import ToldAnswer

_MAX_CHARS: Final = 20_000


class StreamPlace(NamedTuple):
    """A place: ``run|after|n`` and the answers that were told in part.

    ``after`` is a place of `Client.stream`, and ``skip`` the number of events that were told of what comes next.
    """

    run: str
    after: str = ""
    skip: int = 0
    told: tuple[ToldAnswer, ...] = ()

    @property
    def seq(self) -> int:
        """The number of the last item before it."""
        return seq_of_place(self.after) if self.after else -1

    def __str__(self) -> str:
        return f"{self.run}|{self.after}|{'~'.join([str(self.skip), *map(str, self.told)])}"

    @staticmethod
    def parse(run: str, text: str) -> StreamPlace:
        """The place with an id in the stream of ``run``. A place of `Client.stream` is one too; empty: the beginning.

        Raises:
            RequestError: it is not a place, or a place in another run.
        """
        if not text.isprintable():
            raise RequestError(f"after is {text[:100]!r}; give the id of an event, or leave it out")
        if "|" not in text:
            return StreamPlace(run, text)
        try:
            of, after, told = text[:_MAX_CHARS].split("|")
            skip, *answers = told.split("~")
            place = StreamPlace(of, after, max(int(skip), 0), tuple(map(ToldAnswer.parse, answers)))
        except ValueError:
            raise RequestError(f"after is {text[:100]!r}; give the id of an event, or leave it out") from None
        if of != run:
            raise RequestError(f"after is a place in run {of[:100]!r}; the stream is of {run!r}")
        return place
