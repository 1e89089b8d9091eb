"""Input and output of the copy editor."""

from __future__ import annotations

from pydantic import Field

from remit_cms.models import Payload, View


class Edit(Payload):
    """The task: what to do to the texts of a page."""

    slug: str = Field(min_length=1, max_length=200, description="Slug of the page")
    task: str = Field(min_length=1, max_length=4000, description="What to do with its texts, in plain words")


class Edited(View):
    """The result. ``changed`` lists the ids of the changed sections."""

    page_id: str
    changed: list[str]
    summary: str
