"""Takes out of replies and errors what must not be seen: the values of secrets, and what a tool says is private."""

from __future__ import annotations

import re
import traceback
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

from remit.contracts.callee import Happened, ReconcileResult
from remit.contracts.reply import NOT_LOADED, Reply
from remit.contracts.schema import Output
from remit.contracts.secret import (
    KNOWN_SECRETS,
    REDACTION_MARK,
    redact_secrets,
    redact_secrets_in_content,
    rewrite_content,
)
from remit.errors import (
    CallError,
    ContractError,
    DivergedError,
    JournalError,
    NoModelError,
    ToolFailedError,
    error_from_reply,
)
from remit.schemas.jsontext import compact_json

ToolBody = Callable[..., Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Redaction:
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

    def with_rules(self, fields: Iterable[str], patterns: Iterable[str]) -> Redaction:
        """This and more."""
        return Redaction((*self.fields, *fields), (*self.patterns, *patterns))

    def redact_text(self, text: str) -> str:
        """``text`` without what the patterns match."""
        for pattern in self._compiled:
            text = pattern.sub(REDACTION_MARK, text)
        return text

    def redact_reply(self, value: object, schema_out: Output[Any]) -> Reply:
        """The reply that stands for what a body gave. Python callers read the redacted result too."""
        reply = value if isinstance(value, Reply) else Reply(schema_out.dump(value)[1])
        content = rewrite_content(reply.content, self.redact_text, self.fields)
        error = reply.error and self.redact_error(reply.error)
        return reply._replace(content=content, value=NOT_LOADED, error=error)

    def redact_error(self, error: CallError) -> CallError:
        """The error without what the patterns match."""
        return _rewrite_error(error, self.redact_text)

    def redact_reconcile_result(self, found: ReconcileResult, schema_out: Output[Any]) -> ReconcileResult:
        """What became of a call that was cut off, its result redacted as if it had ended."""
        return Happened(self.redact_reply(found.value, schema_out)) if isinstance(found, Happened) else found

    def wrap_body(self, body: ToolBody, name: str, schema_out: Output[Any]) -> ToolBody:
        """``body``, whose results and errors are redacted before the base sees them."""

        @wraps(body)
        async def redacting(*args: Any, **kwargs: Any) -> Reply:
            try:
                return self.redact_reply(await body(*args, **kwargs), schema_out)
            except CallError as error:
                raise self.redact_error(error) from None
            except (JournalError, DivergedError, NoModelError):
                raise
            except Exception as error:  # noqa: BLE001 - raised again, without what it said
                said = f"{name} failed: {type(error).__name__}: {error}"
                raise ToolFailedError(self.redact_text(redact_secrets(said))[:1000]) from None

        return redacting


def redact_secrets_in_reply(reply: Reply) -> Reply:
    """A reply without the values of secrets."""
    content = redact_secrets_in_content(reply.content)
    error = None if reply.error is None else redact_secrets_in_error(reply.error)
    if content == reply.content and error is reply.error:
        return reply
    return reply._replace(content=content, value=NOT_LOADED, error=error)


def redact_secrets_in_error(error: CallError) -> CallError:
    """The error without the values of secrets; if what caused it tells one, it forgets what caused it."""
    if not KNOWN_SECRETS.replacements:
        return error
    changed = _rewrite_error(error, redact_secrets)
    if changed is error and secret_free_cause(error) is None:
        error.__cause__ = error.__context__ = None
    return changed


def secret_free_cause(error: BaseException) -> BaseException | None:
    """The error as a cause that may be shown; None if it, or what caused it, tells a secret."""
    if not KNOWN_SECRETS.replacements:
        return error
    text = "".join(traceback.format_exception(error))
    return error if redact_secrets(text) == text else None


def _rewrite_error(error: CallError, change: Callable[[str], str]) -> CallError:
    """The error itself, or one of its kind that says what is left of it."""
    content = compact_json(error.to_reply())
    changed = rewrite_content(content, change)
    return error if changed == content else error_from_reply(changed)
