"""Payloads and replies of the Drive operations."""

from __future__ import annotations

import base64
import binascii
import re
from datetime import datetime
from typing import Annotated, Final, Literal, Self, cast

from pydantic import Field, TypeAdapter, ValidationError, model_validator

from remit.artifacts import Artifact
from remit.tools import entity
from remit_casefile.google.payloads.base import PAGE_TOKEN, GoogleId, GoogleModel, PageToken, Payload

FILE_FIELDS: Final = "id,name,mimeType,size,modifiedTime,md5Checksum,parents,trashed,webViewLink"
"""What is asked of a file: the fields of `FileView`."""

MEDIA_TYPE: Final = r"^[\w.+-]+/[\w.+-]+$"
MimeType = Annotated[str, Field(max_length=127, pattern=MEDIA_TYPE)]
"""A media type without parameters."""

_MaxBytes = Annotated[int, Field(ge=1, le=10 * 2**20)]
_MAX_BYTES_DESCRIPTION = "Refuse what is larger than so many bytes (up to 10 MiB), unless it comes as an artifact"
_AS_ARTIFACT_DESCRIPTION = "Give a reference to the content, up to 64 MiB, in place of the content"


class ListFiles(Payload):
    """The files to list."""

    query: str | None = Field(
        default=None,
        description="In Drive's query language: name contains '{words}' and mimeType = '{type}'",
        min_length=1,
        max_length=2000,
    )
    folder_id: GoogleId | None = Field(default=None, description="Only files in this folder")
    page_size: int = Field(default=50, description="Most files to give (1-1000)", ge=1, le=1000)
    page_token: PageToken | None = Field(default=None, description=PAGE_TOKEN)


class GetFile(Payload):
    """The file to describe."""

    file_id: GoogleId = Field(description="Id of the file")


class DownloadFile(Payload):
    """The file to download."""

    file_id: GoogleId = Field(description="Id of the file")
    max_bytes: _MaxBytes = Field(default=2**20, description=_MAX_BYTES_DESCRIPTION)
    as_artifact: bool = Field(default=False, description=_AS_ARTIFACT_DESCRIPTION)


class ExportFile(Payload):
    """The Google document to export, and the target type."""

    file_id: GoogleId = Field(description="Id of a Google document, spreadsheet or presentation")
    mime_type: MimeType = Field(
        description="Media type to export it as: that of plain text, CSV, PDF or another format"
    )
    max_bytes: _MaxBytes = Field(default=2**20, description=_MAX_BYTES_DESCRIPTION)
    as_artifact: bool = Field(default=False, description=_AS_ARTIFACT_DESCRIPTION)


class UploadFile(Payload):
    """A new file, with its content as text, as base64 or, if it is large, as an artifact."""

    name: str = Field(description="Name of the new file", min_length=1, max_length=255)
    mime_type: MimeType | None = Field(
        default=None, description="What the content is; if omitted, the type of the artifact, or plain text"
    )
    text: str | None = Field(default=None, description="The content, as text", max_length=10 * 2**20)
    base64: str | None = Field(default=None, description="The content, as base64", max_length=14 * 2**20)
    file: Artifact | None = Field(default=None, description="The content, as the reference to an artifact")
    folder_id: GoogleId | None = Field(default=None, description="Folder to put it in; the top folder if omitted")

    @model_validator(mode="after")
    def _require_one_content(self) -> Self:
        if [self.text, self.base64, self.file].count(None) != 2:
            raise ValueError("give the content once: as text, as base64 or as file")
        if self.base64 is not None:
            try:
                base64.b64decode(self.base64, validate=True)
            except binascii.Error as error:
                raise ValueError(f"the content is not base64: {error}") from error
        return self

    @property
    def inline_content(self) -> bytes:
        """The bytes to upload, unless they are those of ``file``."""
        return base64.b64decode(self.base64) if self.base64 is not None else (self.text or "").encode()

    @property
    def size(self) -> int:
        """How many bytes are uploaded."""
        return len(self.inline_content) if self.file is None else self.file.size

    @property
    def media_type(self) -> str:
        """What the content is."""
        return self.mime_type or ("text/plain" if self.file is None else self.file.media_type)


@entity("file", link="web_view_link")
class FileView(GoogleModel):
    """A file, without its content."""

    id: str = Field(description="Id of the file")
    name: str = Field(default="", description="Its name")
    mime_type: str = Field(default="", description="What its content is")
    size: int | None = Field(default=None, description="Its size in bytes; Google documents have none")
    modified_time: datetime | None = Field(default=None, description="When its content last changed")
    md5_checksum: str | None = Field(default=None, description="MD5 of its content; Google documents have none")
    parents: list[str] = Field(default_factory=list[str], description="Ids of the folders that it is in")
    trashed: bool = Field(default=False, description="Whether it is in the trash")
    web_view_link: str | None = Field(default=None, description="Where a person opens it")
    omitted: list[str] = Field(default_factory=list[str], description="What is said of it and cannot be read")

    @model_validator(mode="before")
    @classmethod
    def _omit_no_time(cls, data: object) -> object:
        """Omit what is no time, and say so: a number would be read as one."""
        fields = cast("dict[str, object]", data) if isinstance(data, dict) else {}
        said = fields.get("modifiedTime")
        if not isinstance(said, str) or _is_time(said):
            return cast("object", data)
        return {**fields, "modifiedTime": None, "omitted": [f"modified_time: {said!r} is no time"]}


def _is_time(text: str) -> bool:
    try:
        _TIMES.validate_strings(text)
    except ValidationError:
        return False
    return _RFC_3339.match(text) is not None


_RFC_3339: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)\Z", re.ASCII)
_TIMES: Final = TypeAdapter(datetime)


class FileList(GoogleModel):
    """A page of files."""

    files: list[FileView] = Field(default_factory=list[FileView], description="The files")
    next_page_token: str | None = Field(default=None, description="What to ask the next page with, if there is one")
    incomplete_search: bool = Field(default=False, description="Whether some places could not be searched")
    unreadable: list[str] = Field(
        default_factory=list[str], description="Ids of files whose metadata could not be read; get them one by one"
    )

    @model_validator(mode="before")
    @classmethod
    def _set_aside(cls, data: object) -> object:
        """Set aside what is no `FileView`, so that one file that cannot be read does not hide all others."""
        fields = cast("dict[str, object]", data) if isinstance(data, dict) else {}
        files = fields.get("files")
        if not isinstance(files, list) or all(map(is_file, cast("list[object]", files))):
            return cast("object", data)
        given = cast("list[object]", files)
        unreadable = [_find_id(each) for each in given if not is_file(each)]
        return {**fields, "files": [each for each in given if is_file(each)], "unreadable": unreadable}


def is_file(data: object) -> bool:
    """Whether data can be read as a `FileView`."""
    try:
        FileView.model_validate(data)
    except ValidationError:
        return False
    return True


def _find_id(data: object) -> str:
    return str(cast("dict[str, object]", data).get("id", "")) if isinstance(data, dict) else ""


class FileContent(GoogleModel):
    """The content of a file."""

    file_id: str = Field(description="Id of the file")
    mime_type: str = Field(description="What the content is")
    size: int = Field(description="Its size in bytes")
    encoding: Literal["utf-8", "base64", "artifact"] = Field(description="How the content is written here")
    content: str = Field(default="", description="The content; empty if it comes as an artifact")
    file: Artifact | None = Field(default=None, description="The reference to the content, if it comes as an artifact")
