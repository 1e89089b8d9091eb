"""A reply is what a call gives, good or bad."""

from __future__ import annotations

from typing import NamedTuple, NoReturn

from remit.contracts.items import Outcome
from remit.contracts.schema import serialize_content
from remit.errors import CallError, DeniedError, error_from_reply
from remit.schemas.jsontext import compact_json


class _NotLoaded:
    """Stands for a value that is known only as content yet."""

    def __repr__(self) -> str:
        return "UNREAD"


NOT_LOADED = _NotLoaded()


class Reply(NamedTuple):
    """What a call gives: ``content`` is what a model reads, ``value`` what a Python caller gets.

    Make one with `of`, `final` or `failed`. A reply that ``is_final`` ends the run with its value.
    """

    content: str
    outcome: Outcome = "ok"
    value: object = NOT_LOADED
    error: CallError | None = None
    is_final: bool = False

    @staticmethod
    def from_value(value: object) -> Reply:
        """A good reply."""
        return Reply(serialize_content(value), "ok", value)

    @staticmethod
    def final(value: object) -> Reply:
        """A good reply that ends the run, for all agents above: siblings finish, then it is done with this value."""
        return Reply(serialize_content(value), "ok", value, is_final=True)

    @staticmethod
    def from_error(error: CallError) -> Reply:
        """The reply that stands for an error."""
        outcome: Outcome = "denied" if isinstance(error, DeniedError) else "error"
        return Reply(compact_json(error.to_reply()), outcome, NOT_LOADED, error)

    @staticmethod
    def from_journal(content: str, outcome: Outcome, *, is_final: bool) -> Reply:
        """The reply that a journal tells of."""
        error = None if outcome == "ok" else error_from_reply(content)
        return Reply(content, outcome, error=error, is_final=is_final)

    def raise_error(self) -> NoReturn:
        """Raise the error of a bad reply."""
        raise self.error or error_from_reply(self.content)
