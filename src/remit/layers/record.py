"""The journal at the door: a call it knows is answered from it, and every other ends in exactly one terminal item."""

from __future__ import annotations

import asyncio
from dataclasses import field

from remit.contracts.arguments import Limits
from remit.contracts.call import Call, CallLayer, CallService
from remit.contracts.facts import Effect
from remit.contracts.items import ToolOutput
from remit.contracts.redact import redacted_reply, tellable
from remit.contracts.reply import UNREAD, Reply
from remit.contracts.secret import KNOWN, redacted
from remit.core import Place
from remit.core.frozen import frozen
from remit.errors import CallCancelledError, CallError, OutputError, RemitError, ToolFailedError
from remit.journal.codec import tool_content, tool_text
from remit.journal.replay import ReplayLedger
from remit.schemas.jsontext import compact


@frozen
class Record(CallLayer):
    """Answers what is known, records what is not; errors end here and become replies.

    A model's reply is cut at ``limits.output_bytes``; Python callers get the whole.
    """

    place = Place.RECORD
    limits: Limits = field(default_factory=Limits)

    def __call__(self, inner: CallService, /) -> CallService:
        """The service that records what ``inner`` replies."""
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
        again = composed and isinstance(call.ledger, ReplayLedger) and call.ledger.has_begun(call.id)
        for item in call.ledger.known(call.id):
            if isinstance(item, ToolOutput) and not again:
                return Reply.recorded(tool_content(item), item.outcome, ends=item.final)
        try:
            if call.ledger.stopping and not composed:
                raise asyncio.CancelledError  # noqa: TRY301 - as if it came from outside
            reply = await self._inner(call)
            if composed:
                reply = _as_read(call, reply)
        except CallError as error:
            reply = Reply.failed(error)
        except asyncio.CancelledError:
            self._write(call, Reply.failed(CallCancelledError("the run was cancelled; this call did not finish")))
            raise
        except RemitError:
            raise
        except Exception as error:  # noqa: BLE001 - a layer's own bug ends one call, not the run
            reply = Reply.failed(_own(error))
        return self._write(call, reply)

    def _write(self, call: Call, reply: Reply) -> Reply:
        if KNOWN.spellings:  # a layer may have told one
            reply = redacted_reply(reply)
        if call.wire and len(reply.content) * 4 > self._limits.output_bytes:
            reply = reply._replace(content=shorten(reply.content, self._limits.output_bytes))
        text = tool_text(call.wire, reply.content) if call.wire else reply.content
        call.ledger.add(
            ToolOutput(
                call=call.id,
                parent=call.caller.call,
                callee=call.callee.name,
                wire=call.wire,
                text=text,
                outcome=reply.outcome,
                final=reply.ends,
            )
        )
        return reply


def _as_read(call: Call, reply: Reply) -> Reply:
    """The reply, with the value that a journal would give: a layer may have made it of something else.

    Raises:
        OutputError: no result can be read from what the layer made.
    """
    output = call.callee.schema_out
    if reply.outcome != "ok" or reply.ends or reply.value is UNREAD or output.holds(reply.value):
        return reply
    try:
        return reply._replace(value=output.load(reply.content))
    except ValueError as error:
        name = call.callee.name
        raise OutputError(
            f"a layer around {name} changed its result into what {name} does not give; reply with its type"
        ) from error


def shorten(content: str, most: int) -> str:
    """``content``, or where it is longer than ``most`` bytes, JSON that says so and holds its beginning."""
    data = content.encode(errors="replace")
    if len(data) <= most:
        return content
    note = f"the result is {len(data):,} bytes long; this is its beginning. Ask for less, or for a part of it."
    size = most
    while True:
        size //= 2
        text = compact({"truncated": True, "note": note, "beginning": data[:size].decode(errors="ignore")})
        if not size or len(text.encode()) <= most:
            return text


def _own(error: Exception) -> ToolFailedError:
    failed = ToolFailedError(redacted(f"a layer failed: {type(error).__name__}: {error}"))
    failed.__cause__ = tellable(error)
    return failed
