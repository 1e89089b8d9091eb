"""Removes private data from results: what the model reads, Python callers get and the journal keeps."""

from __future__ import annotations

from collections.abc import Iterable

from remit.call.call import Call, CallLayer, CallService
from remit.call.redact import Redaction
from remit.call.reply import Reply
from remit.chat.streaming import withhold_answers
from remit.core.call_checks import check_arguments
from remit.core.checks import as_texts
from remit.errors import CallError, SetupError


@check_arguments()
class Redact(CallLayer):
    """Removes the values of ``fields``, at any depth, and what ``patterns`` match, from results, errors and notes.

    The base applies it before the end of an attempt is on record; the layer itself applies it to replies of layers
    inside it. Patterns are RE2's (extra ``redact``), which match in linear time: they have no look-around and no
    back-references, and their classes, such as digits, are of ASCII. Each pattern sees the text as it was, and adjacent
    matches become one mark. Keys that the tool's type declares stay; other keys are data, and those that become the
    same are numbered. A result with more than 65,536 matches is redacted as a whole. Arguments remain unchanged: they
    are what an approver sees and what runs. An agent inside does not stream: its answers come when they are recorded.

    Raises:
        SetupError: nothing is given, a pattern is not a regular expression of RE2 or matches empty text, or the extra
            is not installed.
    """

    def __init__(self, *, fields: Iterable[str] = (), patterns: Iterable[str] = ()) -> None:
        self.redaction = Redaction(
            tuple(sorted(as_texts("Redact: fields", fields))), tuple(sorted(as_texts("Redact: patterns", patterns)))
        )
        if not (self.redaction.fields or self.redaction.patterns):
            raise SetupError("Redact() removes nothing; give fields or patterns")

    def __call__(self, inner: CallService, /) -> CallService:
        """Redact the replies and errors of ``inner``."""
        redaction = self.redaction

        async def redact(call: Call, /) -> Reply:
            try:
                with withhold_answers():
                    if redaction not in call.redactions:  # those of a listed tool are known from the start
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
