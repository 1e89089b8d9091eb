"""Removes private data from results before models, Python callers or the journal receive them."""

from __future__ import annotations

from collections.abc import Iterable

from remit.call.call import Call, CallLayer, CallService
from remit.call.redact import Redaction
from remit.call.reply import Reply
from remit.chat.streaming import withhold_answers
from remit.core.call_checks import check_arguments
from remit.errors import CallError, SetupError


@check_arguments()
class Redact(CallLayer):
    """Removes the values of ``fields``, at any depth, and matches of ``patterns`` from results, errors and notes.

    The base applies it before it records the end of an attempt; the layer itself applies it to replies of inner layers.
    Patterns use RE2 (extra ``redact``), which matches in linear time; it has no look-around or back-references, and its
    character classes, such as digits, cover only ASCII. Each pattern is matched against the original text, and adjacent
    matches become one mark. Keys that the tool's type declares are kept. Other keys are data; keys that become equal
    are numbered. A result with more than 65,536 matches is redacted as a whole. Arguments remain unchanged, because an
    approver sees them and the call runs with them. An agent inside this layer does not stream: its answers appear when
    they are recorded.

    Raises:
        SetupError: neither argument is given, a pattern is not an RE2 expression or matches empty text, or the extra is
            not installed.
    """

    def __init__(self, *, fields: Iterable[str] = (), patterns: Iterable[str] = ()) -> None:
        self.redaction = Redaction(tuple(sorted(set(fields))), tuple(sorted(set(patterns))))
        if not (self.redaction.fields or self.redaction.patterns):
            raise SetupError("Redact() removes nothing; give fields or patterns")

    def __call__(self, inner: CallService, /) -> CallService:
        """Redact the replies and errors of ``inner``."""
        redaction = self.redaction

        async def redact(call: Call, /) -> Reply:
            try:
                with withhold_answers():
                    if redaction not in call.redactions:  # known from the start for a listed tool
                        call = call.replace(redactions=(redaction, *call.redactions))
                    reply = await inner(call)
            except CallError as error:
                safe = redaction.redact_error(error)
                if safe is error:
                    raise
                raise safe from None
            output = call.callee.schema_out
            return redaction.redact_reply(reply.check(output), output).load(output)

        return redact

    def __repr__(self) -> str:
        named = {"fields": self.redaction.fields, "patterns": self.redaction.patterns}
        return f"Redact({', '.join(f'{name}={list(texts)!r}' for name, texts in named.items() if texts)})"
