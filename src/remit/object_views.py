"""How people see the objects of an application: lists of them, what would change, previews, and what can be done."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeAlias

from remit.core.argument_types import Name
from remit.core.call_checks import callback, check_arguments
from remit.core.checks import as_tuple_of, check_counts, check_instance
from remit.errors import NameTakenError, SetupError
from remit.record.artifact import Artifact
from remit.record.principal import Principal
from remit.record.question import Change
from remit.record.target import as_target

__all__ = [
    "ListEvents",
    "ListObjects",
    "ObjectAction",
    "ObjectDetail",
    "ObjectEvent",
    "ObjectPage",
    "ObjectRow",
    "ObjectSection",
    "ObjectView",
    "OpenObject",
    "Viewer",
]

AsgiApp: TypeAlias = Callable[
    [
        MutableMapping[str, Any],
        Callable[[], Awaitable[MutableMapping[str, Any]]],
        Callable[[MutableMapping[str, Any]], Awaitable[None]],
    ],
    Awaitable[None],
]
"""An ASGI 3 application."""


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """The person who looks: the principal, the target of what is shown, and the conversation beside which it is shown.

    The principal's permissions are those for the target. ``conversation`` is empty outside a conversation.
    """

    principal: Principal
    target: str = ""
    conversation: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "target", as_target("Viewer: target", self.target, SetupError))
        object.__setattr__(self, "principal", self.principal.at(self.target))


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectRow:
    """An object in a list.

    Args:
        id: its id, as `Changed` reports it.
        name: its name for people, such as a title.
        note: one more line about it, such as "2 pages, 1 post".
        group: the heading under which it is listed, such as "Open"; rows with the same heading are neighbours.
        needs_person: whether it waits for a person, such as a conflict.
        at: when it last changed, in epoch seconds; 0 if unknown.
    """

    id: Name
    name: str
    note: str = ""
    group: str = ""
    needs_person: bool = False
    at: float = 0.0


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectPage:
    """A page that shows an object: its address before and after the changes, within the site of its view.

    ``before`` is empty if the page is new, ``after`` if it goes away; both are the same if nothing changes. The
    addresses begin with ``/``. They are shown without scripts, and an address needs no session: let it expire.
    """

    title: str
    before: str = ""
    after: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        for address in (self.before, self.after):
            if address and (not address.startswith("/") or address.startswith("//")):
                raise SetupError(f"ObjectPage: the address {address!r} is not within the site; begin it with one /")


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectSection:
    """A part of an object under a heading: a text in which line breaks count, a table, or both.

    Each of the ``rows`` has a text for each of the ``columns``.
    """

    title: str
    text: str = ""
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()

    def __post_init__(self) -> None:
        count = len(self.columns)
        for row in self.rows:
            if len(row) != count:
                raise SetupError(f"ObjectSection: a row has {len(row)} texts for {count} columns; give one for each")


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectAction:
    """Something that a person can do with an object: a call of a tool, governed like every other call.

    ``label`` is a verb, such as "Publish…", with an ellipsis if a question follows. A ``destructive`` action takes
    something away, and never looks like the likely one.
    """

    label: str
    tool: Name
    arguments: Mapping[str, object] = field(default_factory=dict[str, object])
    destructive: bool = False


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectDetail:
    """An object as a person sees it.

    Args:
        name: its name.
        note: what to know about it, in one line.
        pages: the pages that show it, before and after its changes; empty if nothing can be shown.
        sections: its content, for what is not shown as a page.
        changes: what would change, as rows; empty if nothing would, or if it cannot be told in rows.
        actions: what can be done with it, the most likely one last. An action that is not possible is left out.
        files: its files, which the viewer may read.
        blocked: why its main action is not possible now, in one sentence.
        is_past: whether its changes have been made: ``pages`` and ``changes`` show what was before them, and what is.
    """

    name: str
    note: str = ""
    pages: Sequence[ObjectPage] = ()
    sections: Sequence[ObjectSection] = ()
    changes: Sequence[Change] = ()
    actions: Sequence[ObjectAction] = ()
    files: Sequence[Artifact] = ()
    blocked: str = ""
    is_past: bool = False


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectEvent:
    """Something that happens to an object at a time, as a calendar shows it.

    Args:
        id: the id by which the view opens it.
        name: its name for people, such as a title.
        at: its time, in epoch seconds.
        label: what happens, or what became of it, in a word, such as "Publish" or "Refused".
        note: one more line about it.
        needs_person: whether it waits for a person, such as one that failed.
        is_over: whether nothing more will come of it.
    """

    id: Name
    name: str
    at: float
    label: str = ""
    note: str = ""
    needs_person: bool = False
    is_over: bool = False


ListObjects: TypeAlias = Callable[[Viewer, str, int], Awaitable[Sequence[ObjectRow]]]
"""Lists at most ``limit`` objects; with a search, those that match: ``await list(viewer, search, limit)``."""

ListEvents: TypeAlias = Callable[[Viewer, float, float, int], Awaitable[Sequence[ObjectEvent]]]
"""Lists the first ``limit`` events from ``start`` to before ``end``, in epoch seconds.

