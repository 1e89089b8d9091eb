"""Files attached to the input of an agent, and the policy for them."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Final, Self, TypeAlias, cast, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
    model_validator,
)

from remit.agent.prompt import Prompt
from remit.core.checks import as_path
from remit.core.names import check_file_name
from remit.errors import ContractError, InvalidArgumentsError, RequestError
from remit.record.arguments import Arguments
from remit.record.artifact import Artifact, guess_media_type
from remit.record.principal import Principal
from remit.record.run_artifacts import RunArtifacts
from remit.schemas.jsontext import compact_json
from remit.schemas.settings import with_setup_errors

ATTACHMENTS_FIELD: Final = "attachments"
"""The input field that carries attachments: ``attachments: tuple[Attachment, ...] = ()``."""
FILE_SUFFIX_PATTERN: Final = r"^\.[a-z0-9]{1,16}$"
FileSuffix = Annotated[str, Field(pattern=FILE_SUFFIX_PATTERN)]


class Attachment(BaseModel):
    """A file attached to the input of an agent, with its bytes or as an artifact.

    A runtime stores the bytes as an artifact when it opens a run, so the journal holds the reference.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    name: Annotated[str, AfterValidator(check_file_name)] = Field(
        description="The file's name, without a folder", pattern=r"^[^/\\\x00-\x1f]{1,255}$"
    )
    media_type: str = Field(description="Its media type, like image/png", pattern=r"^[\w.+-]+/[\w.+-]+$")
    data: str | None = Field(default=None, description="Its bytes, as Base64", repr=False)
    artifact: Artifact | None = Field(default=None, description="The reference to its bytes, in place of `data`")

    @model_validator(mode="after")
    def _check_content(self) -> Self:
        if (self.data is None) == (self.artifact is None):
            raise ValueError("give either data or artifact")
        try:
            base64.b64decode(self.data or "", validate=True)
        except binascii.Error as error:
            raise ValueError(f"data: not Base64: {error}") from error
        return self

    @model_serializer(mode="wrap")
    def _leave_out_absent(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in serialize(self).items() if value is not None}

    @property
    def content(self) -> bytes:
        """The bytes of the file.

        Raises:
            ContractError: the bytes are stored as an artifact.
        """
        if self.data is None:
            raise ContractError(f"the content of {self.name} is an artifact; read it with Artifacts.read")
        return base64.b64decode(self.data)

    @property
    def size(self) -> int:
        """The size of the file in bytes."""
        return len(self.content) if self.artifact is None else self.artifact.size

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
            if each.size > self.max_bytes:
                size = f"{each.size:,} bytes"
                raise InvalidArgumentsError(
                    f"{ATTACHMENTS_FIELD}: {each.name!r} has {size}; at most {self.max_bytes:,} are accepted"
                )


def takes_attachments(model: type[BaseModel]) -> bool:
    """Whether an input has a field for attachments."""
    found = model.model_fields.get(ATTACHMENTS_FIELD)
    if found is None:
        return False
    return get_origin(found.annotation) in (tuple, list) and Attachment in get_args(found.annotation)


Refer: TypeAlias = Callable[..., Awaitable[Artifact]]
"""Makes the reference to the content of a file, and stores the content if required."""


async def store_attachments(arguments: Arguments, add: Refer, *, by: Principal) -> Arguments:
    """Replace the bytes of attachments in the arguments by artifacts, which ``add`` stores for ``by``.

    Invalid attachments remain unchanged, and the run refuses them.

    Raises:
        InvalidArgumentsError: the content is too large to be stored, or contains the value of a secret.
    """
    value = arguments.value or {}
    given = value.get(ATTACHMENTS_FIELD)
    if arguments.error or arguments.strict_error or not isinstance(given, list):
        return arguments
    try:
        attachments = [Attachment.model_validate(each) for each in cast("list[object]", given)]
    except ValidationError:
        return arguments
    stored: list[Any] = []
    for each in attachments:
        if each.data is not None:
            artifact = await add(each.content, by=by, name=each.name, media_type=each.media_type)
            each = each.model_copy(update={"data": None, "artifact": artifact})  # noqa: PLW2901 - the same file
        stored.append(each.model_dump(mode="json"))
    value = {**value, ATTACHMENTS_FIELD: stored}
    return Arguments(compact_json(value), value)


async def load_attachments(attachments: Iterable[Attachment]) -> tuple[Attachment, ...]:
    """The attachments with their bytes, read from the artifacts of the current run.

    Raises:
        BrokenJournalError: stored content was changed or removed.
    """
    loaded: list[Attachment] = []
    for each in attachments:
        data = each.data
        if each.artifact is not None:
            data = base64.b64encode(await RunArtifacts().read(each.artifact)).decode()
        loaded.append(Attachment(name=each.name, media_type=each.media_type, data=data))
    return tuple(loaded)
