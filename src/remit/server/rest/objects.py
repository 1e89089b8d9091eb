"""Objects of the application, as its views show them to the person."""

from __future__ import annotations

from typing import Final, TypeVar

from remit.errors import RequestError, RequestNotFoundError
from remit.object_views import ObjectView, Viewer
from remit.record.target import as_target
from remit.server.documents.document import Listed
from remit.server.documents.objects import (
    MAX_OFFSET,
    EventsQuery,
    ObjectDocument,
    ObjectEventDocument,
    ObjectQuery,
    ObjectRowDocument,
    ObjectsQuery,
)
from remit.server.rest.operation import Operation, Sent
from remit.server.sandbox import find_view, site_address

T = TypeVar("T")


async def list_objects(sent: Sent[ObjectsQuery, None]) -> Listed[ObjectRowDocument]:
    """List the objects of a kind."""
    view, asked = _find_view(sent), sent.query
    target = as_target("target", asked.target, RequestError)
    viewer = Viewer(principal=sent.client.principal, target=target)
    rows = await view.rows(viewer, asked.search, asked.after + asked.limit + 1)
    return _page(tuple(map(ObjectRowDocument.of, rows[asked.after :])), asked)


async def list_events(sent: Sent[EventsQuery, None]) -> Listed[ObjectEventDocument]:
    """List what happens to the objects of a kind in a span of time, in order of time."""
    view, asked = _find_view(sent), sent.query
    viewer = Viewer(principal=sent.client.principal, target=as_target("target", asked.target, RequestError))
    events = await view.events_between(viewer, asked.start, asked.end, asked.after + asked.limit + 1)
    return _page(tuple(map(ObjectEventDocument.of, events[asked.after :])), asked)


async def open_object(sent: Sent[ObjectQuery, None]) -> ObjectDocument:
    """Open an object: its pages before and after its changes, and what can be done with it."""
    view, asked = _find_view(sent), sent.query
    target = as_target("target", asked.target, RequestError)
    viewer = Viewer(principal=sent.client.principal, target=target, conversation=asked.conversation)
    detail = await view.detail(viewer, sent.path["id"])
    if detail is None:
        raise RequestNotFoundError(f"{view.kind} {sent.path['id']!r:.100} does not exist")
    tools = {each.name for each in await sent.client.tools(target=target)}
    prefix = site_address(sent.serving.runtime.app, view)
    return ObjectDocument.of(detail, lambda address: f"{prefix}{address}" if address else "", tools)


def _page(rows: tuple[T, ...], asked: ObjectsQuery | EventsQuery) -> Listed[T]:
    """The page that was asked for, of its rows and perhaps those that follow."""
    end = asked.after + asked.limit
    is_last = len(rows) <= asked.limit or end > MAX_OFFSET
    return Listed(items=rows[: asked.limit], next="" if is_last else str(end))


def _find_view(sent: Sent[ObjectsQuery, None] | Sent[ObjectQuery, None] | Sent[EventsQuery, None]) -> ObjectView:
    kind = sent.path["kind"]
    found = find_view(sent.serving.runtime.app, kind)
    if found is None:
        raise RequestNotFoundError(f"there is no view of {kind!r:.100}")
    return found


OPERATIONS: Final = (
    Operation(
        method="GET",
        path="/api/views/{kind}",
        handle=list_objects,
        answer=Listed[ObjectRowDocument],
        query=ObjectsQuery,
    ),
    Operation(
        method="GET",
        path="/api/events/{kind}",
        handle=list_events,
        answer=Listed[ObjectEventDocument],
        query=EventsQuery,
    ),
    Operation(
        method="GET", path="/api/views/{kind}/{id}", handle=open_object, answer=ObjectDocument, query=ObjectQuery
    ),
)
