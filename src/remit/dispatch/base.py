"""The innermost service: seal, effect, function, check, end. Fixed; no layer stands further in."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from pydantic import BaseModel

from remit.contracts.call import Call
from remit.contracts.contract import definition_digest
from remit.contracts.facts import Effect
from remit.contracts.items import Asked, Decided, Ended, Item, Started
from remit.contracts.ledger import Take
from remit.contracts.question import Decision, Question
from remit.contracts.reply import Reply
from remit.dispatch.context import BodyFrame, Dispatch
from remit.dispatch.registry import AnyCallee
from remit.errors import (
    CallCancelledError,
    CallError,
    OutcomeUnknownError,
    RemitError,
    SealError,
    ToolFailedError,
)


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
        question = self._sealed(payload, items) if items else None
        if self._effect is Effect.COMPOSED:
            return await self._body(call, payload)
        started, ended = attempt(items, call.attempt)
        if ended is not None and self._effect is not Effect.PURE:
            return Reply.recorded(ended.content, ended.outcome, ends=False)
        if started is None:
            await self._start(call, question)
        elif self._effect is Effect.UNSAFE:
            raise OutcomeUnknownError(
                f"{self._callee.name} was under way when its process died; look whether it happened before another try"
            )
        return await self._attempt(call, payload)

    async def _start(self, call: Call, question: Question | None) -> None:
        item = Started(call=call.id, attempt=call.attempt, question=question.id if question else "")
        if question is not None:
            await call.ledger.commit(item, Take(question.id, call.caller.run, call.id))
        elif self._effect is Effect.PURE:
            call.ledger.add(item)
        else:
            await call.ledger.commit(item)

    async def _attempt(self, call: Call, payload: BaseModel) -> Reply:
        try:
            reply = await self._body(call, payload)
        except CallError as error:
            await self._end(call, Reply.failed(error))
            raise
        except asyncio.CancelledError:
            stopped = CallCancelledError(f"{self._callee.name} was stopped while it ran; it may have happened in part")
            call.ledger.add(self._ended(call, Reply.failed(stopped)))
            raise
        if self._effect is not Effect.PURE:
            await call.ledger.commit(self._ended(call, reply))
        return reply

    async def _end(self, call: Call, reply: Reply) -> None:
        if self._effect is Effect.PURE:
            call.ledger.add(self._ended(call, reply))
        else:
            await call.ledger.commit(self._ended(call, reply))

    def _ended(self, call: Call, reply: Reply) -> Ended:
        content = "" if self._effect is Effect.PURE else reply.content
        return Ended(call=call.id, attempt=call.attempt, outcome=reply.outcome, content=content)

    async def _body(self, call: Call, payload: BaseModel) -> Reply:
        try:
            value = await self._callee.run(payload, BodyFrame(call, self._callee, self._dispatch))
        except RemitError:
            raise
        except Exception as error:
            said = f"{self._callee.name} failed: {type(error).__name__}: {error}"
            raise ToolFailedError(said[:1000]) from error
        if isinstance(value, Reply):
            return value
        checked, content = self._callee.schema_out.dump(value)
        return Reply(content, "ok", checked)

    def _sealed(self, payload: BaseModel, items: Sequence[Item]) -> Question | None:
        """The approved question about this call, after checking that exactly what was asked about is about to run."""
        asked = next((item for item in reversed(items) if isinstance(item, Asked)), None)
        if asked is None:
            return None
        question = Question.of(asked.body)
        given = (Decision.of(item.body) for item in items if isinstance(item, Decided) and item.question == question.id)
        if not any(decision.approved is True for decision in given):
            raise SealError(f"{self._callee.name} was asked about and not approved, yet a layer let it through")
        today = (self._callee.name, self._callee.schema_in.canonical(payload), definition_digest(self._callee))
        if today != (question.tool, question.arguments, question.definition):
            raise SealError(f"a layer changed what {self._callee.name} is called with after it was approved")
        return question


def attempt(items: Sequence[Item], number: int) -> tuple[Started | None, Ended | None]:
    """What the journal knows of one attempt of a call."""
    started: Started | None = None
    ended: Ended | None = None
    for item in items:
        if isinstance(item, Started) and item.attempt == number:
            started = item
        elif isinstance(item, Ended) and item.attempt == number:
            ended = item
    return started, ended
