"""Artifacts: large content that calls pass by reference. The content is stored beside the journal, by its digest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Annotated, Final, NamedTuple, Protocol, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from remit.core.checks import check_instance
from remit.core.names import check_file_name
from remit.errors import (
    BrokenJournalError,
    CallError,
    InvalidArgumentsError,
    InvalidOutputError,
    NotFoundError,
)
from remit.record.secret import KNOWN_SECRETS, contains_secret
from remit.schemas.values import iter_values
from remit.shown import show_value

DIGEST_PREFIX: Final = "sha256:"
OCTETS: Final = "application/octet-stream"


def guess_media_type(name: str) -> str:
    """Guess the media type from the suffix of a file's name."""
    import mimetypes  # noqa: PLC0415 - few programs name files

    return mimetypes.guess_type(name)[0] or OCTETS


class Artifact(BaseModel):
    """A reference to content stored next to the journal, which models and tools can pass on.

    ``digest`` and ``size`` describe the content; the sender chose the name and media type.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    digest: str = Field(description="The digest of the content; copy it exactly", pattern=r"^sha256:[0-9a-f]{64}$")
    size: int = Field(description="The size of the content in bytes", ge=0)
    media_type: str = Field(
        default=OCTETS, description="The media type: {type}/{subtype}", pattern=r"^[\w.+-]+/[\w.+-]+$", max_length=127
    )
    name: Annotated[str, AfterValidator(check_file_name)] = Field(
        default="", description="A file name without a folder", pattern=r"^[^/\\\x00-\x1f]{0,255}$"
    )

    def check(self, content: bytes) -> bytes:
        """Verify content against the digest and return it.

        Raises:
            NotFoundError: the size differs. BrokenJournalError: the stored content was changed.
        """
        if digest_of(content) != self.digest:
            raise BrokenJournalError(f"the stored content of {self} was changed; restore it from a backup")
        if len(content) != self.size:
            raise not_found(self)
        return content

    def __str__(self) -> str:
        return f"artifact {self.digest[:19]}…{f' ({self.name})' if self.name else ''}"


def describe_file(artifact: Artifact) -> str:
    """The message line that refers to a file. The model is also sent the content if it reads such files."""
    return f"File: {artifact.model_dump_json()}"


Files = Sequence[Artifact]
"""Files that a person gives to an agent, as references."""


class ArtifactScope(NamedTuple):
    """The principal that stores or reads an artifact, and the run in whose call this happens, if any.

    A scope sees the artifacts of its principal and of its conversation.
    """

    tenant: str
    principal: str
    application: str = ""
    conversation: str = ""
    run: str = ""

    def sees(self, owner: ArtifactScope) -> bool:
        """Whether an artifact stored by ``owner`` is visible to this scope."""
        shared = bool(self.conversation) and self[2:4] == owner[2:4]
        return self.tenant == owner.tenant and (shared or self.principal == owner.principal)


class Artifacts(Protocol):
    """The capability to store and read artifacts. Classes whose methods are tools receive it in their constructor."""

    async def add(self, content: bytes, /, *, name: str = "", media_type: str = "") -> Artifact:
        """Store content durably and return its reference. The media type defaults to that of the name's suffix.

        Raises:
            InvalidOutputError: it is too large, contains the value of a secret, or its name or media type is not valid.
        """
        ...

    async def read(self, artifact: Artifact, /, offset: int = 0, length: int | None = None) -> bytes:
        """Read the content, or ``length`` bytes from ``offset``. The whole content is verified by its digest.

        Raises:
            NotFoundError: it does not exist or is not visible here. BrokenJournalError: it was changed or removed.
            InvalidArgumentsError: the offset or the length is negative.
        """
        ...


class CheckedArtifacts(Artifacts, Protocol):
    """The artifacts of a run, with a check for the arguments of calls."""

    async def check(self, artifact: Artifact, /) -> None:
        """Refuse an artifact that cannot be read; see `read`."""
        ...


def digest_of(content: bytes) -> str:
    """The digest under which content is stored."""
    return DIGEST_PREFIX + sha256(content).hexdigest()


def check_range(offset: object, length: object) -> None:
    """Refuse an invalid range of content.

    Raises:
        InvalidArgumentsError: the offset or the length is not a non-negative integer.
    """
    for name, value in (("offset", offset), ("length", 0 if length is None else length)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise InvalidArgumentsError(f"read: {name} is {show_value(value)}; give a number of bytes, 0 or more")


def new_artifact(
    content: object, *, name: str, media_type: str, max_bytes: int, error: type[CallError] = InvalidOutputError
) -> Artifact:
    """Check content and make its reference.

    Raises:
        InvalidOutputError: or ``error``; the content is too large, contains the value of a secret, or has a name or
            media type that is not valid. SetupError: it is not bytes.
    """
    check_instance("the content of an artifact", content, bytes, "give bytes")
    content = cast("bytes", content)
    if len(content) > max_bytes:
        raise error(
            f"an artifact of {len(content):,} bytes is too large; the limit, Limits.artifact_bytes, is {max_bytes:,}"
        )
    if KNOWN_SECRETS.spellings.replacements and contains_secret(f"{name} {content.decode('utf-8', 'surrogateescape')}"):
        raise error("the artifact contains the value of a secret, which would be stored; leave it out")
    try:
        kind = media_type or guess_media_type(str(name))
        return Artifact(digest=digest_of(content), size=len(content), media_type=kind, name=name)
    except ValidationError as invalid:
        found = invalid.errors()[0]
        if found["loc"] == ("name",) and found["type"] == "value_error":
            raise error(f"the name of an artifact: {found['msg'].partition(', ')[2]}") from invalid
        if found["loc"] == ("name",):
            rule = "give at most 255 characters that can be seen, without / and \\, like menu-3-4.png"
            raise error(f"the name {show_value(name)} of an artifact is not valid; {rule}") from invalid
        rule = "give a type and a subtype, like text/csv, of at most 127 characters"
        raise error(f"the media type {show_value(media_type)} is not valid; {rule}") from invalid


def not_found(artifact: Artifact) -> NotFoundError:
    """The error for an artifact that does not exist, or that the caller may not see."""
    return NotFoundError(f"there is no {artifact}; use a reference exactly as it was given")


def find_artifacts(value: object) -> Iterator[Artifact]:
    """Find all references in a value: a model, a dataclass, or a collection of these."""
    return (each for each in iter_values(value) if isinstance(each, Artifact))


DIGEST_START: Final = f'"{DIGEST_PREFIX}'
