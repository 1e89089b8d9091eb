"""Input and output of the investigator."""

from __future__ import annotations

from pydantic import Field

from remit_casefile.casefiles.payloads import Payload, Result


class Inquiry(Payload):
    """The question to investigate, and the casefile."""

    casefile_id: str = Field(min_length=1, max_length=64, description="The casefile that it is for")
    question: str = Field(min_length=1, max_length=2000, description="What is to be found out from mail")


class Findings(Result):
    """The findings. ``messages`` are the ids of the messages stored in the casefile."""

    messages: list[str]
    answer: str
