"""Removes secrets' values, and data named by `Redact` layers, from replies and errors."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from remit.call.contract import OutputSchema
from remit.call.removal import ERROR_FACTS, Pattern, Removal, compile_pattern
from remit.call.reply import NOT_LOADED, Reply
from remit.call.schema import shorten_text
from remit.errors import CallError, error_from_reply
from remit.record.secret import KNOWN_SECRETS, redact_secrets, redact_secrets_in_content
from remit.schemas.json_schema import list_properties
from remit.schemas.jsontext import compact_json

LARGE_CHARS: Final = 256 << 10
"""The maximum characters of a reply's content that are redacted in the event loop."""


@dataclass(frozen=True, slots=True)
class Redaction:
    """The rules of a `Redact` layer. The base applies them before it records anything of a call."""

    fields: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    _compiled: tuple[Pattern, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_compiled", tuple(map(compile_pattern, self.patterns)))

    def redact_text(self, text: str) -> str:
        """Remove text that matches a pattern."""
        return Removal(self._compiled).redact_text(text)

    def redact_reply(self, reply: Reply, output: OutputSchema[Any] | None = None) -> Reply:
        """Apply the rules to a reply, but keep the keys that ``output`` declares.

        The same reply is returned if nothing is removed.
        """

        def list_declared() -> frozenset[str]:
            return frozenset() if output is None else list_properties(output.json_schema)

        removal = Removal(self._compiled, self.fields, list_declared)
        content = (removal.redact_content if reply.outcome == "ok" else removal.redact_error)(reply.content)
        error = reply.error and self.redact_error(reply.error)
        return reply if content == reply.content else _with_content(reply, content, error)

    def redact_error(self, error: CallError) -> CallError:
        """The error without text that matches a pattern."""
        return _rewrite_error(error, self.redact_text)


def redact_reply(reply: Reply, redactions: Sequence[Redaction], output: OutputSchema[Any] | None = None) -> Reply:
    """Remove secrets' values and the redactions' matches from a reply. Declared keys are kept."""
    for redaction in redactions:
        reply = redaction.redact_reply(reply, output)
    content = redact_secrets_in_content(reply.content)
    error = None if reply.error is None else redact_error(reply.error)
    return reply if content == reply.content and error is reply.error else _with_content(reply, content, error)


async def redact_reply_aside(
    reply: Reply, redactions: Sequence[Redaction], output: OutputSchema[Any] | None = None
) -> Reply:
    """Like `redact_reply`, but large replies are redacted in a thread, so that the event loop is not blocked."""
    if len(reply.content) <= LARGE_CHARS:
        return redact_reply(reply, redactions, output)
    return await asyncio.to_thread(redact_reply, reply, redactions, output)


def redact_error(error: CallError, redactions: Sequence[Redaction] = ()) -> CallError:
    """Remove secrets' values and the redactions' matches from an error. A cause that reveals any is dropped."""
    if not KNOWN_SECRETS.spellings.replacements and not redactions:
        return error
    changed = _rewrite_error(error, lambda text: redact_text(text, redactions))
    if changed is error and safe_cause(error, redactions) is None:
        error.__cause__ = error.__context__ = None
    return changed


def limit_error(error: CallError, max_bytes: int) -> CallError:
    """Limit an error's message and details to about ``max_bytes`` bytes; return the error itself if it fits."""
    if error.details and len(compact_json(error.to_reply().get("details"))) * 4 > max_bytes:
        error = error_from_reply(compact_json({"error": error.message, "errorCode": error.code}))
    if len(error.message) * 4 <= max_bytes:
        return error
    return _rewrite_error(error, lambda text: shorten_text(text, max_bytes))


def redact_text(text: str, redactions: Sequence[Redaction]) -> str:
    """Remove secrets' values and the matches of the redactions' patterns from a text."""
    for redaction in redactions:
        text = redaction.redact_text(text)
    return redact_secrets(text)


def safe_cause(error: BaseException, redactions: Sequence[Redaction] = ()) -> BaseException | None:
    """The error if it may be shown as a cause; None if it or its own cause reveals a redacted value."""
    if not KNOWN_SECRETS.spellings.replacements and not redactions:
        return error
    text = "".join(traceback.format_exception(error))
    return error if redact_text(text, redactions) == text else None


def _with_content(reply: Reply, content: str, error: CallError | None) -> Reply:
    is_pending = reply.is_pending
    return Reply(content, reply.outcome, NOT_LOADED, error, reply.is_final, reply.notice, is_pending=is_pending)


def _rewrite_error(error: CallError, change: Callable[[str], str]) -> CallError:
    """Apply ``change`` to an error's texts; return the error itself if nothing changes, or a new one of its kind."""
    body = error.to_reply()
    told = [text for name, part in body.items() if name not in ERROR_FACTS for text in _iter_texts(part)]
    if all(change(text) == text for text in told):
        return error
    message = change(str(body.get("error", error.message)))
    return error_from_reply(compact_json({"error": message, "errorCode": error.code}))


def _iter_texts(value: object) -> Iterator[str]:
    """The texts that an error reports. An application's error may report more than its message."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, part in cast("dict[str, object]", value).items():
            yield from (name, *_iter_texts(part))
    elif isinstance(value, list):
        for part in cast("list[object]", value):
            yield from _iter_texts(part)
    else:
        yield compact_json(value)
