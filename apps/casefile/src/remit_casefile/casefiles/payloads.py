"""Payloads and envelopes of the methods on casefiles."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic.json_schema import SkipJsonSchema

from remit.tools import entity
from remit_casefile.casefiles.access import LevelName
from remit_casefile.casefiles.texts import PRINTABLE
from remit_casefile.storage.ids import SESSION_ID


class Payload(BaseModel):
    """Base of request payloads: declared fields only."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Result(BaseModel):
    """Base of response payloads."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def _deduplicate(tags: list[str]) -> list[str]:
    """The tags without duplicates."""
    return list(dict.fromkeys(tags))


CasefileId = Annotated[str, Field(description="Id of the casefile: cf_...", min_length=1, max_length=64)]
"""Which casefile. One of another form is not found, like one that is not there."""

_Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200), PRINTABLE]
_Tag = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=50), PRINTABLE]
_Tags = Annotated[list[_Tag], AfterValidator(_deduplicate), Field(max_length=50)]
_Description = Annotated[str, Field(max_length=2000), PRINTABLE]
_Notes = Annotated[str, Field(max_length=5000), PRINTABLE]
_User = Annotated[str, Field(min_length=1, max_length=200)]
_Query = Annotated[str, Field(max_length=200)]


class CreateCasefilePayload(Payload):
    """A new casefile."""

    title: _Title = Field(description="What the case is about")
    description: _Description = Field(default="", description="More about it")
    tags: _Tags = Field(default_factory=list[str], description="Words to find it by")


@entity("casefile", id="casefile_id", name="title")
class CasefileCreatedPayload(Result):
    """The created casefile."""

    casefile_id: str
    title: str
    created_at: datetime
    created_by: str


class GetCasefilePayload(Payload):
    """The casefile to read."""

    casefile_id: CasefileId


@entity("casefile", id="casefile_id", name="title")
class CasefileBrief(Result):
    """A casefile in a list."""

    casefile_id: str
    title: str
    tags: list[str]
    owner_id: str
    state: Literal["active", "archived"]
    updated_at: datetime


class CasefileView(CasefileBrief):
    """A casefile. A new casefile has neither text nor sessions."""

    description: str
    notes: str
    public_access: LevelName | None
    created_at: datetime
    session_ids: list[str]


class CasefilePayload(Result):
    """A casefile and the caller's access to it."""

    casefile: CasefileView
    your_level: LevelName


class UpdateCasefilePayload(Payload):
    """Changes to a casefile. Omitted fields are not changed."""

    casefile_id: CasefileId
    title: _Title | None = Field(default=None, description="New title")
    description: _Description | None = Field(default=None, description="New description")
    tags: _Tags | None = Field(default=None, description="New tags, in the place of all it has")
    notes: _Notes | None = Field(default=None, description="New notes, in the place of those it has")
    expected_notes: str | None = Field(
        default=None, max_length=5000, description="The notes as you read them: if they are others now, nothing changes"
    )

    @model_validator(mode="after")
    def _require_change(self) -> Self:
        if all(value is None for value in (self.title, self.description, self.tags, self.notes)):
            raise ValueError("nothing to change; give title, description, tags or notes")
        return self


class CasefileUpdatedPayload(Result):
    """The updated casefile and its changed fields."""

    casefile: CasefileView
    updated_fields: list[str]


class ListCasefilesPayload(Payload):
    """Filters for the casefiles that the caller may see."""

    user_id: _User | None = Field(default=None, description="Only those of this owner")
    tags: _Tags = Field(default_factory=list[str], description="Only those with any of these tags")
    search_query: _Query = Field(default="", description="Only those with all these words in title or text")
    limit: int = Field(default=50, description="Most casefiles to give (1-100)", ge=1, le=100)
    offset: int = Field(default=0, description="How many to pass over", ge=0)


class CasefilesPayload(Result):
    """Casefiles, the last changed first. ``total_count`` counts all that match."""

    casefiles: list[CasefileBrief]
    total_count: int
    offset: int
    limit: int


class ArchiveCasefilePayload(Payload):
    """The casefile to archive or reopen."""

    casefile_id: CasefileId
    archived: bool = Field(description="true archives it: it can be read, and takes in no more; false takes it up")


@entity("casefile", id="casefile_id", name="casefile_id")
class CasefileArchivedPayload(Result):
    """The state of a casefile, and whether it changed."""

    casefile_id: str
    state: Literal["active", "archived"]
    changed: bool


class DeleteCasefilePayload(Payload):
    """The casefile to delete. Models are not told of ``confirm``: a person confirms."""

    casefile_id: CasefileId
    confirm: SkipJsonSchema[bool] = False


class CasefileDeletedPayload(Result):
    """A deleted casefile, or one to be deleted, whose ``deleted_at`` is null."""

    casefile_id: str
    title: str
    deleted_at: datetime | None
    message: str


class AddSessionToCasefilePayload(Payload):
    """A session, and the casefile to which to add it."""

    casefile_id: CasefileId
    session_id: str = Field(description="Id of a session of yours: ts_... or cs_...", pattern=SESSION_ID)
    session_type: Literal["tool", "chat"] = Field(description="What kind of session it is")

    @model_validator(mode="after")
    def _check_session_type(self) -> Self:
        if self.session_id.startswith("ts_") is not (self.session_type == "tool"):
            raise ValueError(f"{self.session_id} is not a {self.session_type} session")
        return self


class SessionAddedPayload(Result):
    """The added session, and all sessions of the casefile."""

    casefile_id: str
    session_id: str
    session_type: Literal["tool", "chat"]
    session_ids: list[str]
