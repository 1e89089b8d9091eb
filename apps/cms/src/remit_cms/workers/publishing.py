"""Input and output of the publisher."""

from __future__ import annotations

from pydantic import Field

from remit_cms.models import Payload, View


class Publish(Payload):
    """The task: what to show to visitors, or no longer."""

    task: str = Field(min_length=1, max_length=4000, description="What to publish, hide or revert, in plain words")


class Published(View):
    """The result. ``pages`` lists the ids of the pages that were published, hidden or reverted."""

    differences: list[str] = Field(description="What differs for visitors, one line each")
    preview: str = Field(description="The link at which it can be looked at; empty if there is none")
    pages: list[str]
    summary: str
