"""Input and output of the illustrator."""

from __future__ import annotations

from pydantic import Field

from remit.artifacts import Artifact
from remit_cms.models import Payload, View


class Illustrate(Payload):
    """The task, and the files that belong to it."""

    task: str = Field(min_length=1, max_length=4000, description="What to do with images, in plain words")
    files: list[Artifact] = Field(default_factory=list[Artifact], description="Pictures to keep", max_length=20)


class Illustrated(View):
    """The result. ``images`` lists the ids of the images that were uploaded, changed or placed."""

    images: list[str]
    summary: str
