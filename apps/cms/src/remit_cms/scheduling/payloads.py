"""Payloads and replies of scheduled actions."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from remit.tools import Reference, entity
from remit_cms.models import DocumentReference, ListPayload, ListReply, OmittedIfNone, Payload, View, WriteReply
from remit_cms.publishing.payloads import OneSet

_Action = Annotated[str, Field(min_length=1, max_length=200), Reference("scheduled-action")]
_TIME = "When: {year}-{month}-{day}T{hour}:{minute} in the site's time zone, or with +{hours}:{minutes} behind it"
_PAGE = "Id, slug or exact title of the page, post or entry"


class AtTime(Payload):
    """A time to come."""

    at: str = Field(description=_TIME, min_length=1, max_length=64)


class SchedulePage(AtTime):
    """What to publish, and when."""

    page_id: DocumentReference = Field(description=_PAGE)


class ExpirePage(AtTime):
    """What to hide from visitors, and when."""

    page_id: DocumentReference = Field(description=_PAGE)


class ScheduleChangeSet(AtTime, OneSet):
    """The change set to publish, and when."""


class ListScheduledActions(ListPayload):
    """The scheduled actions to list."""

    include_ended: bool = Field(default=False, description="Also those that are done, refused or cancelled")


class OneAction(Payload):
    """A scheduled action."""

    action_id: _Action = Field(description="Id of the scheduled action")


class CancelScheduledAction(OneAction):
    """The scheduled action to cancel."""


class RunScheduledAction(OneAction):
    """The scheduled action whose time has come."""


@entity("scheduled-action", name="title")
class ScheduledActionView(View):
    """A scheduled action. ``state`` is scheduled, done, refused or cancelled.

    ``reason`` says why it was refused, or that it is overdue. ``pages`` are the titles of what a change set publishes.
    """

    id: str
    action: str
    kind: str
    object_id: str
    title: str
    revision: OmittedIfNone[int] = None
    at: str
    state: str
    author: str
    approved_by: OmittedIfNone[list[str]] = None
    pages: OmittedIfNone[list[str]] = None
    reason: OmittedIfNone[str] = None


class ScheduledActionReply(WriteReply):
    """One scheduled action, and the ids of those for the same time that it has ``replaced``."""

    action: ScheduledActionView
    replaced: OmittedIfNone[list[str]] = None


class ScheduledActionsReply(ListReply):
    """Scheduled actions, the next one first."""

    actions: list[ScheduledActionView]
