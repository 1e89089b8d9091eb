"""What the researcher takes and gives."""

from __future__ import annotations

from pydantic import Field

from remit_cms.models import Payload, View


class Research(Payload):
    """What to find out."""

    question: str = Field(description="The question, whole", min_length=1, max_length=1000)


class Researched(View):
    """What was found out, and where."""

    answer: str = Field(description="The answer, in a few sentences")
    sources: list[str] = Field(description="The addresses of the pages that the answer rests on")
