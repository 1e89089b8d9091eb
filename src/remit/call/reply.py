"""The reply to a call, good or bad."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from typing import Any, Final, NoReturn, cast, get_args

from msgspec import Struct

from remit.call.contract import OutputSchema
from remit.call.schema import serialize_content
from remit.chat.wire import replace_surrogates
from remit.core.checks import check_instance
from remit.errors import CallCancelledError, CallError, DeniedError, InvalidOutputError, error_from_reply
from remit.record.items import Outcome
from remit.record.run_artifacts import check_given_artifacts
from remit.schemas.jsontext import compact_json


class _NotLoaded:
    """Placeholder for a value that has not been loaded from its content."""

    def __repr__(self) -> str:
        return "UNREAD"


NOT_LOADED = _NotLoaded()

_OUTCOMES: Final = get_args(Outcome)

_STOPPED_WITH_RUN: Final = "the run was cancelled; this call did not finish"
_STOPPED_ALONE: Final = "the caller cancelled this call; it did not finish"


class Reply(Struct, frozen=True):
    """The reply to a call: ``content`` for the model, ``value`` for Python callers. Both are the same result.

    Make one with `from_value`, `final` or `from_error`; `map` changes the result. Replies that layers make are checked
    against the callee's output schema when they are recorded. A reply with ``is_final`` ends the run with its value.
    ``notice`` is shown to the model with the result. ``output`` is the schema against which content and value were
    checked. With ``is_pending``, the call has ended but its result is still to come, and the content says so.
    """

    content: str
    outcome: Outcome = "ok"
    value: object = NOT_LOADED
    error: CallError | None = None
    is_final: bool = False
    notice: Mapping[str, object] | None = None
    output: OutputSchema[Any] | None = None
    is_pending: bool = False

    @staticmethod
    def from_value(value: object) -> Reply:
        """Make a successful reply."""
        return Reply(serialize_content(value), "ok", value)

    @staticmethod
    def final(value: object) -> Reply:
        """Make a reply that ends the run for all agents above: siblings finish, then the run returns this value."""
        return Reply(serialize_content(value), "ok", value, is_final=True)

    @staticmethod
    def pending(value: object) -> Reply:
        """Make a successful reply whose result comes later; ``value`` says so and is not a result of the callee."""
        return Reply(serialize_content(value), "ok", is_pending=True)

    @staticmethod
    def from_error(error: CallError) -> Reply:
        """Make the reply that describes an error."""
        check_instance("Reply.from_error: error", error, CallError, "give a CallError of remit.errors")
        outcome: Outcome = "denied" if isinstance(error, DeniedError) else "error"
        return Reply(replace_surrogates(compact_json(error.to_reply())), outcome, NOT_LOADED, error)

    @staticmethod
    def from_stopped_call(*, with_run: bool) -> Reply:
        """Make the reply to a call that was cancelled before its end, with its run or by its caller."""
        return Reply.from_error(CallCancelledError(_STOPPED_WITH_RUN if with_run else _STOPPED_ALONE))

    @property
    def is_stopped(self) -> bool:
        """Whether this is the recorded reply of `from_stopped_call`. The body that made the call saw no reply."""
        return isinstance(self.error, CallCancelledError) and self.error.message in (_STOPPED_WITH_RUN, _STOPPED_ALONE)

    @staticmethod
    def from_journal(content: str, outcome: Outcome, *, is_final: bool) -> Reply:
        """The reply as a journal recorded it."""
        error = None if outcome == "ok" else error_from_reply(content)
        return Reply(content, outcome, error=error, is_final=is_final)

    def map(self, value: object) -> Reply:
        """Return this reply with another result. A failed reply has no result and is returned unchanged."""
        if self.outcome != "ok":
            return self
        return Reply(serialize_content(value), "ok", value, is_final=self.is_final, notice=self.notice)

    def with_content(self, content: str) -> Reply:
        """Return this reply, even a failed one, with other content, from which a check loads the value."""
        return Reply(
            content, self.outcome, NOT_LOADED, self.error, self.is_final, self.notice, is_pending=self.is_pending
        )

    def with_notice(self, notice: Mapping[str, object]) -> Reply:
        """Return this reply with a notice for the model."""
        return Reply(
            self.content, self.outcome, self.value, self.error, self.is_final, notice, self.output, self.is_pending
        )

    def check(self, output: OutputSchema[Any]) -> Reply:
        """Return this reply with matching content and value, checked against ``output``. Failed replies have no value.

        The value of a reply that ends the run may come from another callee, so the caller of the run loads it.

        Raises:
            InvalidOutputError: the value, or without one the content, is not a result of ``output``.
        """
        if self.outcome != "ok" or self.output is output or self.is_pending:
            return self
        if self.is_final:
            return self.with_content(self.content)
        if self.value is not NOT_LOADED:
            value, content = output.dump(self.value)
            return Reply(content, "ok", value, notice=self.notice, output=output)
        try:
            value = cast("object", output.load(self.content))
        except ValueError as error:
            raise InvalidOutputError(f"the result does not match the contract: {output.explain(error)}") from error
        return Reply(self.content, "ok", value, notice=self.notice, output=output)

    async def check_artifacts(self) -> Reply:
        """Return this reply if all content to which its value refers can be read here.

        Raises:
            InvalidOutputError: names the reference.
        """
        await check_given_artifacts(self.value)
        return self

    def load(self, output: OutputSchema[Any]) -> Reply:
        """Check and return a reply of the base. If ``output`` cannot load its content, it keeps only the content."""
        with contextlib.suppress(InvalidOutputError):
            return self.check(output)
        return Reply(self.content, "ok", notice=self.notice, output=output)

    @property
    def content_with_notice(self) -> str:
        """The content for the model: the result unchanged, or with the notice."""
        if self.notice is None:
            return self.content
        result = _parse_content(self.content)
        if self.outcome == "ok":
            return compact_json({**self.notice, "result": result})
        return compact_json({**cast("dict[str, object]", result), **self.notice})

    def find_wrong_field(self) -> str:
        """Describe the first field of a wrong type in a reply that a layer or body made; empty if all are right."""
        content: Any = self.content
        error: Any = self.error
        is_final: Any = self.is_final
        allowed = {
            "content": isinstance(content, str),
            "outcome": self.outcome in _OUTCOMES,
            "error": error is None or isinstance(error, CallError),
            "is_final": isinstance(is_final, bool),
        }
        if all(allowed.values()):
            return ""
        wrong = next(name for name, is_right in allowed.items() if not is_right)
        return f"a Reply whose {wrong} is {getattr(self, wrong)!r:.80}; make it with Reply.from_value"

    def raise_error(self) -> NoReturn:
        """Raise the error of a failed reply."""
        raise self.error or error_from_reply(self.content)


def _parse_content(content: str) -> object:
    """Parse objects and lists; return other content as text."""
    if content[:1] in ("{", "["):
        with contextlib.suppress(ValueError):
            return cast("object", json.loads(content))
    return content
