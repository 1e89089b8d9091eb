"""Conversations."""

from __future__ import annotations

from typing import Literal

from remit.call.entity import Entity
from remit.client.conversation_reader import ConversationOwner
from remit.journal.ports import ConversationRow, RunRow, RunStatus
from remit.server.documents.document import Asked, Document, PageSize
from remit.server.documents.files import FileDocument
from remit.server.documents.runs import RunRowDocument
from remit.views.files import FileView


class ShareDocument(Document):
    """A principal with whom a conversation is shared, or ``*`` for everyone of the tenant."""

    principal: str
    access: str


class ConversationDocument(Document):
    """A conversation. ``status`` is that of its newest run, and ``active`` when it was last continued."""

    conversation: str
    title: str
    owner: str
    target: str
    status: RunStatus
    opened: float
    active: float
    shares: tuple[ShareDocument, ...]

    @staticmethod
    def of(row: ConversationRow) -> ConversationDocument:
        """The document of a conversation."""
        return ConversationDocument(
            conversation=row.conversation,
            title=row.title,
            owner=row.owner,
            target=row.target,
            status=row.status,
            opened=row.opened,
            active=row.active,
            shares=tuple(ShareDocument(principal=name, access=access) for name, access in row.shared.items()),
        )


class ConversationHistory(Document):
    """A conversation with its runs, oldest first. Read a run for its messages and calls."""

    conversation: ConversationDocument
    runs: tuple[RunRowDocument, ...]

    @staticmethod
    def of(row: ConversationRow, runs: list[RunRow]) -> ConversationHistory:
        """The history of a conversation."""
        return ConversationHistory(conversation=ConversationDocument.of(row), runs=tuple(map(RunRowDocument.of, runs)))


class ConversationFileDocument(Document):
    """A file of a conversation. ``by`` is the person who gave it, or the tool whose ``call`` returned it."""

    file: FileDocument
    by: str
    run: str
    call: str
    at: float

    @staticmethod
    def of(view: FileView) -> ConversationFileDocument:
        """The document of a file."""
        return ConversationFileDocument(
            file=FileDocument.of(view.artifact), by=view.by, run=view.run, call=view.call, at=view.at
        )


class RememberedDocument(Document):
    """An object that an agent remembers. ``link`` is the address at which people see it, empty for none."""

    kind: str
    id: str
    name: str
    link: str

    @staticmethod
    def of(entity: Entity) -> RememberedDocument:
        """The document of an object."""
        return RememberedDocument(kind=entity.kind, id=entity.id, name=entity.name, link=entity.link)


class ConversationsQuery(Asked):
    """Which conversations to list, the most recently active first. ``title`` is a part of the title.

    ``owner`` selects one's own, or those of others.
    """

    title: str = ""
    status: RunStatus | Literal[""] = ""
    owner: ConversationOwner = ""
    before: str = ""
    limit: PageSize = 50


class Renaming(Asked):
    """A new title; an empty one restores the beginning of the first message."""

    title: str


class Sharing(Asked):
    """With whom to share; ``*`` is everyone of the tenant. Without access, the sharing ends."""

    principal: str
    access: Literal["read", "write", ""] = "read"
