"""The entry of AG-UI clients, and the stream of a run from any place."""

from __future__ import annotations

from typing import Final

from starlette.responses import Response

from remit.approvals.service import DecisionOptions
from remit.client.client import Client
from remit.errors import RequestError
from remit.record.items import RunSuspended
from remit.server.agui.asked import Answer, EventsQuery, ResumeEntry, RunInput, RunInputQuery
from remit.server.agui.messages import METADATA
from remit.server.agui.place import StreamPlace
from remit.server.agui.streaming import Names, RunStream
from remit.server.documents.document import check_prompt, text_of_json
from remit.server.rest.operation import Operation, Sent
from remit.server.sse import EVENT_STREAM, stream_response


async def run_agent(sent: Sent[RunInputQuery, RunInput]) -> Response:
    """Send a message, or answer the questions of a run; AG-UI. The response is the stream of the run.

    The server keeps the history: of ``messages`` only the last one counts, and only ``resume`` answers questions, all
    of them or none. The same ``runId`` again joins the same run.
    """
    asked = sent.body
    place = await _answer(sent, asked.resume) if asked.resume else await _submit(sent)
    names = Names(asked.thread_id, asked.run_id)
    stream = RunStream(sent.client, place.run, place, names, tells_prompt=False)
    return stream_response(stream.frames(), sent.request, sent.serving, sent.client.principal)


async def follow_run(sent: Sent[EventsQuery, None]) -> Response:
    """Follow a run as AG-UI events, from the beginning or after the event with an id.

    The header ``Last-Event-ID`` comes before the query. The stream ends when the run ends or waits for a person.
    """
    run = sent.path["run"]
    row = await sent.client.status(run)
    place = StreamPlace.parse(run, sent.request.headers.get("last-event-id", "") or sent.query.after)
    if place.seq >= 0 and not await sent.client.items(run, after=place.seq - 1):
        raise RequestError("after is a place of another journal, or of this one before it was restored; leave it out")
    names = Names(row.conversation or run, run)
    stream = RunStream(sent.client, run, place, names, tells_prompt=True)
    return stream_response(stream.frames(), sent.request, sent.serving, sent.client.principal)


async def _submit(sent: Sent[RunInputQuery, RunInput]) -> StreamPlace:
    asked = sent.body
    message = asked.last_message()
    run = await sent.client.submit(
        check_prompt("the last message", message.prompt()),
        agent=sent.query.agent,
        target=sent.query.target,
        conversation=asked.thread_id,
        idempotency_key=f"agui {asked.thread_id} {asked.run_id}",
        metadata={METADATA: {"messageId": message.id}},
    )
    await sent.serving.start(run)
    return StreamPlace(run)


async def _answer(sent: Sent[RunInputQuery, RunInput], entries: list[ResumeEntry]) -> StreamPlace:
    rows = [(await sent.client.question(each.interrupt_id)).question for each in entries]
    runs = {each.run for each in rows}
    if len(runs) > 1 or len({each.id for each in rows}) < len(rows):
        raise RequestError("resume answers questions of several runs, or one twice; answer those of one run")
    decisions = [_decision(sent, each) for each in entries]
    for each in decisions:
        await sent.client.check_decision(**each)
    place = await _suspension_of(sent.client, rows[0].run, rows[0].id)
    try:
        for each in decisions:
            if opened := await sent.client.decide(**each):
                place = StreamPlace(opened)
    finally:  # another answer may come between the check and a decision; what was decided counts
        await sent.serving.wake(place.run)
    return place


async def _suspension_of(client: Client, run: str, question: str) -> StreamPlace:
    """The place after the item with which a run began to wait for a question."""
    places = [
        each.seq
        for each in await client.items(run)
        if isinstance(each.item, RunSuspended) and question in each.item.questions
    ]
    return StreamPlace(run, str(places[-1]) if places else "")


class _Decision(DecisionOptions):
    question: str
    approved: bool


def _decision(sent: Sent[RunInputQuery, RunInput], entry: ResumeEntry) -> _Decision:
    answer = entry.payload or Answer()
    return _Decision(
        question=entry.interrupt_id,
        approved=entry.status == "resolved" and answer.approved,
        reason=answer.reason,
        result=answer.result,
        arguments=text_of_json(answer.arguments),
        idempotency_key=f"agui {sent.body.run_id} {entry.interrupt_id}",
    )


OPERATIONS: Final = (
    Operation(
        method="POST",
        path="/agui",
        handle=run_agent,
        answer=None,
        media_type=EVENT_STREAM,
        query=RunInputQuery,
        body=RunInput,
        most_bytes=lambda settings: settings.history_bytes,
    ),
    Operation(
        method="GET",
        path="/api/runs/{run}/events",
        handle=follow_run,
        answer=None,
        media_type=EVENT_STREAM,
        query=EventsQuery,
    ),
)
