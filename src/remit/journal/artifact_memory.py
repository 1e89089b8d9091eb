"""Artifacts in the memory of this process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from remit.errors import BrokenJournalError
from remit.journal.index import artifacts_of_header, find_unreferenced
from remit.record.artifact import ArtifactScope
from remit.record.items import Position, RunOpened


class ArtifactsInMemory:
    """The artifacts of a store in memory: content and owners by digest."""

    def __init__(self) -> None:
        self._artifacts: dict[str, tuple[bytes, set[ArtifactScope]]] = {}

    async def add_artifact(self, digest: str, owner: ArtifactScope, content: bytes | None) -> None:
        """Store content or, if it is None, grant ``owner`` access to stored content."""
        if content is None and digest not in self._artifacts:
            raise BrokenJournalError(f"the stored content of artifact {digest[:19]}… is missing")
        self._artifacts.setdefault(digest, (content or b"", set()))[1].add(owner)

    async def read_artifact(self, digest: str, scope: ArtifactScope) -> bytes | None:
        """The content of an artifact visible to ``scope``, or None."""
        content, owners = self._artifacts.get(digest, (b"", set()))
        return content if any(scope.sees(owner) for owner in owners) else None

    def _own_artifacts(self, position: Position, header: RunOpened) -> None:
        """Give a new run the visible artifacts that its header names."""
        for digest, owner in artifacts_of_header(position, header, lambda d: self._artifacts.get(d, ((), ()))[1]):
            self._artifacts[digest][1].add(owner)

    def _erase_artifacts(self, run: str, bodies: Mapping[int, str], seqs: Sequence[int]) -> None:
        """Erase the artifacts of a run that only the items ``seqs`` name."""
        digests = [digest for digest, (_, owners) in self._artifacts.items() if any(each.run == run for each in owners)]
        for digest in find_unreferenced(digests, bodies, seqs):
            _, owners = self._artifacts[digest]
            gone = {owner for owner in owners if owner.run == run}
            owners -= gone | {ArtifactScope(owner.tenant, owner.principal) for owner in gone}
            if not owners:
                del self._artifacts[digest]
