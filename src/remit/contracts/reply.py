"""The reply to a call, good or bad."""

from __future__ import annotations

from typing import NamedTuple, NoReturn

from remit.contracts.items import Outcome
from remit.contracts.schema import serialize_content
from remit.errors import CallError, DeniedError, error_from_reply
from remit.schemas.jsontext import compact_json


class _NotLoaded:
    """Placeholder for a value that has not been loaded from its content."""

    def __repr__(self) -> str:
        return "UNREAD"


NOT_LOADED = _NotLoaded()


class Reply(NamedTuple):
    """The reply to a call: ``content`` for the model, ``value`` for Python callers.

    Make one with `from_value`, `final` or `from_error`. A reply with ``is_final`` ends the run with its value.
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
        """A good reply that ends the run for all agents above: siblings finish, then the run returns this value."""
        return Reply(serialize_content(value), "ok", value, is_final=True)

    @staticmethod
    def from_error(error: CallError) -> Reply:
        """The reply that describes an error."""
        outcome: Outcome = "denied" if isinstance(error, DeniedError) else "error"
        return Reply(compact_json(error.to_reply()), outcome, NOT_LOADED, error)

    @staticmethod
    def from_journal(content: str, outcome: Outcome, *, is_final: bool) -> Reply:
        """The reply as a journal recorded it."""
        error = None if outcome == "ok" else error_from_reply(content)
        return Reply(content, outcome, error=error, is_final=is_final)

    def raise_error(self) -> NoReturn:
        """Raise the error of a bad reply."""
        raise self.error or error_from_reply(self.content)
