"""Objects of the application as its views show them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Annotated, Any, Final

from msgspec import Meta

from remit.object_views import ObjectDetail, ObjectEvent, ObjectRow
from remit.server.documents.document import Asked, ChangeDocument, Document, PageSize
from remit.server.documents.files import FileDocument

MAX_OFFSET: Final = 10_000
Offset = Annotated[int, Meta(ge=0, le=MAX_OFFSET)]
"""The number of rows before a page; the ``next`` of the page before it. A view reads these rows for each page."""


class ObjectsQuery(Asked):
    """Which objects to list: those that match ``search``, or the first ten thousand or so of all."""

    search: str = ""
    target: str = ""
    after: Offset = 0
    limit: PageSize = 50


class ObjectQuery(Asked):
    """For which target an object is opened, and the conversation beside which it is shown."""

    target: str = ""
    conversation: str = ""


EpochSeconds = Annotated[float, Meta(ge=0, lt=253_402_300_800)]
"""A time until the end of the year 9999."""


class EventsQuery(Asked):
    """Which events to list: those from ``start`` to before ``end``, in epoch seconds."""

    start: EpochSeconds
    end: EpochSeconds
    target: str = ""
    after: Offset = 0
    limit: PageSize = 500


class ObjectEventDocument(Document):
    """Something that happens to an object at a time; ``label`` says in a word what. ``isOver``: nothing more comes."""

    id: str
    name: str
    at: float
    label: str
    note: str
    needs_person: bool
    is_over: bool

    @staticmethod
    def of(event: ObjectEvent) -> ObjectEventDocument:
        """The document of an event."""
        return ObjectEventDocument(
            id=event.id,
            name=event.name,
            at=event.at,
            label=event.label,
            note=event.note,
            needs_person=event.needs_person,
            is_over=event.is_over,
        )


class ObjectRowDocument(Document):
    """An object in a list. Rows with the same ``group`` are neighbours."""

    id: str
    name: str
    note: str
    group: str
    needs_person: bool
    at: float

    @staticmethod
    def of(row: ObjectRow) -> ObjectRowDocument:
        """The document of a row."""
        return ObjectRowDocument(
            id=row.id, name=row.name, note=row.note, group=row.group, needs_person=row.needs_person, at=row.at
        )


class ObjectPageDocument(Document):
    """A page that shows an object: addresses on this server, each empty if there is no such page."""

    title: str
    before: str
    after: str
    note: str


class ObjectSectionDocument(Document):
    """A part of an object under a heading: text, a table, or both."""

    title: str
    text: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class ObjectActionDocument(Document):
    """Something that the person can do with an object: a call of a tool, governed like every other.

    ``destructive``: it takes something away.
    """

    label: str
    tool: str
    arguments: Mapping[str, Any]
    destructive: bool


class ObjectDocument(Document):
    """An object. Of the ``actions`` the most likely one is the last; ``blocked`` says why there is not the main one.

    ``isPast``: its changes have been made.
    """

    name: str
    note: str
    pages: tuple[ObjectPageDocument, ...]
    sections: tuple[ObjectSectionDocument, ...]
    changes: tuple[ChangeDocument, ...]
    actions: tuple[ObjectActionDocument, ...]
    files: tuple[FileDocument, ...]
    blocked: str
    is_past: bool

    @staticmethod
    def of(detail: ObjectDetail, address_of: Callable[[str], str], tools: Collection[str]) -> ObjectDocument:
        """The document of an object. ``tools`` are those that the person may call; other actions are left out."""
        return ObjectDocument(
            name=detail.name,
            note=detail.note,
            pages=tuple(
                ObjectPageDocument(
                    title=each.title, before=address_of(each.before), after=address_of(each.after), note=each.note
                )
                for each in detail.pages
            ),
            sections=tuple(
                ObjectSectionDocument(
                    title=each.title, text=each.text, columns=tuple(each.columns), rows=tuple(map(tuple, each.rows))
                )
                for each in detail.sections
            ),
            changes=ChangeDocument.of(detail.changes),
            actions=tuple(
                ObjectActionDocument(
                    label=each.label, tool=each.tool, arguments=each.arguments, destructive=each.destructive
                )
                for each in detail.actions
                if each.tool in tools
            ),
            files=tuple(map(FileDocument.of, detail.files)),
            blocked=detail.blocked,
            is_past=detail.is_past,
        )
