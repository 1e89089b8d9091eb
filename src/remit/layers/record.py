"""The journal of calls: recorded calls are answered from it, and every other call ends in exactly one terminal item."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from remit.contracts.arguments import Limits
from remit.contracts.call import Call, CallLayer, CallService
from remit.contracts.facts import Effect
from remit.contracts.gate import is_outcome_unknown
from remit.contracts.items import ToolOutput
from remit.contracts.redact import redact_secrets_in_reply, secret_free_cause
from remit.contracts.reply import NOT_LOADED, Reply
from remit.contracts.secret import KNOWN_SECRETS, redact_secrets
from remit.core import Place
from remit.errors import CallCancelledError, CallError, DeadlineError, InvalidOutputError, RemitError, ToolFailedError
from remit.journal.codec import output_content, tool_message_text
from remit.journal.replay import ReplayLedger
from remit.schemas.jsontext import compact_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(CallLayer):
    """Answers recorded calls from the journal and records the others. Errors become replies here.

    A reply to a model is cut at ``limits.output_bytes``; Python callers get the whole reply.
    """

    place = Place.RECORD
    limits: Limits = field(default_factory=Limits)

    def __call__(self, inner: CallService, /) -> CallService:
        """Record the replies of ``inner``."""
        return _Record(inner, self.limits).__call__

    def __repr__(self) -> str:
        return "Record()"


class _Record:
    __slots__ = ("_inner", "_limits")

    def __init__(self, inner: CallService, limits: Limits) -> None:
        self._inner = inner
        self._limits = limits

    async def __call__(self, call: Call, /) -> Reply:
        composed = call.callee.facts.effect is Effect.COMPOSED
        is_reexecuted = composed and isinstance(call.ledger, ReplayLedger) and call.ledger.should_run_body(call.id)
        for item in call.ledger.items_for(call.id):
            if isinstance(item, ToolOutput) and not is_reexecuted:
                return Reply.from_journal(output_content(item), item.outcome, is_final=item.final)
        try:
            if call.ledger.is_stopping and not composed:
                raise asyncio.CancelledError  # noqa: TRY301 - handled below like a cancellation from outside
            reply = await self._call_inner(call)
            if composed:
                reply = _reload_value(call, reply)
        except CallError as error:
            reply = Reply.from_error(error)
        except asyncio.CancelledError:
            self._write_output(
                call, Reply.from_error(CallCancelledError("the run was cancelled; this call did not finish"))
            )
            raise
        except RemitError:
            raise
        except Exception as error:  # noqa: BLE001 - a layer's own bug ends one call, not the run
            reply = Reply.from_error(_layer_failure(error))
        return self._write_output(call, reply)

    async def _call_inner(self, call: Call) -> Reply:
        """Call inner; again if an unsafe attempt was stopped at its deadline, so that the base settles its outcome."""
        try:
            return await self._inner(call)
        except DeadlineError:
            if not is_outcome_unknown(call.callee, call.ledger.items_for(call.id)):
                raise
        return await self._inner(call)

    def _write_output(self, call: Call, reply: Reply) -> Reply:
        if KNOWN_SECRETS.replacements:  # a layer may have added one
            reply = redact_secrets_in_reply(reply)
        if call.wire_id and len(reply.content) * 4 > self._limits.output_bytes:
            reply = reply._replace(content=shorten(reply.content, self._limits.output_bytes))
        text = tool_message_text(call.wire_id, reply.content) if call.wire_id else reply.content
        call.ledger.add(
            ToolOutput(
                call=call.id,
                parent=call.caller.call,
                callee=call.callee.name,
                wire=call.wire_id,
                text=text,
                outcome=reply.outcome,
                final=reply.is_final,
            )
        )
        return reply


def _reload_value(call: Call, reply: Reply) -> Reply:
    """Load the value from the content of the reply, as a journal would: a layer may have replaced the content.

    Raises:
        InvalidOutputError: the content is not a result of this callee.
    """
    output = call.callee.schema_out
    if reply.outcome != "ok" or reply.is_final or reply.value is NOT_LOADED or output.is_valid(reply.value):
        return reply
    try:
        return reply._replace(value=output.load(reply.content))
    except ValueError as error:
        name = call.callee.name
        raise InvalidOutputError(
            f"a layer around {name} changed its result to another type; return a value of the tool's result type"
        ) from error


def shorten(content: str, max_bytes: int) -> str:
    """Return ``content``, or if it exceeds ``max_bytes`` bytes, JSON that says so and contains its beginning."""
    data = content.encode(errors="replace")
    if len(data) <= max_bytes:
        return content
    note = f"the result is {len(data):,} bytes long; this is its beginning. Ask for less, or for a part of it."
    size = max_bytes
    while True:
        size //= 2
        text = compact_json({"truncated": True, "note": note, "beginning": data[:size].decode(errors="ignore")})
        if not size or len(text.encode()) <= max_bytes:
            return text


def _layer_failure(error: Exception) -> ToolFailedError:
    failed = ToolFailedError(redact_secrets(f"a layer failed: {type(error).__name__}: {error}"))
    failed.__cause__ = secret_free_cause(error)
    return failed
