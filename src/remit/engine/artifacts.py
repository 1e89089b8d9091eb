"""The artifacts of runs and of people, in the store of a runtime."""

from __future__ import annotations

import asyncio
from pathlib import Path

from remit.core.call_checks import check_calls
from remit.core.checks import check_instance, check_texts
from remit.errors import InvalidArgumentsError, InvalidOutputError, RequestError
from remit.journal.index import artifact_scope
from remit.journal.ports import ConversationKey, Store
from remit.record.arguments import Limits
from remit.record.artifact import Artifact, ArtifactScope, check_range, new_artifact, not_found
from remit.record.items import RunOpened
from remit.record.principal import Principal, check_principal
from remit.record.run_artifacts import from_recorded


class StoredArtifacts:
    """The artifacts that one scope sees. A replay stores nothing."""

    def __init__(self, store: Store, scope: ArtifactScope, limits: Limits, *, is_replaying: bool = False) -> None:
        self._store = store
        self._scope = scope
        self._limits = limits
        self._is_replaying = is_replaying
        self._own = set[str]()

    async def add(self, content: bytes, /, *, name: str = "", media_type: str = "") -> Artifact:
        """Store content and return its reference; see `Artifacts`."""
        error = InvalidOutputError if self._scope.run else InvalidArgumentsError
        max_bytes = self._limits.artifact_bytes
        artifact = await asyncio.to_thread(
            new_artifact, content, name=name, media_type=media_type, max_bytes=max_bytes, error=error
        )
        await self._own_artifact(artifact, content)
        return artifact

    async def read(self, artifact: Artifact, /, offset: int = 0, length: int | None = None) -> bytes:
        """The content, or a part of it; see `Artifacts`. A run keeps artifacts it has read until its erasure."""
        check_instance("read: artifact", artifact, Artifact, "give an Artifact")
        check_range(offset, length)
        content = await self._store.read_artifact(artifact.digest, self._scope)
        if content is None:
            raise not_found(artifact)
        await asyncio.to_thread(artifact.check, content)
        if self._scope.run:
            await self._own_artifact(artifact, None)
        return content[offset:] if length is None else content[offset : offset + length]

    async def check(self, artifact: Artifact, /) -> None:
        """Refuse an artifact that cannot be read. A replay skips this check because it runs nothing."""
        if not self._is_replaying:
            await self.read(artifact, 0, 0)

    async def _own_artifact(self, artifact: Artifact, content: bytes | None) -> None:
        if not self._is_replaying and artifact.digest not in self._own:
            await self._store.add_artifact(artifact.digest, self._scope, content)
            self._own.add(artifact.digest)


@check_calls
class ArtifactService:
    """Files that people give to runs and get from them: `Runtime.artifacts`."""

    def __init__(self, store: Store, limits: Limits) -> None:
        self._store = store
        self._limits = limits

    async def add(self, content: bytes | Path, *, by: Principal, name: str = "", media_type: str = "") -> Artifact:
        """Store bytes, or the file at a path, for runs of ``by``. Name and type follow from the path by default.

        Raises:
            RequestError: the file cannot be read. InvalidArgumentsError: it is too large, contains a secret's
                value, or its name or media type is not valid.
        """
        check_principal("by", by)
        check_texts("artifacts.add", name=name, media_type=media_type)
        if isinstance(content, Path):
            name = name or content.name.lstrip(".")
            try:
                content = await asyncio.to_thread(content.read_bytes)
            except OSError as error:
                raise RequestError(f"cannot read {content}: {error.strerror}") from error
        check_instance("the content of an artifact", content, bytes, "give bytes, or the pathlib.Path of a file")
        return await self._of(by).add(content, name=name, media_type=media_type)

    async def refer(self, content: bytes, *, by: Principal, name: str = "", media_type: str = "") -> Artifact:
        """The reference that `add` would return for content, without storing it. Raises the same errors."""
        check_principal("by", by)
        return await asyncio.to_thread(
            new_artifact,
            content,
            name=name,
            media_type=media_type,
            max_bytes=self._limits.artifact_bytes,
            error=InvalidArgumentsError,
        )

    async def read(self, artifact: Artifact, *, by: Principal, offset: int = 0, length: int | None = None) -> bytes:
        """The content of an artifact that ``by`` stored or that a run of ``by`` has; see `Artifacts.read`."""
        check_principal("by", by)
        return await self._of(by).read(artifact, offset, length)

    async def read_shared(
        self, artifact: Artifact, conversation: ConversationKey, *, offset: int = 0, length: int | None = None
    ) -> bytes:
        """The content of an artifact that a run of a conversation has; the caller has checked who may read that."""
        scope = ArtifactScope(conversation.tenant, "", conversation.application, conversation.conversation)
        return await StoredArtifacts(self._store, scope, self._limits).read(artifact, offset, length)

    def _of(self, by: Principal) -> StoredArtifacts:
        return StoredArtifacts(self._store, ArtifactScope(by.tenant, by.name), self._limits)


async def read_result(content: str, run: str, header: RunOpened, store: Store) -> str:
    """The content of an ended run's result from its record."""
    artifacts = StoredArtifacts(store, artifact_scope(run, header), Limits(), is_replaying=True)
    return await from_recorded(content, artifacts)
