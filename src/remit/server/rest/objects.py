"""Objects of the application, as its views show them to the person."""

from __future__ import annotations

from typing import Final

from remit.errors import RequestError, RequestNotFoundError
from remit.object_views import ObjectView, Viewer
from remit.record.target import as_target
from remit.server.documents.document import Listed
from remit.server.documents.objects import (
    EventsQuery,
    ObjectDocument,
    ObjectEventDocument,
    ObjectQuery,
    ObjectRowDocument,
    ObjectsQuery,
)
from remit.server.rest.operation import Operation, Sent
from remit.server.sandbox import site_address


async def list_objects(sent: Sent[ObjectsQuery, None]) -> Listed[ObjectRowDocument]:
    """List the objects of a kind."""
    view, asked = _find_view(sent), sent.query
    target = as_target("target", asked.target, RequestError)
    rows = await view.rows(Viewer(principal=sent.client.principal, target=target), asked.search, asked.limit)
    return Listed(items=tuple(map(ObjectRowDocument.of, rows)))


async def list_events(sent: Sent[EventsQuery, None]) -> Listed[ObjectEventDocument]:
    """List what happens to the objects of a kind in a span of time, in order of time."""
    view, asked = _find_view(sent), sent.query
    viewer = Viewer(principal=sent.client.principal, target=as_target("target", asked.target, RequestError))
    events = await view.events_between(viewer, asked.start, asked.end)
    return Listed(items=tuple(map(ObjectEventDocument.of, events)))


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


def _find_view(sent: Sent[ObjectsQuery, None] | Sent[ObjectQuery, None] | Sent[EventsQuery, None]) -> ObjectView:
    kind, views = sent.path["kind"], sent.serving.runtime.app.views
    found = next((each for each in views if each.kind == kind), None)
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
