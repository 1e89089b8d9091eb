"""Records calls: answers recorded calls from the journal, and ends each other call with exactly one terminal item."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from remit.call.call import Call, CallLayer, CallService
from remit.call.facts import Effect
from remit.call.gate import is_outcome_unknown, postpone_failure
from remit.call.redact import limit_error, redact_reply, redact_reply_aside, safe_cause
from remit.call.reply import Reply
from remit.core import Place
from remit.errors import (
    CallError,
    DeadlineError,
    InternalError,
    InvalidOutputError,
    JournalError,
    LostAnswerError,
    RemitError,
    StillRunningError,
    Suspended,
)
from remit.journal.codec import tool_message_text
from remit.journal.replay import ReplayLedger
from remit.record.arguments import Limits
from remit.record.artifact import Artifact
from remit.record.items import OPEN_RUN, ToolOutput, output_content
from remit.record.ledger import Ledger
from remit.record.run_artifacts import from_recorded, is_small, store_large, to_recorded
from remit.record.secret import KNOWN_SECRETS, redact_secrets
from remit.schemas.jsontext import compact_json

_StoppedCalls: TypeAlias = dict[tuple[Ledger, str], list[Call]]
"""The cancelled calls below each open composed call. They have no terminal record while it is open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(CallLayer):
    """Answers recorded calls from the journal and records the others. Errors become replies here.

    Content above ``limits.output_bytes`` is stored as an artifact. Models receive an excerpt and the reference; Python
    callers receive the whole content.
    """

    place = Place.RECORD
    limits: Limits = field(default_factory=Limits)
    _stopped: _StoppedCalls = field(default_factory=dict[tuple[Ledger, str], list[Call]], init=False, compare=False)

    def __call__(self, inner: CallService, /) -> CallService:
        """Record the replies of ``inner``."""
        return _Record(inner, self.limits, self._stopped).__call__

    def __repr__(self) -> str:
        return "Record()"


class _Record:
    __slots__ = ("_inner", "_limits", "_stopped")

    def __init__(self, inner: CallService, limits: Limits, stopped: _StoppedCalls) -> None:
        self._inner = inner
        self._limits = limits
        self._stopped = stopped

    async def __call__(self, call: Call, /) -> Reply:
        effect = call.callee.facts.effect
        composed = effect is Effect.COMPOSED
        is_reexecuted = composed and isinstance(call.ledger, ReplayLedger) and call.ledger.should_run_body(call.id)
        for item in call.ledger.items_for(call.id):
            if isinstance(item, ToolOutput) and not is_reexecuted:
                content = await from_recorded(output_content(item))
                return Reply.from_journal(content, item.outcome, is_final=item.final)
        try:
            if call.ledger.execution.is_stopping and not composed:
                raise asyncio.CancelledError  # noqa: TRY301 - handled below like a cancellation from outside
            unsafe = effect is Effect.UNSAFE
            inner = self._call_composed if composed else self._call_unsafe if unsafe else self._inner
            reply = await _check_reply(call, await inner(call))
            if not call.wire_id and is_small(reply.content, self._limits.output_bytes):
                return self._write_output(call, reply, reply.content)
            return self._write_output(call, *await self._to_recorded(call, reply))
        except CallError as error:
            postpone_failure(call, error)
            reply = Reply.from_error(limit_error(error, self._limits.error_bytes))
        except asyncio.CancelledError:
            self._end_stopped(call, [call])
            raise
        except RemitError:
            raise
        except Exception as error:  # noqa: BLE001 - a layer's own bug ends one call, not the run
            reply = Reply.from_error(_layer_failure(error))
        return self._write_output(call, reply)

    async def _call_unsafe(self, call: Call, /) -> Reply:
        """Call inner. If an attempt was stopped, or its answer lost, call again: the base settles its outcome."""
        try:
            return await self._inner(call)
        except (DeadlineError, LostAnswerError):
            if not is_outcome_unknown(call.callee, call.ledger.items_for(call.id)):
                raise
        return await self._inner(call)

    async def _call_composed(self, call: Call, /) -> Reply:
        """Call inner. If a timeout stopped an unsafe call below, call again to settle its outcome as after a crash.

        A call of an open run that is cancelled ends alone, so it is recorded at once.
        """
        if call.callee.name == OPEN_RUN:
            return await self._inner(call)
        stopped, settled = list[Call](), set[str]()
        self._stopped[call.ledger, call.id] = stopped
        is_cancelled = False
        try:
            while True:
                try:
                    return await self._inner(call)
                except StillRunningError:
                    raise
                except DeadlineError:
                    unknown = _find_unknown_outcomes(stopped) - settled
                    if not unknown:
                        raise
                    settled |= unknown
                    stopped.clear()
        except asyncio.CancelledError:
            is_cancelled = True
            raise
        except (Suspended, JournalError):
            stopped.clear()
            raise
        finally:
            del self._stopped[call.ledger, call.id]
            self._end_stopped(call, stopped, can_wait=is_cancelled)

    def _end_stopped(self, call: Call, calls: Sequence[Call], *, can_wait: bool = True) -> None:
        """Record cancelled calls, or leave it to the call above ``call``, because a timeout may have stopped them."""
        above = self._stopped.get((call.ledger, call.caller.call)) if can_wait else None
        if above is not None and not call.ledger.execution.is_stopping:
            above.extend(calls)
            return
        for each in calls:
            self._write_output(each, Reply.from_stopped_call(with_run=call.ledger.execution.is_stopping))

    async def _to_recorded(self, call: Call, reply: Reply) -> tuple[Reply, str]:
        """The reply for the caller, and its content for the journal. Large content becomes an artifact."""
        if not call.wire_id:
            return reply, await to_recorded(reply.content, self._limits.output_bytes)
        text = reply.content_with_notice
        if len(text) * 4 > self._limits.output_bytes:
            text = shorten(text, self._limits.output_bytes, await store_large(text, self._limits.output_bytes))
        if text is not reply.content:
            reply = Reply(text, reply.outcome, reply.value, reply.error, reply.is_final)
        return reply, text

    def _write_output(self, call: Call, reply: Reply, recorded: str = "") -> Reply:
        if reply.outcome != "ok":
            reply = redact_reply(reply, ())
            recorded = reply.content
        text = tool_message_text(call.wire_id, recorded) if call.wire_id else recorded
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


