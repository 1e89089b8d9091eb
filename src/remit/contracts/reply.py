"""A reply is what a call gives, good or bad."""

from __future__ import annotations

from typing import NamedTuple, NoReturn

from remit.contracts.items import Outcome
from remit.contracts.schema import content_of
from remit.errors import CallError, DeniedError, from_reply
from remit.schemas.jsontext import compact


class _Unread:
    """Stands for a value that is known only as content yet."""

    def __repr__(self) -> str:
        return "UNREAD"


UNREAD = _Unread()


class Reply(NamedTuple):
    """What a call gives: ``content`` is what a model reads, ``value`` what a Python caller gets.

    Make one with `of`, `final` or `failed`. A reply that ``ends`` ends the run with its value.
    """

    content: str
    outcome: Outcome = "ok"
    value: object = UNREAD
    error: CallError | None = None
    ends: bool = False

    @staticmethod
    def of(value: object) -> Reply:
        """A good reply."""
        return Reply(content_of(value), "ok", value)

    @staticmethod
    def final(value: object) -> Reply:
        """A good reply that ends the run, for all agents above: siblings finish, then it is done with this value."""
        return Reply(content_of(value), "ok", value, ends=True)

    @staticmethod
    def failed(error: CallError) -> Reply:
        """The reply that stands for an error."""
        outcome: Outcome = "denied" if isinstance(error, DeniedError) else "error"
        return Reply(compact(error.reply()), outcome, UNREAD, error)

    @staticmethod
    def recorded(content: str, outcome: Outcome, *, ends: bool) -> Reply:
        """The reply that a journal tells of."""
        error = None if outcome == "ok" else from_reply(content)
        return Reply(content, outcome, error=error, ends=ends)

    def fail(self) -> NoReturn:
        """Raise the error of a bad reply."""
        raise self.error or from_reply(self.content)
