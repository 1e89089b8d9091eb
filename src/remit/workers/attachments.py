"""Files that a worker is given with its input, and what it takes of them."""

from __future__ import annotations

import base64
import binascii
import mimetypes
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, field_validator

from remit.agent.agent import Prompt
from remit.errors import InvalidArgumentsError, RequestError
from remit.workers.field_types import FileSuffix

ATTACHMENTS_FIELD: Final = "attachments"
"""The field of an input that carries them: ``attachments: tuple[Attachment, ...] = ()``."""


class Attachment(BaseModel):
    """One file, as an input carries it: in JSON, so that the journal has what the model was given."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(description="The file's name, without a folder", pattern=r"^[^/\\\x00-\x1f]{1,255}$")
    media_type: str = Field(description="What it is, like image/png", pattern=r"^[\w.+-]+/[\w.+-]+$")
    data: str = Field(description="Its bytes, as Base64", repr=False)

    @field_validator("data")
    @classmethod
    def _check_base64(cls, data: str) -> str:
        try:
            base64.b64decode(data, validate=True)
        except binascii.Error as error:
            raise ValueError(f"no Base64: {error}") from error
        return data

    @property
    def content(self) -> bytes:
        """Its bytes."""
        return base64.b64decode(self.data)

    @property
    def suffix(self) -> str:
        """The end of its name in small letters, like ``.png``."""
        return PurePosixPath(self.name).suffix.lower()

    @classmethod
    def from_path(cls, path: Path) -> Attachment:
        """The file at ``path``; what it is follows from its name.

        Raises:
            RequestError: it cannot be read.
        """
        try:
            data = path.read_bytes()
        except OSError as error:
            raise RequestError(f"cannot attach {path}: {error.strerror}") from error
        kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        return cls(name=path.name, media_type=kind, data=base64.b64encode(data).decode())


class PromptWithAttachments(Prompt):
    """What a worker that takes attachments is asked, where it names no input of its own."""

    attachments: tuple[Attachment, ...] = Field(default=(), description="Files that the prompt speaks of")


class AttachmentPolicy(BaseModel):
    """What a worker takes. One without a policy takes none."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    suffixes: tuple[FileSuffix, ...] = Field(min_length=1, description="Ends of names, in small letters, like `.pdf`.")
    max_count: int = Field(default=4, ge=1, description="How many files.")
    max_bytes: int = Field(default=512 << 10, ge=1, description="How many bytes each may have.")

    def check(self, attachments: Sequence[Attachment]) -> None:
        """Refuse what it does not take; to be asked before anything is sent.

        Raises:
            InvalidArgumentsError: there are too many, one is too large, or of a kind that is not taken.
        """
        if len(attachments) > self.max_count:
            raise InvalidArgumentsError(
                f"{ATTACHMENTS_FIELD}: {len(attachments)} files; at most {self.max_count} are taken"
            )
        for each in attachments:
            if each.suffix not in self.suffixes:
                raise InvalidArgumentsError(
                    f"{ATTACHMENTS_FIELD}: {each.name!r} is not taken; taken are: {', '.join(self.suffixes)}"
                )
            if len(each.content) > self.max_bytes:
                size = f"{len(each.content):,} bytes"
                raise InvalidArgumentsError(
                    f"{ATTACHMENTS_FIELD}: {each.name!r} has {size}; at most {self.max_bytes:,} are taken"
                )
