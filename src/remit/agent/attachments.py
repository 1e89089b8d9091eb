"""Files attached to the input of an agent, and the policy for them."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Annotated, Final, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, field_validator

from remit.agent.prompt import Prompt
from remit.contracts.artifact import guess_media_type
from remit.core.checks import as_path
from remit.errors import InvalidArgumentsError, RequestError
from remit.schemas.settings import with_setup_errors

ATTACHMENTS_FIELD: Final = "attachments"
"""The field of an input that carries them: ``attachments: tuple[Attachment, ...] = ()``."""
FILE_SUFFIX_PATTERN: Final = r"^\.[a-z0-9]{1,16}$"
FileSuffix = Annotated[str, Field(pattern=FILE_SUFFIX_PATTERN)]


class Attachment(BaseModel):
    """A file attached to the input of an agent. It is part of the input as JSON, so the journal contains it."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    name: str = Field(description="The file's name, without a folder", pattern=r"^[^/\\\x00-\x1f]{1,255}$")
    media_type: str = Field(description="Its media type, like image/png", pattern=r"^[\w.+-]+/[\w.+-]+$")
    data: str = Field(description="Its bytes, as Base64", repr=False)

    @field_validator("data")
    @classmethod
    def _check_base64(cls, data: str) -> str:
        try:
            base64.b64decode(data, validate=True)
        except binascii.Error as error:
            raise ValueError(f"not Base64: {error}") from error
        return data

    @property
    def content(self) -> bytes:
        """The bytes of the file."""
        return base64.b64decode(self.data)

    @property
    def suffix(self) -> str:
        """The suffix of its name in lower case, like ``.png``."""
        return PurePosixPath(self.name).suffix.lower()

    @classmethod
    def from_path(cls, path: Path) -> Attachment:
        """Read the file at ``path``. The media type follows from its name.

        Raises:
            RequestError: the file cannot be read.
        """
        path = as_path("Attachment.from_path: path", path)
        try:
            data = path.read_bytes()
        except OSError as error:
            raise RequestError(f"cannot attach {path}: {error.strerror}") from error
        return cls(name=path.name, media_type=guess_media_type(path.name), data=base64.b64encode(data).decode())


class PromptWithAttachments(Prompt):
    """The default input of an agent that accepts attachments."""

    attachments: tuple[Attachment, ...] = Field(default=(), description="Files that the prompt is about")


@with_setup_errors
class AttachmentPolicy(BaseModel):
    """The files that an agent accepts. An agent without a policy accepts no files."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    suffixes: tuple[FileSuffix, ...] = Field(min_length=1, description="Ends of names, in lower case, like `.pdf`.")
    max_count: int = Field(default=4, ge=1, description="How many files.")
    max_bytes: int = Field(default=512 << 10, ge=1, description="How many bytes each may have.")

    def check(self, attachments: Sequence[Attachment]) -> None:
        """Refuse attachments that the policy does not allow, before anything is sent.

        Raises:
            InvalidArgumentsError: there are too many files, or one is too large or of a refused type.
        """
        if len(attachments) > self.max_count:
            raise InvalidArgumentsError(
                f"{ATTACHMENTS_FIELD}: {len(attachments)} files; at most {self.max_count} are accepted"
            )
        for each in attachments:
            if each.suffix not in self.suffixes:
                raise InvalidArgumentsError(
                    f"{ATTACHMENTS_FIELD}: {each.name!r} is not accepted; accepted suffixes: {', '.join(self.suffixes)}"
                )
            if len(each.content) > self.max_bytes:
                size = f"{len(each.content):,} bytes"
                raise InvalidArgumentsError(
                    f"{ATTACHMENTS_FIELD}: {each.name!r} has {size}; at most {self.max_bytes:,} are accepted"
                )


def takes_attachments(model: type[BaseModel]) -> bool:
    """Whether an input has a field for attachments."""
    found = model.model_fields.get(ATTACHMENTS_FIELD)
    if found is None:
        return False
    return get_origin(found.annotation) in (tuple, list) and Attachment in get_args(found.annotation)