It is called with ``await events(viewer, start, end, limit)``.
"""

OpenObject: TypeAlias = Callable[[Viewer, str], Awaitable[ObjectDetail | None]]
"""Finds an object for a viewer; None if it does not exist for them: ``await open(viewer, id)``."""


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectView:
    """How people see the objects of one kind.

    The functions check the permissions of the viewer themselves, as operations do not stand between. They only read.

    Args:
        kind: the kind, as `Changed` and entities name it, such as ``page``.
        title: what the objects are called, in the plural, such as "Pages".
        open: finds an object.
        list: lists the objects; None if they are only reached from elsewhere.
        events: lists what happens to the objects at which time; None if they have no calendar. A view with events opens
            days too: the id ``2026-12-24`` is what there will be at the end of that day.
        has_changes: whether the objects are sets of changes, which the console lists under Changes.
        site: the ASGI application that serves the addresses of pages; the same object for all kinds that share it. Its
            responses are shown in a sandbox: without scripts, cookies and forms.
    """

    kind: Name
    title: str
    open: Annotated[OpenObject, callback("viewer", "id", is_async=True)]
    list: Annotated[ListObjects, callback("viewer", "search", "limit", is_async=True)] | None = None
    events: Annotated[ListEvents, callback("viewer", "start", "end", "limit", is_async=True)] | None = None
    has_changes: bool = False
    site: Annotated[AsgiApp, callback("scope", "receive", "send", is_async=True)] | None = None

    async def rows(self, viewer: Viewer, search: str = "", limit: int = 50) -> Sequence[ObjectRow]:
        """The objects that it lists for a viewer.

        Raises:
            SetupError: the function returned something else than rows.
        """
        check_counts("ObjectView.rows", limit=limit)
        found: Sequence[ObjectRow] = () if self.list is None else await self.list(viewer, search, limit)
        return as_tuple_of(ObjectRow, f"the view of {self.kind}", "list", found, "return ObjectRows")[:limit]

    async def events_between(self, viewer: Viewer, start: float, end: float, limit: int = 500) -> Sequence[ObjectEvent]:
        """The first events from a time to before another one, in order of time.

        Raises:
            SetupError: the function returned something else than events.
        """
        check_counts("ObjectView.events_between", limit=limit)
        found: Sequence[ObjectEvent] = () if self.events is None else await self.events(viewer, start, end, limit)
        events = as_tuple_of(ObjectEvent, f"the view of {self.kind}", "events", found, "return ObjectEvents")
        return sorted(events, key=lambda event: event.at)[:limit]

    async def detail(self, viewer: Viewer, object_id: str) -> ObjectDetail | None:
        """An object for a viewer; None if it does not exist for them.

        Raises:
            SetupError: the function returned something else.
        """
        found = await self.open(viewer, object_id)
        if found is not None:
            check_instance(f"what opens a {self.kind} returned", found, ObjectDetail, "return an ObjectDetail, or None")
        return found


def check_views(what: str, given: object) -> tuple[ObjectView, ...]:
    """The views of an application, one for each kind.

    Raises:
        SetupError: a value is not a view. NameTakenError: two views have the same kind.
    """
    views = as_tuple_of(ObjectView, what, "views", given, "give ObjectViews")
    kinds = [each.kind for each in views]
    for kind in kinds:
        if kinds.count(kind) > 1:
            raise NameTakenError(f"{what} has two views of the kind {kind!r}; give one")
    return views
