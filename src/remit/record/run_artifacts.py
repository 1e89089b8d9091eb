"""The artifacts of the current task's run: for tools, and for content that is too large to be recorded."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel

from remit.errors import ContractError, InvalidOutputError, NotFoundError
from remit.record.artifact import DIGEST_START, Artifact, Artifacts, find_artifacts
from remit.record.current_run import CURRENT_RUN

_REFERENCE_START: Final = '{"remit_artifact":'


class RunArtifacts:
    """The artifacts of the run that makes the call. Pass it to the constructor of a class whose methods are tools."""

    async def add(self, content: bytes, /, *, name: str = "", media_type: str = "") -> Artifact:
        """Store content and return its reference; see `Artifacts`."""
        return await _current_artifacts().add(content, name=name, media_type=media_type)

    async def read(self, artifact: Artifact, /, offset: int = 0, length: int | None = None) -> bytes:
        """Read the content, or ``length`` bytes from ``offset``; see `Artifacts`."""
        return await _current_artifacts().read(artifact, offset, length)

    def __repr__(self) -> str:
        return "RunArtifacts()"


async def check_artifacts(payload: BaseModel | None, canonical_arguments: str) -> None:
    """Refuse a call whose arguments refer to unreadable content, before anything else happens.

    Raises:
        NotFoundError: the content does not exist, or is not visible to the run.
        BrokenJournalError: it was changed or removed.
    """
    access = CURRENT_RUN.get().artifacts
    if access is not None and DIGEST_START in canonical_arguments:
        for each in find_artifacts(payload):
            await access.check(each)


async def check_given_artifacts(value: object) -> None:
    """Refuse a result that refers to content that cannot be read here, such as a digest invented by a model.

    The content stays readable for the run, so a replay decides as the run did.

    Raises:
        InvalidOutputError: names the reference.
    """
    access = CURRENT_RUN.get().artifacts
    if access is None:
        return
    for each in find_artifacts(value):
        try:
            await access.read(each, 0, 0)
        except NotFoundError as error:
            raise InvalidOutputError(
                f"the result refers to a file that this run does not have: {error.message}"
            ) from error


async def store_large(content: str, max_bytes: int) -> Artifact | None:
    """Store content above ``max_bytes`` bytes as an artifact of the current run; return None for smaller content.

    Raises:
        InvalidOutputError: it is too large even for an artifact.
    """
    access = CURRENT_RUN.get().artifacts
    if access is None or is_small(content, max_bytes):
        return None
    data = content.encode("utf-8", "surrogatepass")
    if len(data) <= max_bytes and not content.startswith(_REFERENCE_START):
        return None
    return await access.add(data, media_type="application/json" if content[:1] in ("{", "[") else "text/plain")


def is_small(content: str, max_bytes: int) -> bool:
    """Whether content is certainly small enough to be recorded as it is, in any encoding."""
    return len(content) * 4 <= max_bytes and not content.startswith(_REFERENCE_START)


async def to_recorded(content: str, max_bytes: int) -> str:
    """Convert content for a record: unchanged, or the reference to an artifact if it is large.

    Content that looks like such a reference is stored as an artifact too, so that the two are never confused.
    """
    artifact = None if is_small(content, max_bytes) else await store_large(content, max_bytes)
    return content if artifact is None else f"{_REFERENCE_START}{artifact.model_dump_json()}}}"


def is_recorded_reference(recorded: str) -> bool:
    """Whether a record has the reference to large content in the content's place."""
    return recorded.startswith(_REFERENCE_START)


async def from_recorded(recorded: str, artifacts: Artifacts | None = None) -> str:
    """The inverse of `to_recorded`. Large content is read from the current run's artifacts."""
    access = artifacts or CURRENT_RUN.get().artifacts
    if access is None or not is_recorded_reference(recorded):
        return recorded
    artifact = Artifact.model_validate_json(recorded[len(_REFERENCE_START) : -1])
    return (await access.read(artifact)).decode("utf-8", "surrogatepass")


def _current_artifacts() -> Artifacts:
    access = CURRENT_RUN.get().artifacts
    if access is None:
        raise ContractError("artifacts belong to a run; outside of runs, use Runtime.artifacts")
    return access
