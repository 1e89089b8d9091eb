"""Everything that changes, as one stream."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator
from typing import Final

from starlette.responses import Response

from remit.client.client import Client
from remit.client.updates import ConversationUpdate, QuestionUpdate, RunUpdate, WatchEvent
from remit.server.documents.conversations import ConversationDocument
from remit.server.documents.document import Asked, Document
from remit.server.documents.questions import QuestionDocument
from remit.server.documents.runs import RunRowDocument
from remit.server.rest.operation import Operation, Sent
from remit.server.sse import EVENT_STREAM, frame, stream_response


class WatchQuery(Asked):
    """Where to begin: the id of an event; by default now."""

    after: str = ""


class WatchStarted(Document):
    """The stream has begun: lists that are read now miss nothing."""

    after: str


async def watch(sent: Sent[WatchQuery, None]) -> Response:
    """Follow all runs, questions and conversations that one sees: each as it is now, when it changes.

    The events are ``start``, ``run``, ``question`` and ``conversation``. The header ``Last-Event-ID`` comes before the
    query.
    """
    after = sent.request.headers.get("last-event-id", "") or sent.query.after
    await sent.client.check_place(after)
    return stream_response(watch_frames(sent.client, after), sent.request, sent.serving, sent.client.principal)


def watch_frames(client: Client, after: str) -> AsyncGenerator[bytes]:
    """The server-sent events of what changes, from a place on.

    Raises:
        RequestError: at the call, it is not a place.
    """
    return _write(client.watch(after=after), client)


async def _write(events: AsyncGenerator[WatchEvent], client: Client) -> AsyncGenerator[bytes]:
    async with contextlib.aclosing(events):
        async for event in events:
            name, document = _document(event, client)
            yield frame(event.after, document, name)


def _document(event: WatchEvent, client: Client) -> tuple[str, Document]:
    match event:
        case RunUpdate():
            return "run", RunRowDocument.of(event.row)
        case QuestionUpdate():
            return "question", QuestionDocument.of(event.row, client)
        case ConversationUpdate():
            return "conversation", ConversationDocument.of(event.row)
        case _:
            return "start", WatchStarted(after=event.after)


OPERATIONS: Final = (
    Operation(method="GET", path="/api/watch", handle=watch, answer=None, media_type=EVENT_STREAM, query=WatchQuery),
)