def _find_unknown_outcomes(calls: Iterable[Call]) -> set[str]:
    """The ids of the unsafe calls that may have happened."""
    return {each.id for each in calls if is_outcome_unknown(each.callee, each.ledger.items_for(each.id))}


async def _check_reply(call: Call, reply: Reply) -> Reply:
    """Validate a reply that layers may have changed: content and value are one result of the callee, without secrets.

    Raises:
        InvalidOutputError: a layer changed the result to one that the callee cannot return.
    """
    output = call.callee.schema_out
    if reply.output is not output:
        try:
            reply = reply.check(output)
        except InvalidOutputError as error:
            raise InvalidOutputError(f"a layer changed the result of {call.callee.name}: {error.message}") from error
    if KNOWN_SECRETS.spellings.replacements:  # a layer may have added one
        reply = (await redact_reply_aside(reply, ())).load(output)
    return reply


_PREVIEW_BYTES: Final = 32 << 10
"""The maximum bytes that a model sees of a result that is stored as an artifact."""


def shorten(content: str, max_bytes: int, artifact: Artifact | None = None) -> str:
    """Return ``content``, or, if it exceeds ``max_bytes``, JSON that says so and contains its beginning.

    If the content is stored as an artifact, the JSON also contains its end and the reference.
    """
    data = content.encode(errors="replace")
    if len(data) <= max_bytes:
        return content
    note = f"the result is {len(data):,} bytes long; this is its beginning"
    shown: dict[str, object] = {"truncated": True, "note": f"{note}. Ask for less, or for a part of it."}
    size = max_bytes
    if artifact is not None:
        shown["note"] = f"{note} and its end. A tool that takes an artifact, such as read_artifact, can read the rest."
        shown["artifact"] = artifact.model_dump()
        size = min(size, _PREVIEW_BYTES)
    while True:
        size //= 2
        shown["beginning"] = data[:size].decode(errors="ignore")
        if artifact is not None:
            shown["end"] = data[len(data) - size // 4 :].decode(errors="ignore")
        text = compact_json(shown)
        if not size or len(text.encode()) <= max_bytes:
            return text


def _layer_failure(error: Exception) -> InternalError:
    failed = InternalError(redact_secrets(f"a layer failed: {type(error).__name__}: {error}"))
    failed.__cause__ = safe_cause(error)
    return failed
