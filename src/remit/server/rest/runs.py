"""Runs: list them, start one, read one."""

from __future__ import annotations

import math
from typing import Final

from remit.journal.question_row import QuestionRow
from remit.server.documents.document import Listed, check_prompt
from remit.server.documents.questions import QuestionDocument
from remit.server.documents.run import RunDocument
from remit.server.documents.runs import NewRun, OpenedRun, RunsQuery, RunSummary
from remit.server.rest.operation import NoQuery, Operation, Sent

_BATCH: Final = 1000


async def list_runs(sent: Sent[RunsQuery, None]) -> Listed[RunSummary]:
    """List runs, newest first: one's own, and those that one's permissions allow to read."""
    asked = sent.query
    page = await sent.client.runs(
        status=asked.status,
        agent=asked.agent,
        conversation=asked.conversation,
        target=asked.target,
        since=asked.since,
        until=math.inf if asked.until is None else asked.until,
        before=asked.before,
        limit=asked.limit,
    )
    return Listed(items=tuple(map(RunSummary.of, page.items)), next=page.next)


async def start_run(sent: Sent[NoQuery, NewRun]) -> OpenedRun:
    """Send a message to an agent. The run is executed in the background; follow its events."""
    asked = sent.body
    run = await sent.client.submit(
        asked.prompt if asked.files else check_prompt("prompt", asked.prompt),
        agent=asked.agent,
        conversation=asked.conversation,
        target=asked.target,
        idempotency_key=sent.key,
        files=[each.to_artifact() for each in asked.files],
        when_busy=asked.when_busy,
    )
    await sent.serving.start(run)
    return OpenedRun(run=run)


async def read_run(sent: Sent[NoQuery, None]) -> RunDocument:
    """Read a run with its calls, messages, questions and receipt."""
    run = sent.path["run"]
    details = await sent.client.details(run)
    rows, after = list[QuestionRow](), ""
    while page := await sent.client.questions(status="all", run=run, after=after, limit=_BATCH):
        rows += page
        if not (after := page.next):
            break
    return RunDocument.of(details, [QuestionDocument.of(each, sent.client) for each in rows], sent.client.contract)


OPERATIONS: Final = (
    Operation(method="GET", path="/api/runs", handle=list_runs, answer=Listed[RunSummary], query=RunsQuery),
    Operation(method="POST", path="/api/runs", handle=start_run, answer=OpenedRun, body=NewRun, status=202, keyed=True),
    Operation(method="GET", path="/api/runs/{run}", handle=read_run, answer=RunDocument),
)
