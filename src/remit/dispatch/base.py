"""The innermost service: seal, effect, function, check, end. Fixed; no layer stands further in."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from pydantic import BaseModel

from remit.approvals.inbox import outcome_question
from remit.contracts.call import Call
from remit.contracts.callee import DID_NOT_HAPPEN, UNKNOWN, Happened
from remit.contracts.contract import definition_digest
from remit.contracts.facts import Effect
from remit.contracts.items import Asked, Decided, Ended, Item, Outcome, Started
from remit.contracts.ledger import Take
from remit.contracts.question import Decision, Question
from remit.contracts.redact import redacted_error, redacted_reply, tellable
from remit.contracts.reply import Reply
from remit.contracts.secret import KNOWN, redacted
from remit.dispatch.context import BodyFrame, Dispatch
from remit.dispatch.registry import AnyCallee
from remit.errors import (
    CallCancelledError,
    CallError,
    DeadlineError,
    DivergedError,
    JournalError,
    NoModelError,
    SealError,
    Suspended,
    ToolFailedError,
)

_SHOWN = 1000


class Base:
    """Runs the body of one callee, so that after a crash it is known what was started and what has ended."""

    __slots__ = ("_callee", "_dispatch", "_effect")

    def __init__(self, callee: AnyCallee, dispatch: Dispatch) -> None:
        self._callee = callee
        self._dispatch = dispatch
        self._effect = callee.facts.effect

    async def __call__(self, call: Call, /) -> Reply:
        """Bind what is unbound, then run the body by the rules of its effect."""
        if call.payload is None:
            call = call.bound(self._callee.schema_in.bind(call.arguments))
        payload = call.payload
        assert payload is not None  # noqa: S101 - for the type checker: bound just above
        items = call.ledger.known(call.id)
        number, started, ended = _attempt(items, call.attempt) if items else (call.attempt, None, None)
        if ended is not None and self._effect is not Effect.PURE:
            return _answered(ended)
        question = self._sealed(payload, items) if items else None
        if self._effect is Effect.COMPOSED:
            if question is not None and started is None:
                await self._start(call, number, question)
            reply = await self._body(call, payload)
            call.ledger.finish(call.id)
            return reply
        if started is not None and self._effect is Effect.UNSAFE:
            happened = await self._outcome(call, payload, number)
            if happened is not None:
                return happened
            number, started = number + 1, None
        if started is None:
            await self._start(call, number, question)
        return await self._run(call, number, payload)

    async def _start(self, call: Call, number: int, question: Question | None) -> None:
        item = Started(call=call.id, parent=call.caller.call, attempt=number, question=question.id if question else "")
        if question is not None:
            await call.ledger.commit(item, Take(question.id, call.caller.run, call.id))
        else:
            await self._write(call, item)

    async def _write(self, call: Call, item: Item) -> None:
        """What a pure call writes need not wait for the disk: lost, the call runs again."""
        if self._effect is Effect.PURE:
            call.ledger.add(item)
        else:
            await call.ledger.commit(item)

    async def _run(self, call: Call, number: int, payload: BaseModel) -> Reply:
        try:
            reply = await self._body(call, payload)
        except CallError as error:
            failed = Reply.failed(error)
            ended = Ended(call=call.id, attempt=number, outcome=failed.outcome, content=failed.content)
            await self._write(call, ended)
            raise
        except asyncio.CancelledError:
            stopped = CallCancelledError(f"{self._callee.name} was stopped while it ran; it may have happened in part")
            content = Reply.failed(stopped).content
            call.ledger.add(Ended(call=call.id, attempt=number, outcome="error", content=content))
            raise
        if self._effect is not Effect.PURE:
            outcome, content, final = reply.outcome, reply.content, reply.ends
            await call.ledger.commit(Ended(call=call.id, attempt=number, outcome=outcome, content=content, final=final))
        return reply

    async def _body(self, call: Call, payload: BaseModel) -> Reply:
        frame = BodyFrame(call, self._callee, self._dispatch)
        try:
            return self._reply(await self._callee.run(payload, frame))
        except CallError as error:
            safe = redacted_error(error)
            if safe is error:
                raise
            raise safe from None
        except (JournalError, DivergedError, NoModelError):
            raise
        except asyncio.CancelledError as error:
            if call.ledger.stopping or _asked_for():
                raise
            raise self._failed(error) from tellable(error)
        except KeyboardInterrupt as error:
            if _asked_for():  # the second Ctrl-C
                raise
            raise self._failed(error) from tellable(error)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - raised again, less a cause that tells a secret
            raise self._failed(error) from tellable(error)
        finally:
            frame.end()

    def _reply(self, value: object) -> Reply:
        """What a body gave, without the values of secrets."""
        if isinstance(value, Reply):
            reply = value
        else:
            checked, content = self._callee.schema_out.dump(value)
            reply = Reply(content, "ok", checked)
        return redacted_reply(reply) if KNOWN.spellings else reply

    def _failed(self, error: BaseException) -> ToolFailedError:
        said = f"{self._callee.name} failed: {type(error).__name__}: {error}"
        return ToolFailedError(redacted(said)[:_SHOWN])

    async def _outcome(self, call: Call, payload: BaseModel, number: int) -> Reply | None:
        """What became of an attempt that was cut off: its reply, or None if it did not happen.

        Raises:
            Suspended: only a person can tell.
        """
        try:
            found = await self._callee.reconcile(payload, BodyFrame(call, self._callee, self._dispatch))
        except (Exception, SystemExit):  # noqa: BLE001 - where finding out fails, a person is asked
            found = UNKNOWN
        if isinstance(found, Happened):
            return await self._settle(call, number, self._reply(found.value))
        decision = None if found is DID_NOT_HAPPEN else await self._told(call, number)
        if decision is not None and decision.approved is True:
            return await self._settle(call, number, Reply(decision.result, "ok"))
        await self._settle(call, number, None)
        return None

    async def _told(self, call: Call, number: int) -> Decision:
        question = outcome_question(call, number)
        for item in call.ledger.known(call.id):
            if isinstance(item, Decided) and item.question == question.id:
                return Decision.of(item.body)
        if not any(isinstance(i, Asked) and i.question == question.id for i in call.ledger.known(call.id)):
            asked = Asked(
                call=call.id,
                parent=call.caller.call,
                question=question.id,
                body=question.json(),
                about="outcome",
            )
            await call.ledger.commit(asked)
        raise Suspended(question.id)

    async def _settle(self, call: Call, number: int, reply: Reply | None) -> Reply | None:
        outcome: Outcome = "ok" if reply is not None else "error"
        content = reply.content if reply is not None else ""
        item = Ended(call=call.id, attempt=number, outcome=outcome, content=content, void=reply is None)
        await call.ledger.commit(item)
        return reply

    def _sealed(self, payload: BaseModel, items: Sequence[Item]) -> Question | None:
        """The approved question about this call, after checking that exactly what was approved is about to run."""
        asked = next((i for i in reversed(items) if isinstance(i, Asked) and i.about == "approval"), None)
        if asked is None:
            return None
        question = Question.of(asked.body)
        given = (Decision.of(i.body) for i in items if isinstance(i, Decided) and i.question == question.id)
        decision = next((each for each in given if each.approved is True), None)
        if decision is None:
            raise SealError(f"{self._callee.name} was asked about and not approved, yet a layer let it through")
        today = (self._callee.name, self._callee.schema_in.canonical(payload), definition_digest(self._callee))
        if today != (question.tool, decision.arguments or question.arguments, question.definition):
            raise SealError(f"a layer changed what {self._callee.name} is called with after it was approved")
        return question


def _asked_for() -> bool:
    """Whether somebody cancelled this task: a body may await what another task has given up, and say the same."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _attempt(items: Sequence[Item], attempt: int) -> tuple[int, Started | None, Ended | None]:
    """The number of an attempt, past those that never happened, and what the journal knows of it."""
    number = attempt + sum(isinstance(item, Ended) and item.void for item in items)
    started = next((item for item in items if isinstance(item, Started) and item.attempt == number), None)
    ended = next((item for item in items if isinstance(item, Ended) and item.attempt == number), None)
    return number, started, ended


def _answered(ended: Ended) -> Reply:
    """The reply of an attempt that has ended, or its error raised: retry outside decides as it did."""
    reply = Reply.recorded(ended.content, ended.outcome, ends=ended.final)
    if isinstance(reply.error, CallCancelledError):
        raise DeadlineError(reply.error.message)  # its run goes on, so it was its time that had come
    if reply.error is not None:
        raise reply.error
    return reply
