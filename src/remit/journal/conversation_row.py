"""The row of a conversation, its key, and its changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, Required, TypedDict

from remit.journal.run_row import RunStatus

ConversationAccess = Literal["read", "write"]
"""The access that a conversation's owner gives to others; ``write`` also allows them to continue it."""


class ConversationKey(NamedTuple):
    """The key of a conversation, whose name is unique within an application and a tenant."""

    tenant: str
    application: str
    conversation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationRow:
    """A conversation: its owner, who started it, its title, the principals that share it, and its newest run.

    ``shared`` maps the tenant's principals to their access, and ``*`` to everyone's. ``active`` is the time when the
    newest run, ``latest`` with ``status``, was opened. ``deletion`` is ``begun`` or ``done``; in both cases no
    principal sees the conversation.
    """

    tenant: str
    application: str
    conversation: str
    owner: str
    target: str
    given_title: str
    first_message: str
    shared: Mapping[str, ConversationAccess]
    opened: float
    active: float
    first: str
    latest: str
    status: RunStatus
    deletion: Literal["", "begun", "done"] = ""

    @property
    def title(self) -> str:
        """The given title, or else the beginning of the first message."""
        return self.given_title or self.first_message

    @property
    def key(self) -> ConversationKey:
        """The key of the conversation."""
        return ConversationKey(self.tenant, self.application, self.conversation)


class ConversationChange(TypedDict, total=False):
    """A change of a conversation: its title, the access of one principal (empty for none), or a step of deletion."""

    title: str
    share: tuple[str, ConversationAccess | Literal[""]]
    deletion: Literal["begun", "done"]


class ConversationFilter(TypedDict, total=False):
    """Selects conversations by tenant, application, name or owner, the most recently active first.

    ``other_than`` excludes those of an owner. ``member`` selects at least the conversations that the principal owns or
    shares, and excludes most others.
    ``before`` is the activity time and key of the previous page's last conversation. Deleted conversations are not
    listed.
    """

    tenant: Required[str]
    application: str
    conversation: str
    owner: str
    other_than: str
    member: str
    before: tuple[float, ConversationKey]
    limit: int
