"""Takes out of replies and errors what must not be seen: the values of secrets, and what a tool says is private."""

from __future__ import annotations

import re
import traceback
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import field
from functools import wraps
from typing import Any

from remit.contracts.callee import Found, Happened
from remit.contracts.reply import UNREAD, Reply
from remit.contracts.schema import Output
from remit.contracts.secret import KNOWN, LEFT_OUT, redacted, redacted_content, rewritten
from remit.core.frozen import frozen
from remit.errors import (
    CallError,
    ContractError,
    DivergedError,
    JournalError,
    NoModelError,
    ToolFailedError,
    from_reply,
)
from remit.schemas.jsontext import compact

Body = Callable[..., Awaitable[Any]]


@frozen(kw_only=False)
class Redact:
    """What a tool takes out of its results before anybody sees them, and of its errors.

    Args:
        fields: names of fields whose values are left out, at any depth.
        patterns: regular expressions; what they match in any text is left out.
    """

    fields: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    _compiled: tuple[re.Pattern[str], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "_compiled", tuple(re.compile(pattern) for pattern in self.patterns))
        except re.error as error:
            raise ContractError(f"{error.pattern!r} is no regular expression: {error}") from error

    def more(self, fields: Iterable[str], patterns: Iterable[str]) -> Redact:
        """This and more."""
        return Redact((*self.fields, *fields), (*self.patterns, *patterns))

    def text(self, text: str) -> str:
        """``text`` without what the patterns match."""
        for pattern in self._compiled:
            text = pattern.sub(LEFT_OUT, text)
        return text

    def reply(self, value: object, schema_out: Output[Any]) -> Reply:
        """The reply that stands for what a body gave. Python callers read the redacted result too."""
        reply = value if isinstance(value, Reply) else Reply(schema_out.dump(value)[1])
        content = rewritten(reply.content, self.text, self.fields)
        error = reply.error and self.error(reply.error)
        return reply._replace(content=content, value=UNREAD, error=error)

    def error(self, error: CallError) -> CallError:
        """The error without what the patterns match."""
        return _changed(error, self.text)

    def found(self, found: Found, schema_out: Output[Any]) -> Found:
        """What became of a call that was cut off, its result redacted as if it had ended."""
        return Happened(self.reply(found.value, schema_out)) if isinstance(found, Happened) else found

    def around(self, body: Body, name: str, schema_out: Output[Any]) -> Body:
        """``body``, whose results and errors are redacted before the base sees them."""

        @wraps(body)
        async def redacting(*args: Any, **kwargs: Any) -> Reply:
            try:
                return self.reply(await body(*args, **kwargs), schema_out)
            except CallError as error:
                raise self.error(error) from None
            except (JournalError, DivergedError, NoModelError):
                raise
            except Exception as error:  # noqa: BLE001 - raised again, without what it said
                said = f"{name} failed: {type(error).__name__}: {error}"
                raise ToolFailedError(self.text(redacted(said))[:1000]) from None

        return redacting


def redacted_reply(reply: Reply) -> Reply:
    """A reply without the values of secrets."""
    content = redacted_content(reply.content)
    error = None if reply.error is None else redacted_error(reply.error)
    if content == reply.content and error is reply.error:
        return reply
    return reply._replace(content=content, value=UNREAD, error=error)


def redacted_error(error: CallError) -> CallError:
    """The error without the values of secrets; if what caused it tells one, it forgets what caused it."""
    if not KNOWN.spellings:
        return error
    changed = _changed(error, redacted)
    if changed is error and tellable(error) is None:
        error.__cause__ = error.__context__ = None
    return changed


def tellable(error: BaseException) -> BaseException | None:
    """The error as a cause that may be shown; None if it, or what caused it, tells a secret."""
    if not KNOWN.spellings:
        return error
    shown = "".join(traceback.format_exception(error))
    return error if redacted(shown) == shown else None


def _changed(error: CallError, change: Callable[[str], str]) -> CallError:
    """The error itself, or one of its kind that says what is left of it."""
    content = compact(error.reply())
    changed = rewritten(content, change)
    return error if changed == content else from_reply(changed)
