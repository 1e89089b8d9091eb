"""A conversation as stores keep it: its row, what identifies it, and what may change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, Required, TypedDict

from remit.journal.run_row import RunStatus

ConversationAccess = Literal["read", "write"]
"""The access that a conversation's owner gives to others; ``write`` also lets them continue it."""


class ConversationKey(NamedTuple):
    """What identifies a conversation: its name is one of an application and a tenant."""

    tenant: str
    application: str
    conversation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationRow:
    """A conversation: its owner, who began it; its title; the principals that it is shared with; and its newest run.

    ``shared`` has the access of each principal of the tenant by name, and under ``*`` that of everyone. ``active`` is
    when the newest run, ``latest`` with ``status``, was opened. ``deletion`` has ``begun`` or is ``done``: then no
    principal sees it.
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
        """The title that was given, or else the beginning of the first message."""
        return self.given_title or self.first_message

    @property
    def key(self) -> ConversationKey:
        """What identifies it."""
        return ConversationKey(self.tenant, self.application, self.conversation)


class ConversationChange(TypedDict, total=False):
    """A change of a conversation: its title, the access of one principal (empty for none), or a step of deletion."""

    title: str
    share: tuple[str, ConversationAccess | Literal[""]]
    deletion: Literal["begun", "done"]


class ConversationFilter(TypedDict, total=False):
    """Which conversations to list, the most recently active first: those of a tenant, an application, of one name.

    ``member`` lists at least those that this principal owns or that are shared with them, and leaves out most others.
    ``before`` is the time of activity and the key of the last one of the previous page. Deleted ones are not listed.
    """

    tenant: Required[str]
    application: str
    conversation: str
    member: str
    before: tuple[float, ConversationKey]
    limit: int
