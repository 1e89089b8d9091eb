"""Removes the values of secrets, and what `Redact` layers name, from replies and errors."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final, Protocol

from remit.contracts.reply import NOT_LOADED, Reply
from remit.contracts.schema import shorten_text
from remit.contracts.secret import (
    KNOWN_SECRETS,
    REDACTION_MARK,
    redact_secrets,
    redact_secrets_in_content,
    rewrite_content,
)
from remit.errors import CallError, SetupError, error_from_reply
from remit.schemas.jsontext import compact_json

_MARK: Final = REDACTION_MARK.encode()


class _Pattern(Protocol):
    """A compiled pattern over UTF-8."""

    def sub(self, replacement: bytes, text: bytes, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Redaction:
    """What a `Redact` layer removes. The base applies it before anything of a call is on record."""

    fields: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    _compiled: tuple[_Pattern, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_compiled", tuple(map(_compile, self.patterns)))

    def redact_text(self, text: str) -> str:
        """Remove text that matches a pattern."""
        given = data = text.encode("utf-8", "surrogatepass") if self._compiled else b""
        for pattern in self._compiled:  # What is redacted already stays: a text may pass several layers.
            data = _MARK.join(pattern.sub(_MARK, part) for part in data.split(_MARK))
        return text if data == given else data.decode("utf-8", "replace")

    def redact_reply(self, reply: Reply) -> Reply:
        """The reply without what the rules remove; the same reply if they remove nothing."""
        content = rewrite_content(reply.content, self.redact_text, self.fields)
        error = reply.error and self.redact_error(reply.error)
        return reply if content == reply.content else _with_content(reply, content, error)

    def redact_error(self, error: CallError) -> CallError:
        """The error without text that matches a pattern."""
        return _rewrite_error(error, self.redact_text)


def redact_reply(reply: Reply, redactions: Sequence[Redaction]) -> Reply:
    """The reply without the values of secrets and without what the redactions remove."""
    for redaction in redactions:
        reply = redaction.redact_reply(reply)
    content = redact_secrets_in_content(reply.content)
    error = None if reply.error is None else redact_error(reply.error)
    return reply if content == reply.content and error is reply.error else _with_content(reply, content, error)


def redact_error(error: CallError, redactions: Sequence[Redaction] = ()) -> CallError:
    """The error without the values of secrets and what the redactions remove. A cause that reveals any is dropped."""
    if not KNOWN_SECRETS.replacements and not redactions:
        return error
    changed = _rewrite_error(error, lambda text: redact_text(text, redactions))
    if changed is error and safe_cause(error, redactions) is None:
        error.__cause__ = error.__context__ = None
    return changed


def limit_error(error: CallError, max_bytes: int) -> CallError:
    """The error with at most about ``max_bytes`` bytes of each text; the error itself if it is not that long."""
    if len(error.message) * 4 <= max_bytes:
        return error
    return _rewrite_error(error, lambda text: shorten_text(text, max_bytes))


def redact_text(text: str, redactions: Sequence[Redaction]) -> str:
    """The text without the values of secrets and what matches a pattern of the redactions."""
    for redaction in redactions:
        text = redaction.redact_text(text)
    return redact_secrets(text)


def safe_cause(error: BaseException, redactions: Sequence[Redaction] = ()) -> BaseException | None:
    """The error as a cause that may be shown; None if it or its own cause reveals what is redacted."""
    if not KNOWN_SECRETS.replacements and not redactions:
        return error
    text = "".join(traceback.format_exception(error))
    return error if redact_text(text, redactions) == text else None


def _compile(pattern: str) -> _Pattern:
    """Compile a pattern with RE2: with `re`, a text could make a harmless pattern take hours."""
    try:
        re2: Any = import_module("re2")  # only patterns need it, and it has no types
    except ImportError as error:
        raise SetupError("Redact(patterns=…) needs google-re2: pip install 'remit[redact]'") from error
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern.encode(), options)
    except re2.error as error:
        what = error.args[0].decode(errors="replace")
        raise SetupError(
            f"{pattern!r} is not a regular expression of RE2, which has no look-around and no back-references: {what}"
        ) from error


def _with_content(reply: Reply, content: str, error: CallError | None) -> Reply:
    return Reply(content, reply.outcome, NOT_LOADED, error, reply.is_final, reply.notice)


def _rewrite_error(error: CallError, change: Callable[[str], str]) -> CallError:
    """The error itself if ``change`` leaves it as it is, else a new error of its kind with the changed text."""
    content = compact_json(error.to_reply())
    changed = rewrite_content(content, change)
    return error if changed == content else error_from_reply(changed)
