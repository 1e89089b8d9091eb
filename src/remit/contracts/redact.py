"""Removes the values of secrets, and data that a tool declares private, from replies and errors."""

from __future__ import annotations

import re
import traceback
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

from remit.contracts.callee import Happened, ReconcileResult
from remit.contracts.contract import OutputSchema
from remit.contracts.reply import NOT_LOADED, Reply
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
    """What a tool removes from its results and errors before they leave the call.

    Args:
        fields: names of fields whose values are removed, at any depth.
        patterns: regular expressions; matching text is removed.
    """

    fields: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    _compiled: tuple[re.Pattern[str], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "_compiled", tuple(re.compile(pattern) for pattern in self.patterns))
        except re.error as error:
            raise ContractError(f"{error.pattern!r} is not a valid regular expression: {error}") from error

    def with_rules(self, fields: Iterable[str], patterns: Iterable[str]) -> Redaction:
        """Return this redaction with additional rules."""
        return Redaction((*self.fields, *fields), (*self.patterns, *patterns))

    def redact_text(self, text: str) -> str:
        """Remove text that matches a pattern."""
        for pattern in self._compiled:
            text = pattern.sub(REDACTION_MARK, text)
        return text

    def redact_reply(self, value: object, schema_out: OutputSchema[Any]) -> Reply:
        """The redacted reply for the result of a body. Python callers get the redacted result too."""
        reply = value if isinstance(value, Reply) else Reply(schema_out.dump(value)[1])
        content = rewrite_content(reply.content, self.redact_text, self.fields)
        error = reply.error and self.redact_error(reply.error)
        return reply._replace(content=content, value=NOT_LOADED, error=error)

    def redact_error(self, error: CallError) -> CallError:
        """The error without text that matches a pattern."""
        return _rewrite_error(error, self.redact_text)

    def redact_reconcile_result(self, result: ReconcileResult, schema_out: OutputSchema[Any]) -> ReconcileResult:
        """The reconciled outcome, with its result redacted as if the call had ended normally."""
        return Happened(self.redact_reply(result.value, schema_out)) if isinstance(result, Happened) else result

    def wrap_body(self, body: ToolBody, name: str, schema_out: OutputSchema[Any]) -> ToolBody:
        """Wrap ``body`` so that its results and errors are redacted before the base sees them."""

        @wraps(body)
        async def run_redacted(*args: Any, **kwargs: Any) -> Reply:
            try:
                return self.redact_reply(await body(*args, **kwargs), schema_out)
            except CallError as error:
                raise self.redact_error(error) from None
            except (JournalError, DivergedError, NoModelError):
                raise
            except Exception as error:  # noqa: BLE001 - raised again with a redacted message
                message = f"{name} failed: {type(error).__name__}: {error}"
                raise ToolFailedError(self.redact_text(redact_secrets(message))[:1000]) from None

        return run_redacted


def redact_secrets_in_reply(reply: Reply) -> Reply:
    """The reply without the values of secrets."""
    content = redact_secrets_in_content(reply.content)
    error = None if reply.error is None else redact_secrets_in_error(reply.error)
    if content == reply.content and error is reply.error:
        return reply
    return reply._replace(content=content, value=NOT_LOADED, error=error)


def redact_secrets_in_error(error: CallError) -> CallError:
    """The error without the values of secrets. If its cause reveals one, the cause is dropped."""
    if not KNOWN_SECRETS.replacements:
        return error
    changed = _rewrite_error(error, redact_secrets)
    if changed is error and secret_free_cause(error) is None:
        error.__cause__ = error.__context__ = None
    return changed


def secret_free_cause(error: BaseException) -> BaseException | None:
    """The error as a cause that may be shown; None if it or its own cause reveals a secret."""
    if not KNOWN_SECRETS.replacements:
        return error
    text = "".join(traceback.format_exception(error))
    return error if redact_secrets(text) == text else None


def _rewrite_error(error: CallError, change: Callable[[str], str]) -> CallError:
    """The error itself if ``change`` leaves it as it is, else a new error of its kind with the changed text."""
    content = compact_json(error.to_reply())
    changed = rewrite_content(content, change)
    return error if changed == content else error_from_reply(changed)
