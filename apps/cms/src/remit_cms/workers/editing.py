"""What the copy editor takes and gives."""

from __future__ import annotations

from pydantic import Field

from remit_cms.models import Payload, View


class Edit(Payload):
    """What is to be done to the texts of which page."""

    slug: str = Field(min_length=1, max_length=200, description="Slug of the page")
    task: str = Field(min_length=1, max_length=4000, description="What to do with its texts, in plain words")


class Edited(View):
    """What was done. ``changed`` are the ids of the sections that were changed."""

    page_id: str
    changed: list[str]
    summary: str
