"""The base, the innermost service: seal, effect, function, output check, end. No layer can replace it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from pydantic import BaseModel

from remit.approvals.approved import ApprovedCall, check_approved
from remit.approvals.authority import check_deciders
from remit.approvals.from_journal import AskAgain, as_recorded, questions_since_start, read_approvals
from remit.approvals.outcome import find_or_ask_outcome
from remit.call.call import Call
from remit.call.callee import DID_NOT_HAPPEN, UNKNOWN, Happened, HasSource
from remit.call.contract import definition_digest
from remit.call.facts import Effect
from remit.call.failures import find_answer, is_cancel_requested, is_closing, is_failure, locate_failure, place_as
from remit.call.gate import has_begun, is_outcome_unknown
from remit.call.observing import await_callback
from remit.call.redact import limit_error, redact_error, redact_reply, redact_reply_aside, redact_text, safe_cause
from remit.call.reply import Reply
from remit.call.threads import ThreadStillRunning, wait_for_thread
from remit.call.transient import is_transient
from remit.dispatch.attempts import LateAttempt, as_stopped, check_key, check_time, find_attempt, make_end, record_entry
from remit.dispatch.context import CallContext, DispatchPort
from remit.dispatch.diagnosis import report_exception
from remit.dispatch.registry import AnyCallee
from remit.dispatch.seal import check_seal
from remit.errors import (
    CallCancelledError,
    CallError,
    DeadlineError,
    DivergedError,
    ExternalError,
    InternalError,
    InvalidOutputError,
    JournalError,
    NoModelError,
    Suspended,
)
from remit.layers.validate import bind_and_check, bind_arguments
from remit.record.artifact import DIGEST_START
from remit.record.items import (
    OPEN_RUN,
    AttemptEnded,
    AttemptStarted,
    DecisionItem,
    Item,
    Outcome,
    QuestionClosed,
    QuestionItem,
)
from remit.record.ledger import Consumption
from remit.record.question import Question
from remit.record.run_artifacts import from_recorded, to_recorded
from remit.record.secret import KNOWN_SECRETS

_MAX_ERROR_CHARS = 1000


class Base:
    """Runs the body of one callee, and records its start and end so that recovery from a crash is unambiguous."""

    __slots__ = ("_callee", "_definition", "_dispatch", "_effect", "_running_unsafe_calls")

    def __init__(self, callee: AnyCallee, dispatch: DispatchPort) -> None:
        self._callee = callee
        self._dispatch = dispatch
        self._effect = callee.facts.effect
        self._definition = ""  # computed when a call starts, because it takes the schema
        self._running_unsafe_calls = set[tuple[str, str]]()

    async def __call__(self, call: Call, /) -> Reply:
        """Bind the arguments if necessary, then run the body under the rules of its effect."""
        if call.payload is None:
            call = await bind_and_check(call)
        payload = call.payload
        assert payload is not None  # noqa: S101 - for the type checker: bound just above
        items = call.ledger.items_for(call.id)
        # An unsafe call has one attempt, even if layers number it differently or repeat it.
        attempt = 1 if self._effect is Effect.UNSAFE else call.attempt
        number, started, ended = find_attempt(items, attempt) if items else (attempt, None, None)
        if ended is not None or call.ledger.unread_keys:
            check_key(call, ended)
        if ended is not None and self._effect is not Effect.PURE and not is_outcome_unknown(self._callee, items):
            return self._replay_end(ended, await from_recorded(ended.content))
        approved = check_seal(self._callee, payload, items) if items else ()
        is_for_later = call.ledger.execution.starts_at > 0 and not call.caller.call
        if is_for_later:
            check_time(call, items)
        if approved and not has_begun(items):
            # Check after every wait for a person, and before the body's own writes could count as a change.
            check_deciders(call)
            await check_approved(call, approved)
        if items and self._effect is not Effect.UNSAFE and questions_since_start(items):
            started = None  # the call has just been approved, and starts again with this approval
        if self._effect is Effect.COMPOSED:
            if (approved or is_for_later) and started is None:
                await self._record_start(call, number, approved)
            record_entry(call, items)
            reply = await self._run_body(call, payload)
            call.ledger.order.finish(call.id)
            return reply
        if self._effect is Effect.UNSAFE:
            run = self._run_unsafe if started is None else self._settle_or_run
            return await run(call, number, payload, approved)
        if started is None:
            await self._record_start(call, number, approved)
        # Any later change may come from an interrupted idempotent attempt.
        may_have_written = started is not None and self._effect is Effect.IDEMPOTENT
        return await self._run_and_record_end(call, number, payload, () if may_have_written else approved)

    async def settle_refused(self, call: Call) -> Reply | None:
        """Settle an unsafe call that its layers refuse now, but that was started under earlier rules.

        A refusal would tell the caller that the call did not happen. The call is settled with the arguments of its
        attempt.

        Raises:
            InvalidArgumentsError: the contract no longer allows these arguments.
            Suspended: a person must decide.
        """
        items = call.ledger.items_for(call.id)
        call = as_recorded(call, read_approvals(items).edit)
        call = bind_arguments(call) if call.payload is None else call
        number, _, _ = find_attempt(items, 1)
        return await self._resolve_outcome(call, number)

    async def _settle_or_run(self, call: Call, number: int, payload: BaseModel, approved: Sequence[Question]) -> Reply:
        """Settle a started attempt, or run another one if it turns out not to have happened."""
        settled_reply = await self._resolve_outcome(call, number)
        if settled_reply is not None:
            return settled_reply
        if call.approvals:
            raise AskAgain(call.approvals[0])  # the policies judge the call again
        return await self._run_unsafe(call, number + 1, payload, approved)

    async def _run_unsafe(self, call: Call, number: int, payload: BaseModel, approved: Sequence[Question]) -> Reply:
        """Start the attempt and run it. The call counts as running even before its start is recorded."""
        key = (call.caller.run, call.id)
        self._running_unsafe_calls.add(key)
        try:
            await self._record_start(call, number, approved)
            return await self._run_and_record_end(call, number, payload, approved)
        except ThreadStillRunning as error:
            self._record_when_ended(call, number, payload, error.thread)
            raise
        finally:
            self._running_unsafe_calls.discard(key)

    def _record_when_ended(self, call: Call, number: int, payload: BaseModel, thread: Future[Any]) -> None:
        """Record the end of an attempt in its run's newest ledger when its thread ends."""
        late = LateAttempt(call, number, payload, thread, [])
        self._dispatch.late_attempts[call.caller.run, call.id] = late
        late.recording.append(asyncio.ensure_future(self._record_late_end(late)))

    async def _record_late_end(self, late: LateAttempt) -> None:
        key = (late.call.caller.run, late.call.id)
        with contextlib.suppress(BaseException):  # waits only; the end is read below
            await wait_for_thread(late.thread)
        if not late.thread.done() or self._dispatch.late_attempts.get(key) is not late:
            return  # the loop ends, or another execution took over the call
        # If another executor took over the run, nothing is stored, and the attempt remains known here.
        with contextlib.suppress(BaseException):
            with contextlib.suppress(CallError):
                await self._run_and_record_end(late.call, late.number, late.payload, thread=late.thread)
            self._dispatch.late_attempts.pop(key, None)

    async def _await_late_end(self, call: Call, late: LateAttempt) -> Reply:
        """Wait for an attempt's thread, and record its end in the present ledger."""
        self._dispatch.late_attempts.pop((call.caller.run, call.id), None)
        try:
            return await self._run_and_record_end(call, late.number, late.payload, thread=late.thread)
        except ThreadStillRunning:
            self._record_when_ended(call, late.number, late.payload, late.thread)
            raise

    async def _record_start(self, call: Call, number: int, approved: Sequence[Question]) -> None:
        questions = tuple([question.id for question in approved]) if approved else ()
        self._definition = self._definition or definition_digest(self._callee)
        item = AttemptStarted(
            call=call.id,
            parent=call.caller.call,
            callee=call.callee.name,
            attempt=number,
            wire=call.wire_id,
            question=questions[0] if questions else "",
            definition=self._definition,
            pure=self._effect is Effect.PURE,
        )
        if questions:
            await call.ledger.commit(item, Consumption(questions, call.caller.run, call.id))
        else:
            await self._write_item(call, item)

    async def _write_item(self, call: Call, item: Item) -> None:
        """Write an item. Pure calls do not wait for the disk, because they run again if the item is lost."""
        if self._effect is Effect.PURE:
            call.ledger.add(item)
        else:
            await call.ledger.commit(item)

    async def _run_and_record_end(
        self,
        call: Call,
        number: int,
        payload: BaseModel,
        approved: Sequence[Question] = (),
        *,
        thread: Future[Any] | None = None,
    ) -> Reply:
        state = ApprovedCall(call, approved) if approved and self._effect is not Effect.PURE else None
        try:
            reply = await self._run_body(call, payload, state, thread)
            content = "" if self._effect is Effect.PURE else await self._to_recorded(reply)
        except CallError as error:
            void = state is not None and state.has_not_begun(number)
            where = locate_failure(error, self._callee.where if isinstance(self._callee, HasSource) else "")
            ended = make_end(call, number, Reply.from_error(error), void=void, where=where)
            await self._write_end(call, ended)
            if void:
                raise AskAgain(approved[0].id) from error  # the state is compared again before the attempt begins
            raise
        except asyncio.CancelledError as error:
            call.ledger.add(make_end(call, number, Reply.from_error(as_stopped(self._callee.name, error))))
            raise
        if self._effect is not Effect.PURE:
            outcome, final = reply.outcome, reply.is_final
            ended = AttemptEnded(call=call.id, attempt=number, outcome=outcome, content=content, final=final)
            await self._write_end(call, ended)
        return reply

    async def _write_end(self, call: Call, ended: AttemptEnded) -> None:
        """Write the end of an attempt, and close the question about its outcome if a person was already asked."""
        items = call.ledger.items_for(call.id)
        answered = {item.question for item in items if isinstance(item, DecisionItem)}
        for item in items:
            if isinstance(item, QuestionItem) and item.question not in answered:
                call.ledger.add(QuestionClosed(call=call.id, question=item.question))
        await self._write_item(call, ended)

    async def _to_recorded(self, reply: Reply) -> str:
        return await to_recorded(reply.content, self._dispatch.limits.output_bytes)

    async def _run_body(
        self,
        call: Call,
        payload: BaseModel,
        approved: ApprovedCall | None = None,
        thread: Future[Any] | None = None,
    ) -> Reply:
        frame = CallContext(call, self._callee, self._dispatch, approved)
        body = self._run_composed if self._effect is Effect.COMPOSED else self._callee.run
        token = frame.begin()
        try:
            value = await (body(payload, frame) if thread is None else wait_for_thread(thread))
            reply = await self._to_reply(call, value)
            frame.settle_key()
            if approved is not None:
                approved.warn_if_unchecked()
            return await reply.check_artifacts() if DIGEST_START in reply.content else reply
        except CallError as error:
            frame.settle_key(error)
            safe = limit_error(redact_error(error, call.redactions), self._dispatch.limits.error_bytes)
            if safe is error:
                raise
            raise place_as(safe, error) from None
        except (JournalError, DivergedError, NoModelError):
            raise
        except asyncio.CancelledError as error:
            if call.ledger.execution.is_stopping or is_cancel_requested():
                raise
            raise place_as(self._tool_failure(call, error), error) from safe_cause(error, call.redactions)
        except Suspended as error:
            is_stalled = bool(error.reason) and self._effect is Effect.COMPOSED  # the model of an agent
            is_idle = self._callee.name == OPEN_RUN
            if is_stalled or is_idle or frame.calls.signal is not None or call.ledger.execution.is_replaying:
                raise
            raise place_as(self._tool_failure(call, error), error) from safe_cause(error, call.redactions)
        except BaseException as error:
            if not is_failure(error):
                raise
            failure = self._tool_failure(call, error)
            frame.settle_key(failure)
            raise place_as(failure, error) from None if find_answer(error) else safe_cause(error, call.redactions)
        finally:
            frame.end(token)

    async def _run_composed(self, payload: BaseModel, frame: CallContext) -> object:
        """Run a body that makes calls. It ends after all its calls, and re-raises a call's signal."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a coroutine that awaits runs in a task
        cancels, failure = task.cancelling(), None
        try:
            return await self._callee.run(payload, frame)
        except BaseException as error:
            failure = error
            raise
        finally:
            is_cancelled = isinstance(failure, (asyncio.CancelledError, KeyboardInterrupt)) and task.cancelling() > 0
            while not is_cancelled and task.cancelling() > cancels:
                task.uncancel()  # before Python 3.13, a TaskGroup leaves its own cancellation behind if a task fails
            if failure is None or not is_closing(failure):  # a coroutine being closed cannot await
                await frame.calls.finish(failure, is_cancelled=is_cancelled)

    async def _to_reply(self, call: Call, value: object) -> Reply:
        """Make the reply for a body's result, without secrets and the data that the layers around the call redact."""
        output = self._callee.schema_out
        if isinstance(value, Reply):
            if wrong := value.find_wrong_field():
                raise InvalidOutputError(f"{self._callee.name} returned {wrong}")
            reply = value.check(output)
        else:
            checked, content = output.dump(value)
            reply = Reply(content, "ok", checked, output=output)
        if KNOWN_SECRETS.spellings.replacements or call.redactions:
            return (await redact_reply_aside(reply, call.redactions, output)).load(output)
        return reply

    def _replay_end(self, ended: AttemptEnded, content: str) -> Reply:
        """Return the reply of an ended attempt or raise its error, so that layers decide as before."""
        reply = Reply.from_journal(content, ended.outcome, is_final=ended.final)
        if isinstance(reply.error, CallCancelledError):
            raise DeadlineError(reply.error.message)  # the run continued, so the attempt was cancelled by its timeout
        if reply.error is not None:
            raise reply.error
        return reply.load(self._callee.schema_out)

    def _tool_failure(self, call: Call, error: BaseException) -> CallError:
        """Make the error for the body's exception. Its code records whether a resumed run may retry the call."""
        if (answer := find_answer(error)) is not None:
            return limit_error(redact_error(answer, call.redactions), self._dispatch.limits.error_bytes)
        report_exception(call, error)
        kind = ExternalError if is_transient(error) or isinstance(error, call.retry_on) else InternalError
        message = f"{self._callee.name} failed: {type(error).__name__}: {error}"
        return kind(redact_text(message, call.redactions)[:_MAX_ERROR_CHARS])

    async def _resolve_outcome(self, call: Call, number: int) -> Reply | None:
        """Determine whether an interrupted attempt happened: return its reply, or None if it did not happen.

        If its body still runs in this process, the attempt may still happen, even if the callee reports otherwise. A
        running thread is awaited even if a person has decided that the attempt did not happen.

        Raises:
            Suspended: a person must decide.
        """
        key = (call.caller.run, call.id)
        late = self._dispatch.late_attempts.get(key)
        if late is not None and not call.ledger.execution.is_replaying:
            self._record_when_ended(call, number, late.payload, late.thread)
        frame = CallContext(call, self._callee, self._dispatch)
        token = frame.begin()
        try:
            # The callee gets its own payload, so that mutating it cannot change the call.
            own = self._callee.schema_in.load(call.canonical_arguments)
            finding = await await_callback("reconcile", self._callee.reconcile(own, frame), deadline=call.deadline)
        except BaseException as error:
            if not is_failure(error):
                raise
            finding = UNKNOWN  # a person decides
        finally:
            frame.end(token)
        if late is not None and late.thread.done():
            return await self._await_late_end(call, late)
        if isinstance(finding, Happened):
            self._dispatch.late_attempts.pop(key, None)
            return await self._settle_attempt(call, number, await self._to_reply(call, finding.value))
        if late is not None or key in self._running_unsafe_calls:
            finding = UNKNOWN
        decision = None if finding is DID_NOT_HAPPEN else await find_or_ask_outcome(call, number)
        if decision is not None and decision.approved is True:
            self._dispatch.late_attempts.pop(key, None)
            reply = redact_reply(Reply(decision.result), call.redactions)
            return await self._settle_attempt(call, number, reply.load(self._callee.schema_out))
        if late is not None:
            return await self._await_late_end(call, late)
        await self._settle_attempt(call, number, None)
        return None

    async def _settle_attempt(self, call: Call, number: int, reply: Reply | None) -> Reply | None:
        content = "" if reply is None else await self._to_recorded(reply)
        outcome: Outcome = "error" if reply is None else "ok"
        item = AttemptEnded(call=call.id, attempt=number, outcome=outcome, content=content, void=reply is None)
        await call.ledger.commit(item)
        return reply
