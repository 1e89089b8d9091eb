"""Questions: list them and read one."""

from __future__ import annotations

from typing import Final

from remit.server.documents.document import Listed
from remit.server.documents.questions import QuestionDocument, QuestionsQuery
from remit.server.rest.operation import NoQuery, Operation, Sent


async def list_questions(sent: Sent[QuestionsQuery, None]) -> Listed[QuestionDocument]:
    """List the questions that one may decide or whose call one requested, oldest first."""
    asked = sent.query
    page = await sent.client.questions(
        only_open=asked.status == "open",
        run=asked.run,
        conversation=asked.conversation,
        after=asked.after,
        limit=asked.limit,
    )
    return Listed(items=tuple(QuestionDocument.of(each, sent.client) for each in page), next=page.next)


async def read_question(sent: Sent[NoQuery, None]) -> QuestionDocument:
    """Read a question."""
    return QuestionDocument.of(await sent.client.question(sent.path["question"]), sent.client)


OPERATIONS: Final = (
    Operation(
        method="GET",
        path="/api/questions",
        handle=list_questions,
        answer=Listed[QuestionDocument],
        query=QuestionsQuery,
    ),
    Operation(method="GET", path="/api/questions/{question}", handle=read_question, answer=QuestionDocument),
)
