"""Questions: list them, read one, decide one."""

from __future__ import annotations

from typing import Final

from starlette.responses import Response

from remit.errors import RequestConflictError
from remit.server.documents.document import Listed, text_of_json
from remit.server.documents.questions import (
    DecidedDocument,
    NewDecision,
    QuestionDocument,
    QuestionsQuery,
    SettledProblem,
)
from remit.server.responses import write_document
from remit.server.rest.operation import NoQuery, Operation, Sent


async def list_questions(sent: Sent[QuestionsQuery, None]) -> Listed[QuestionDocument]:
    """List the questions that one may decide or whose call one requested."""
    asked = sent.query
    page = await sent.client.questions(
        status=asked.status,
        run=asked.run,
        conversation=asked.conversation,
        after=asked.after,
        limit=asked.limit,
    )
    return Listed(items=tuple(QuestionDocument.of(each, sent.client) for each in page), next=page.next)


async def read_question(sent: Sent[NoQuery, None]) -> QuestionDocument:
    """Read a question."""
    return QuestionDocument.of(await sent.client.question(sent.path["question"]), sent.client)


async def decide_question(sent: Sent[NoQuery, NewDecision]) -> DecidedDocument | Response:
    """Decide a question. One that is settled, stale or expired is refused with its document (409)."""
    asked, question = sent.body, sent.path["question"]
    try:
        opened = await sent.client.decide(
            question,
            approved=asked.approved,
            kind=asked.kind,
            reason=asked.reason,
            arguments=text_of_json(asked.arguments),
            result=asked.result,
            idempotency_key=sent.key,
        )
    except RequestConflictError as error:
        row = await sent.client.question(question)
        refused = SettledProblem(error=error.message, code=error.code, question=QuestionDocument.of(row, sent.client))
        return write_document(refused, 409)
    row = await sent.client.question(question)
    run = opened or row.question.run
    await sent.serving.wake(run)
    return DecidedDocument(question=QuestionDocument.of(row, sent.client), run=run)


OPERATIONS: Final = (
    Operation(
        method="GET",
        path="/api/questions",
        handle=list_questions,
        answer=Listed[QuestionDocument],
        query=QuestionsQuery,
    ),
    Operation(method="GET", path="/api/questions/{question}", handle=read_question, answer=QuestionDocument),
    Operation(
        method="POST",
        path="/api/questions/{question}/decision",
        handle=decide_question,
        answer=DecidedDocument,
        body=NewDecision,
        keyed=True,
    ),
)
