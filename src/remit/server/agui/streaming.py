"""Streams a run as AG-UI events, from any place in it."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from remit.client.client import Client
from remit.client.following import ItemEvent, StreamEvent
from remit.journal.question_row import QuestionRow
from remit.record.items import Position, RunFinished, RunStalled, RunSuspended
from remit.server.agui.events import (
    Custom,
    Event,
    InterruptDocument,
    Outcome,
    RunError,
    RunStarted,
)
from remit.server.agui.events import (
    RunFinished as RunFinishedEvent,
)
from remit.server.agui.mapper import PlacedEvent, RunMapper
from remit.server.agui.place import StreamPlace
from remit.server.documents.questions import QuestionDocument
from remit.server.documents.usage import UsageDocument
from remit.server.sse import frame
from remit.views.parts import QuestionView

RESPONSE_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "approved": {"type": "boolean"},
        "reason": {"type": "string"},
        "arguments": {"type": "object"},
    },
    "required": ["approved"],
}
"""What a client sends with a decision. Only ``true`` approves."""

_RESTS: Final = (RunSuspended, RunStalled)
"""The items after which a run may wait for a person."""


class Names(NamedTuple):
    """The ids under which a client knows the conversation and the run."""

    thread: str
    run: str


class RunStream:
    """The stream of one run for one reader.

    Args:
        client: the reader's client.
        run: the run, which the reader sees.
        place: where to begin.
        names: the ids that the events have.
        tells_prompt: see `RunMapper`.
    """

    def __init__(self, client: Client, run: str, place: StreamPlace, names: Names, *, tells_prompt: bool) -> None:
        self._client, self._run, self._place, self._names = client, run, place, names
        self._mapper = RunMapper(run, client.contract, self._describe, tells_prompt=tells_prompt)
        self._events = client.stream(run, after=place.after)  # refuses a wrong place before the response begins

    async def frames(self) -> AsyncGenerator[bytes]:
        """The events as server-sent events, until the run ends or waits for a person."""
        async with contextlib.aclosing(self._events) as events:
            async for place, event in self._follow(events):
                yield frame(str(place), event)

    async def _follow(self, events: AsyncGenerator[StreamEvent]) -> AsyncGenerator[PlacedEvent]:
        place = self._place
        if place.seq >= 0:
            before = [each for each in await self._client.items(self._run) if each.seq <= place.seq]
            self._mapper.restore(before, place)
        yield PlacedEvent(place, RunStarted(thread_id=self._names.thread, run_id=self._names.run))
        async for event in events:
            ending = list[Event]()
            if isinstance(event, ItemEvent):
                ending = await self._end(event.position)
            for told in self._mapper.map(event, ending):
                yield told
            if ending:
                return

    async def _end(self, position: Position) -> list[Event]:
        """The events with which the stream ends after an item; none if it goes on."""
        item = position.item
        if isinstance(item, RunFinished):
            return [self._usage(), self._outcome(item)]
        if not isinstance(item, _RESTS) or await self._client.items(self._run, after=position.seq):
            return []
        interrupts = [self._interrupt(each) for each in await self._open_questions(item.questions)]
        if not interrupts:
            return []
        outcome = Outcome(type="interrupt", interrupts=tuple(interrupts))
        return [self._usage(), self._finish(outcome)]

    async def _open_questions(self, questions: Sequence[str]) -> list[QuestionDocument]:
        """Those questions that can be decided now. A reader of the run who may not decide sees them too."""
        waiting = {each.question.id for each in (await self._client.details(self._run)).questions}
        views = [self._mapper.view.questions[each] for each in questions if each in waiting]
        return [self._describe(each) for each in views]

    def _usage(self) -> Event:
        usage = self._client.usage_of(self._mapper.view.totals)
        return Custom(name="remit.usage", value=UsageDocument.of(usage))

    def _outcome(self, item: RunFinished) -> Event:
        if item.status == "failed":
            failure = self._mapper.view.first_failure
            return RunError(message=item.error, code=failure.code if failure is not None else "FAILED")
        return self._finish(Outcome(type="cancelled" if item.status == "cancelled" else "success"))

    def _finish(self, outcome: Outcome) -> Event:
        return RunFinishedEvent(thread_id=self._names.thread, run_id=self._names.run, outcome=outcome)

    def _describe(self, view: QuestionView) -> QuestionDocument:
        decision = view.decision
        status = "open" if decision is None else "approved" if decision.approved else "denied"
        return QuestionDocument.of(QuestionRow(view.question, status, decision, None), self._client)

    def _interrupt(self, question: QuestionDocument) -> InterruptDocument:
        return InterruptDocument(
            id=question.id,
            reason=f"remit:{question.about}",
            message=question.sentence.text,
            response_schema=RESPONSE_SCHEMA,
            expires_at=datetime.fromtimestamp(question.expires, UTC).isoformat(),
            metadata={"question": question},
            tool_call_id=self._mapper.tool_call_of(question.call),
        )
